"""authctl on a terminal."""

import re

import pexpect
import pytest

from harness import flows


@pytest.fixture
def configured(client, authctl):
    client.call("device.configure", geo=flows.GEO)
    return authctl


@pytest.fixture
def ready(paired, authctl):
    return authctl


def end(terminal):
    """Returns the output until the program exits, and its exit code."""
    terminal.expect(pexpect.EOF)
    shown = terminal.before
    terminal.close()
    assert terminal.signalstatus is None
    return shown, terminal.exitstatus


def interrupt(terminal):
    """Sends Ctrl-C and checks that it ends the program."""
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus == 2


def test_login_asks_again_after_a_wrong_password_and_then_pairs(configured, client, sandbox):
    password = sandbox.users["ann"]["password"]
    with configured.terminal("login") as terminal:
        terminal.expect("Username: ")
        terminal.sendline("ann")
        terminal.expect(r"Password for \S+: ")
        terminal.sendline("wrong")
        terminal.expect("the username or password is not right")
        terminal.expect(r"Username \[ann\]: ")
        terminal.sendline("")
        terminal.expect(r"Password for \S+: ")
        terminal.sendline(password)
        terminal.expect("signed on as .*ann")
        seen = terminal.before
        terminal.expect(r"\[y/N\]: ")
        assert client.call("account.list") == {"accounts": []}
        terminal.sendline("y")
        shown, status = end(terminal)
    assert status == 0 and "paired with" in shown
    assert "wrong" not in seen and password not in seen + shown, "what is typed at a password is not shown"
    (account,) = client.call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"


def test_login_leaves_the_pairing_pending_if_declined(configured, client, sandbox):
    with configured.terminal("login", "--username", "ann") as terminal:
        terminal.expect(r"Password for \S+: ")
        terminal.sendline(sandbox.users["ann"]["password"])
        terminal.expect(r"\[y/N\]: ")
        terminal.sendline("n")
        shown, status = end(terminal)
    (pairing,) = client.call("pairing.list")["pairings"]
    assert status == 1 and pairing["id"] in shown


def test_interrupted_login_cancels_the_sign_on(configured, client):
    for _ in range(5):
        with configured.terminal("login") as terminal:
            terminal.expect("Username: ")
            terminal.sendline("ann")
            terminal.expect(r"Password for \S+: ")
            assert not terminal.getecho()
            interrupt(terminal)
    assert client.call("login.start", method="signon")["node"] == "continue"


