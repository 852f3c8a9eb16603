"""The devices of whoever plays a journey: listed, renamed, removed, there and here; judged by a server of others' making."""

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
    """What became of what a sign-on was to do."""
    step = client.call("login.next", login=begin(client, **orders)["login"], values={"IDToken1": user})
    assert (step["node"], step["user"]["id"], step["pairing"]) == ("success", user, None)
    return step["devices"]


def enrol(client, am, **options):
    return client.call("account.enrol", uri=am.enrolment(**options))["id"]


def problem(outcome):
    (error,) = outcome["errors"]
    return error["code"]


def test_all_kinds_are_listed_and_this_machine_is_known_among_them(client, am):
    account = enrol(client, am, combined=SEED)
    am.add("bob", "webauthn", PHONE, "Phone")
    listed = sign_on(client, list=True)["list"]
    assert {(each["type"], each.get("account")) for each in listed} == {
        ("PUSH", account), ("OATH", account), ("WEBAUTHN", None)}
    (phone,) = (each for each in listed if each["id"] == PHONE)
    assert phone == {"id": PHONE, "type": "WEBAUTHN", "status": "ACTIVE", "nickname": "Phone", "createdAt": "2021-08-18T04:45:02Z"}


def test_the_session_is_ended_and_never_kept(client, am):
    sign_on(client, list=True)
    assert am.sessions == {} and client.call("session.list")["sessions"] == []


def test_an_account_is_removed_there_and_here_with_both_its_devices(client, am):
    account = enrol(client, am, combined=SEED)
    other = enrol(client, am, account="second", user="eve")
    assert sign_on(client, remove=[account]) == {"added": [], "removed": [account], "errors": []}
    assert am.of("bob", "push") == {} and am.of("bob", "oath") == {} and len(am.of("eve", "push")) == 1
    assert [one["id"] for one in client.call("account.list")["accounts"]] == [other]


def test_a_device_named_by_its_id_takes_its_account_along(client, am):
    enrol(client, am, combined=SEED)
    (device,) = am.of("bob", "oath")
    assert sign_on(client, remove=[device])["removed"] == [device]
    assert am.of("bob", "push") == {} and client.call("account.list")["accounts"] == []


def test_an_account_is_renamed_there_and_here(client, am):
    account = enrol(client, am, combined=SEED)
    assert sign_on(client, rename={"account": account, "nickname": "laptop"})["errors"] == []
    assert [*am.of("bob", "push").values(), *am.of("bob", "oath").values()] == ["laptop"] * 2
    assert client.call("account.list")["accounts"][0]["nickname"] == "laptop"


def test_an_account_with_passcodes_alone_is_known_by_the_id_in_its_uri(client, am):
    am.add("bob", "oath", PHONE, "Code")
    oid = "MGY2YTdhM2UtNmEwYy00YzY2LTlkNWQtMmY2YjNiN2IxYTEw"
    uri = f"otpauth://totp/Acme:bob?secret={SEED}&issuer=Acme&uid=Ym9i&oid={oid}"
    account = client.call("account.enrol", uri=uri)["id"]
    assert sign_on(client, list=True)["list"][0]["account"] == account
    assert sign_on(client, remove=[account])["removed"] == [account]
    assert am.of("bob", "oath") == {} and client.call("account.list")["accounts"] == []


def test_an_account_of_somebody_else_is_not_touched(client, am):
    account = enrol(client, am, account="e", user="eve")
    assert problem(sign_on(client, remove=[account])) == 11002
    assert len(am.of("eve", "push")) == 1 and len(client.call("account.list")["accounts"]) == 1


def test_a_removal_that_the_daemon_did_not_live_to_see_is_finished_the_next_time(daemon, client, am):
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


def test_a_strangers_device_has_to_be_named_twice(client, am):
    am.add("bob", "push", PHONE, "Phone")
    renaming = {"account": PHONE, "nickname": "old"}
    assert problem(sign_on(client, remove=[PHONE])) == problem(sign_on(client, rename=renaming)) == -32602
    sign_on(client, rename=renaming, confirm=[PHONE])
    assert am.of("bob", "push") == {PHONE: "old"}
    assert sign_on(client, remove=[PHONE], confirm=[PHONE])["removed"] == [PHONE] and am.of("bob", "push") == {}


