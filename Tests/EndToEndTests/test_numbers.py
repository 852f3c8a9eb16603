"""Number matching: an approval requires the number of the sign-on page."""

import pytest

from harness import flows


@pytest.fixture
def matched(paired, sandbox):
    """A pending push, its number, and a wrong number."""
    sandbox.match_numbers()
    started, push = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    return started, push["id"], number, (number + 1) % 100


def test_right_number_approves_after_wrong_ones(paired, sandbox, matched):
    started, push, number, wrong = matched
    for left in (2, 1):
        error = paired.refusal("notification.approve", notification=push, number=wrong)
        assert (error.code, error.reason, error.details) == (11008, "NUMBER_MISMATCH", {"triesLeft": left})
        assert paired.call("notification.get", notification=push)["notification"]["state"] == "pending"
    paired.call("notification.approve", notification=push, number=number)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
