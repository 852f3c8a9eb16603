"""login.start with devices: this machine as an authenticator app of an ordinary PingOne tenant.

The tenant was written from PingOne's documents alone, and verifies with pyotp.
"""

import json
import os
import time

import pytest

from harness.authctl import Authctl
from harness.client import RPCError
from harness.clock import MovableClock
from harness.foreign_pingone import LOST, SELF_SERVICE, ForeignPingOne, Held, Refusal
from harness.programs import PATIENCE

NO_PLATFORM = {"platform": None}


@pytest.fixture
def settings(pingone):
    """A configuration as an ordinary tenant has it: an issuer and a client, and no device service."""
    return {**NO_PLATFORM, **pingone.settings, **pingone.self_service}


@pytest.fixture
def daemon(make_daemon, settings):
    return make_daemon(**settings).start()


@pytest.fixture
def client(daemon):
    return daemon.client()


def sign_on(client, pingone, user="ann", **orders):
    """Signs a user on and returns what became of the orders."""
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


def test_a_tenant_that_nobody_prepared_takes_this_machine(client, pingone, daemon):
    outcome = add(client, pingone)
    (account,) = outcome["added"]
    assert outcome == {"added": [account], "removed": [], "errors": []}
    assert (account["kind"], account["label"]) == ("PINGONE_TOTP", "ann")
    assert account["environment"] == {"id": pingone.tenant.environment}
    assert account == the_account(client) and "state" not in account
    (device,) = active(pingone)
    assert client.call("passcode.get")["passcode"] in (device.totp.now(), device.totp.at(time.time() - 1))
    # One request makes it and one activates it; each scope was asked for, and the token is worth nothing now.
    assert [request.operation for request in pingone.api.requests] == ["list", "create", "activate"]
    assert all(request.scope >= SELF_SERVICE for request in pingone.api.requests)
    assert pingone.api.asked("create")[0].json() == {"type": "TOTP", "nickname": os.uname().nodename}
    # What counts is on the disk: it is there after a crash.
    daemon.kill()
    daemon.start()
    assert the_account(daemon.client()) == account


