"""Authentication codes: daemons that hear of them, and decisions on them."""

import pytest

from . import flows

REQUIRED = {"userApproval": "REQUIRED"}


@pytest.fixture
def watching(client, sandbox):
    """A paired daemon's client that hears of codes."""
    flows.pair(client, sandbox)
    client.subscribe("authentication")
    return client


@pytest.fixture
def trusting(make_daemon, sandbox):
    """The same, of a daemon that does not ask before a code that needs no approval."""
    client = make_daemon(require_approval="no").start().client()
    flows.pair(client, sandbox)
    client.subscribe("authentication")
    return client


def decide(client, decision, claimed, **params):
    return client.call(f"authentication.{decision}", authentication=claimed["id"], **params)
