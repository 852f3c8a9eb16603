"""login.* with DaVinci flows: every field with its value on the wire, waiting, pairing within the flow, sessions."""

import json
import shutil

import pytest

from harness import flows, pages, users
from harness.browser import Browser
from harness.pages import answer, begin, collector, messages, refusal, sign_on, start
from harness.programs import FLOWS
from harness.sandbox import Sandbox

GIVEN_KEY = "given-key"


@pytest.fixture
def sandbox(directory):
    """A PingOne with the flows of the sandbox's folder, and one that pairs by a key that is given as login hint."""
    shutil.copytree(FLOWS, directory / "flows")
    flow = (FLOWS / "mobile-pairing.json").read_text().replace("mobile-pairing", GIVEN_KEY)
    flow = flow.replace(', {"makePairingKey": "key"}', "").replace("${flow.key}", "${request.login_hint}")
    (directory / "flows" / f"{GIVEN_KEY}.json").write_text(flow)
    sandbox = Sandbox(flows=directory / "flows")
    yield sandbox
    sandbox.stop()


@pytest.fixture
def relayed(make_relayed):
    """A connection to a daemon that can sign on, and what it sends."""
    daemon, relay = make_relayed()
    return pages.configured(daemon), relay.sent


@pytest.fixture
def configured(daemon):
    return pages.configured(daemon)


def form(request):
    """What a reply to a page says: what happened, the button, and the values."""
    parameters = request.json["parameters"]
    data = parameters["data"]
    return parameters["eventType"], data.get("actionKey"), data.get("formData")


def filled(sandbox, **more):
    """What the first page of `all-collectors` needs beside what it begins with."""
    phone = {"countryCode": "GB", "phoneNumber": "7700900123"}
    return {**pages.credentials(sandbox), "terms": True, "phone": phone, **more}


def special(client, sandbox):
    """The page with fields that a person does not fill in."""
    step = answer(client, start(client, "all-collectors"), filled(sandbox))
    step = answer(client, step, {"newDevice": "EMAIL"})
    return answer(client, step)


def shown(step):
    """The lines of the page that shows what arrived."""
    assert step["title"] == "Summary"
    return dict(each["value"].split(":", 1) for each in step["collectors"])


# Fields and their values


def test_every_field_is_shown_with_what_a_client_needs(configured):
    step = start(configured, "all-collectors")
    assert (step["node"], step["method"], step["title"]) == ("continue", "davinci", "Inputs")
    assert step["description"] == "Every field for a value"
    assert [(each["key"], each["type"]) for each in step["collectors"]] == [
        ("LABEL-0", "LabelCollector"), ("user.username", "TextCollector"), ("user.password", "PasswordCollector"),
        ("newPassword", "PasswordCollector"), ("colour", "SingleSelectCollector"), ("size", "SingleSelectCollector"),
        ("fruits", "MultiSelectCollector"), ("days", "MultiSelectCollector"), ("terms", "BooleanCollector"),
        ("phone", "PhoneNumberCollector"), ("agreement", "ReadOnlyTextCollector"), ("logo", "ImageCollector"),
    ]
    assert {each["key"] for each in step["collectors"] if each.get("required")} == {
        "user.username", "user.password", "colour", "size", "fruits", "terms", "phone",
    }
    assert {each["key"] for each in step["collectors"] if each.get("secret")} == {"user.password", "newPassword"}
    assert pages.actions(step) == {"submit": "submit", "draft": "submit", "skip": "flow", "help": "link"}
    assert collector(step, "LABEL-0")["value"] == "Fill in, please (https://example.com/help)"
    assert collector(step, "terms")["label"] == "I accept the terms of use (https://example.com/terms)"
    assert collector(step, "user.username")["validation"]["message"] == "Must be lower-case letters"
    assert collector(step, "newPassword")["raw"]["passwordPolicy"]["length"] == {"min": 4, "max": 64}
    assert collector(step, "size")["options"] == [
        {"label": "Small", "value": "small"}, {"label": "Large", "value": "large"},
    ]
    defaults = {each["key"]: each["value"] for each in step["collectors"] if each.get("required") and "value" in each}
    assert defaults == {
        "colour": "green", "size": "small", "fruits": ["pear"], "terms": False,
        "phone": {"countryCode": "GB", "phoneNumber": "", "extension": ""},
    }


