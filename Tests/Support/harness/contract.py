"""Checks of all replies and events: the schemas of `rpc.discover`, fetched once, and the rules for errors."""

import re

import jsonschema
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

_DOCUMENT = "mfad:openrpc"
_TOPICS = {
    "notification": "NotificationObject",
    "pairing": "PairingRequest",
    "authentication": "AuthenticationObject",
    "account": "Account",
}


class _Contract:
    def __init__(self):
        self.document = None

    def learn(self, document):
        """Loads the schemas from a document of `rpc.discover`."""
        self.document = document
        resource = Resource(contents=document, specification=DRAFT202012)
        self._registry = Registry().with_resource(_DOCUMENT, resource)
        self._validators = {
            method["name"]: self._validator(self._absolute(method["result"]["schema"]))
            for method in document["methods"]
        }
        self._topics = {
            topic: self._validator({"$ref": f"{_DOCUMENT}#/components/schemas/{name}"})
            for topic, name in _TOPICS.items()
        }
        self._errors = {
            (error["code"], error["data"]["reason"]) for error in document["components"]["errors"].values()
        }
        self._common = self._reasons(document["x-common-errors"])
        self._listed = {method["name"]: self._reasons(method["errors"]) for method in document["methods"]}

    @staticmethod
    def _reasons(references):
        return {each["$ref"].removeprefix("#/components/errors/") for each in references}

    def _absolute(self, schema):
        if isinstance(schema, dict):
            return {
                name: _DOCUMENT + value if name == "$ref" and value.startswith("#") else self._absolute(value)
                for name, value in schema.items()
            }
        return [self._absolute(value) for value in schema] if isinstance(schema, list) else schema

    def _validator(self, schema):
        return jsonschema.Draft202012Validator(
            schema, registry=self._registry, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
        )

    def validator(self, method):
        return self._validators[method]

    def topic(self, topic):
        return self._topics.get(topic)

    def allows_error(self, method, reason):
        """True if a method lists an error, or if any call can end with it."""
        return reason in self._common | self._listed.get(method, set())

    def knows_error(self, code, reason):
        return (code, reason) in self._errors


CONTRACT = _Contract()


def check_result(method, result):
    """Checks a result against the schema that the daemon announces."""
    if method == "rpc.discover":
        if CONTRACT.document is None:
            CONTRACT.learn(result)
        return
    if CONTRACT.document is not None:
        CONTRACT.validator(method).validate(result)


def check_event(event):
    """Checks that the payload of an event has the same schema as the results of `get` and `list`."""
    assert set(event) == {"subscription", "topic", "sequence", "payload"}, event
    if CONTRACT.document is not None and CONTRACT.topic(event["topic"]) is not None:
        CONTRACT.topic(event["topic"]).validate(event["payload"])


_SUSPICIOUS = re.compile(r"/(tmp|var|run|proc|work)/|SELECT |INSERT |UPDATE |\.swift|0x[0-9a-f]{6}")


def check_error(error, method=None):
    """Checks that an error serves users and programs: a sentence, a stable reason, no internals."""
    assert set(error) == {"code", "message", "data"}, error
    message, data = error["message"], error["data"]
    assert message and "\n" not in message and not message.endswith("."), error
    assert message[0].islower() or message.split()[0].isupper(), error
    assert re.fullmatch(r"[A-Z][A-Z0-9_]*", data["reason"]), error
    assert isinstance(data["retry"], bool), error
    assert set(data) <= {"cause", "reason", "retry", "details"}, error
    assert re.fullmatch(r"[a-z][a-z-]*", data.get("cause", "none")), error
    assert isinstance(data.get("details", {}), dict), error
    # The only path in errors is that of an invalid configuration.
    file = data["details"]["file"] if data["reason"] == "MISCONFIGURED" else "\0"
    assert not _SUSPICIOUS.search(str(error).replace(file, "")), error
    if CONTRACT.document is not None:
        assert CONTRACT.knows_error(error["code"], data["reason"]), f"rpc.discover does not name {error}"
        assert CONTRACT.allows_error(method, data["reason"]), f"{method} does not list {error}"
