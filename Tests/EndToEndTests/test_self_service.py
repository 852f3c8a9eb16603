"""Self-service devices at the sandbox, with a client written from PingOne's documentation, and with the daemon."""

import os
import time
import urllib.parse

import jwt
import pyotp
import pytest

from harness.sandbox import Refused, Sandbox
from harness.signon import Application

SCOPES = "openid p1:create:device p1:read:device p1:update:device p1:delete:device"
ACTIVATE = "application/vnd.pingidentity.device.activate+json"


@pytest.fixture
def sandbox():
    """A sandbox that permits users to add authenticator apps."""
    sandbox = Sandbox(self_service=True)
    yield sandbox
    sandbox.stop()


@pytest.fixture
def token(sandbox):
    """Ann's access token, with PingOne's claims."""
    tokens, _ = Application(sandbox).tokens("ann", SCOPES)
    assert tokens["scope"] == SCOPES
    claims = jwt.decode(tokens["access_token"], options={"verify_signature": False})
    assert claims["scope"] == SCOPES and claims["env"] == sandbox.environment
    assert claims["sub"] == sandbox.users["ann"]["id"] and claims["aud"] == [sandbox.url]
    return tokens["access_token"]


def test_third_party_authenticator_app_is_enrolled_and_authenticates(sandbox, token):
    devices = sandbox.user_path("ann") + "/devices"
    made = sandbox.request("POST", devices, {"type": "TOTP"}, token=token)
    app = pyotp.parse_uri(made["keyUri"])
    assert app.secret == made["secret"] and app.name == "ann"
    address = urllib.parse.urlsplit(made["_links"]["device.activate"]["href"]).path
    with pytest.raises(Refused) as refused:
        sandbox.request("POST", address, {"otp": "12345"}, ACTIVATE, token)
    assert refused.value.status == 400 and refused.value.body["details"][0]["target"] == "otp"
    now = int(time.time())
    active = sandbox.request("POST", address, {"otp": app.at(now)}, ACTIVATE, token)
    assert (active["status"], active["type"]) == ("ACTIVE", "TOTP")
    (listed,) = sandbox.request("GET", devices, token=token)["_embedded"]["devices"]
    assert listed["id"] == made["id"] and not {"secret", "keyUri"} & set(listed)
    started = sandbox.authenticate("ann")
    assert started["status"] == "OTP_REQUIRED"
    with pytest.raises(Refused):
        sandbox.check_passcode(started, app.at(now))
    assert sandbox.check_passcode(started, app.at(now + 30))["status"] == "COMPLETED"
    assert sandbox.request("DELETE", address, token=token) is None


def test_devices_of_another_user_are_refused(sandbox, token):
    with pytest.raises(Refused) as refused:
        sandbox.request("GET", sandbox.user_path("bob") + "/devices", token=token)
    assert (refused.value.status, refused.value.body["code"]) == (403, "ACCESS_FAILED")


def test_daemon_is_added_listed_and_removed_as_a_totp_device(sandbox, make_daemon):
    client = make_daemon(sandbox=sandbox, platform=None).start().client()

    def sign_on(**orders):
        step = client.call("login.start", method="signon", devices=orders)
        values = {"username": "ann", "password": sandbox.users["ann"]["password"]}
        return client.call("login.next", login=step["login"], values=values)

    (account,) = sign_on(add=["TOTP"])["devices"]["added"]
    (device,) = sign_on(list=True)["devices"]["list"]
    assert (device["type"], device["status"], device["account"]) == ("TOTP", "ACTIVE", account["id"])
    # The nickname lets the user identify this machine.
    assert device["nickname"] == os.uname().nodename
    # A second device is refused, and a removed device is no longer listed.
    assert sign_on(add=["TOTP"])["devices"]["errors"][0]["code"] == 11011
    assert sign_on(remove=[account["id"]], list=True)["devices"] == {
        "added": [],
        "list": [],
        "removed": [account["id"]],
        "errors": [],
    }
