"""login.* with DaVinci: pages of flows, their fields, what they wait for, and servers that mean harm."""

import json

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.browser import Browser
from harness.programs import FLOWS
from harness.sandbox import Sandbox


@pytest.fixture
def sandbox():
    """A platform that plays the flows of the sandbox's folder."""
    sandbox = Sandbox(flows=FLOWS)
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


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


def test_another_provider_signs_on_in_a_browser_whose_last_address_is_brought_back(client, sandbox):
    step = answer(client, start(client, "all-collectors"), everything(sandbox))
    for values in ({"newDevice": "MOBILE"}, {"chosenDevice": "d-1"}):
        step = answer(client, step, values)
    assert "browserUrl" not in step
    step = answer(client, step, action="google")
    assert (step["node"], step["browserUrl"]) == ("continue", collector(step, "google")["value"])
    browser = Browser(stops_at="http")
    browser.open(step["browserUrl"])
    assert client.refusal("login.resume", login=step["login"], uri=step["browserUrl"]).code == -32602
    step = client.call("login.resume", login=step["login"], uri=browser.address)
    assert (step["node"], step["title"]) == ("continue", "Passkey")


def test_what_is_missing_or_wrong_is_told_beside_its_field_and_not_sent(client, sandbox):
    step = start(client, "all-collectors")
    wrong = answer(client, step, {"user.username": "Ann", "colour": "pink", "phone": {"phoneNumber": "1", "countryCode": "X"}})
    assert wrong["node"] == "error" and wrong["actions"] == step["actions"]
    assert messages(wrong) == {
        "user.username": "Must be lower-case letters",
        "user.password": "this is needed",
        "colour": "this is none of the answers to choose from",
        "terms": "You have to agree",
        "phone": "this needs the two letters of a country",
    }
    assert client.refusal("login.next", login=step["login"], values={"shoe": 43}).code == -32602
    assert client.refusal("login.next", login=step["login"], action="shoe").code == -32602
    assert answer(client, step, everything(sandbox))["node"] == "continue"


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


@pytest.mark.parametrize(
    "way, end",
    [
        ("challenge", "success"), ("continue", "success"), ("denied", "denied"), ("expired", "expired"),
        ("never", "timedOut"), ("broken", "error"),
    ],
)
def test_a_page_waits_and_hears_how_it_ended(client, way, end):
    step = answer(client, start(client, "polling"), action=way)
    assert kinds(step) == ["PollingCollector"]
    step = answer(client, step)
    if end == "success":
        assert step["node"] == "success"
    else:
        assert step["collectors"][0]["value"] == f"It ended as {end}"


def test_this_machine_pairs_while_it_signs_on(client, sandbox):
    step = answer(client, start(client, "mobile-pairing"), credentials(sandbox))
    assert kinds(step) == ["LabelCollector", "MobilePairingCollector"]
    assert [each["label"] for each in step["actions"]] == ["Pair this machine", "Not now"]
    last = answer(client, step, action="mobilePairing")
    assert last["node"] == "success"
    assert [each["user"]["username"] for each in client.call("account.list")["accounts"]] == ["ann"]


def test_a_pairing_can_be_declined(client, sandbox):
    step = answer(client, start(client, "mobile-pairing"), credentials(sandbox))
    step = answer(client, step, action="mobilePairing.cancel")
    assert step["collectors"][0]["value"] == "The device was not paired: USER_CANCELLED"
    assert answer(client, step)["node"] == "success"
    assert client.call("account.list")["accounts"] == []


def test_a_push_to_this_very_machine_is_approved_while_the_page_waits(client, sandbox):
    flows.pair(client, sandbox)
    client.subscribe("notification")
    step = answer(client, start(client, "mfa"), credentials(sandbox))
    device = collector(step, "device")
    step = answer(client, step, {"device": device["options"][0]["value"]})
    push = client.event("notification", state="pending")
    number = client.begin("login.next", login=step["login"])
    client.call("notification.approve", notification=push["id"])
    assert client.reply(number)["node"] == "success"


def test_a_flow_knows_a_user_again_while_the_session_is_kept(make_daemon, sandbox):
    client = make_daemon(keep_session="yes").start().client()
    client.call("device.configure", geo=flows.GEO)
    step = start(client, "sign-on-with-registration")
    assert answer(client, step, credentials(sandbox))["node"] == "success"
    again = start(client, "sign-on-with-registration")
    assert (again["node"], again["user"]["username"]) == ("success", "ann")
    assert start(client, "sign-on-with-registration", forceAuth=True)["node"] == "continue"


@pytest.mark.parametrize(
    "flow, cause",
    [
        ("array", "NOT_JSON"), ("connector", "REFUSED"), ("deep", "NOT_JSON"), ("empty", "MALFORMED"),
        ("failed", "REFUSED"), ("failed-small", "REFUSED"), ("foreign-link", "FOREIGN_LINK"),
        ("foreign-port", "FOREIGN_LINK"), ("foreign-self", "FOREIGN_LINK"), ("half", "NOT_JSON"),
        ("html", "NOT_JSON"), ("large", "TOO_LARGE"), ("no-code", "STATE_MISMATCH"), ("odd-link", "FOREIGN_LINK"),
        ("redirect", "REDIRECTED"), ("state", "STATE_MISMATCH"), ("timed-out", "SESSION_EXPIRED"),
        ("unauthorized", "SESSION_EXPIRED"), ("unauthorized-text", "SESSION_EXPIRED"), ("unavailable", "SERVER_ERROR"),
    ],
)
def test_a_server_that_means_harm_ends_the_sign_on(client, flow, cause):
    step = start(client, f"hostile-{flow}")
    last = answer(client, step)
    assert (last["node"], last["cause"], last["collectors"], last["actions"]) == ("failure", cause, [], [])
    assert client.refusal("login.next", login=step["login"]).code == 11004


@pytest.mark.parametrize("flow, cause", [("start-html", "NOT_JSON"), ("start-redirect", "REDIRECTED")])
def test_a_server_may_mean_harm_from_the_start(client, flow, cause):
    assert (start(client, f"hostile-{flow}")["node"], start(client, f"hostile-{flow}")["cause"]) == ("failure", cause)


def test_a_page_that_waited_too_long_is_over(client, sandbox):
    step = answer(client, start(client, "hostile-short"))
    sandbox.advance(2)
    last = answer(client, step, {"a": "x"})
    assert (last["node"], last["cause"]) == ("failure", "SESSION_EXPIRED")


def test_a_page_that_is_not_shown_wholly_says_so(client):
    step = answer(client, start(client, "hostile-incompatible"))
    assert step["node"] == "continue"
    assert step["message"] == "some parts of this page need a browser and are not shown"


def test_fields_that_are_none_are_shown_as_they_are(client):
    step = answer(client, start(client, "hostile-fields"))
    assert (step["node"], step["title"], step["description"]) == ("continue", "[31mRed[0m gnp.exe", "abc")
    assert kinds(step)[:3] == ["UnknownCollector"] * 3
    for each in step["collectors"]:
        assert "\x1b" not in each.get("label", "") + each["key"]


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
