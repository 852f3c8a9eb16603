"""The platform's push limit: who denies too often is told that the account is locked, until when and why."""

import re

import pytest

from harness import flows


@pytest.fixture
def limited(paired, sandbox):
    """A client of an account that the second denial closes, with three pushes that wait."""
    sandbox.limit_pushes(2)
    paired.subscribe("account")
    return paired, [flows.push(paired, sandbox) for _ in range(3)]


def account_of(client):
    (account,) = client.call("account.list")["accounts"]
    return account


def test_the_denial_that_closes_the_account_says_so(limited):
    client, pushes = limited
    first, second, _ = (push["id"] for _, push in pushes)
    assert "lock" not in client.call("notification.deny", notification=first)
    assert account_of(client)["locked"] is False
    result = client.call("notification.deny", notification=second)
    assert result["notification"]["state"] == "denied" and result["lock"]["policy"] == "PUSH_LIMIT"
    account = account_of(client)
    assert account["locked"] is True and account["lock"] == result["lock"]
    assert client.event("account", locked=True) == account


@pytest.mark.parametrize("method", ["notification.approve", "notification.deny"])
def test_no_answer_counts_until_it_opens(limited, sandbox, method):
    client, pushes = limited
    for _, push in pushes[:2]:
        lock = client.call("notification.deny", notification=push["id"]).get("lock")
    started, third = pushes[2]
    error = client.refusal(method, notification=third["id"])
    assert (error.code, error.reason, error.details) == (11014, "ACCOUNT_LOCKED", lock)
    assert client.call("notification.get", notification=third["id"])["notification"] == third
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    sandbox.advance(61)
    client.call("notification.approve", notification=third["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    assert account_of(client)["locked"] is False
    client.event("account", locked=False)


def test_a_lock_is_remembered_over_a_restart(daemon, limited):
    client, pushes = limited
    for _, push in pushes[:2]:
        client.call("notification.deny", notification=push["id"])
    account = account_of(client)
    daemon.stop()
    daemon.start()
    assert account_of(daemon.client()) == account and account["locked"]


def test_authctl_says_until_when_and_why(limited, authctl):
    _, pushes = limited
    why = r"because too many requests were denied or ignored, for another [0-9 mins]+"
    assert authctl.run("deny", pushes[0][1]["id"]).output == f"denied {pushes[0][1]['id']}\n"
    done = authctl.run("deny", pushes[1][1]["id"], "--report-fraud")
    assert re.fullmatch(rf"denied \S+, reported as fraud\nthe account is locked now {why}\n", done.output)
    done = authctl.run("approve", pushes[2][1]["id"])
    assert done.status == 9 and re.search(rf"^authctl: error: .*locked this account: {why}$", done.errors, re.M)
    assert re.search(rf"locked {why}$", authctl.run("accounts").output)
    error = authctl.run("--json", "approve", pushes[2][1]["id"]).json["error"]
    assert error["data"]["details"]["policy"] == "PUSH_LIMIT"


def test_the_last_wrong_number_may_close_the_account(paired, sandbox):
    sandbox.match_numbers("SELECT_NUMBER")
    sandbox.limit_pushes(1)
    started, push = flows.push(paired, sandbox)
    wrong = (sandbox.authentication(started)["numberMatching"]["number"] + 1) % 100
    error = paired.refusal("notification.approve", notification=push["id"], number=wrong)
    account = account_of(paired)
    assert (error.code, error.details) == (11008, {"triesLeft": 0, "lock": account["lock"]})
    assert account["locked"] is True and account["lock"]["policy"] == "PUSH_LIMIT"


def test_a_device_that_an_administrator_blocks_is_locked_until_it_is_opened(paired, sandbox, authctl):
    paired.subscribe("account")
    _, push = flows.push(paired, sandbox)
    sandbox.act_on_device("ann", "device.block")
    paired.event("notification", id=push["id"], state="cancelled")
    paired.call("device.info")
    assert paired.event("account", locked=True) == account_of(paired)
    assert account_of(paired)["lock"] == {"policy": "DEVICE_BLOCKED"}
    assert "locked because an administrator blocked this machine" in authctl.run("accounts").output
    sandbox.act_on_device("ann", "device.unblock")
    paired.call("device.info")
    assert paired.event("account", locked=False) == account_of(paired)
