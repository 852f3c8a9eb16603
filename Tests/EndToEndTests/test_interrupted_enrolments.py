"""Interrupted enrolment of this machine as a passcode device: the daemon completes or reverts it."""

import pytest

from harness.client import RPCError
from harness.clock import MovableClock
from harness.foreign_pingone import LOST, Held, Refusal
from harness.own_devices import active, add, client, daemon, problem, settings, sign_on, the_account
from harness.programs import PATIENCE

# Interruptions by the user


def begin_to_add(client, pingone, held, step):
    """Starts to add a device while the tenant holds the response to a step; returns the sign-on and the call."""
    start = client.call("login.start", method="signon", devices={"add": ["TOTP"]})
    pingone.api.plan(step, held)
    values = {"username": "ann", "password": pingone.users["ann"]["password"]}
    call = client.begin("login.next", login=start["login"], values=values)
    held.reached()
    return start["login"], call


@pytest.mark.parametrize("step", ["list", "create", "activate"])
@pytest.mark.parametrize("way", ["cancel", "erase"])
def test_enrolment_is_reverted_if_cancelled_or_erased(daemon, pingone, step, way):
    client, other = daemon.client(), daemon.client()
    with Held() as held:
        login, call = begin_to_add(client, pingone, held, step)
        if way == "cancel":
            other.call("login.cancel", login=login)
        else:
            other.call("device.removeLocalData", confirm=True)
    client.has_reply(call, PATIENCE)
    assert other.call("account.list")["accounts"] == []
    assert pingone.devices.of("ann") == []
    # The daemon revokes the token although the sign-on has already ended.
    assert len(pingone.auth.asked("revoke")) == 1


def test_enrolment_is_reverted_if_its_account_is_removed(daemon, pingone):
    client, other = daemon.client(), daemon.client()
    with Held() as held:
        _, call = begin_to_add(client, pingone, held, "activate")
        account = the_account(other)["id"]
        assert other.refusal("account.remove", account=account).code == 11022
        assert other.call("account.remove", account=account, localOnly=True)["remainsOnServer"]
    outcome = client.reply(call)["devices"]
    assert outcome["added"] == [] and problem(outcome)[0] == 11004
    assert pingone.devices.of("ann") == []


def test_concurrent_sign_ons_create_one_device(daemon, pingone):
    client, other = daemon.client(), daemon.client()
    with Held() as held:
        _, call = begin_to_add(client, pingone, held, "create")
        assert problem(add(other, pingone)) == (10013, "PAIRING_ALREADY_RUNNING")
    assert len(client.reply(call)["devices"]["added"]) == 1 and len(active(pingone)) == 1


# Lost responses


def test_device_of_a_lost_creation_response_is_deleted(client, pingone):
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    pingone.api.plan("create", LOST)
    assert problem(add(client, pingone)) == (10004, "NO_CONNECTIVITY")
    assert pingone.devices.of("ann") == [phone]
    assert client.call("account.list")["accounts"] == []
    assert len(add(client, pingone)["added"]) == 1


def test_lost_activation_response_is_detected_as_done(client, pingone):
    pingone.api.plan("activate", LOST)
    assert len(add(client, pingone)["added"]) == 1
    assert len(pingone.devices.of("ann")) == 1


def test_unfinished_enrolment_is_listed_and_completed_by_the_next_sign_on(client, pingone):
    pingone.api.plan("activate", Refusal(503))
    pingone.api.plan("read", Refusal(503))
    assert problem(add(client, pingone))[0] == 10003
    unfinished = the_account(client)
    assert unfinished["state"] == "activating" and unfinished["authenticators"] == []
    with pytest.raises(RPCError) as refused:
        client.call("passcode.get", account=unfinished["id"])
    assert refused.value.code == 10008
    # A sign-on that only lists devices leaves the account unchanged.
    assert sign_on(client, pingone, list=True)["list"][0]["account"] == unfinished["id"]
    assert the_account(client) == unfinished
    outcome = add(client, pingone)
    assert [account["id"] for account in outcome["added"]] == [unfinished["id"]]
    assert "state" not in the_account(client) and len(active(pingone)) == 1


