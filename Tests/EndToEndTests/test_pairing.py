"""pairing.pair and what it leaves: accounts, by a key that an administrator made."""

import os

import pytest

from harness import flows

GEO = flows.GEO
COMPLETED = [{"type": "PUSH", "status": "COMPLETED"}, {"type": "OTP", "status": "COMPLETED"}]


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=GEO)
    return client


def refused(client, key):
    """The code with which a pairing key is refused."""
    return client.refusal("pairing.pair", pairingKey=key).code


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
    # By that an administrator, and its user, know which machine it is.
    assert device["model"] == {"name": os.uname().nodename}


def spaced(key):
    return " ".join(key[place : place + 4] for place in range(0, len(key), 4))


def hyphenated(key):
    return "-".join(key[place : place + 2] for place in range(0, len(key), 2)) + " "


@pytest.mark.parametrize("typed", [spaced, hyphenated, str.lower], ids=["spaces", "hyphens", "lower case"])
def test_a_key_may_be_typed_with(configured, sandbox, typed):
    info = configured.call("pairing.pair", pairingKey=typed(sandbox.pairing_key("ann")))
    assert info["authenticators"] == COMPLETED


@pytest.mark.parametrize(
    "key",
    ["", "01", "0" * 13, "0" * 15, "01" + "9" * 12, "01" + "Z" * 16, "01" + "é" * 12, "../../trust/x1", "٠" * 14],
)
def test_a_key_that_nobody_made_is_refused(configured, key):
    assert refused(configured, key) == 10005
    assert configured.call("account.list") == {"accounts": []}


def test_a_key_works_once(configured, sandbox):
    key = sandbox.pairing_key("ann")
    configured.call("pairing.pair", pairingKey=key)
    assert refused(configured, key) == 10005
    assert len(configured.call("account.list")["accounts"]) == 1


def test_an_expired_key_is_refused(configured, sandbox):
    key = sandbox.pairing_key("ann")
    sandbox.advance(48 * 3600 + 1)
    assert refused(configured, key) == 10005


def test_several_users_are_several_accounts(configured, sandbox):
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


def test_one_pairing_of_an_owner_runs_at_a_time(configured, sandbox):
    key, other = sandbox.pairing_key("ann"), sandbox.pairing_key("bob")
    with sandbox.held():
        running = configured.begin("pairing.pair", pairingKey=key)
        refusal = configured.refusal("pairing.pair", pairingKey=other)
    assert (refusal.code, refusal.retry) == (10013, True)
    assert configured.reply(running)["user"]["username"] == "ann"
    assert flows.pair(configured, sandbox, "bob")


@pytest.mark.parametrize("fault", [{"dropConnection": True}, {"status": 500}, {"garbage": True}], ids=str)
@pytest.mark.parametrize("step", ["/device/v1/pairings", "/device/v1/pairings/"], ids=["key", "passcode"])
def test_a_pairing_that_fails_on_the_way_can_be_tried_again(configured, sandbox, step, fault):
    key = sandbox.pairing_key("ann")
    sandbox.fault(step, **fault)
    refusal = configured.refusal("pairing.pair", pairingKey=key)
    assert refusal.code in (10003, 10004) and refusal.retry
    assert configured.call("account.list") == {"accounts": []}
    assert configured.call("pairing.pair", pairingKey=key)["authenticators"] == COMPLETED
    assert configured.call("service.status")["owner"]["paired"] == 1


def test_a_caller_that_leaves_cancels_nothing(daemon, configured, sandbox):
    watcher = daemon.client()
    watcher.subscribe("account")
    leaver, key = daemon.client(), sandbox.pairing_key("ann")
    with sandbox.held():
        leaver.begin("pairing.pair", pairingKey=key)
        # What is asked next is answered when the request has been taken up.
        leaver.call("service.status")
        leaver.close()
        watcher.call("service.status")
    assert watcher.event("account")["user"]["username"] == "ann"
    assert watcher.call("passcode.get")["passcode"]
