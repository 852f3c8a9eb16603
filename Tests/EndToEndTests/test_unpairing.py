"""Unpairing by the daemon or the platform, pairing again, and key rotation."""

import uuid

import pytest

from harness import flows

GEO = flows.GEO


def accounts(client):
    return client.call("account.list")["accounts"]


def works(client, sandbox, user="ann"):
    """Approves a new push and returns true if its sign-on completes."""
    client.subscribe("notification")
    title = uuid.uuid4().hex
    started = sandbox.authenticate(user, {"template": {"variables": {"title": title}}})
    push = client.event("notification", title=title, state="pending")
    client.call("notification.approve", notification=push["id"])
    return sandbox.authentication(started)["status"] == "COMPLETED"


def test_account_is_renamed_locally_and_at_the_platform(client, sandbox):
    account = flows.pair(client, sandbox)
    renamed = client.call("account.rename", account=account, nickname="my desk")
    assert renamed["nickname"] == "my desk" and accounts(client) == [renamed]
    assert sandbox.devices("ann")[0]["nickname"] == "my desk"
    assert client.refusal("account.rename", account="nobody", nickname="x").code == 11002


def test_removed_account_is_unpaired_at_the_platform(client, sandbox):
    account = flows.pair(client, sandbox)
    client.subscribe("account")
    assert client.call("account.remove", account=account) == {"remainsOnServer": False}
    assert client.event("account")["state"] == "removed"
    assert accounts(client) == [] and sandbox.devices("ann") == []
    assert client.refusal("passcode.get").code == 10008
    assert client.refusal("account.remove", account=account).code == 11002
    flows.pair(client, sandbox)
    assert works(client, sandbox)


@pytest.mark.parametrize("again", [False, True], ids=["seen once", "and paired again"])
def test_pairings_are_revoked_if_the_platform_forgets_the_device(client, sandbox, again):
    account = flows.pair(client, sandbox)
    client.subscribe("account")
    sandbox.forget_devices()
    refusal = client.refusal("account.rename", account=account, nickname="x")
    assert refusal.code == 10008
    revoked = client.event("account")
    assert (revoked["id"], revoked["state"]) == (account, "revoked")
    assert accounts(client) == [revoked]
    assert client.refusal("passcode.get", account=account).code == 10008
    if again:
        assert client.call("device.configure", geo=GEO)["deviceId"]
        renewed = flows.pair(client, sandbox)
        assert [(one["id"], one.get("state")) for one in accounts(client)] == [(renewed, None)]
        assert works(client, sandbox)
    else:
        assert client.call("account.remove", account=account) == {"remainsOnServer": False}
        assert accounts(client) == []


def test_pushes_work_after_key_rotation(client, sandbox):
    flows.pair(client, sandbox)
    before = sandbox.identities()
    for _ in range(3):
        assert client.call("device.rotateKeys")["rotatedAt"]
        assert works(client, sandbox)
    (after,) = sandbox.identities()
    assert [one["id"] for one in before] == [after["id"]] and before[0]["key"] != after["key"]


def test_another_geography_can_be_configured_after_erasing_local_data(client, sandbox):
    flows.pair(client, sandbox)
    assert works(client, sandbox)
    assert client.refusal("device.removeLocalData").code == -32602
    removed = client.call("device.removeLocalData", confirm=True)["removed"]
    assert removed == {"accounts": 1, "notifications": 1}
    assert accounts(client) == [] and len(sandbox.devices("ann")) == 1
    status = client.call("service.status")["owner"]
    assert (status["configured"], status["paired"]) == (False, 0)
    assert client.refusal("passcode.get").code == 10018
    assert client.call("device.configure", geo="Europe")["geo"] == "Europe"
    key = sandbox.pairing_key("bob", region="EU")
    assert client.call("pairing.pair", pairingKey=key)["user"]["username"] == "bob"
