"""Journeys list, rename and remove the user's PingAM devices, at the server and locally. The server is independent."""

import json
import os
import signal
import threading

import pytest

from harness.authctl import Authctl
from harness.pingam_users import COOKIE, PingAMUsers
from harness.programs import FIXTURES, PATIENCE

pytestmark = pytest.mark.flows

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEH"
PHONE = "0f6a7a3e-6a0c-4c66-9d5d-2f6b3b7b1a10"


@pytest.fixture
def am():
    server = PingAMUsers()
    yield server
    server.close()


@pytest.fixture
def daemon(make_daemon, am):
    return make_daemon(journey_server=f"{am.url}/am", journey_cookie=COOKIE, keep_session="yes").start()


def begin(client, **orders):
    return client.call("login.start", method="journey", journey="Login", devices=orders)


def sign_on(client, user="bob", **orders):
    """Returns the results of the device operations of a sign-on."""
    step = client.call("login.next", login=begin(client, **orders)["login"], values={"IDToken1": user})
    assert (step["node"], step["user"]["id"], step["pairing"]) == ("success", user, None)
    return step["devices"]


def enrol(client, am, **options):
    return client.call("account.enrol", uri=am.enrolment(**options))["id"]


def problem(outcome):
    (error,) = outcome["errors"]
    return error["code"]


def test_list_contains_all_device_kinds_and_marks_this_machine(client, am):
    account = enrol(client, am, combined=SEED)
    am.add("bob", "webauthn", PHONE, "Phone")
    listed = sign_on(client, list=True)["list"]
    assert {(each["type"], each.get("account")) for each in listed} == {
        ("PUSH", account), ("OATH", account), ("WEBAUTHN", None)}
    (phone,) = (each for each in listed if each["id"] == PHONE)
    assert phone == {"id": PHONE, "type": "WEBAUTHN", "status": "ACTIVE", "nickname": "Phone", "createdAt": "2021-08-18T04:45:02Z"}


def test_session_is_ended_and_not_stored_after_device_operations(client, am):
    sign_on(client, list=True)
    assert am.sessions == {} and client.call("session.list")["sessions"] == []


def test_removal_deletes_the_account_and_both_its_devices_at_the_server(client, am):
    account = enrol(client, am, combined=SEED)
    other = enrol(client, am, account="second", user="eve")
    assert sign_on(client, remove=[account]) == {"added": [], "removed": [account], "errors": []}
    assert am.of("bob", "push") == {} and am.of("bob", "oath") == {} and len(am.of("eve", "push")) == 1
    assert [one["id"] for one in client.call("account.list")["accounts"]] == [other]


def test_removing_a_device_by_id_removes_its_account(client, am):
    enrol(client, am, combined=SEED)
    (device,) = am.of("bob", "oath")
    assert sign_on(client, remove=[device])["removed"] == [device]
    assert am.of("bob", "push") == {} and client.call("account.list")["accounts"] == []


def test_rename_changes_the_account_and_its_devices_at_the_server(client, am):
    account = enrol(client, am, combined=SEED)
    assert sign_on(client, rename={"account": account, "nickname": "laptop"})["errors"] == []
    assert [*am.of("bob", "push").values(), *am.of("bob", "oath").values()] == ["laptop"] * 2
    assert client.call("account.list")["accounts"][0]["nickname"] == "laptop"


def test_passcode_only_account_is_matched_by_the_device_id_in_its_uri(client, am):
    am.add("bob", "oath", PHONE, "Code")
    oid = "MGY2YTdhM2UtNmEwYy00YzY2LTlkNWQtMmY2YjNiN2IxYTEw"
    uri = f"otpauth://totp/Acme:bob?secret={SEED}&issuer=Acme&uid=Ym9i&oid={oid}"
    account = client.call("account.enrol", uri=uri)["id"]
    assert sign_on(client, list=True)["list"][0]["account"] == account
    assert sign_on(client, remove=[account])["removed"] == [account]
    assert am.of("bob", "oath") == {} and client.call("account.list")["accounts"] == []


def test_removal_does_not_affect_an_account_of_another_user(client, am):
    account = enrol(client, am, account="e", user="eve")
    assert problem(sign_on(client, remove=[account])) == 11002
    assert len(am.of("eve", "push")) == 1 and len(client.call("account.list")["accounts"]) == 1


def test_removal_is_completed_by_the_next_sign_on_after_a_crash(daemon, client, am):
    account = enrol(client, am, combined=SEED)
    login = begin(client, remove=[account])["login"]
    died = threading.Event()

    def die():
        os.kill(daemon.process.pid, signal.SIGKILL)
        died.set()

    am.after_deletion = die
    client.begin("login.next", login=login, values={"IDToken1": "bob"})
    assert died.wait(PATIENCE)
    daemon.kill()
    am.after_deletion = lambda: None
    daemon.start()
    again = daemon.client()
    assert len(again.call("account.list")["accounts"]) == 1 and am.of("bob", "push") == {}
    assert sign_on(again, remove=[account])["removed"] == [account]
    assert again.call("account.list")["accounts"] == [] and am.of("bob", "oath") == {}


