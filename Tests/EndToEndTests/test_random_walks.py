"""Sign-ons that two clients walk at random and against each other: always a step or a known error, and nothing left."""

import pytest

from harness import pages
from harness.programs import seeds
from harness.walk import Caller, Walk

pytestmark = pytest.mark.flows

SEEDS = 60
AT_ONCE = 4
"""How many walks one life of the daemon sees: a new one has forgotten how much was asked of it."""

MOST = 4
"""The sign-ons that one owner has room for."""


@pytest.fixture
def daemon(make_daemon, sandbox):
    """A daemon that can sign on in every way."""
    daemon = make_daemon(
        issuer=[sandbox.announcement["issuer"], f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"],
        journey_server=f"{sandbox.url}/am",
        journey_cookie=sandbox.request("GET", "/am/json/realms/root/realms/alpha/serverinfo/*")["cookieName"],
        keep_session="yes",
    )
    return daemon.start()


@pytest.mark.slow
def test_random_walks_give_steps_or_known_errors_and_leave_no_sign_on(daemon, sandbox):
    pages.configured(daemon)
    told = set()
    for seed in seeds(SEEDS):
        if seed % AT_ONCE == 0:
            forget_pairings(daemon)
            daemon.stop()
            daemon.start()
        walk = Walk(seed, daemon, sandbox)
        walk.play()
        told |= walk.told
        assert_room(walk)
    assert {"continue", "error", "failure", "INVALID_PARAMS", "EXPIRED"} <= told, "the walks went everywhere"
    forget_pairings(daemon)
    client = daemon.client()
    step = client.call("login.start", method="signon", forceAuth=True)
    values = {"username": "ann", "password": sandbox.users["ann"]["password"]}
    assert pages.answer(client, step, values)["node"] == "success"


def forget_pairings(daemon):
    """Lets go of what the sign-ons that succeeded ask to pair: more than some of an owner do not wait."""
    client = daemon.client()
    for pairing in client.call("pairing.list")["pairings"]:
        client.call("pairing.ignore", pairing=pairing["id"])


def assert_room(walk):
    """As many sign-ons as ever can be begun, and are ended again."""
    caller = Caller(walk)
    for _ in range(MOST):
        caller.ask("login.start", method="signon", forceAuth=True)
    caller.close()
    assert len(walk.pages) == MOST
    walk.end()