PHONE = {"countryCode": "CH", "phoneNumber": "446681800", "extension": "42"}


@pytest.mark.parametrize(
    "given, sent",
    [
        ({}, {"colour": "green", "size": "small", "fruits": ["pear"]}),
        ({"newPassword": "Quite-Long-7"}, {"newPassword": "Quite-Long-7"}),
        ({"colour": "blue", "size": "large"}, {"colour": "blue", "size": "large"}),
        ({"fruits": ["apple", "plum"], "days": ["monday"]}, {"fruits": ["apple", "plum"], "days": ["monday"]}),
        ({"fruits": "plum", "days": '["monday","tuesday"]'}, {"fruits": ["plum"], "days": ["monday", "tuesday"]}),
        ({"terms": "true"}, {"terms": True}),
        ({"phone": PHONE}, {"phone": PHONE}),
        ({"phone": json.dumps(PHONE)}, {"phone": PHONE}),
        ({"phone": "ch 446681800"}, {"phone": {"countryCode": "CH", "phoneNumber": "446681800"}}),
        ({"phone": "7700900123"}, {"phone": {"countryCode": "GB", "phoneNumber": "7700900123"}}),
    ],
    ids=str,
)
def test_every_value_is_sent_in_the_form_of_its_field(relayed, sandbox, given, sent):
    client, requests = relayed
    step = answer(client, start(client, "all-collectors"), filled(sandbox, **given))
    assert step["title"] == "Devices"
    event, button, values = form(requests[-1])
    assert (event, button) == ("submit", "submit")
    assert {name: values[name] for name in sent} == sent
    optional = {"newPassword", "days"} & set(given)
    assert set(values) == {"user.username", "user.password", "colour", "size", "fruits", "terms", "phone"} | optional


def test_a_button_that_is_named_is_the_one_that_is_pressed(relayed, sandbox):
    client, requests = relayed
    answer(client, start(client, "all-collectors"), filled(sandbox), "draft")
    assert form(requests[-1])[:2] == ("submit", "draft")


def test_another_way_takes_along_what_was_filled_in(relayed):
    client, requests = relayed
    step = answer(client, start(client, "all-collectors"), {"size": "large"}, "skip")
    assert step["title"] == "Inputs"
    event, button, values = form(requests[-1])
    assert (event, button, values["size"], values["terms"]) == ("action", "skip", "large", False)
    assert "user.username" not in values
    answer(client, step, action="help")
    assert form(requests[-1])[:2] == ("action", "help")


def test_what_arrives_is_what_was_said(configured, sandbox):
    step = answer(configured, start(configured, "all-collectors"), filled(sandbox, colour="blue", days=["tuesday"]))
    assert collector(step, "newDevice")["options"][0] == {"label": "Email A code by mail", "value": "EMAIL"}
    step = answer(configured, step, {"newDevice": "MOBILE"})
    assert collector(step, "chosenDevice")["value"] == "d-2"
    step = answer(configured, step, {"chosenDevice": "d-1"})
    step = answer(configured, step)
    step = answer(configured, step, action="fido2")
    step = answer(configured, step, {"nickname": "Anni <b>"})
    lines = shown(step)
    assert (lines["colour"], lines["newDevice"], lines["nickname"]) == (" blue", " MOBILE", " Anni <b>")
    assert json.loads(lines["chosenDevice"]) == {"type": "SMS", "id": "d-1", "description": "******0123"}
    assert json.loads(lines["days"]) == ["tuesday"] and lines["terms"] == " true"
    assert lines["protect"] == "", "nothing is collected for it"
    last = answer(configured, step)
    assert (last["node"], last["user"]["username"], last["pairing"]["user"]["username"]) == ("success", "ann", "ann")