def test_approve_shows_the_request_before_it_asks(ready, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        assert push["title"] in terminal.before and push["body"] in terminal.before
        assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
        terminal.sendline("y")
        shown, status = end(terminal)
    assert status == 0 and f"({push['id'][:8]})" in shown.partition("approved: ")[2]
    assert sandbox.authentication(started)["status"] == "COMPLETED"


@pytest.mark.parametrize("said, reason", [("d", "NONE"), ("report", "REPORT_FRAUD")])
def test_approve_offers_to_deny_and_to_report(ready, paired, sandbox, said, reason):
    started, push = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        assert "ann" in terminal.before and " ago" in terminal.before
        terminal.sendline(said)
        shown, status = end(terminal)
    assert status == 0 and f"({push['id'][:8]})" in shown.partition("denied: ")[2]
    assert sandbox.authentication(started)["status"] == "FAILED"
    assert paired.call("notification.get", notification=push["id"])["notification"]["answer"]["reason"] == reason


def test_end_of_input_at_approve_leaves_the_request_pending(ready, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        terminal.send("a")
        for _ in range(2):
            terminal.sendeof()
        shown, status = end(terminal)
    assert status == 1 and "neither approved nor denied" in shown and f"authctl approve {push['id']}" in shown
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_end_of_input_after_a_wrong_number_leaves_the_request_pending(ready, paired, sandbox):
    sandbox.match_numbers()
    started, _ = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    with ready.terminal("approve") as terminal:
        terminal.expect("[Nn]umber.*: ")
        terminal.sendline(str((number + 1) % 100))
        terminal.expect("tries left")
        terminal.expect("[Nn]umber.*: ")
        terminal.sendeof()
        shown, status = end(terminal)
    assert status == 1 and "neither approved nor denied" in shown
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_input_typed_before_the_prompt_of_approve_is_no_decision(ready, paired, sandbox):
    with ready.terminal("approve", "--wait") as terminal:
        terminal.expect("waiting")
        terminal.sendline("a")
        started, _ = flows.push(paired, sandbox)
        terminal.expect(r"\[a/d/r/L\]: ")
        with pytest.raises(pexpect.TIMEOUT):
            terminal.expect(pexpect.EOF, timeout=1)
        assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
        terminal.sendline("d")
        assert end(terminal)[1] == 0
    assert sandbox.authentication(started)["status"] == "FAILED"


@pytest.mark.parametrize("method, status", [("notification.approve", 13), ("notification.deny", 13)])
def test_approve_exits_if_the_request_is_answered_elsewhere(ready, paired, sandbox, method, status):
    _, push = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        paired.call(method, notification=push["id"])
        shown, ended = end(terminal)
    assert ended == status and "already answered" in shown


def test_interrupted_approve_leaves_the_request_pending(ready, paired, sandbox):
    started, _ = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        interrupt(terminal)
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_approve_without_confirmation_leaves_the_request_pending(ready, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        terminal.sendline("")
        shown, status = end(terminal)
    assert status == 1 and "not approved" in shown
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


@pytest.mark.parametrize("answer, status, left", [("n", 1, 1), ("y", 0, 0)])
def test_accounts_remove_requires_confirmation(ready, paired, answer, status, left):
    (account,) = paired.call("account.list")["accounts"]
    with ready.terminal("accounts", "remove", account["id"]) as terminal:
        terminal.expect(r"remove account PingOne NorthAmerica, .*\(ann\)\? \[y/N\]: ")
        terminal.sendline(answer)
        _, ended = end(terminal)
    assert (ended, len(paired.call("account.list")["accounts"])) == (status, left)


@pytest.mark.parametrize("answer, left", [("y", 0), ("n", 1)])
def test_reset_offers_to_end_the_pairings(ready, paired, sandbox, answer, left):
    with ready.terminal("reset") as terminal:
        terminal.expect(r"erase all your accounts and keys\? \[y/N\]: ")
        terminal.sendline("y")
        terminal.expect(r"end 1 pairing at PingOne too, so that no sign-on waits for this machine\? \[y/N\]: ")
        terminal.sendline(answer)
        shown, status = end(terminal)
    assert status == 0 and f"erased {1 - (answer == 'y')} account" in shown
    assert paired.call("account.list")["accounts"] == []
    assert len(sandbox.devices("ann")) == left


def test_reset_erases_nothing_if_a_pairing_cannot_be_ended(ready, paired, sandbox):
    sandbox.fault("/device/v1/users/", status=503)
    done = ready.run("reset", "--yes", "--unpair")
    assert done.status == 10 and "--keep-pairings erases anyway" in done.errors
    assert len(paired.call("account.list")["accounts"]) == 1
    assert ready.run("reset", "--yes", "--unpair").status == 0
    assert sandbox.devices("ann") == [] and paired.call("account.list")["accounts"] == []


def test_approve_asks_for_the_number_until_it_is_right(ready, paired, sandbox):
    sandbox.match_numbers()
    started, _ = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    with ready.terminal("approve") as terminal:
        terminal.expect("[Nn]umber.*: ")
        terminal.sendline(str((number + 1) % 100))
        terminal.expect("2 tries left")
        terminal.expect("[Nn]umber.*: ")
        terminal.sendline(str(number))
        _, status = end(terminal)
    assert status == 0
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_code_asks_for_a_decision_and_a_user(ready, paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    made = sandbox.code()
    with ready.terminal("code", made["code"]) as terminal:
        terminal.expect(r"\[y/n\]: ")
        terminal.sendline("y")
        terminal.expect(r"which user\? \[1-2\]: ")
        terminal.sendline("2")
        shown, status = end(terminal)
    assert status == 0 and "signed on" in shown
    completed = sandbox.request("GET", f"/{sandbox.environment}/authenticationCodes/{made['id']}")
    assert completed["status"] == "COMPLETED"


def test_pair_asks_for_the_key(configured, client, sandbox):
    key = sandbox.pairing_key("ann")
    with configured.terminal("pair") as terminal:
        terminal.expect("pairing key: ")
        terminal.sendline(f"{key[:6]} {key[6:]}".lower())
        shown, status = end(terminal)
    assert status == 0 and "paired with" in shown
    assert len(client.call("account.list")["accounts"]) == 1


def test_otp_shows_the_remaining_validity(ready):
    with ready.terminal("otp") as terminal:
        shown, status = end(terminal)
    assert status == 0 and re.search(r"(?m)^\d{6}\s+authctl: +valid for \d+ s\s*$", shown)


def test_approve_removes_control_characters_from_request_texts(ready, paired, sandbox):
    evil = {"header": "\u001b]0;owned\u0007\u001b[2J\u202egnp"}
    flows.push(paired, sandbox, clientContext=evil)
    with ready.terminal("approve") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        assert not set("\u001b\u0007\u202e") & set(terminal.before)
        terminal.sendline("later")
        end(terminal)


def test_interrupted_approve_wait_leaves_the_next_request_pending(ready, paired, sandbox):
    with ready.terminal("approve", "--wait") as terminal:
        terminal.expect("waiting")
        interrupt(terminal)
    started, push = flows.push(paired, sandbox)
    assert paired.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_interrupted_watch_leaves_the_request_pending(ready, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    with ready.terminal("watch") as terminal:
        terminal.expect(r"\[a/d/r/L\]: ")
        interrupt(terminal)
    assert paired.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_an_interrupted_pairing_uses_no_key(configured, client, sandbox):
    key = sandbox.pairing_key("ann")
    with configured.terminal("pair") as terminal:
        terminal.expect("pairing key: ")
        terminal.send(key)
        interrupt(terminal)
    assert client.call("account.list") == {"accounts": []}
    assert configured.run("pair", key).status == 0


def test_an_interrupted_setup_writes_nothing(configured, directory):
    file = directory / "new" / "mfad.conf"
    with configured.terminal("setup", "--config", file) as terminal:
        terminal.expect(r"which purpose\? \[1-4\]: ")
        terminal.sendline("2")
        terminal.expect("issuer: ")
        interrupt(terminal)
    assert not file.parent.exists()


def test_messages_wrap_at_the_width_of_the_terminal(ready):
    arguments = ("accounts", "rename", "nobody-of-that-name", "x" * 200)
    whole = ready.run(*arguments)
    with ready.terminal(*arguments, columns=44) as terminal:
        shown, status = end(terminal)
    lines = shown.replace("\r", "").splitlines()
    assert status == whole.status != 0
    assert len(whole.errors.splitlines()[0]) > 44 and max(map(len, lines)) <= 44
    # Wrapping neither drops nor splits words.
    assert shown.split() == whole.errors.split()
    # Lines written to a file are not wrapped.
    assert whole.errors.count("\n") == whole.errors.count("authctl: ")
