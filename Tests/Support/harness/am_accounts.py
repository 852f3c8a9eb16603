"""Accounts at a PingAM server, and the pushes for them."""

import pytest

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEH"


@pytest.fixture
def daemon(make_daemon, am):
    return make_daemon(am_origin=am.url).start()


@pytest.fixture
def enrolled(client, am):
    """A connection with push events, to a daemon that is enrolled at the server."""
    client.call("account.enrol", uri=am.enrolment())
    client.subscribe("notification")
    return client


def take(client, envelope):
    return client.call("notification.process", payload=envelope)["notification"]


def answer_of(am, envelope):
    return am.answers.get(envelope["messageId"])