def test_a_device_that_stands_is_sent_as_it_is_described(relayed, sandbox):
    client, requests = relayed
    special(client, sandbox)
    chosen = {"type": "EMAIL", "id": "d-2", "description": "a***@example.com"}
    assert form(requests[-1]) == ("submit", "submit", {"chosenDevice": chosen})


def test_fields_for_browsers_and_unknown_ones_are_shown_and_nothing_is_made_up_for_them(relayed, sandbox):
    client, requests = relayed
    step = special(client, sandbox)
    assert pages.types(step) == [
        "QrCodeCollector", "ProtectCollector", "MetadataCollector", "IdpCollector", "UnknownCollector",
    ]
    assert collector(step, "qr")["value"] == "KODE 1234"
    assert collector(step, "qr")["raw"]["content"].startswith("data:image/png;base64,")
    assert collector(step, "meta")["value"] == {"theme": "dark"}
    assert collector(step, "hologram")["raw"]["colour"] == "violet"
    answer(client, step)
    assert form(requests[-1]) == ("submit", "submit", {})


def test_an_unknown_field_is_answered_as_the_caller_says(relayed, sandbox):
    client, requests = relayed
    answer(client, special(client, sandbox), {"hologram": {"depth": [1, 2.5, None]}, "meta": '{"seen":true}'}, "submit")
    assert form(requests[-1])[2] == {"hologram": {"depth": [1, 2.5, None]}, "meta": {"seen": True}}


def test_a_security_key_is_refused_by_the_name_that_browsers_have_for_it(relayed, sandbox):
    client, requests = relayed
    step = answer(client, special(client, sandbox))
    assert pages.types(step) == ["FidoRegistrationCollector"] and pages.actions(step)["fido2"] == "flow"
    assert collector(step, "fido2")["raw"]["publicKeyCredentialCreationOptions"]["challenge"] == [1, -2, 3, -4]
    assert answer(client, step, action="fido2")["title"] == "Template"
    assert form(requests[-1]) == ("action", "NotSupportedError", None)


def test_buttons_of_a_custom_page(relayed, sandbox):
    client, requests = relayed
    step = answer(client, answer(client, special(client, sandbox)))
    assert pages.actions(step) == {"SIGNON": "submit", "STAY": "flow", "LEAVE": "link"}
    step = answer(client, step, action="STAY")
    assert requests[-1].path.endswith("/capabilities/customHTMLTemplate")
    last = answer(client, step, action="LEAVE")
    assert (last["node"], last["message"]) == ("failure", "The user has left.")


def test_every_request_says_who_it_is_of(relayed, sandbox):
    client, requests = relayed
    sign_on(client, sandbox, "mobile-pairing", locale="de-AT")
    begun, reply = (each for each in requests if "/as/authorize" in each.path or "/davinci/" in each.path)
    for request in (begun, reply):
        assert request.headers["x-requested-with"] == "ping-sdk" and request.headers["accept"] == "application/json"
        assert request.headers["accept-language"].startswith("de-AT")
    assert reply.headers["interactionid"] == reply.json["interactionId"] in reply.headers["cookie"]
    assert reply.headers["interactiontoken"] in reply.headers["cookie"]
    assert (reply.method, reply.query) == ("POST", "")


# Wrong answers


def untouched(client, sandbox):
    """Lets the next request of the flow fail; that nothing was sent meanwhile shows when it does."""
    sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)

    def check(step, values):
        failed = refusal(client, step, values)
        assert (failed.code, failed.retry) == (10004, True), "something was sent before"
        return answer(client, step, values)

    return check


