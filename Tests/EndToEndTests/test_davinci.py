"""login.* with DaVinci: whole walks through flows, by a program and by a script."""

import json

import pytest

from harness import flows
from harness.authctl import Authctl


@pytest.fixture
def client(make_daemon, sandbox):
    client = make_daemon(allow_loopback_http="yes").start().client()
    client.call("device.configure", geo=flows.GEO)
    return client


def start(client, flow, **options):
    parameters = {"acr_values": flow, **options.pop("parameters", {})}
    return client.call("login.start", method="davinci", parameters=parameters, **options)


def answer(client, step, values=None, **more):
    return client.call("login.next", login=step["login"], values=values or {}, **more)


def credentials(sandbox, user="ann"):
    return {"user.username": user, "user.password": sandbox.users[user]["password"]}


def collector(step, key):
    return next(each for each in step["collectors"] if each["key"] == key)


def kinds(step):
    return [each["type"] for each in step["collectors"]]


def messages(step):
    return {each["key"]: each["message"] for each in step["collectors"] if "message" in each}


def everything(sandbox):
    """Answers to the first page of every field."""
    return {
        **credentials(sandbox), "colour": "blue", "size": "large", "fruits": ["apple", "quince"], "days": ["monday"],
        "terms": True, "phone": {"countryCode": "GB", "phoneNumber": "7700900123", "extension": "42"},
    }


def test_every_field_is_shown_and_answered(client, sandbox):
    step = start(client, "all-collectors")
    assert (step["node"], step["method"], step["title"]) == ("continue", "davinci", "Inputs")
    assert kinds(step) == [
        "LabelCollector", "TextCollector", "PasswordCollector", "PasswordCollector", "SingleSelectCollector",
        "SingleSelectCollector", "MultiSelectCollector", "MultiSelectCollector", "BooleanCollector",
        "PhoneNumberCollector", "ReadOnlyTextCollector", "ImageCollector",
    ]
    assert step["collectors"][0]["value"] == "Fill in, please (https://example.com/help)"
    assert collector(step, "colour")["value"] == "green" and collector(step, "fruits")["value"] == ["pear"]
    assert collector(step, "newPassword")["raw"]["passwordPolicy"]["name"] == "Nested"
    assert [(each["key"], each["kind"]) for each in step["actions"]] == [
        ("submit", "submit"), ("draft", "submit"), ("skip", "flow"), ("help", "link"),
    ]
    step = answer(client, step, everything(sandbox))
    assert kinds(step) == ["DeviceRegistrationCollector"]
    step = answer(client, step, {"newDevice": "MOBILE"})
    assert collector(step, "chosenDevice")["value"] == "d-2"
    step = answer(client, step, {"chosenDevice": "d-1"})
    assert kinds(step) == [
        "QrCodeCollector", "ProtectCollector", "MetadataCollector", "IdpCollector", "UnknownCollector",
    ]
    assert collector(step, "qr")["value"] == "KODE 1234" and collector(step, "hologram")["raw"]["colour"] == "violet"
    step = answer(client, step)
    assert kinds(step) == ["FidoRegistrationCollector"]
    step = answer(client, step, action="fido2")
    assert step["title"] == "Template"
    step = answer(client, step, {"nickname": "Anni"}, action="STAY")
    assert step["title"] == "Template"
    step = answer(client, step, {"nickname": "Anni"})
    texts = [each["value"] for each in step["collectors"]]
    assert {"colour: blue", "size: large", "terms: true", "newDevice: MOBILE", "nickname: Anni"} <= set(texts)
    shown = {name: value for name, _, value in (text.partition(": ") for text in texts)}
    assert json.loads(shown["chosenDevice"]) == {"type": "SMS", "id": "d-1", "description": "******0123"}
    assert json.loads(shown["phone"]) == everything(sandbox)["phone"]
    assert json.loads(shown["fruits"]) == ["apple", "quince"]
    last = answer(client, step)
    assert (last["node"], last["method"]) == ("success", "davinci")
    assert last["user"]["username"] == "ann" and last["pairing"]["user"]["username"] == "ann"
    assert client.call("pairing.approve", pairing=last["pairing"]["id"])["account"]


def test_a_registration_is_corrected_until_it_is_right(client, sandbox):
    step = start(client, "sign-on-with-registration", locale="de")
    assert step["title"] == "Anmelden" and collector(step, "user.username")["label"] == "Benutzername"
    wrong = answer(client, step, {"user.username": "ann", "user.password": "no"})
    assert (wrong["node"], wrong["message"]) == ("error", "Invalid username and/or password")
    step = answer(client, step, action="register")
    values = {"user.username": "eve", "user.email": "eve@example.com", "user.password": "short"}
    wrong = answer(client, step, {**values, "user.username": "ann"})
    assert messages(wrong) == {"user.username": "is unique but a non-unique value is provided"}
    wrong = answer(client, step, values)
    assert messages(wrong) == {
        "user.password": "The provided password is shorter than the minimum required length of 8 characters",
    }
    step = answer(client, step, {**values, "user.password": "Passw0rd-of-eve"})
    assert (step["node"], step["title"]) == ("continue", "Verify Email")


def test_a_script_answers_every_field_line_by_line(make_daemon, sandbox, directory):
    daemon = make_daemon(allow_loopback_http="yes").start()
    daemon.client().call("device.configure", geo=flows.GEO)
    lines = [
        {"values": everything(sandbox)}, {"values": {"newDevice": "EMAIL"}}, {"values": {"chosenDevice": "d-1"}}, {},
        {"values": {"nickname": "Anni"}},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    ran = Authctl(daemon.socket).run("login", "--davinci", "--acr", "all-collectors", "--yes", "--json", input=text)
    assert ran.status == 0, ran.errors
    nodes = [json.loads(line) for line in ran.output.splitlines()]
    assert [node["title"] for node in nodes if node.get("node") == "continue"] == [
        "Inputs", "Devices", "Devices", "Special", "Passkey", "Template", "Summary",
    ]


def test_a_flow_that_there_is_not_is_refused_in_the_servers_words(client):
    step = start(client, "absent")
    assert (step["node"], step["cause"]) == ("failure", "REFUSED")
    assert step["message"] == "the acr_values name nothing that can be played"
