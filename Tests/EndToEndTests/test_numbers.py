"""Number matching: an approval wants the number that is shown where the user signs on."""

import pytest

from harness import flows


@pytest.fixture
def matched(paired, sandbox):
    """A waiting push, with the number to give and one that is wrong."""
    sandbox.match_numbers()
    started, push = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    return started, push["id"], number, (number + 1) % 100


def test_the_push_says_that_a_number_is_wanted_but_not_which(paired, matched):
    _, push, _, _ = matched
    shown = paired.call("notification.get", notification=push)["notification"]
    assert shown["numberMatching"] == {"type": "ENTER_MANUALLY"}


def test_without_a_number_nothing_is_decided(paired, sandbox, matched):
    started, push, number, _ = matched
    error = paired.refusal("notification.approve", notification=push)
    assert (error.code, error.reason, error.retry) == (11007, "NUMBER_REQUIRED", True)
    assert sandbox.authentication(started)["numberMatching"]["number"] == number
    assert paired.call("notification.get", notification=push)["notification"]["state"] == "pending"


def test_the_right_number_approves(paired, sandbox, matched):
    started, push, number, _ = matched
    result = paired.call("notification.approve", notification=push, number=number)
    assert result["notification"]["state"] == "approved"
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_wrong_number_may_be_followed_by_the_right_one(paired, sandbox, matched):
    started, push, number, wrong = matched
    for left in (2, 1):
        error = paired.refusal("notification.approve", notification=push, number=wrong)
        assert (error.code, error.reason, error.details) == (11008, "NUMBER_MISMATCH", {"triesLeft": left})
        assert paired.call("notification.get", notification=push)["notification"]["state"] == "pending"
    paired.call("notification.approve", notification=push, number=number)
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_the_third_wrong_number_denies(paired, sandbox, matched):
    started, push, number, wrong = matched
    tries = [
        paired.refusal("notification.approve", notification=push, number=wrong).details["triesLeft"]
        for _ in range(3)
    ]
    assert tries == [2, 1, 0]
    assert paired.event("notification", id=push, state="denied")
    assert sandbox.authentication(started)["status"] == "FAILED"
    error = paired.refusal("notification.approve", notification=push, number=number)
    assert (error.code, error.details) == (11003, {"state": "denied"})


def test_denying_wants_no_number(paired, sandbox, matched):
    started, push, _, _ = matched
    paired.call("notification.deny", notification=push)
    assert sandbox.authentication(started)["status"] == "FAILED"


@pytest.mark.parametrize("number", ["42", 4.5, None, True, -1])
def test_what_is_no_number_is_a_wrong_parameter_and_costs_no_try(paired, sandbox, matched, number):
    _, push, _, wrong = matched
    error = paired.refusal("notification.approve", notification=push, number=number)
    assert (error.code, error.details) == (-32602, {"parameter": "number"})
    error = paired.refusal("notification.approve", notification=push, number=wrong)
    assert error.details == {"triesLeft": 2}


def test_by_configuration_a_push_without_a_number_is_not_approved(make_daemon, sandbox):
    client = make_daemon(require_number="yes").start().client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    started, push = flows.push(client, sandbox)
    assert client.refusal("notification.approve", notification=push["id"]).code == 11007
    client.call("notification.deny", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "FAILED"


def test_a_number_for_a_push_that_wants_none_approves_nothing(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    error = paired.refusal("notification.approve", notification=push["id"], number=42)
    assert (error.code, error.details) == (-32602, {"parameter": "number"})
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    assert paired.call("notification.get", notification=push["id"])["notification"] == push


def test_by_configuration_a_number_does_not_make_up_for_a_push_that_wants_none(make_daemon, sandbox):
    client = make_daemon(require_number="yes").start().client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    _, push = flows.push(client, sandbox)
    assert client.refusal("notification.approve", notification=push["id"], number=42).code == 11007
    sandbox.match_numbers()
    started, push = flows.push(client, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    client.call("notification.approve", notification=push["id"], number=number)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