@pytest.mark.parametrize(
    "wrong, message",
    [
        ({"user.username": ""}, "this is needed"),
        ({"user.username": "ANN"}, "Must be lower-case letters"),
        ({"user.username": 5}, "this has to be text"),
        ({"user.password": None}, None),
        ({"colour": "violet"}, "this is none of the answers to choose from"),
        ({"colour": ["red"]}, "this has to be text"),
        ({"size": ""}, "this is needed"),
        ({"fruits": []}, "this is needed"),
        ({"fruits": [1]}, "this has to be text"),
        ({"days": ["sunday"]}, "this is none of the answers to choose from"),
        ({"terms": False}, "You have to agree"),
        ({"terms": "maybe"}, "this has to be yes or no"),
        ({"phone": {"countryCode": "GB", "phoneNumber": ""}}, "this is needed"),
        ({"phone": {"countryCode": "GBR", "phoneNumber": "7"}}, "this needs the two letters of a country"),
        ({"phone": {"phoneNumber": 7}}, "this has to be a country and a number"),
        ({"phone": {"phoneNumber": "7", "planet": "earth"}}, "this has to be a country and a number"),
        ({"phone": 7}, "this has to be a country and a number"),
        ({"phone": "7" * 65}, "this number is too long"),
    ],
    ids=str,
)
def test_what_is_missing_or_wrong_is_said_beside_its_field_and_nothing_is_sent(configured, sandbox, wrong, message):
    check = untouched(configured, sandbox)
    step = start(configured, "all-collectors")
    again = answer(configured, step, filled(sandbox, **wrong))
    assert (again["node"], again["login"]) == ("error", step["login"])
    assert pages.types(again) == pages.types(step) and again["actions"] == step["actions"]
    (name,) = wrong
    assert set(messages(again)) == {name} and messages(again)[name] == (message or messages(again)[name])
    assert "nothing was sent" in again["message"]
    assert check(again, filled(sandbox))["title"] == "Devices"


def test_all_that_is_wrong_is_said_at_once(configured):
    again = answer(configured, start(configured, "all-collectors"), {"terms": False, "days": ["x"]})
    assert set(messages(again)) == {"user.username", "user.password", "terms", "phone", "days"}


@pytest.mark.parametrize("values", [{"nobody": "x"}, {"LABEL-0": "x"}, {"agreement": True}, {"submit": "x"}], ids=str)
def test_answers_to_what_was_not_asked_are_wrong_parameters_and_nothing_is_sent(configured, sandbox, values):
    check = untouched(configured, sandbox)
    step = start(configured, "all-collectors")
    error = refusal(configured, step, filled(sandbox, **values))
    assert (error.code, error.details) == (-32602, {"parameter": "values"})
    for action in ("nothing", "user.username", ""):
        error = refusal(configured, step, filled(sandbox), action)
        assert (error.code, error.details) == (-32602, {"parameter": "action"})
    for values in (["x"], "x", 5):
        assert refusal(configured, step, values).code == -32602
    assert check(step, filled(sandbox))["title"] == "Devices"


def test_the_servers_words_stand_at_the_page_and_the_same_page_is_answered_again(configured, sandbox):
    step = start(configured, "all-collectors")
    wrong = answer(configured, step, filled(sandbox, **{"user.password": "wrong"}))
    assert (wrong["node"], wrong["message"]) == ("error", "Invalid username and/or password")
    assert messages(wrong) == {} and "wrong" not in json.dumps(wrong)
    assert answer(configured, wrong, filled(sandbox))["title"] == "Devices"


def test_errors_of_the_server_stand_beside_their_fields(configured, sandbox):
    step = answer(configured, start(configured, "sign-on-with-registration"), action="register")
    values = {
        "user.username": "ann", "user.email": "eve@example.test", "user.password": "Quite-Long-7",
        "user.name.given": "Eve", "user.name.family": "X",
    }
    values = {each["key"]: values[each["key"]] for each in step["collectors"] if each["key"] in values}
    again = answer(configured, step, values)
    assert again["node"] == "error" and "unique" in messages(again)["user.username"], again
    again = answer(configured, again, {**values, "user.username": "eve", "user.password": "x"})
    assert set(messages(again)) == {"user.password"}
    assert answer(configured, again, {**values, "user.username": "eve"})["node"] == "continue"


def test_after_an_unreachable_server_the_same_page_is_answered_again(configured, sandbox):
    step = start(configured, "mfa")
    for _ in range(3):
        sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)
        error = refusal(configured, step, pages.credentials(sandbox))
        assert (error.code, error.retry) == (10004, True)
    last = answer(configured, step, pages.credentials(sandbox))
    assert (last["node"], last["message"]) == ("failure", "The user has no device that can be used.")


