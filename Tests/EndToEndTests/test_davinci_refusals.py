"""login.* with DaVinci flows: errors are attached to their fields, and the page can be answered again."""

import json

from harness import pages
from harness.davinci import configured, filled, sandbox
from harness.pages import answer, messages, refusal, sign_on, start


def untouched(client, sandbox):
    """Makes the next request of the flow fail. The returned function checks that no request was sent before it."""
    sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)

    def check(step, values):
        failed = refusal(client, step, values)
        assert (failed.code, failed.retry) == (10004, True), "something was sent before"
        return answer(client, step, values)

    return check


def test_invalid_value_is_reported_at_its_field_and_not_sent(configured, sandbox):
    for wrong, message in (
        ({"user.username": ""}, "this is needed"),
        ({"user.username": 5}, "this has to be text"),
        ({"user.password": None}, None),
        ({"colour": "violet"}, "this is not one of the options"),
        ({"colour": ["red"]}, "this has to be text"),
        ({"size": ""}, "this is needed"),
        ({"fruits": []}, "this is needed"),
        ({"fruits": [1]}, "this has to be text"),
        ({"days": ["sunday"]}, "this is not one of the options"),
        ({"terms": False}, "You have to agree"),
        ({"terms": "maybe"}, "this has to be yes or no"),
        ({"phone": {"countryCode": "GB", "phoneNumber": ""}}, "this is needed"),
        ({"phone": {"countryCode": "GBR", "phoneNumber": "7"}}, "this needs the two letters of a country"),
        ({"phone": {"phoneNumber": 7}}, "this has to be a country and a number"),
        ({"phone": {"phoneNumber": "7", "planet": "earth"}}, "this has to be a country and a number"),
        ({"phone": 7}, "this has to be a country and a number"),
        ({"phone": "7" * 65}, "this number is too long"),
    ):
        step = start(configured, "all-collectors")
        check = untouched(configured, sandbox)
        again = answer(configured, step, filled(sandbox, **wrong))
        assert (again["node"], again["login"]) == ("error", step["login"]), wrong
        assert pages.types(again) == pages.types(step) and again["actions"] == step["actions"]
        (name,) = wrong
        assert set(messages(again)) == {name} and messages(again)[name] == (message or messages(again)[name])
        assert "nothing was sent" in again["message"]
        assert check(again, filled(sandbox))["title"] == "Devices"
        configured.call("login.cancel", login=step["login"])


def test_format_error_of_the_server_is_shown_at_its_field(configured, sandbox):
    step = start(configured, "all-collectors")
    again = answer(configured, step, filled(sandbox, **{"user.username": "ANN"}))
    assert again["node"] == "error" and "nothing was sent" not in again["message"]
    assert messages(again) == {"user.username": "Must be lower-case letters"}
    assert answer(configured, again, filled(sandbox))["title"] == "Devices"


def test_unknown_fields_and_actions_are_rejected_and_not_sent(configured, sandbox):
    step = start(configured, "all-collectors")
    check = untouched(configured, sandbox)
    for values in ({"nobody": "x"}, {"LABEL-0": "x"}, {"agreement": True}, {"submit": "x"}):
        error = refusal(configured, step, filled(sandbox, **values))
        assert (error.code, error.details) == (-32602, {"parameter": "values"})
    for action in ("nothing", "user.username", ""):
        error = refusal(configured, step, filled(sandbox), action)
        assert (error.code, error.details) == (-32602, {"parameter": "action"})
    for values in (["x"], "x", 5):
        assert refusal(configured, step, values).code == -32602
    assert check(step, filled(sandbox))["title"] == "Devices"


def test_server_message_is_shown_and_the_page_can_be_answered_again(configured, sandbox):
    step = start(configured, "all-collectors")
    wrong = answer(configured, step, filled(sandbox, **{"user.password": "wrong"}))
    assert (wrong["node"], wrong["message"]) == ("error", "Invalid username and/or password")
    assert messages(wrong) == {} and "wrong" not in json.dumps(wrong)
    assert answer(configured, wrong, filled(sandbox))["title"] == "Devices"


def test_errors_of_the_server_are_shown_at_their_fields(configured, sandbox):
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


def test_page_can_be_answered_again_after_an_unreachable_server(configured, sandbox):
    step = start(configured, "mfa")
    for _ in range(3):
        sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)
        error = refusal(configured, step, pages.credentials(sandbox))
        assert (error.code, error.retry) == (10004, True)
    last = answer(configured, step, pages.credentials(sandbox))
    assert (last["node"], last["message"]) == ("failure", "The user has no device that can be used.")


def test_failed_flow_is_closed_and_a_new_one_can_start(configured, sandbox):
    last = sign_on(configured, sandbox, "mfa")
    assert (last["node"], last["collectors"], last["actions"]) == ("failure", [], [])
    assert refusal(configured, last).code == 11004
    assert configured.refusal("login.cancel", login=last["login"]).code == 11004
    again = start(configured, "mfa")
    assert again["login"] != last["login"] and again["node"] == "continue"