def test_older_servers_have_fewer_kinds(client, am):
    am.kinds = {"push", "oath"}
    am.add("bob", "push", PHONE, "Phone")
    assert [each["id"] for each in sign_on(client, list=True)["list"]] == [PHONE]
    am.kinds = set()
    assert problem(sign_on(client, list=True)) == 10003


def test_a_journey_without_a_session_does_nothing_and_says_so(client, daemon, am):
    account = enrol(client, am)
    am.has_sessions = False
    step = client.call("login.next", login=begin(client, remove=[account])["login"], values={"IDToken1": "bob"})
    (error,) = step["devices"]["errors"]
    assert (error["code"], error["for"], step["devices"]["removed"]) == (11022, account, [])
    renamed = Authctl(daemon.socket).run("devices", "rename", "bob", "laptop", "--journey", "Login", "--set", "IDToken1=bob")
    assert renamed.status == 19 and "is now named" not in renamed.output


def test_a_server_that_does_not_let_users_manage_devices_says_so(client, am):
    account = enrol(client, am)
    am.permits = False
    step = client.call("login.next", login=begin(client, remove=[account])["login"], values={"IDToken1": "bob"})
    (error,) = step["devices"]["errors"]
    assert (error["code"], error["for"]) == (11022, account) and "administrator" in error["message"]
    assert len(client.call("account.list")["accounts"]) == 1 and am.sessions == {}


def test_what_no_journey_can_do_is_refused(client):
    for extra in ({"devices": {"add": ["TOTP"]}}, {"devices": {"list": True}, "noSession": True}, {"devices": {}}):
        assert client.refusal("login.start", method="journey", journey="Login", **extra).details == {"parameter": "devices"}


def test_cancelled_while_the_server_thinks_nothing_more_is_done(client, daemon, am):
    account = enrol(client, am)
    login = begin(client, remove=[account])["login"]
    am.goes_on.clear()
    pending = client.begin("login.next", login=login, values={"IDToken1": "bob"})
    assert am.asked.wait(PATIENCE)
    daemon.client().call("login.cancel", login=login)
    am.goes_on.set()
    assert client.refused(pending).code == 11004
    assert len(am.of("bob", "push")) == 1 and len(client.call("account.list")["accounts"]) == 1
    # The session is worth nothing, although the sign-on was over.
    assert am.ended.wait(PATIENCE) and am.sessions == {}


def test_requests_are_those_of_the_documented_interface(client, am):
    recorded = json.loads((FIXTURES / "am" / "device_rest.json").read_text())["requests"]
    account = enrol(client, am, combined=SEED)
    ids = {"push": next(iter(am.of("bob", "push"))), "oath": next(iter(am.of("bob", "oath")))}
    sign_on(client, list=True, rename={"account": account, "nickname": "New name"})
    sign_on(client, remove=[account])
    for each in recorded:
        if each["op"] in ("check", "skip"):
            continue  # Whether somebody may do without a second factor is nothing that this machine asks.
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


def test_it_is_asked_for_on_a_terminal(client, daemon, am):
    account = enrol(client, am)
    am.add("bob", "oath", PHONE, "Phone")
    authctl = Authctl(daemon.socket)
    listed = authctl.run("devices", "--journey", "Login", "--set", "IDToken1=bob")
    assert listed.status == 0 and f"this machine, account {account}" in listed.output and PHONE in listed.output
    assert "right to manage" not in listed.errors
    with authctl.terminal("devices", "remove", PHONE, "--journey", "Login") as terminal:
        terminal.expect("not this machine")
        terminal.sendline("y")
        terminal.expect("User Name")
        terminal.sendline("bob")
        terminal.expect(f"removed {PHONE}")
    done = authctl.run("devices", "remove", "bob", "--journey", "Login", "--set", "IDToken1=bob")
    assert done.status == 0 and client.call("account.list")["accounts"] == []