def test_after_a_failure_one_starts_again(configured, sandbox):
    last = sign_on(configured, sandbox, "mfa")
    assert (last["node"], last["collectors"], last["actions"]) == ("failure", [], [])
    assert refusal(configured, last).code == 11004
    assert configured.refusal("login.cancel", login=last["login"]).code == 11004
    again = start(configured, "mfa")
    assert again["login"] != last["login"] and again["node"] == "continue"


def test_an_unknown_flow_is_what_the_server_makes_of_it(configured):
    last = start(configured, "no-such-flow")
    assert (last["node"], last["cause"]) == ("failure", "REFUSED")
    assert refusal(configured, last).code == 11004


# A second factor


@pytest.fixture
def paired_daemon(daemon, sandbox):
    """A connection to a daemon that is paired with ann, and one that hears of her pushes."""
    client, other = pages.configured(daemon), daemon.client()
    flows.pair(client, sandbox)
    other.subscribe("notification")
    return client, other


def test_a_push_is_approved_by_this_very_daemon_on_another_connection(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    device = collector(step, "device")
    assert device["type"] == "DeviceAuthenticationCollector"
    step = answer(client, step, {"device": device["options"][0]["value"]})
    assert pages.types(step) == ["LabelCollector", "PollingCollector"]
    waiting = begin(client, step)
    other.call("notification.approve", notification=other.event("notification", state="pending")["id"])
    last = client.reply(waiting)
    assert (last["node"], last["pairing"]) == ("success", None)


def test_a_push_that_is_denied_ends_it(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    other.call("notification.deny", notification=other.event("notification", state="pending")["id"])
    last = answer(client, step)
    assert (last["node"], last["message"]) == ("failure", "The user denied the request.")


def test_a_push_that_is_over_leads_back_to_the_choice(paired_daemon, sandbox):
    client, _ = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    sandbox.advance(600)
    assert answer(client, step)["title"] == "Authenticate"


def test_while_one_waits_another_connection_goes_another_way(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    waiting = begin(client, step)
    chosen = answer(other, step, action="passcode")
    assert chosen["title"] == "Passcode"
    assert client.reply(waiting)["node"] == "continue"
    wrong = answer(client, step, {"otp": "12"})
    assert messages(wrong) == {"otp": "Must be six digits"}
    wrong = answer(client, step, {"otp": "000000"})
    assert wrong["node"] == "error" and "wrong" in messages(wrong)["otp"]
    last = answer(client, wrong, {"otp": client.call("passcode.get")["passcode"]})
    assert (last["node"], last["pairing"]) == ("success", None)


def test_a_wait_that_is_cancelled_answers_that_it_is_over(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    waiting = begin(client, step)
    assert other.call("login.cancel", login=step["login"]) == {}
    assert client.refused(waiting).code == 11004


# Waiting


def wait(client, step, rounds=20):
    """Waits until the step is another one."""
    for _ in range(rounds):
        step = answer(client, step)
        if step["node"] != "continue" or "PollingCollector" not in pages.types(step):
            return step
    raise AssertionError("it waits on")


@pytest.mark.parametrize("way", ["challenge", "continue"])
def test_waiting_in_both_ways_comes_to_an_end(configured, way):
    step = answer(configured, start(configured, "polling"), action=way)
    assert pages.types(step) == ["PollingCollector"] and step["actions"] == []
    assert wait(configured, step)["node"] == "success"


@pytest.mark.parametrize(
    "way, outcome", [("denied", "denied"), ("expired", "expired"), ("never", "timedOut"), ("broken", "error")]
)
def test_what_became_of_a_challenge_is_told_to_the_flow(relayed, way, outcome):
    client, requests = relayed
    step = wait(client, answer(client, start(client, "polling"), action=way))
    assert step["collectors"][0]["value"] == f"It ended as {outcome}"
    assert form(requests[-1]) == ("polling", None, {"polling": outcome})
    asked = [each for each in requests if "/challenge/" in each.path]
    assert {each.path.rsplit("/davinci/")[1] for each in asked} == {
        "user/credentials/challenge/sandbox-challenge/status"
    }
    assert {each.body for each in asked} == {"{}"} and all(each.headers["interactionid"] for each in asked)
    assert len(asked) == {"never": 5, "broken": 1}.get(way, 2)
    assert answer(client, step)["title"] == "How shall it go?"


def test_rewinds_keep_the_page(relayed):
    client, requests = relayed
    step = answer(client, start(client, "polling"), action="continue")
    assert wait(client, step)["node"] == "success"
    said = [form(each) for each in requests if each.path.endswith("/customForm")][1:]
    assert said == [("polling", None, {"polling": "continue"})] * 3


# Pairing within the flow


def test_this_machine_is_paired_on_the_way(relayed, sandbox):
    client, requests = relayed
    step = sign_on(client, sandbox, "mobile-pairing")
    pairing = collector(step, "mobilePairing")
    assert pairing["type"] == "MobilePairingCollector" and "raw" not in pairing and "value" not in pairing
    assert pages.actions(step) == {"mobilePairing": "flow", "mobilePairing.cancel": "flow"}
    last = answer(client, step, action="mobilePairing")
    assert (last["node"], last["pairing"]) == ("success", None)
    said = [form(each) for each in requests if each.path.endswith("/customForm")]
    assert said[-1] == ("action", None, {"mobilePairing": {"status": "CLAIMED"}})
    (account,) = client.call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"


def test_a_person_may_not_want_it(relayed, sandbox):
    client, requests = relayed
    step = answer(client, sign_on(client, sandbox, "mobile-pairing"), action="mobilePairing.cancel")
    assert step["collectors"][0]["value"] == "The device was not paired: USER_CANCELLED"
    assert form(requests[-1])[2]["mobilePairing"]["error"]["code"] == "USER_CANCELLED"
    last = answer(client, step)
    assert last["node"] == "success" and client.call("account.list") == {"accounts": []}


@pytest.mark.parametrize("state", ["used", "expired", "unknown", "malformed"])
def test_a_key_that_is_no_good_is_told_by_its_number(configured, sandbox, state):
    key = sandbox.pairing_key("bob")
    if state == "used":
        configured.call("pairing.pair", pairingKey=key)
    elif state == "expired":
        sandbox.advance(7 * 24 * 3600)
    else:
        key = {"unknown": key[::-1], "malformed": "x" * 300}[state]
    accounts = configured.call("account.list")
    step = pages.start(configured, GIVEN_KEY, hint=key)
    step = answer(configured, step, pages.credentials(sandbox))
    step = answer(configured, step, action="mobilePairing")
    assert step["collectors"][0]["value"] == "The device was not paired: 10005"
    assert answer(configured, step)["node"] == "success"
    assert configured.call("account.list") == accounts


def test_a_pairing_that_the_flow_did_not_hear_of_is_not_lost(configured, sandbox):
    step = sign_on(configured, sandbox, "mobile-pairing")
    sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)
    assert refusal(configured, step, action="mobilePairing").code == 10004
    assert answer(configured, step, action="mobilePairing")["node"] == "success"
    assert len(configured.call("account.list")["accounts"]) == 1


# Another provider


def test_a_browser_signs_on_elsewhere_and_its_address_is_brought(relayed, sandbox):
    client, requests = relayed
    step = answer(client, special(client, sandbox), action="google")
    assert step["browserUrl"] == collector(step, "google")["value"] and "/davinci/idp/" in step["browserUrl"]
    browser = Browser(stops_at="http://127.0.0.1/")
    browser.open(step["browserUrl"])
    for address in ("x", "http://127.0.0.1/callback", "http://127.0.0.1/callback?continueToken="):
        error = client.refusal("login.resume", login=step["login"], uri=address)
        assert (error.code, error.details) == (-32602, {"parameter": "uri"})
    after = client.call("login.resume", login=step["login"], uri=browser.address)
    assert after["title"] == "Passkey"
    sent = requests[-1]
    assert sent.headers["authorization"] == "Bearer " + browser.address.split("continueToken=")[1]
    assert (sent.path.rsplit("/", 1)[1], sent.body) == ("continue", "{}")


def test_an_address_with_a_forged_token_ends_it(configured, sandbox):
    step = answer(configured, special(configured, sandbox), action="google")
    last = configured.call("login.resume", login=step["login"], uri="http://127.0.0.1/callback?continueToken=forged")
    assert (last["node"], last["cause"]) == ("failure", "SESSION_EXPIRED")


# Language


@pytest.mark.parametrize(
    "locale, title", [("de", "Anmelden"), ("de_AT.UTF-8", "Anmelden"), ("fr-CH", "Connexion"), ("ja", "Sign On")]
)
def test_the_pages_are_in_the_language_that_is_wanted(configured, locale, title):
    assert start(configured, "sign-on-with-registration", locale=locale)["title"] == title


@pytest.mark.parametrize("locale", ["C", "5", "ä", "de\r\nX: y"])
def test_a_language_that_is_none_is_a_wrong_parameter(configured, locale):
    error = configured.refusal("login.start", method="davinci", locale=locale)
    assert (error.code, error.details) == (-32602, {"parameter": "locale"})


# Sessions


@pytest.fixture
def keeping(make_relayed):
    daemon, relay = make_relayed(keep_session="yes")
    return daemon, pages.configured(daemon), relay.sent


FLOW = "sign-on-with-registration"


def signed_on(client, sandbox, **options):
    last = sign_on(client, sandbox, FLOW, **options)
    assert last["node"] == "success"
    return last


def test_cookies_that_are_kept_sign_on_at_once(keeping, sandbox):
    daemon, client, requests = keeping
    first = signed_on(client, sandbox)
    last = start(client, FLOW)
    assert (last["node"], last["method"], last["user"]) == ("success", "davinci", first["user"])
    begun = [each for each in requests if each.path.endswith("/as/authorize")][-1]
    names = {each.split("=")[0] for each in begun.headers["cookie"].split("; ")}
    assert names == {"ST", "ST-NO-SS"}, "what belonged to one sign-on is not sent with another"
    daemon.stop()
    daemon.start()
    assert start(daemon.client(), FLOW)["node"] == "success"


def test_signing_on_anew_asks_for_everything(keeping, sandbox):
    _, client, requests = keeping
    signed_on(client, sandbox)
    step = start(client, FLOW, forceAuth=True)
    assert step["node"] == "continue"
    begun = [each for each in requests if each.path.endswith(("/as/par", "/as/authorize"))][-2:]
    assert begun[0].form["prompt"] == "login" and not any("cookie" in each.headers for each in begun)
    assert answer(client, step, pages.credentials(sandbox, "bob"))["user"]["username"] == "bob"
    assert start(client, FLOW)["user"]["username"] == "bob"


def test_without_the_setting_nothing_is_kept_for_the_next(relayed, sandbox):
    client, requests = relayed
    signed_on(client, sandbox)
    assert start(client, FLOW)["node"] == "continue"
    assert "cookie" not in requests[-1].headers


def test_a_sign_on_without_a_session_leaves_none(keeping, sandbox):
    _, client, _ = keeping
    signed_on(client, sandbox, noSession=True)
    assert start(client, FLOW)["node"] == "continue"


def test_logging_out_forgets_the_cookies(keeping, sandbox):
    _, client, _ = keeping
    pairing = signed_on(client, sandbox)["pairing"]
    account = client.call("pairing.approve", pairing=pairing["id"])["account"]
    client.call("session.logout", account=account)
    assert start(client, FLOW)["node"] == "continue" and sandbox.sessions() == []


def test_nobody_signs_on_with_the_cookies_of_another(shared, sandbox):
    daemon, connect = shared
    daemon.stop()
    daemon.configure(socket=daemon.socket, socket_group=users.GROUP, keep_session="yes")
    daemon.start()
    first, second = connect(users.ANN_UID), connect(users.BOB_UID)
    for client in (first, second):
        client.call("device.configure", geo=flows.GEO)
    signed_on(first, sandbox)
    assert start(first, FLOW)["node"] == "success"
    assert start(second, FLOW)["node"] == "continue"
