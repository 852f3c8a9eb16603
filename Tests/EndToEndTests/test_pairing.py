"""`pairing.pair` with a pairing key of an administrator, and the accounts that it creates."""

import os

import pytest

from harness import flows

GEO = flows.GEO
COMPLETED = [{"type": "PUSH", "status": "COMPLETED"}, {"type": "OTP", "status": "COMPLETED"}]


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=GEO)
    return client


def test_a_pairing_key_pairs_its_user(configured, sandbox):
    configured.subscribe("account")
    ann = sandbox.users["ann"]["id"]
    info = configured.call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))
    assert info["authenticators"] == COMPLETED
    assert (info["user"]["id"], info["user"]["username"]) == (ann, "ann")
    (account,) = configured.call("account.list")["accounts"]
    assert (account["id"], account["kind"], account["geo"]) == (info["account"], "PINGONE", GEO)
    assert account["environment"] == {"id": sandbox.environment}
    assert account["user"] == info["user"] and account["authenticators"] == COMPLETED
    assert account["locked"] is False and account["label"]
    assert configured.event("account") == account
    assert configured.call("service.status")["owner"]["paired"] == 1
    (device,) = sandbox.devices("ann")
    assert (device["status"], device["pushEnabled"]) == ("ACTIVE", True)
    # The host name lets administrators and the user identify this machine.
    assert device["model"] == {"name": os.uname().nodename}


def test_pairing_two_users_creates_two_accounts(configured, sandbox):
    accounts = [flows.pair(configured, sandbox, user) for user in ("ann", "bob")]
    listed = configured.call("account.list")["accounts"]
    assert [account["id"] for account in listed] == accounts
    assert [account["user"]["username"] for account in listed] == ["ann", "bob"]


def test_pairing_the_same_user_again_leaves_one_account(configured, sandbox):
    flows.pair(configured, sandbox)
    account = flows.pair(configured, sandbox)
    assert [one["id"] for one in configured.call("account.list")["accounts"]] == [account]
    passcode = configured.call("passcode.get")["passcode"]
    selected = sandbox.authenticate("ann")
    newest = sandbox.devices("ann")[-1]["id"]
    sandbox.act(selected, "device.select", {"device": {"id": newest}})
    assert sandbox.check_passcode(selected, passcode)["status"] == "COMPLETED"


def test_unknown_pairing_key_is_refused(configured):
    for key in (
        *("", "01", "0" * 13, "0" * 15, "01" + "9" * 12, "01" + "Z" * 16),
        *("01" + "é" * 12, "../../trust/x1", "٠" * 14),
    ):
        assert configured.refusal("pairing.pair", pairingKey=key).code == 10005, key
    assert configured.call("account.list") == {"accounts": []}
