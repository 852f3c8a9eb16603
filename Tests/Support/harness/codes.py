"""Authentication codes: daemons with events about them, and decisions on them."""

import pytest

from . import flows

REQUIRED = {"userApproval": "REQUIRED"}


@pytest.fixture
def watching(client, sandbox):
    """A client of a paired daemon that is subscribed to codes."""
    flows.pair(client, sandbox)
    client.subscribe("authentication")
    return client


@pytest.fixture
def trusting(make_daemon, sandbox):
    """Like `watching`, with a daemon that does not ask the user about a code that needs no approval."""
    client = make_daemon(require_approval="no").start().client()
    flows.pair(client, sandbox)
    client.subscribe("authentication")
    return client


def decide(client, decision, claimed, **params):
    return client.call(f"authentication.{decision}", authentication=claimed["id"], **params)