def test_expired_enrolment_is_replaced_by_the_next_sign_on(make_daemon, settings, pingone, directory):
    clock = MovableClock(directory)
    client = make_daemon(**settings, clock=clock).start().client()
    pingone.api.plan("activate", Refusal(503))
    pingone.api.plan("read", Refusal(503))
    add(client, pingone)
    (late,) = pingone.devices.of("ann")
    clock.set(31 * 60)
    pingone.tenant.date_offset = 31 * 60
    (account,) = add(client, pingone)["added"]
    assert the_account(client) == account
    assert late not in pingone.devices.of("ann") and len(active(pingone)) == 1


def test_enrolment_expired_only_at_pingone_is_replaced(client, pingone):
    pingone.api.plan("activate", Refusal(503))
    pingone.api.plan("read", Refusal(503))
    add(client, pingone)
    # The activation has expired by the clock of PingOne, but not by the local clock.
    pingone.tenant.time_passed = 31 * 60
    (late,) = pingone.devices.of("ann")
    outcome = add(client, pingone)
    assert problem(outcome) == (10003, "SERVER_ERROR") and late not in pingone.devices.of("ann")
    assert outcome["added"] == [the_account(client)] and len(active(pingone)) == 1


def lose_everything(client, pingone):
    """Loses the response to a creation, and lets the following list request fail."""
    pingone.api.plan("list", None, Refusal(503))
    pingone.api.plan("create", LOST)
    assert problem(add(client, pingone))[0] in (10003, 10004)
    assert the_account(client)["state"] == "activating"


def test_user_removes_the_lost_device_if_several_are_new(client, pingone):
    old = pingone.devices.add("ann", age=3600)
    old.status = "ACTIVATION_REQUIRED"
    lose_everything(client, pingone)
    (lost,) = [device for device in pingone.devices.of("ann") if device is not old]
    other = pingone.devices.add("ann")
    other.status = "ACTIVATION_REQUIRED"
    outcome = sign_on(client, pingone, list=True)
    assert problem(outcome) == (11017, "AMBIGUOUS")
    assert {device["id"] for device in outcome["list"]} == {old.id, lost.id, other.id}
    assert len(pingone.devices.of("ann")) == 3
    outcome = sign_on(client, pingone, remove=[lost.id], confirm=[lost.id])
    assert outcome["errors"] == [] and pingone.devices.of("ann") == [old, other]
    assert client.call("account.list")["accounts"] == []


@pytest.mark.parametrize("step", ["create", "activate"])
@pytest.mark.parametrize("is_done", [True, False])
def test_enrolment_is_completed_after_a_crash_at_each_step(daemon, pingone, step, is_done):
    """The daemon dies before the response arrives. The next sign-on leaves exactly one account and one device."""
    client = daemon.client()
    start = client.call("login.start", method="signon", devices={"add": ["TOTP"]})
    held = Held()
    pingone.api.plan(step, held if is_done else Refusal(503))
    if not is_done and step == "create":
        pingone.api.plan("list", None, Refusal(503))
    if not is_done and step == "activate":
        pingone.api.plan("read", Refusal(503))
    values = {"username": "ann", "password": pingone.users["ann"]["password"]}
    if is_done:
        with held:
            client.begin("login.next", login=start["login"], values=values)
            held.reached()
            daemon.kill()
    else:
        client.call("login.next", login=start["login"], values=values)
        daemon.kill()
    daemon.start()
    client = daemon.client()
    assert the_account(client)["state"] == "activating"
    (account,) = add(client, pingone)["added"]
    assert the_account(client) == account and "state" not in account
    (device,) = pingone.devices.of("ann")
    assert device.status == "ACTIVE"
    passcode = client.call("passcode.get")
    assert passcode["passcode"] == device.totp.at(passcode["validFrom"])
