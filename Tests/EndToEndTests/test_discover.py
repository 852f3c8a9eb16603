"""rpc.discover describes the interface. All other tests validate replies and events against it."""

import re

import jsonschema
import pytest

from harness.contract import CONTRACT

CLASSES = {"read", "use", "answer", "admin", "service"}

METHODS = {
    "account.list": "read",
    "authentication.approve": "answer",
    "authentication.deny": "answer",
    "authentication.list": "read",
    "authentication.start": "answer",
    "device.configure": "admin",
    "device.info": "read",
    "device.sendLogs": "use",
    "device.setKeepOnReinstall": "admin",
    "device.setPushAllowed": "use",
    "device.setPushToken": "use",
    "device.testPush": "use",
    "event.subscribe": "read",
    "event.unsubscribe": "read",
    "login.cancel": "answer",
    "login.next": "answer",
    "login.start": "answer",
    "notification.approve": "answer",
    "notification.deny": "answer",
    "notification.get": "read",
    "notification.list": "read",
    "notification.process": "answer",
    "pairing.approve": "answer",
    "pairing.ignore": "answer",
    "pairing.list": "read",
    "pairing.pair": "answer",
    "pairing.processIdToken": "answer",
    "passcode.get": "use",
    "payload.generate": "use",
    "rpc.discover": "read",
    "service.status": "read",
}
"""The methods of the main features. Methods may be added, but not removed or moved to another class."""

ERRORS = {-32700, -32600, -32601, -32602, -32603, 10000, *range(10001, 10006), 10008, 10009, 10011, 10013}
ERRORS |= {10017, 10018, 10019, 10020, 11001, 11002, 11003, 11004, 11006, 11007, 11008, 11009, 11010, 11016, 11017}


@pytest.fixture
def document(client):
    return client.call("rpc.discover")


def test_discover_returns_a_valid_openrpc_document(document):
    assert re.fullmatch(r"1\.3\.\d+", document["openrpc"])
    assert document["info"]["title"] and document["info"]["version"]
    names = [method["name"] for method in document["methods"]]
    assert names == sorted(names) and len(names) == len(set(names))
    for method in document["methods"]:
        assert method["summary"] and method["paramStructure"] == "by-name"
        assert method["x-class"] in CLASSES
        required = [param["required"] for param in method["params"]]
        assert required == sorted(required, reverse=True), "required parameters come first"
        for param in method["params"]:
            jsonschema.Draft202012Validator.check_schema(param["schema"])
        jsonschema.Draft202012Validator.check_schema(method["result"]["schema"])
        for error in method["errors"]:
            assert error["$ref"].removeprefix("#/components/errors/") in document["components"]["errors"]
    for schema in document["components"]["schemas"].values():
        jsonschema.Draft202012Validator.check_schema(schema)


def test_every_method_of_the_contract_is_listed_with_its_class(document):
    described = {method["name"]: method["x-class"] for method in document["methods"]}
    assert {name: described.get(name) for name in METHODS} == METHODS


def test_every_listed_method_rejects_an_unknown_parameter(client, document):
    for method in document["methods"]:
        client.begin(method["name"], noSuchParameter=1)
    for method in document["methods"]:
        reply = client.read_line()
        assert reply["error"]["code"] == -32602, (method["name"], reply)


def test_unlisted_methods_are_not_found(client, document):
    listed = {method["name"] for method in document["methods"]}
    for name in ("account.nothing", "rpc.Discover", "service", "", "service.status "):
        assert name not in listed
        assert client.refusal(name).code == -32601


def test_errors_have_the_codes_of_the_contract(document):
    errors = document["components"]["errors"]
    assert all(error["data"]["reason"] == name for name, error in errors.items())
    codes = {error["code"] for error in errors.values()}
    assert codes >= ERRORS
    transport = {"REQUEST_TOO_LARGE", "NESTING_TOO_DEEP", "DUPLICATE_NAME", "BATCH_TOO_LARGE", "RESULT_TOO_LARGE"}
    assert transport <= set(errors)


def test_contract_validator_rejects_invalid_results_and_events(client):
    """Tests the validator that all other tests rely on."""
    status = client.call("service.status")
    for broken in ({}, {**status, "version": 1}, {**status, "owner": {}}, {**status, "startedAt": "today"}):
        with pytest.raises(jsonschema.ValidationError):
            CONTRACT.validator("service.status").validate(broken)
    with pytest.raises(jsonschema.ValidationError):
        CONTRACT.topic("notification").validate({"id": "x"})
