"""Daemons with a courier that is subscribed at a relay, and pushes through the relay."""

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
    """A paired owner's connection, subscribed to pushes."""
    client = relayed.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    return client


def choose(client):
    """Chooses UnifiedPush and returns the daemon's push address."""
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH")
    assert report["pushEnabled"] and report["errors"] == []
    return report["address"]


def send(sandbox, address, user="ann", **notification):
    """Creates a push and publishes it at an address, like the platform's push service."""
    started = sandbox.authenticate(user, notification or None)
    leave(address, carried(sandbox)["push"])
    return started


def carried(sandbox):
    """Returns the newest push for the push service."""
    return sandbox.request("GET", "/sandbox/transport")["carried"][-1]


def leave(address, text):
    body = text if isinstance(text, bytes) else text.encode()
    urllib.request.urlopen(urllib.request.Request(address, data=body), timeout=PATIENCE).close()


def topic_of(address):
    return urllib.parse.urlsplit(address).path.strip("/")
