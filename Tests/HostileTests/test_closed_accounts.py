"""Accounts that the platform locks for some time: how they are reported, and which answers are refused."""

import pytest

from test_refusals import PUSH, refusal, in_seconds, receive, get


def lock(seconds, policy="PUSH_LIMIT"):
    return {"policy": policy, "expiresAt": in_seconds(seconds)}


def account_of(stage):
    (account,) = stage.client.call("account.list")["accounts"]
    return account


def test_denial_that_locks_the_account_is_reported_and_survives_a_restart(paired):
    shown, end = receive(paired), lock(1800)
    paired.client.call("event.subscribe", topics=["account"])
    paired.platform.forge(PUSH, lambda x: x.answer(200, {"status": "denied", "lock": end}))
    result = paired.client.call("notification.deny", notification=shown["id"])
    assert result["notification"]["state"] == "denied" and result["lock"] == end
    account = account_of(paired)
    assert account["locked"] is True and account["lock"] == end
    assert paired.client.event("account") == account
    paired.restart()
    assert account_of(paired) == account


@pytest.mark.parametrize("method", ["notification.approve", "notification.deny"])
def test_answer_is_refused_while_the_account_is_locked(paired, method):
    shown, end = receive(paired), lock(600, "PUSH\u202e_LIMIT")
    paired.platform.forge(PUSH, lambda x: x.answer(403, refusal("ACCOUNT_LOCKED", **end)))
    error = paired.client.refusal(method, notification=shown["id"])
    assert (error.code, error.reason) == (11014, "ACCOUNT_LOCKED")
    assert error.details == end | {"policy": "PUSH_LIMIT"}
    assert account_of(paired)["locked"] is True and get(paired, shown["id"]) == shown
    # The platform decides; it may have removed the lock meanwhile.
    paired.platform.be_honest()
    assert paired.client.call(method, notification=shown["id"])["notification"]["state"] in ("approved", "denied")
    assert account_of(paired)["locked"] is False


def test_malformed_lock_in_a_response_is_ignored(paired):
    for nonsense in ({}, {"policy": 7}, {"policy": "P", "expiresAt": "tomorrow"}, "locked", None):
        shown = receive(paired)
        told = {"status": "denied", "lock": nonsense}
        paired.platform.forge(PUSH, lambda x, told=told: x.answer(200, told))
        assert "lock" not in paired.client.call("notification.deny", notification=shown["id"]), nonsense
        assert account_of(paired)["locked"] is False
        shown = receive(paired)
        members = nonsense if isinstance(nonsense, dict) else {}
        paired.platform.forge(PUSH, lambda x, members=members: x.answer(403, refusal("ACCOUNT_LOCKED", **members)))
        assert paired.client.refusal("notification.deny", notification=shown["id"]).code == 11014
        assert account_of(paired)["locked"] is False and get(paired, shown["id"])["state"] == "pending"


def test_lock_without_expiry_lasts_until_the_platform_accepts_an_answer(paired):
    shown = receive(paired)
    paired.platform.forge(PUSH, lambda x: x.answer(403, refusal("ACCOUNT_LOCKED", policy="DEVICE_BLOCKED")))
    error = paired.client.refusal("notification.approve", notification=shown["id"])
    assert (error.code, error.details) == (11014, {"policy": "DEVICE_BLOCKED"})
    paired.restart()
    account = account_of(paired)
    assert account["locked"] is True and account["lock"] == {"policy": "DEVICE_BLOCKED"}
    paired.platform.be_honest()
    paired.client.call("notification.approve", notification=shown["id"])
    assert account_of(paired)["locked"] is False


def test_last_wrong_number_can_lock_the_account(paired):
    shown, end = receive(paired, numberMatching={"type": "SELECT_NUMBER", "options": [1, 2]}), lock(600)
    paired.platform.forge(PUSH, lambda x: x.answer(422, refusal("NUMBER_MISMATCH", triesLeft=0, lock=end)))
    error = paired.client.refusal("notification.approve", notification=shown["id"], number=2)
    assert (error.code, error.details) == (11008, {"triesLeft": 0, "lock": end})
    assert get(paired, shown["id"])["state"] == "denied" and account_of(paired)["lock"] == end
