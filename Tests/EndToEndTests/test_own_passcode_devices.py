"""login.start with devices: this machine as a passcode device of an ordinary PingOne tenant.

The simulated tenant was written from PingOne's documentation alone, and verifies with pyotp.
"""

import json
import os
import time

import pytest

from harness.authctl import Authctl
from harness.client import RPCError
from harness.foreign_pingone import SELF_SERVICE, Refusal
from harness.own_devices import active, add, client, daemon, problem, settings, sign_on, the_account


def test_add_creates_and_activates_a_device_in_an_ordinary_tenant(client, pingone, daemon):
    outcome = add(client, pingone)
    (account,) = outcome["added"]
    assert outcome == {"added": [account], "removed": [], "errors": []}
    assert (account["kind"], account["label"]) == ("PINGONE_TOTP", "ann")
    assert account["environment"] == {"id": pingone.tenant.environment}
    assert account == the_account(client) and "state" not in account
    (device,) = active(pingone)
    before = time.time()
    passcode = client.call("passcode.get")
    assert before - 30 < passcode["validFrom"] <= time.time()
    assert passcode["passcode"] == device.totp.at(passcode["validFrom"])
    # One request creates the device and one activates it, with a token of all scopes that is revoked afterwards.
    assert [request.operation for request in pingone.api.requests] == ["list", "create", "activate"]
    assert all(request.scope >= SELF_SERVICE for request in pingone.api.requests)
    assert pingone.api.asked("create")[0].json() == {"type": "TOTP", "nickname": os.uname().nodename}
    # The account is on the disk and survives a crash.
    daemon.kill()
    daemon.start()
    assert the_account(daemon.client()) == account


