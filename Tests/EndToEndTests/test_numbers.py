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


def test_right_number_approves_after_wrong_ones(paired, sandbox, matched):
    started, push, number, wrong = matched
    for left in (2, 1):
        error = paired.refusal("notification.approve", notification=push, number=wrong)
        assert (error.code, error.reason, error.details) == (11008, "NUMBER_MISMATCH", {"triesLeft": left})
        assert paired.call("notification.get", notification=push)["notification"]["state"] == "pending"
    paired.call("notification.approve", notification=push, number=number)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
