"""login.* with DaVinci flows: each field, and its value on the wire."""

import json

from harness import pages
from harness.davinci import configured, filled, form, relayed, sandbox, shown, special
from harness.pages import answer, collector, sign_on, start


def test_every_field_has_its_type_label_options_and_default(configured):
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


def test_values_are_sent_in_the_format_of_their_field(relayed, sandbox):
    client, requests = relayed
    for given, sent in (
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
    ):
        step = answer(client, start(client, "all-collectors"), filled(sandbox, **given))
        assert step["title"] == "Devices", given
        event, button, values = form(requests[-1])
        assert (event, button) == ("submit", "submit")
        assert {name: values[name] for name in sent} == sent
        optional = {"newPassword", "days"} & set(given)
        assert set(values) == {"user.username", "user.password", "colour", "size", "fruits", "terms", "phone"} | optional
        client.call("login.cancel", login=step["login"])


def test_named_button_is_sent(relayed, sandbox):
    client, requests = relayed
    answer(client, start(client, "all-collectors"), filled(sandbox), "draft")
    assert form(requests[-1])[:2] == ("submit", "draft")


def test_flow_action_sends_the_values_filled_in(relayed):
    client, requests = relayed
    step = answer(client, start(client, "all-collectors"), {"size": "large"}, "skip")
    assert step["title"] == "Inputs"
    event, button, values = form(requests[-1])
    assert (event, button, values["size"], values["terms"]) == ("action", "skip", "large", False)
    assert "user.username" not in values
    answer(client, step, action="help")
    assert form(requests[-1])[:2] == ("action", "help")


def test_flow_receives_the_submitted_values(configured, sandbox):
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


def test_preselected_device_is_sent_with_its_description(relayed, sandbox):
    client, requests = relayed
    special(client, sandbox)
    chosen = {"type": "EMAIL", "id": "d-2", "description": "a***@example.com"}
    assert form(requests[-1]) == ("submit", "submit", {"chosenDevice": chosen})


def test_browser_fields_and_unknown_fields_are_shown_and_sent_without_values(relayed, sandbox):
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


def test_value_of_an_unknown_field_is_sent_unchanged(relayed, sandbox):
    client, requests = relayed
    answer(client, special(client, sandbox), {"hologram": {"depth": [1, 2.5, None]}, "meta": '{"seen":true}'}, "submit")
    assert form(requests[-1])[2] == {"hologram": {"depth": [1, 2.5, None]}, "meta": {"seen": True}}


def test_security_key_registration_sends_not_supported_error(relayed, sandbox):
    client, requests = relayed
    step = answer(client, special(client, sandbox))
    assert pages.types(step) == ["FidoRegistrationCollector"] and pages.actions(step)["fido2"] == "flow"
    assert collector(step, "fido2")["raw"]["publicKeyCredentialCreationOptions"]["challenge"] == [1, -2, 3, -4]
    assert answer(client, step, action="fido2")["title"] == "Template"
    assert form(requests[-1]) == ("action", "NotSupportedError", None)


def test_custom_page_shows_and_sends_its_buttons(relayed, sandbox):
    client, requests = relayed
    step = answer(client, answer(client, special(client, sandbox)))
    assert pages.actions(step) == {"SIGNON": "submit", "STAY": "flow", "LEAVE": "link"}
    step = answer(client, step, action="STAY")
    assert requests[-1].path.endswith("/capabilities/customHTMLTemplate")
    last = answer(client, step, action="LEAVE")
    assert (last["node"], last["message"]) == ("failure", "The user has left.")


def test_requests_contain_the_headers_of_the_sdk_and_the_interaction(relayed, sandbox):
    client, requests = relayed
    sign_on(client, sandbox, "mobile-pairing", locale="de-AT")
    begun, reply = (each for each in requests if "/as/authorize" in each.path or "/davinci/" in each.path)
    for request in (begun, reply):
        assert request.headers["x-requested-with"] == "ping-sdk" and request.headers["accept"] == "application/json"
        assert request.headers["accept-language"].startswith("de-AT")
    assert reply.headers["interactionid"] == reply.json["interactionId"] in reply.headers["cookie"]
    assert reply.headers["interactiontoken"] in reply.headers["cookie"]
    assert (reply.method, reply.query) == ("POST", {})
