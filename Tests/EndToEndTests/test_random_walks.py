"""Random and conflicting sign-on actions of two clients. Each reply is a step or a known error. No sign-on is left."""

import pytest

from harness import pages
from harness.programs import seeds
from harness.walk import Caller, Walk

pytestmark = pytest.mark.flows

SEEDS = 60
AT_ONCE = 4
"""Number of walks before the daemon is restarted, which resets its rate limits."""

MOST = 4
"""Maximum number of concurrent sign-ons of one owner."""


@pytest.fixture
def daemon(make_daemon, sandbox):
    """A daemon with all sign-on methods configured."""
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
    """Ignores the pairings that successful sign-ons offered. The number of pending pairings per owner is limited."""
    client = daemon.client()
    for pairing in client.call("pairing.list")["pairings"]:
        client.call("pairing.ignore", pairing=pairing["id"])


def assert_room(walk):
    """Asserts that the maximum number of sign-ons can be started, then ends them."""
    caller = Caller(walk)
    for _ in range(MOST):
        caller.ask("login.start", method="signon", forceAuth=True)
    caller.close()
    assert len(walk.pages) == MOST
    walk.end()
