"""Daemons whose courier holds a stream at a relay, and pushes that are left there."""

import urllib.parse
import urllib.request

import pytest

from . import flows
from .programs import PATIENCE


@pytest.fixture
def relayed(make_daemon, relay):
    return make_daemon(push_relay=relay.url).start()


@pytest.fixture
def client(relayed, sandbox):
    """A paired owner's connection, who hears of pushes."""
    client = relayed.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    return client


def choose(client):
    """The address that the daemon takes pushes at."""
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH")
    assert report["pushEnabled"] and report["errors"] == []
    return report["address"]


def send(sandbox, address, user="ann", **notification):
    """A push that whoever carries pushes for the platform leaves at an address."""
    started = sandbox.authenticate(user, notification or None)
    leave(address, carried(sandbox)["push"])
    return started


def carried(sandbox):
    """The newest push that was given to whoever carries them."""
    return sandbox.request("GET", "/sandbox/transport")["carried"][-1]


def leave(address, text):
    body = text if isinstance(text, bytes) else text.encode()
    urllib.request.urlopen(urllib.request.Request(address, data=body), timeout=PATIENCE).close()


def topic_of(address):
    return urllib.parse.urlsplit(address).path.strip("/")