def test_each_operation_requests_only_the_scopes_that_it_needs(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    listed = sign_on(client, pingone, list=True)
    sign_on(client, pingone, rename={"account": account, "nickname": "laptop"})
    sign_on(client, pingone, remove=[account])
    asked = [set(request.form["scope"].split()) - {"openid", "profile"} for request in pingone.auth.asked("par")]
    all_of = lambda *actions: {f"p1:{action}:device" for action in actions}
    assert asked == [set(SELF_SERVICE), all_of("read"), all_of("read", "update"), all_of("read", "delete")]
    assert [(each["type"], each["account"]) for each in listed["list"]] == [("TOTP", account)]


def test_device_operations_store_no_session(make_daemon, settings, pingone):
    client = make_daemon(**settings, keep_session="yes").start().client()
    add(client, pingone)
    assert client.call("session.list")["sessions"] == []


def test_rename_and_remove_change_the_device_and_the_account(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    outcome = sign_on(client, pingone, rename={"account": account, "nickname": "laptop"})
    assert outcome["errors"] == [] and active(pingone)[0].nickname == "laptop"
    assert the_account(client)["nickname"] == "laptop"
    assert sign_on(client, pingone, remove=[account])["removed"] == [account]
    assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []


def test_removal_without_a_sign_on_is_local_only(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    for method, more in [("account.remove", {}), ("account.rename", {"nickname": "laptop"})]:
        with pytest.raises(RPCError) as refused:
            client.call(method, account=account, **more)
        assert (refused.value.code, refused.value.details) == (11022, {"policy": "sign-on-needed"})
    assert client.call("account.remove", account=account, localOnly=True)["remainsOnServer"]
    assert len(active(pingone)) == 1


def test_device_of_another_machine_is_changed_only_with_confirmation(client, pingone):
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    assert problem(sign_on(client, pingone, remove=[phone.id])) == (-32602, "INVALID_PARAMS")
    renaming = {"account": phone.id, "nickname": "old"}
    assert problem(sign_on(client, pingone, rename=renaming)) == (-32602, "INVALID_PARAMS")
    sign_on(client, pingone, rename=renaming, confirm=[phone.id])
    assert phone.nickname == "old"
    outcome = sign_on(client, pingone, remove=[phone.id], confirm=[phone.id], list=True)
    assert (outcome["removed"], outcome["list"], outcome["errors"]) == ([phone.id], [], [])
    assert problem(sign_on(client, pingone, remove=[phone.id], confirm=[phone.id])) == (11002, "NOT_FOUND")


def test_audit_omits_the_typed_name_of_an_unknown_device(client, pingone):
    pingone.devices.add("ann", "MOBILE", "phone")
    typed = "annas-old-laptop"
    assert problem(sign_on(client, pingone, remove=[typed], confirm=[typed])) == (11002, "NOT_FOUND")
    renaming = {"account": typed, "nickname": "new"}
    assert problem(sign_on(client, pingone, rename=renaming, confirm=[typed])) == (11002, "NOT_FOUND")
    assert problem(sign_on(client, pingone, rename=renaming)) == (11002, "NOT_FOUND")
    told = client.call("audit.list")["entries"]
    assert [each["outcome"] for each in told if each["method"] == "account.rename"] == ["NOT_FOUND"] * 2
    assert typed not in str(told)


def test_device_deleted_by_the_tenant_becomes_revoked(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    client.call("event.subscribe", topics=["account"])
    pingone.devices.remove(active(pingone)[0])
    sign_on(client, pingone, list=True)
    assert client.event("account", id=account)["state"] == "revoked"
    assert the_account(client)["state"] == "revoked"
    with pytest.raises(RPCError) as refused:
        client.call("passcode.get", account=account)
    assert refused.value.code == 10008
    # The device can be added again and replaces the revoked account.
    (again,) = add(client, pingone)["added"]
    assert the_account(client) == again


def test_refused_enrolment_is_reported_and_leaves_no_device(client, pingone):
    for change, code, word in (
        ({"allows_totp": False}, 11022, "MFA policy"),
        ({"granted": SELF_SERVICE - {"p1:create:device"}}, 11021, "p1:create:device"),
        ({"granted": frozenset()}, 11021, "administrator"),
        ({"maximum_devices": 0}, 11022, "as many devices"),
        ({"uri_has_other_secret": True}, 10003, ""),
        ({"active_at_once": True}, 10003, ""),
        ({"uri_parameters": {"period": "90"}}, 10003, ""),
        ({"uri_parameters": {"digits": "7"}}, 10003, ""),
        ({"uri_parameters": {"algorithm": "MD5"}}, 10003, ""),
    ):
        before = {name: getattr(pingone.tenant, name) for name in change}
        vars(pingone.tenant).update(change)
        outcome = add(client, pingone)
        assert problem(outcome)[0] == code and word in outcome["errors"][0]["message"], change
        assert outcome["errors"][0]["for"] == "TOTP" and outcome["added"] == []
        assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []
        vars(pingone.tenant).update(before)


def test_second_device_is_refused_by_the_tenant_and_by_the_daemon(client, pingone):
    pingone.devices.add("ann")
    assert problem(add(client, pingone)) == (11011, "CONFLICT")
    assert client.call("account.list")["accounts"] == []
    pingone.tenant.allows_several_totp = True
    assert len(add(client, pingone)["added"]) == 1
    asked = len(pingone.api.asked("create"))
    assert problem(add(client, pingone)) == (11011, "CONFLICT")
    assert len(pingone.api.asked("create")) == asked


def test_rejected_passcode_leaves_no_device(client, pingone):
    pingone.api.plan("activate", Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp"))
    pingone.api.plan("activate", Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp"))
    assert problem(add(client, pingone)) == (10010, "PASSCODE_NOT_VERIFIED")
    assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []


def test_parameters_of_the_tenant_uri_are_applied(client, pingone):
    pingone.tenant.uri_parameters = {"digits": "8", "period": "60", "algorithm": "SHA256", "issuer": "Acme"}
    (account,) = add(client, pingone)["added"]
    passcode = client.call("passcode.get", account=account["id"])
    assert len(passcode["passcode"]) == 8 and passcode["timeWindowSize"] == 60
    assert passcode["passcode"] == active(pingone)[0].totp.at(passcode["validFrom"])


def test_clock_offset_is_reported(client, pingone):
    # A local clock that is 100 s behind would make the ID token invalid.
    pingone.tenant.date_offset = -100
    outcome = add(client, pingone)
    assert len(outcome["added"]) == 1 and problem(outcome) == (11015, "CLOCK_SKEW")
    assert outcome["errors"][0]["for"] == "clock"
    # Beyond the tolerance of the tenant, the clock is the only possible cause.
    sign_on(client, pingone, remove=[outcome["added"][0]["id"]])
    pingone.tenant.date_offset = -1000
    codes = [one["code"] for one in add(client, pingone)["errors"]]
    assert codes == [11015, 11015] and pingone.devices.of("ann") == []


def test_links_to_other_origins_are_not_followed(client, pingone):
    pingone.tenant.leads_elsewhere = True
    outcome = add(client, pingone)
    assert sign_on(client, pingone, remove=[outcome["added"][0]["id"]])["removed"]
    assert pingone.elsewhere.requests == []


def test_device_operations_fail_if_the_api_url_is_unknown(make_daemon, settings, pingone):
    # The issuer has a custom domain, and no region is configured.
    client = make_daemon(**{**settings, "pingone_api": None, "issuer": "https://login.example.com/as"}).start().client()
    with pytest.raises(RPCError) as refused:
        client.call("login.start", method="signon", devices={"list": True})
    assert (refused.value.code, refused.value.details) == (11023, {"key": "pingone_api"})


def test_invalid_device_operations_are_rejected(client):
    for orders in (
        {},
        {"add": []},
        {"add": ["FIDO2"]},
        {"add": ["TOTP", "TOTP"]},
        {"remove": ["d", "d"], "confirm": ["d"]},
        {"remove": [str(number) for number in range(65)]},
        {"list": 1},
        {"unknown": True},
    ):
        assert client.refusal("login.start", method="signon", devices=orders).code == -32602, orders


def test_device_operations_are_recorded_in_the_audit(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    sign_on(client, pingone, remove=[account])
    entries = {(each["method"], each["outcome"]) for each in client.call("audit.list")["entries"]}
    assert {("account.enrol", "ok"), ("account.remove", "ok")} <= entries


# Command line


def test_authctl_adds_lists_renames_and_removes_devices(daemon, client, pingone):
    authctl = Authctl(daemon.socket)
    answers = ('{"values":{"username":"ann","password":"' + pingone.users["ann"]["password"] + '"}}\n',)
    run = lambda *words: authctl.run(*words, input="".join(answers))
    added = run("login", "--add-passcode")
    assert added.status == 0, added.errors
    account = the_account(client)["id"]
    assert added.output == "signed on as ann: nothing to pair\n" or account[:8] in added.output
    assert "p1:create:device" in added.errors
    listed = run("devices")
    assert listed.status == 0 and f"this machine, account {account[:8]}" in listed.output
    renamed = run("devices", "rename", account, "laptop")
    assert renamed.status == 0 and renamed.output.endswith("account PingOne, ann is now named laptop\n")
    assert active(pingone)[0].nickname == "laptop"
    assert "no: the configuration names no platform" in authctl.run("status").output
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    refused = run("devices", "remove", phone.id)
    assert refused.status == 2 and "--yes is required" in refused.errors
    assert run("devices", "remove", phone.id, "--yes").status == 0
    assert run("devices", "remove", "laptop").output.endswith(f"removed {account}\n")
    with authctl.terminal("login", "--username", "ann") as person:
        run("login", "--add-passcode")
        pingone.tenant.asks_for_passcode = True
        active(pingone)[0]._last_window = None
        person.expect(r"Password for \S+:")
        person.sendline(pingone.users["ann"]["password"])
        person.expect("Passcode:")
        person.sendline(":otp")
        person.expect(pingone.issuer)
        person.expect("Hand it over")
        person.sendline("1")
        person.expect("nothing to pair")
    pingone.tenant.asks_for_passcode = False
    assert run("devices", "remove", the_account(client)["id"]).status == 0
    pingone.tenant.allows_totp = False
    assert run("login", "--add-passcode").status == 19
    assert "activating" not in authctl.run("accounts").output


def test_tenant_check_reports_results_without_personal_data(daemon, pingone):
    def check(*options):
        line = json.dumps({"values": {"username": "ann", "password": pingone.users["ann"]["password"]}})
        return Authctl(daemon.socket).run("tenant-check", *options, input=f"{line}\n{line}\n")

    def checks(report):
        return json.loads(report.output.splitlines()[-1])["checks"]

    report = check("--json")
    assert report.status == 0, report.errors
    outcomes = {each["check"]: each["outcome"] for each in checks(report)}
    assert outcomes == dict.fromkeys(
        ["sign-on", "scopes", "device-list", "passcode-device", "clock", "passcode", "device-removal"], "pass"
    )
    tenant = [pingone.tenant.environment, pingone.tenant.client, "ann", pingone.users["ann"]["id"], "127.0.0.1"]
    assert not [word for word in tenant if word in str(checks(report)) + check().output]
    assert pingone.devices.of("ann") == []
    pingone.tenant.allows_totp = False
    report = check("--json")
    failed = {each["check"]: each.get("note") for each in checks(report) if each["outcome"] == "fail"}
    assert report.status == 1 and failed == {"passcode-device": "POLICY_REFUSES"}
