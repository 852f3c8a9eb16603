"""Daemons of an ordinary PingOne tenant, and their users' requests for their own devices."""

import pytest

NO_PLATFORM = {"platform": None}


@pytest.fixture
def settings(pingone):
    """A configuration for an ordinary tenant: an issuer and a client, and no device service."""
    return {**NO_PLATFORM, **pingone.settings, **pingone.self_service}


@pytest.fixture
def daemon(make_daemon, settings):
    return make_daemon(**settings).start()


@pytest.fixture
def client(daemon):
    return daemon.client()


def sign_on(client, pingone, user="ann", **orders):
    """Signs a user on and returns the results of the device requests."""
    step = client.call("login.start", method="signon", devices=orders)
    values = {"username": user, "password": pingone.users[user]["password"]}
    step = client.call("login.next", login=step["login"], values=values)
    assert step["node"] == "success", step
    return step["devices"]


def add(client, pingone, **more):
    return sign_on(client, pingone, add=["TOTP"], **more)


def problem(outcome):
    (one,) = outcome["errors"]
    return one["code"], one["reason"]


def the_account(client):
    (account,) = client.call("account.list")["accounts"]
    return account


def active(pingone, user="ann"):
    return [device for device in pingone.devices.of(user) if device.status == "ACTIVE"]
