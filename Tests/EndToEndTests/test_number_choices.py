"""Number matching with numbers to choose from: a wrong number denies the request."""

import re

import pytest

from harness import flows


@pytest.fixture
def chosen(paired, sandbox):
    """A pending push with numbers to choose from, the right number, and a wrong one."""
    sandbox.match_numbers("SELECT_NUMBER")
    started, push = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    return started, push, number, next(one for one in push["numberMatching"]["options"] if one != number)


def test_authctl_asks_for_the_number_and_never_shows_the_choices(paired, sandbox, chosen, authctl):
    started, push, number, _ = chosen
    with authctl.terminal("approve", push["id"]) as person:
        person.expect("a wrong one denies the request")
        person.expect("number shown where you sign on; or deny, report, later: ")
        shown = person.before + person.after
        person.sendline(str(number))
        person.expect("approved")
        person.wait()
    # The remaining time also contains digits.
    words = re.sub(r"in \d+ \w+", "", shown).split()
    assert not {str(option) for option in push["numberMatching"]["options"]} & set(words)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
