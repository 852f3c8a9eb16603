"""Parameters of every method that the daemon describes, wrong in each way that its own schemas forbid."""

import itertools
import json

import pytest

from harness.client import Client
from harness.hostile.stage import Stage
from harness.users import open_directory

SAMPLES = {
    "string": ["x"], "integer": [7], "number": [7.5], "boolean": [True], "object": [{}], "array": [[]], "null": [None],
}
ALWAYS_WRONG_FOR = {
    "string": [7, True, None, [], {}, 1.5], "integer": ["7", True, None, [], {}, 7.5, 10**30, "x"],
    "number": ["7", True, None, [], {}], "boolean": ["true", 0, 1, None, [], {}],
    "object": ["{}", 7, None, [], True], "array": ["[]", 7, None, {}, True],
}


def wrong_values(schema: dict) -> list:
    """Values that a schema does not allow."""
    if "anyOf" in schema:
        # Values that are wrong for all alternatives.
        kinds = {kind.get("type") for kind in schema["anyOf"]}
        return [value for kind, values in SAMPLES.items() if kind not in kinds for value in values
                if not (kind == "integer" and "number" in kinds)]
    if "const" in schema:
        return [False, None, 1, "true", [], {}]
    values = list(ALWAYS_WRONG_FOR.get(schema.get("type"), []))
    if "enum" in schema:
        one = schema["enum"][0]
        values += ["", one + "x", one.swapcase(), " " + one, one + "\0"]
    if "maxLength" in schema:
        values.append("x" * (schema["maxLength"] + 1))
        # The limit counts code points, not bytes or grapheme clusters. The longest texts would not fit into a line.
        if schema["maxLength"] < 16_384:
            values.append("\U0001F469" * (schema["maxLength"] + 1))
            values.append("e\u0301" * (schema["maxLength"] // 2 + 1))
    if "minimum" in schema:
        values.append(schema["minimum"] - 1)
    if "maximum" in schema:
        values.append(schema["maximum"] + 1)
    if schema.get("type") == "array":
        values += [[value] for value in wrong_values(schema["items"])]
    for name, member in schema.get("properties", {}).items():
        values += [{name: value} for value in wrong_values(member)]
    if isinstance(schema.get("additionalProperties"), dict):
        values += [{"x": value} for value in wrong_values(schema["additionalProperties"])]
    return values


def right_value(schema: dict):
    if "anyOf" in schema:
        return right_value(schema["anyOf"][-1])
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    return {"string": "x", "integer": max(1, schema.get("minimum", 1)), "number": 1, "boolean": True,
            "object": {}, "array": []}.get(schema.get("type"), {})


@pytest.fixture(scope="module")
def stage(shared_stage):
    return shared_stage


@pytest.fixture(scope="module")
def methods(stage):
    document = stage.client.call("rpc.discover")
    return {method["name"]: resolved(method, document) for method in document["methods"]}


def resolved(value, document):
    """A part of the document with its references resolved."""
    if isinstance(value, list):
        return [resolved(each, document) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        part = document
        for name in value["$ref"].removeprefix("#/").split("/"):
            part = part[name]
        return resolved(part, document)
    return {name: resolved(each, document) for name, each in value.items()}


# The parameter with the schema `{}`, which accepts any value.
FREE = {("notification.process", "payload")}
# New owners for the calls, so that none reaches the write limit of another.
UIDS = itertools.count(20_000)


def client_for(stage) -> Client:
    return stage.connect(next(UIDS))


def test_discovery_document_lists_the_methods_of_the_contract(methods):
    wanted = {"rpc.discover", "service.status", "event.subscribe", "event.unsubscribe", "device.configure",
              "payload.generate", "pairing.pair", "pairing.processIdToken", "pairing.list", "pairing.approve",
              "pairing.ignore", "account.list", "passcode.get", "notification.process", "notification.list",
              "notification.get", "notification.approve", "notification.deny", "authentication.start",
              "authentication.list", "authentication.approve", "authentication.deny", "login.start", "login.next",
              "login.cancel"}
    assert wanted <= methods.keys()
    assert all(method["x-class"] in {"read", "use", "answer", "admin", "service"} for method in methods.values())
    assert list(methods) == sorted(methods)


def test_discovery_document_omits_service_methods_for_ordinary_callers(stage, methods):
    shown = {method["name"]: method for method in client_for(stage).call("rpc.discover")["methods"]}
    assert shown.keys() == {name for name, method in methods.items() if method["x-class"] != "service"}


def each(methods):
    for name, method in methods.items():
        required = {p["name"]: right_value(p["schema"]) for p in method["params"] if p["required"]}
        yield name, method["params"], required


@pytest.fixture(scope="module")
def served(issuer_key):
    """Another stage for calls that only root may make. Root has the same write limit as every user."""
    with open_directory() as path:
        stage = Stage(path, issuer_key)
        yield stage
        stage.close()


@pytest.fixture(scope="module")
def caller(stage, served, methods):
    """Returns a client that may call a method: one of a new owner, or root's for methods of the class `service`."""
    others = []

    def client_of(name):
        if methods[name]["x-class"] == "service":
            return served.client
        if others:
            others.pop().close()
        others.append(client_for(stage))
        return others[-1]

    return client_of


def invalid(client, name, params, parameter=None, schema={}):
    error = client.refusal(name, **params)
    assert (error.code, error.reason) == (-32602, "INVALID_PARAMS"), f"{name}({params}): {error}"
    allowed = {"allowed": schema["enum"]} if "enum" in schema else {}
    assert error.details == ({"parameter": parameter, **allowed} if parameter else {}), f"{name}({params})"


def test_every_method_rejects_unknown_parameters_and_names_its_own(caller, methods):
    """A name that no parameter could have is arbitrary text and is not repeated."""
    for name, params, required in each(methods):
        client, names = caller(name), [one["name"] for one in params]
        for unknown in {"surprise", "Geo", "owner", "uid"} - set(names):
            error = client.refusal(name, **required | {unknown: 1})
            assert (error.code, error.details) == (-32602, {"parameter": unknown, "allowed": names}), name
        for unknown in ("", "x\u202e", "hunter22", "s" * 33):
            error = client.refusal(name, **required | {unknown: 1})
            assert (error.code, error.details) == (-32602, {}), f"{name}: {unknown!r}"
            assert len(unknown) < 6 or unknown not in str(error)


def test_every_method_rejects_parameters_in_an_array(caller, methods):
    for name in methods:
        client = caller(name)
        for params in ([], [1], [{}]):
            answer = client.exchange(json.dumps({"jsonrpc": "2.0", "id": 1, "method": name, "params": params}).encode())
            assert answer["error"]["code"] == -32602, name


def test_every_method_names_a_missing_required_parameter(caller, methods):
    for name, _, required in each(methods):
        client = caller(name)
        for missing in required:
            invalid(client, name, {key: value for key, value in required.items() if key != missing}, missing)


def test_every_parameter_rejects_values_that_its_schema_forbids(caller, methods):
    count = 0
    for name, params, required in each(methods):
        for parameter in params:
            if (name, parameter["name"]) in FREE:
                continue
            client = caller(name)
            wrong = wrong_values(parameter["schema"])
            assert wrong, f"no wrong value is known for {name}.{parameter['name']}"
            for value in wrong:
                invalid(client, name, required | {parameter["name"]: value}, parameter["name"], parameter["schema"])
                count += 1
    assert count > 150


def test_unknown_id_of_any_form_is_reported_as_not_found(configured):
    ids = ["", "x", "0", "..", "' OR 1=1 --", "%", "_", "*", "\u0000", "é" * 60, "a" * 128]
    calls = [("pairing.approve", "pairing"), ("pairing.ignore", "pairing"), ("notification.get", "notification"),
             ("notification.deny", "notification"), ("notification.approve", "notification"),
             ("authentication.approve", "authentication"), ("authentication.deny", "authentication"),
             ("login.next", "login"), ("login.cancel", "login"), ("event.unsubscribe", "subscription"),
             ("passcode.get", "account")]
    for id in ids:
        with configured.connect() as client:
            for method, name in calls:
                error = client.refusal(method, **{name: id})
                assert (error.code, error.reason) == (11002, "NOT_FOUND"), f"{method} {id!r}"


def test_lists_reject_a_limit_out_of_range_and_an_unknown_before_id(configured):
    lists = {method["name"] for method in configured.client.call("rpc.discover")["methods"]
             if any(param["name"] in ("limit", "before") for param in method["params"])}
    assert lists == {"notification.list", "audit.list"}
    for name in lists:
        for params in ({"limit": 0}, {"limit": 201}, {"limit": -1}, {"limit": 2**63}):
            assert configured.client.refusal(name, **params).code == -32602
        assert configured.client.refusal(name, before="nobody").code == 11002
        assert configured.client.call(name, limit=200)