def test_device_of_another_machine_is_changed_only_with_confirmation(client, am):
    am.add("bob", "push", PHONE, "Phone")
    renaming = {"account": PHONE, "nickname": "old"}
    assert problem(sign_on(client, remove=[PHONE])) == problem(sign_on(client, rename=renaming)) == -32602
    sign_on(client, rename=renaming, confirm=[PHONE])
    assert am.of("bob", "push") == {PHONE: "old"}
    assert sign_on(client, remove=[PHONE], confirm=[PHONE])["removed"] == [PHONE] and am.of("bob", "push") == {}


def test_list_works_on_older_servers_with_fewer_device_kinds(client, am):
    am.kinds = {"push", "oath"}
    am.add("bob", "push", PHONE, "Phone")
    assert [each["id"] for each in sign_on(client, list=True)["list"]] == [PHONE]
    am.kinds = set()
    assert problem(sign_on(client, list=True)) == 10003


def test_journey_without_a_session_changes_nothing_and_reports_an_error(client, daemon, am):
    account = enrol(client, am)
    am.has_sessions = False
    step = client.call("login.next", login=begin(client, remove=[account])["login"], values={"IDToken1": "bob"})
    (error,) = step["devices"]["errors"]
    assert (error["code"], error["for"], step["devices"]["removed"]) == (11022, account, [])
    renamed = Authctl(daemon.socket).run("devices", "rename", "bob", "laptop", "--journey", "Login", "--set", "IDToken1=bob")
    assert renamed.status == 19 and "is now named" not in renamed.output


def test_error_names_the_administrator_if_users_may_not_manage_devices(client, am):
    account = enrol(client, am)
    am.permits = False
    step = client.call("login.next", login=begin(client, remove=[account])["login"], values={"IDToken1": "bob"})
    (error,) = step["devices"]["errors"]
    assert (error["code"], error["for"]) == (11022, account) and "administrator" in error["message"]
    assert len(client.call("account.list")["accounts"]) == 1 and am.sessions == {}


def test_login_start_rejects_device_operations_that_journeys_cannot_do(client):
    for extra in ({"devices": {"add": ["TOTP"]}}, {"devices": {"list": True}, "noSession": True}, {"devices": {}}):
        assert client.refusal("login.start", method="journey", journey="Login", **extra).details == {"parameter": "devices"}


def test_cancelling_a_slow_sign_on_changes_no_device_and_ends_the_session(client, daemon, am):
    account = enrol(client, am)
    login = begin(client, remove=[account])["login"]
    am.goes_on.clear()
    pending = client.begin("login.next", login=login, values={"IDToken1": "bob"})
    assert am.asked.wait(PATIENCE)
    daemon.client().call("login.cancel", login=login)
    am.goes_on.set()
    assert client.refused(pending).code == 11004
    assert len(am.of("bob", "push")) == 1 and len(client.call("account.list")["accounts"]) == 1
    # The daemon ends the session although the sign-on is already cancelled.
    assert am.ended.wait(PATIENCE) and am.sessions == {}


def test_device_requests_match_the_recorded_rest_interface(client, am):
    recorded = json.loads((FIXTURES / "am" / "device_rest.json").read_text())["requests"]
    account = enrol(client, am, combined=SEED)
    ids = {"push": next(iter(am.of("bob", "push"))), "oath": next(iter(am.of("bob", "oath")))}
    sign_on(client, list=True, rename={"account": account, "nickname": "New name"})
    sign_on(client, remove=[account])
    for each in recorded:
        if each["op"] in ("check", "skip"):
            continue  # The daemon never asks whether a user may skip the second factor.
        kind = each["path"].split("/2fa/")[1].split("/")[0].split("?")[0]
        fill = lambda text: (text.replace("{realm}", "root/realms/alpha").replace("{user}", "bob")
                             .replace("{uuid}", ids[kind]).replace("{cookieName}", COOKIE))
        path = "/am" + fill(each["path"])
        method, _, headers, body = next(call for call in am.calls if call[:2] == (each["method"], path))
        if "body" in each:
            assert body == json.loads(fill(json.dumps(each["body"])))
        for name, value in each.get("headers", {}).items():
            assert fill(name) in headers
            assert value == "{ssoToken}" or value in headers[name], name


def test_authctl_devices_works_on_a_terminal(client, daemon, am):
    account = enrol(client, am)
    am.add("bob", "oath", PHONE, "Phone")
    authctl = Authctl(daemon.socket)
    listed = authctl.run("devices", "--journey", "Login", "--set", "IDToken1=bob")
    assert listed.status == 0 and f"this machine, account {account[:8]}" in listed.output and PHONE in listed.output
    assert "right to manage" not in listed.errors
    with authctl.terminal("devices", "remove", PHONE, "--journey", "Login") as terminal:
        terminal.expect("not this machine")
        terminal.sendline("y")
        terminal.expect("User Name")
        terminal.sendline("bob")
        terminal.expect(f"removed {PHONE}")
    done = authctl.run("devices", "remove", "bob", "--journey", "Login", "--set", "IDToken1=bob")
    assert done.status == 0 and client.call("account.list")["accounts"] == []
