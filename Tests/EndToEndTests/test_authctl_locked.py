"""authctl asks for the PIN once if it needs the names of a locked owner, and leaves the owner locked."""

import pexpect
import pytest

from harness.authctl import Authctl

PIN, WRONG = "280491", "999998"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture
def guarded(client):
    """A client of a locked owner with two accounts, and their ids."""
    uri = "otpauth://totp/{0}:ann?secret=" + SECRET + "&issuer={0}&period=120"
    ids = [client.call("passcode.import", uri=uri.format(issuer))["id"] for issuer in ("ACME", "Mailbox")]
    client.call("lock.set", pin=PIN)
    return client, ids


def is_locked(client):
    return client.call("service.status")["protection"]["pin"] == "locked"


def plays(authctl, *arguments, typed=(), **variables):
    """Runs authctl on a terminal, answers each prompt, and returns the rest of the output and the exit code."""
    with authctl.terminal(*arguments, **variables) as terminal:
        for prompt, answer in [("PIN: ", PIN), *typed]:
            terminal.expect_exact(prompt)
            terminal.sendline(answer)
        terminal.expect(pexpect.EOF)
        terminal.wait()
        assert "PIN:" not in terminal.before and PIN not in terminal.before
        return terminal.before, terminal.exitstatus


@pytest.mark.parametrize("name", ["acme", "ACM", "id", "beginning"])
def test_otp_matches_names_of_a_locked_owner(guarded, authctl, name):
    client, (account, _) = guarded
    given = {"id": account, "beginning": account[:8]}.get(name, name)
    shown, status = plays(authctl, "otp", given, "-q")
    assert status == 0 and shown.strip().isdecimal() and is_locked(client)


def test_otp_picker_shows_names_of_a_locked_owner(guarded, authctl):
    client, _ = guarded
    with authctl.terminal("otp", "-q") as terminal:
        terminal.expect_exact("PIN: ")
        terminal.sendline(PIN)
        terminal.expect("1  ACME .*2  Mailbox .*which account")
        terminal.sendline("2")
        terminal.expect(r"\d{6}\r\n")
        assert terminal.wait() == 0 and is_locked(client)


def test_otp_copy_and_watch_match_names_of_a_locked_owner(guarded, authctl):
    client, _ = guarded
    for option, shown in (("--copy", "copied"), ("--watch", r"\d{6}  \d+ s ")):
        with authctl.terminal("otp", "mailbox", option) as terminal:
            terminal.expect_exact("PIN: ")
            terminal.sendline(PIN)
            terminal.expect(shown)
            terminal.sendintr()
            terminal.expect(pexpect.EOF)
            assert is_locked(client)


def test_rename_and_remove_match_names_of_a_locked_owner(guarded, authctl):
    client, (account, other) = guarded
    shown, status = plays(authctl, "accounts", "rename", "acm", "work")
    assert status == 0 and "account ACME, ann is now named work" in shown and is_locked(client)
    shown, status = plays(authctl, "accounts", "remove", "work", typed=[("remove account ACME, work? [y/N]: ", "y")])
    assert status == 0 and "removed account ACME, work" in shown and is_locked(client)
    assert [each["id"] for each in client.call("account.list")["accounts"]] == [other]


def test_wrong_pin_is_asked_for_again(guarded, authctl):
    client, _ = guarded
    with authctl.terminal("otp", "acme", "-q") as terminal:
        for typed, said in ((WRONG, r"wrong PIN \(9 tries left\)"), (PIN, r"\d{6}\r\n")):
            terminal.expect_exact("PIN: ")
            terminal.sendline(typed)
            terminal.expect(said)
        assert terminal.wait() == 0 and is_locked(client)


def test_failed_change_of_the_pin_leaves_the_owner_locked(guarded, authctl):
    client, _ = guarded
    done = authctl.run("pin", "change", input=f"{PIN}\n123\n")
    assert done.status == 2 and is_locked(client)


def test_without_a_terminal_a_name_of_a_locked_owner_is_refused_as_locked(guarded, authctl):
    client, _ = guarded
    assert authctl.run("otp", "acme").status == 9
    assert authctl.run("accounts", "rename", "acme", "work").status == 9 and is_locked(client)


def test_pin_that_the_owner_requires_is_asked_for_once_and_changes_no_lock(make_daemon):
    daemon = make_daemon(require_presence="all").start()
    client = daemon.client()
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    client.call("passcode.import", uri=f"otpauth://totp/ACME:ann?secret={SECRET}&issuer=ACME")
    shown, status = plays(Authctl(daemon.socket), "otp", "acme", "-q")
    assert status == 0 and client.call("service.status")["protection"]["pin"] == "unlocked"