def test_each_order_asks_for_the_scopes_that_it_needs_and_no_others(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    listed = sign_on(client, pingone, list=True)
    sign_on(client, pingone, rename={"account": account, "nickname": "laptop"})
    sign_on(client, pingone, remove=[account])
    asked = [set(request.form["scope"].split()) - {"openid", "profile"} for request in pingone.auth.asked("par")]
    all_of = lambda *actions: {f"p1:{action}:device" for action in actions}
    assert asked == [set(SELF_SERVICE), all_of("read"), all_of("read", "update"), all_of("read", "delete")]
    assert [(each["type"], each["account"]) for each in listed["list"]] == [("TOTP", account)]


def test_no_token_and_no_session_are_kept_for_it(make_daemon, settings, pingone):
    client = make_daemon(**settings, keep_session="yes").start().client()
    add(client, pingone)
    assert client.call("session.list")["sessions"] == []


def test_a_device_is_renamed_and_removed_there_and_here(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    outcome = sign_on(client, pingone, rename={"account": account, "nickname": "laptop"})
    assert outcome["errors"] == [] and active(pingone)[0].nickname == "laptop"
    assert the_account(client)["nickname"] == "laptop"
    assert sign_on(client, pingone, remove=[account])["removed"] == [account]
    assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []


def test_without_a_sign_on_it_is_removed_here_alone(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    for method, more in [("account.remove", {}), ("account.rename", {"nickname": "laptop"})]:
        with pytest.raises(RPCError) as refused:
            client.call(method, account=account, **more)
        assert (refused.value.code, refused.value.details) == (11022, {"policy": "sign-on-needed"})
    assert client.call("account.remove", account=account, localOnly=True)["remainsOnServer"]
    assert len(active(pingone)) == 1


def test_a_strangers_device_has_to_be_named_twice(client, pingone):
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    assert problem(sign_on(client, pingone, remove=[phone.id])) == (-32602, "INVALID_PARAMS")
    renaming = {"account": phone.id, "nickname": "old"}
    assert problem(sign_on(client, pingone, rename=renaming)) == (-32602, "INVALID_PARAMS")
    sign_on(client, pingone, rename=renaming, confirm=[phone.id])
    assert phone.nickname == "old"
    outcome = sign_on(client, pingone, remove=[phone.id], confirm=[phone.id], list=True)
    assert (outcome["removed"], outcome["list"], outcome["errors"]) == ([phone.id], [], [])
    assert problem(sign_on(client, pingone, remove=[phone.id], confirm=[phone.id])) == (11002, "NOT_FOUND")


def test_one_that_the_tenant_lost_is_revoked_visibly(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    client.call("event.subscribe", topics=["account"])
    pingone.devices.remove(active(pingone)[0])
    sign_on(client, pingone, list=True)
    assert client.event("account", id=account)["state"] == "revoked"
    assert the_account(client)["state"] == "revoked"
    with pytest.raises(RPCError) as refused:
        client.call("passcode.get", account=account)
    assert refused.value.code == 10008
    # It can be added anew, in its place.
    (again,) = add(client, pingone)["added"]
    assert the_account(client) == again


@pytest.mark.parametrize(
    ("change", "code", "word"),
    [
        ({"allows_totp": False}, 11022, "MFA policy"),
        ({"granted": SELF_SERVICE - {"p1:create:device"}}, 11021, "p1:create:device"),
        ({"granted": frozenset()}, 11021, "administrator"),
        ({"maximum_devices": 0}, 11022, "as many devices"),
        ({"uri_has_other_secret": True}, 10003, ""),
        ({"active_at_once": True}, 10003, ""),
        ({"uri_parameters": {"period": "90"}}, 10003, ""),
        ({"uri_parameters": {"digits": "7"}}, 10003, ""),
        ({"uri_parameters": {"algorithm": "MD5"}}, 10003, ""),
    ],
)
def test_what_the_tenant_does_not_allow_is_told_and_leaves_nothing(client, pingone, change, code, word):
    for name, value in change.items():
        setattr(pingone.tenant, name, value)
    outcome = add(client, pingone)
    assert problem(outcome)[0] == code and word in outcome["errors"][0]["message"]
    assert outcome["errors"][0]["for"] == "TOTP" and outcome["added"] == []
    assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []


def test_a_second_one_is_refused_here_and_there(client, pingone):
    pingone.devices.add("ann")
    assert problem(add(client, pingone)) == (11011, "CONFLICT")
    assert client.call("account.list")["accounts"] == []
    pingone.tenant.allows_several_totp = True
    assert len(add(client, pingone)["added"]) == 1
    asked = len(pingone.api.asked("create"))
    assert problem(add(client, pingone)) == (11011, "CONFLICT")
    assert len(pingone.api.asked("create")) == asked


def test_a_wrong_passcode_leaves_nothing(client, pingone):
    pingone.api.plan("activate", Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp"))
    pingone.api.plan("activate", Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp"))
    assert problem(add(client, pingone)) == (10010, "PASSCODE_NOT_VERIFIED")
    assert client.call("account.list")["accounts"] == [] and pingone.devices.of("ann") == []


@pytest.mark.parametrize(("parameters", "length"), [({"digits": "8", "period": "60", "algorithm": "SHA256"}, 8)])
def test_what_the_tenant_writes_into_the_uri_counts(client, pingone, parameters, length):
    pingone.tenant.uri_parameters = {**parameters, "issuer": "Acme"}
    (account,) = add(client, pingone)["added"]
    passcode = client.call("passcode.get", account=account["id"])
    assert len(passcode["passcode"]) == length and passcode["timeWindowSize"] == 60
    assert passcode["passcode"] == active(pingone)[0].totp.at(passcode["validFrom"])


def test_a_clock_that_is_off_is_told(client, pingone):
    # One that is so far behind would not take the ID token.
    pingone.tenant.date_offset = -100
    outcome = add(client, pingone)
    assert len(outcome["added"]) == 1 and problem(outcome) == (11015, "CLOCK_SKEW")
    assert outcome["errors"][0]["for"] == "clock"
    # Beyond what the tenant tolerates, nothing else can be the reason.
    sign_on(client, pingone, remove=[outcome["added"][0]["id"]])
    pingone.tenant.date_offset = -1000
    codes = [one["code"] for one in add(client, pingone)["errors"]]
    assert codes == [11015, 11015] and pingone.devices.of("ann") == []


def test_nothing_goes_where_a_link_leads(client, pingone):
    pingone.tenant.leads_elsewhere = True
    outcome = add(client, pingone)
    assert sign_on(client, pingone, remove=[outcome["added"][0]["id"]])["removed"]
    assert pingone.elsewhere.requests == []


def test_where_the_interface_is_not_known_nothing_is_asked(make_daemon, settings, pingone):
    # An issuer under a domain of one's own, whose region nobody has said.
    client = make_daemon(**{**settings, "pingone_api": None, "issuer": "https://login.example.com/as"}).start().client()
    with pytest.raises(RPCError) as refused:
        client.call("login.start", method="signon", devices={"list": True})
    assert (refused.value.code, refused.value.details) == (11023, {"key": "pingone_api"})


@pytest.mark.parametrize(
    "orders",
    [
        {},
        {"add": []},
        {"add": ["FIDO2"]},
        {"add": ["TOTP", "TOTP"]},
        {"remove": ["d", "d"], "confirm": ["d"]},
        {"remove": [str(number) for number in range(65)]},
        {"list": 1},
        {"unknown": True},
    ],
)
def test_orders_have_to_be_some(client, orders):
    with pytest.raises(RPCError) as refused:
        client.call("login.start", method="signon", devices=orders)
    assert refused.value.code == -32602


# What ends before it is done


def begin_to_add(client, pingone, held, step):
    """The call that adds a device, while the tenant keeps back the response to a step."""
    start = client.call("login.start", method="signon", devices={"add": ["TOTP"]})
    pingone.api.plan(step, held)
    values = {"username": "ann", "password": pingone.users["ann"]["password"]}
    call = client.begin("login.next", login=start["login"], values=values)
    held.reached()
    return start["login"], call


@pytest.mark.parametrize("step", ["list", "create", "activate"])
@pytest.mark.parametrize("way", ["cancel", "erase"])
def test_what_nobody_waits_for_any_more_is_taken_back(daemon, pingone, step, way):
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
    # The token is worth nothing, although the sign-on was over.
    assert len(pingone.auth.asked("revoke")) == 1


def test_one_that_is_removed_while_it_is_made_is_taken_back(daemon, pingone):
    client, other = daemon.client(), daemon.client()
    with Held() as held:
        _, call = begin_to_add(client, pingone, held, "activate")
        account = the_account(other)["id"]
        assert other.refusal("account.remove", account=account).code == 11022
        assert other.call("account.remove", account=account, localOnly=True)["remainsOnServer"]
    outcome = client.reply(call)["devices"]
    assert outcome["added"] == [] and problem(outcome)[0] == 11004
    assert pingone.devices.of("ann") == []


def test_two_sign_ons_at_once_make_one_device(daemon, pingone):
    client, other = daemon.client(), daemon.client()
    with Held() as held:
        _, call = begin_to_add(client, pingone, held, "create")
        assert problem(add(other, pingone)) == (10013, "PAIRING_ALREADY_RUNNING")
    assert len(client.reply(call)["devices"]["added"]) == 1 and len(active(pingone)) == 1


def test_what_was_done_stands_in_the_audit(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    sign_on(client, pingone, remove=[account])
    entries = {(each["method"], each["outcome"]) for each in client.call("audit.list")["entries"]}
    assert {("account.enrol", "ok"), ("account.remove", "ok")} <= entries


# What is lost on the way


def test_a_lost_creation_is_found_and_taken_back(client, pingone):
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    pingone.api.plan("create", LOST)
    assert problem(add(client, pingone)) == (10004, "NO_CONNECTIVITY")
    assert pingone.devices.of("ann") == [phone]
    assert client.call("account.list")["accounts"] == []
    assert len(add(client, pingone)["added"]) == 1


def test_a_lost_activation_counts_where_it_was_done(client, pingone):
    pingone.api.plan("activate", LOST)
    assert len(add(client, pingone)["added"]) == 1
    assert len(pingone.devices.of("ann")) == 1


def test_what_could_not_be_finished_is_seen_and_finished_by_the_next_sign_on(client, pingone):
    pingone.api.plan("activate", Refusal(503))
    pingone.api.plan("read", Refusal(503))
    assert problem(add(client, pingone))[0] == 10003
    unfinished = the_account(client)
    assert unfinished["state"] == "activating" and unfinished["authenticators"] == []
    with pytest.raises(RPCError) as refused:
        client.call("passcode.get", account=unfinished["id"])
    assert refused.value.code == 10008
    # One that may only look leaves it.
    assert sign_on(client, pingone, list=True)["list"][0]["account"] == unfinished["id"]
    assert the_account(client) == unfinished
    outcome = add(client, pingone)
    assert [account["id"] for account in outcome["added"]] == [unfinished["id"]]
    assert "state" not in the_account(client) and len(active(pingone)) == 1


def test_what_waited_too_long_is_replaced(make_daemon, settings, pingone, directory):
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


def test_what_pingone_does_not_want_any_more_is_removed(client, pingone):
    pingone.api.plan("activate", Refusal(503))
    pingone.api.plan("read", Refusal(503))
    add(client, pingone)
    # By its clock the time is over, by this one it is not.
    pingone.tenant.time_passed = 31 * 60
    (late,) = pingone.devices.of("ann")
    outcome = add(client, pingone)
    assert problem(outcome) == (10003, "SERVER_ERROR") and late not in pingone.devices.of("ann")
    assert outcome["added"] == [the_account(client)] and len(active(pingone)) == 1


def lose_everything(client, pingone):
    """An order whose response never came, after which the list cannot be had either."""
    pingone.api.plan("list", None, Refusal(503))
    pingone.api.plan("create", LOST)
    assert problem(add(client, pingone))[0] in (10003, 10004)
    assert the_account(client)["state"] == "activating"


def test_of_several_new_devices_the_person_chooses(client, pingone):
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
def test_a_crash_at_each_step(daemon, pingone, step, is_done):
    """The daemon dies before the response comes; the next sign-on leaves one account and one device, or none."""
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


# Sign-on pages that ask for a passcode


def page_of_passcode(client, pingone, user="ann"):
    step = client.call("login.start", method="signon", devices={"list": True})
    values = {"username": user, "password": pingone.users[user]["password"]}
    return client.call("login.next", login=step["login"], values=values)


def test_a_page_that_asks_for_a_passcode_gets_it_on_the_persons_word(client, pingone):
    add(client, pingone)
    pingone.tenant.asks_for_passcode = True
    # The window of the activation is used up at a server that takes none twice.
    active(pingone)[0]._last_window = None
    step = page_of_passcode(client, pingone)
    assert "otp.own" in [action["key"] for action in step["actions"]] and step["node"] == "continue"
    question = client.call("login.next", login=step["login"], action="otp.own")
    words = {each["key"]: each["value"] for each in question["collectors"]}
    assert words["issuer"] == pingone.issuer and the_account(client)["id"] in words["account"]
    assert client.call("login.next", login=step["login"], action="passcode.release")["node"] == "success"


def test_it_goes_to_its_own_issuer_and_device_only(make_daemon, settings, pingone):
    client = make_daemon(**settings).start().client()
    add(client, pingone)
    pingone.tenant.asks_for_passcode = True
    # Another device of the user is the one that is asked.
    other = pingone.devices.add("ann")
    other.created = 0
    pingone.devices.all.sort(key=lambda device: device.created)
    step = page_of_passcode(client, pingone)
    assert "otp.own" not in [action["key"] for action in step["actions"]]
    # Nor does anybody else get it.
    pingone.devices.remove(other)
    pingone.devices.add("bob")
    step = page_of_passcode(client, pingone, "bob")
    assert "otp.own" not in [action["key"] for action in step["actions"]]


def test_a_field_gets_a_passcode_where_the_person_says_so(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    pingone.tenant.asks_for_passcode = True
    for name in ("", account):
        active(pingone)[0]._last_window = None
        step = page_of_passcode(client, pingone)
        values = {"otp": {"passcode": name}}
        question = client.call("login.next", login=step["login"], values=values)
        assert [each["key"] for each in question["actions"]] == ["passcode.release", "passcode.keep"]
        assert account in question["collectors"][0]["value"]
        assert client.call("login.next", login=step["login"], action="passcode.release")["node"] == "success"
    step = page_of_passcode(client, pingone)
    refused = client.refusal("login.next", login=step["login"], values={"otp": {"passcode": "another"}})
    assert refused.code == -32602 and "passcodes for this issuer" in refused.message


def test_no_other_issuer_gets_it(make_daemon, settings, pingone):
    with ForeignPingOne(asks_for_passcode=True) as other:
        other.tenant.client = pingone.tenant.client
        other.tenant.users["ann"] = pingone.users["ann"]
        other.devices.add("ann")
        client = make_daemon(**{**settings, "issuer": [pingone.issuer, other.issuer]}).start().client()
        account = add(client, pingone)["added"][0]["id"]
        step = client.call("login.start", method="signon", issuer=other.issuer)
        values = {"username": "ann", "password": pingone.users["ann"]["password"]}
        step = client.call("login.next", login=step["login"], values=values)
        assert [each["key"] for each in step["collectors"]] == ["otp"]
        assert "otp.own" not in [action["key"] for action in step["actions"]]
        for name in ("", account):
            refused = client.refusal("login.next", login=step["login"], values={"otp": {"passcode": name}})
            assert refused.code == -32602


# In a terminal


def test_authctl(daemon, client, pingone):
    authctl = Authctl(daemon.socket)
    answers = ('{"values":{"username":"ann","password":"' + pingone.users["ann"]["password"] + '"}}\n',)
    run = lambda *words: authctl.run(*words, input="".join(answers))
    added = run("login", "--add-passcode")
    assert added.status == 0, added.errors
    account = the_account(client)["id"]
    assert added.output == f"signed on as ann: nothing to pair\n" or account in added.output
    assert "p1:create:device" in added.errors
    listed = run("devices")
    assert listed.status == 0 and f"this machine, account {account}" in listed.output
    renamed = run("devices", "rename", account, "laptop")
    assert renamed.status == 0 and renamed.output.endswith(f"{account} is called laptop\n")
    assert active(pingone)[0].nickname == "laptop"
    assert "none configured" in authctl.run("status").output
    phone = pingone.devices.add("ann", "MOBILE", "phone")
    refused = run("devices", "remove", phone.id)
    assert refused.status == 2 and "say --yes" in refused.errors
    assert run("devices", "remove", phone.id, "--yes").status == 0
    assert run("devices", "remove", "laptop").output.endswith(f"removed {account}\n")
    with authctl.terminal("login", "--username", "ann") as person:
        run("login", "--add-passcode")
        pingone.tenant.asks_for_passcode = True
        active(pingone)[0]._last_window = None
        person.expect("Password:")
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


def test_a_tenant_is_tried_and_the_report_tells_nothing_of_it(daemon, pingone):
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
