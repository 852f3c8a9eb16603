"""notification.act: a push is brought and answered by one of its buttons; notification.categories names the buttons."""

import pytest

from harness import flows

STATES = {"approve": "approved", "deny": "denied"}


def act(client, action, token, **params):
    return client.call("notification.act", action=action, payload={"message": token}, **params)["notification"]


@pytest.fixture
def pushed(brought):
    """A push that only its bringer has, and the platform, which is back."""
    started = brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    # It comes before the platform does, or it would come by itself.
    brought.daemon.client().call("notification.act", action="open", payload=token)
    brought.come_back()
    return brought.daemon.client(), brought.sandbox, started, token


def test_every_category_has_its_buttons(client):
    categories = client.call("notification.categories")["categories"]
    buttons = {category["id"]: [action["id"] for action in category["actions"]] for category in categories}
    assert len(buttons) == len(categories)
    for pingone, native, actions in (
        ("BANNER_BUTTONS", "auth", ["approve", "deny"]),
        ("WITHOUT_BANNER_BUTTONS", "none", []),
        ("APPROVE_AND_OPEN_APP", "auth_open", ["approve", "deny", "open"]),
    ):
        assert buttons[pingone] == buttons[native] == actions
    for category in categories:
        for action in category["actions"]:
            assert action["title"] and action["requiresAuthentication"] == (action["id"] == "approve")


def test_the_category_of_a_push_is_among_them(paired, sandbox):
    known = [category["id"] for category in paired.call("notification.categories")["categories"]]
    assert flows.push(paired, sandbox)[1]["category"] in known


@pytest.mark.parametrize("action", STATES)
def test_a_button_answers(pushed, action):
    client, sandbox, started, token = pushed
    done = act(client, action, token, authenticationMethod="user")
    assert done["state"] == STATES[action] and done["answer"]["decision"] == action
    assert done["answer"].get("authenticationMethod") == ("user" if action == "approve" else None)
    assert sandbox.authentication(started)["status"] == {"approve": "COMPLETED", "deny": "FAILED"}[action]
    assert act(client, action, token) == done
    other = "deny" if action == "approve" else "approve"
    error = client.refusal("notification.act", action=other, payload=token)
    assert (error.code, error.details) == (11003, {"state": STATES[action]})


def test_opening_answers_nothing(pushed):
    client, sandbox, started, token = pushed
    opened = act(client, "open", token)
    assert opened["state"] == "pending" and act(client, "open", token) == opened
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_a_button_is_no_number(brought):
    brought.sandbox.match_numbers()
    started = brought.sandbox.authenticate("ann")
    number = started["numberMatching"]["number"]
    (token,) = brought.leave()
    client = brought.daemon.client()
    error = client.refusal("notification.act", action="approve", payload=token)
    assert (error.code, error.reason) == (11007, "NUMBER_REQUIRED")
    (push,) = client.call("notification.list")["notifications"]
    assert push["state"] == "pending"
    brought.come_back()
    client.call("notification.approve", notification=push["id"], number=number)
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_button_of_a_cancelled_push_comes_too_late(brought):
    started = brought.sandbox.authenticate("ann")
    brought.sandbox.check_passcode(started, brought.passcode)
    push, cancellation = brought.leave()
    client = brought.daemon.client()
    assert act(client, "approve", cancellation) is None
    error = client.refusal("notification.act", action="approve", payload=push)
    assert (error.code, error.reason) == (10020, "AUTH_CANCEL")
    assert act(client, "open", push)["type"] == "authCanceled"


def test_a_button_that_the_platform_cannot_hear_is_kept(brought):
    started = brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    client = brought.daemon.client()
    client.subscribe("notification")
    error = client.refusal("notification.act", action="approve", payload=token)
    assert (error.code, error.retry) == (10004, True)
    brought.come_back()
    client.event("notification", state="approved")
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"


@pytest.mark.parametrize(
    "params",
    [
        {"action": "approve"},
        {"payload": "x"},
        {"action": "tap", "payload": "x"},
        {"action": "approve", "payload": 7},
        {"action": "approve", "payload": "x", "authenticationMethod": "passport"},
        {"action": "approve", "payload": "x", "number": 4},
    ],
    ids=str,
)
def test_what_is_no_button_is_a_wrong_parameter(paired, params):
    assert paired.refusal("notification.act", **params).code == -32602


@pytest.mark.parametrize("action", ["approve", "deny", "open"])
def test_a_button_of_somebody_elses_message_is_none(paired, action):
    error = paired.refusal("notification.act", action=action, payload={"message": "hello"})
    assert (error.code, error.reason) == (10002, "UNRECOGNIZED_REMOTE_NOTIFICATION")
