"""The platform's push limit: after too many denials authctl reports the account's lock, its end and its reason."""

import re

import pytest

from harness import flows


@pytest.fixture
def limited(paired, sandbox):
    """A client with three pending pushes for an account that the second denial locks."""
    sandbox.limit_pushes(2)
    paired.subscribe("account")
    return paired, [flows.push(paired, sandbox) for _ in range(3)]


def account_of(client):
    (account,) = client.call("account.list")["accounts"]
    return account


def test_authctl_reports_the_end_and_the_reason_of_a_lock(limited, authctl):
    _, pushes = limited
    why = r"because too many requests were denied or ignored, for another [0-9 mins]+"
    assert authctl.run("deny", pushes[0][1]["id"]).output.endswith(f" ({pushes[0][1]['id'][:8]})\n")
    done = authctl.run("deny", pushes[1][1]["id"], "--report-fraud")
    assert re.fullmatch(rf"denied: .*\), reported as fraud\nthe account is locked now {why}\n", done.output)
    done = authctl.run("approve", pushes[2][1]["id"])
    assert done.status == 9 and re.search(rf"^authctl: error: .*locked this account: {why}$", done.errors, re.M)
    assert re.search(rf"locked {why}  \S+$", authctl.run("accounts").output)
    error = authctl.run("--json", "approve", pushes[2][1]["id"]).json["error"]
    assert error["data"]["details"]["policy"] == "PUSH_LIMIT"


def test_blocked_device_locks_its_account_until_unblocked(paired, sandbox, authctl):
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
