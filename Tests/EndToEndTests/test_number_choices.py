"""Number matching with numbers to choose from: the first wrong one denies."""

import re

import pytest

from harness import flows


@pytest.fixture
def chosen(paired, sandbox):
    """A waiting push with numbers to choose from, the right one and a wrong one of them."""
    sandbox.match_numbers("SELECT_NUMBER")
    started, push = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    return started, push, number, next(one for one in push["numberMatching"]["options"] if one != number)


def test_numbers_to_choose_from_hold_the_right_one(chosen):
    _, push, number, _ = chosen
    assert push["numberMatching"]["type"] == "SELECT_NUMBER"
    options = push["numberMatching"]["options"]
    assert number in options and len(set(options)) == len(options) <= 10


def test_the_right_choice_approves(paired, sandbox, chosen):
    started, push, number, _ = chosen
    assert paired.refusal("notification.approve", notification=push["id"]).code == 11007
    paired.call("notification.approve", notification=push["id"], number=number)
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_the_first_wrong_choice_denies(paired, sandbox, chosen):
    started, push, number, wrong = chosen
    error = paired.refusal("notification.approve", notification=push["id"], number=wrong)
    assert (error.code, error.reason, error.details) == (11008, "NUMBER_MISMATCH", {"triesLeft": 0})
    assert paired.event("notification", id=push["id"], state="denied")
    assert sandbox.authentication(started)["status"] == "FAILED"
    error = paired.refusal("notification.approve", notification=push["id"], number=number)
    assert (error.code, error.details) == (11003, {"state": "denied"})


def test_authctl_asks_for_the_number_and_never_shows_the_choices(paired, sandbox, chosen, authctl):
    started, push, number, _ = chosen
    with authctl.terminal("approve", push["id"]) as person:
        person.expect("a wrong one denies the request")
        person.expect("number shown where you sign on; or deny, report, later: ")
        shown = person.before + person.after
        person.sendline(str(number))
        person.expect("approved")
        person.wait()
    # Ids and the time that is left have digits of their own.
    words = re.sub(r"in \d+ \w+", "", shown).split()
    assert not {str(option) for option in push["numberMatching"]["options"]} & set(words)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
