"""`authctl setup` from nothing to a passcode, at a real terminal; what is wrong is asked again, what is there is kept."""

import re

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.servers import deserted

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


def answer(terminal, prompt, text):
    terminal.expect_exact(prompt)
    terminal.sendline(text)


@pytest.fixture
def new(make_daemon, directory):
    """A daemon that only has its places configured, and is not started."""
    daemon = make_daemon(platform=None, platform_key=None, issuer=None, client_id=None, redirect_uri=None)
    return daemon, Authctl(daemon.socket)


def test_a_gateway_is_asked_about_tried_written_and_paired_with(new, sandbox):
    daemon, authctl = new
    before = daemon.file.read_text()
    settings = sandbox.settings
    with deserted() as nobody, authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "what for? [1-4]: ", "1")
        answer(terminal, "platform: ", "ftp://x")
        terminal.expect("platform: ")
        # What cannot be is asked for again, and what is not there is told.
        answer(terminal, "platform: ", nobody)
        terminal.expect("platform-keys: ")
        answer(terminal, "take it all the same? [y/N]: ", "n")
        answer(terminal, "platform: ", settings["platform"])
        terminal.expect("it is there")
        answer(terminal, "platform_key: ", settings["platform_key"])
        answer(terminal, "issuer: ", sandbox.url)
        terminal.expect("so it is not what was asked for")
        answer(terminal, "take it all the same? [y/N]: ", "")
        answer(terminal, "issuer: ", settings["issuer"])
        answer(terminal, "client_id: ", "")
        terminal.expect("it is needed")
        answer(terminal, "client_id: ", settings["client_id"])
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        terminal.expect("goes on to say:")
        terminal.expect("state_directory = ")
        assert daemon.file.read_text() == before
        answer(terminal, "keep it as", "y")
        terminal.expect("press Enter when that is done")
        daemon.start()
        terminal.sendline("")
        terminal.expect("pass   .*platform")
        answer(terminal, "where is your PingOne? [1-6]: ", "1")
        terminal.expect("configured for")
        answer(terminal, "Username: ", "ann")
        answer(terminal, "Password: ", sandbox.users["ann"]["password"])
        answer(terminal, "[y/N]: ", "y")
        terminal.expect("A first passcode:")
        terminal.expect(r"(\d{6})\r\n")
        passcode = terminal.match.group(1)
        terminal.expect("valid for")
        assert terminal.wait() == 0
    assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"
    assert daemon.file.with_name("mfad.conf.before").read_text() == before
    text = daemon.file.read_text()
    assert re.search(rf"^platform = {settings['platform']}$", text, re.M) and "state_directory = " in text


def test_without_a_yes_nothing_is_written(new, sandbox):
    daemon, authctl = new
    before = daemon.file.read_text()
    with authctl.terminal("setup", "--config", daemon.file) as terminal:
        answer(terminal, "what for? [1-4]: ", "2")
        answer(terminal, "issuer: ", sandbox.settings["issuer"])
        answer(terminal, "client_id: ", "x")
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        answer(terminal, "[y/N]: ", "")
        terminal.expect("nothing was changed")
        assert terminal.wait() == 1
    assert daemon.file.read_text() == before and [each.name for each in daemon.file.parent.glob("mfad.conf*")] == ["mfad.conf"]


def test_codes_of_other_sites_need_no_configuration(daemon, authctl):
    with authctl.terminal("setup") as terminal:
        answer(terminal, "what for? [1-4]: ", "4")
        terminal.expect("otpauth:")
        terminal.expect("address.*: ")
        terminal.sendline(f"otpauth://totp/ACME:ann?secret={SECRET}&issuer=ACME")
        terminal.expect("A first passcode:")
        terminal.expect(r"\d{6}\r\n")
        terminal.expect("valid for")
        assert terminal.wait() == 0


def test_nothing_is_made_for_root_that_is_somebody_elses(authctl, client):
    with authctl.terminal("setup", SUDO_USER="ann") as terminal:
        answer(terminal, "what for? [1-4]: ", "4")
        terminal.expect("Go on as ann, whose authenticator it is to be, after signing in again if the group is new:")
        assert terminal.wait() == 0
    assert client.call("account.list") == {"accounts": []}


def test_without_a_terminal_there_is_nobody_to_ask(authctl):
    done = authctl.run("setup")
    assert done.status == 2 and "terminal" in done.errors


def test_a_user_who_writes_where_nothing_is(new, sandbox, directory):
    """As the user's own configuration: made with its directory, for its owner alone."""
    _, authctl = new
    file = directory / "home" / "mfad.conf"
    with authctl.terminal("setup", "--config", file) as terminal:
        answer(terminal, "what for? [1-4]: ", "2")
        # Without what allows it, an address of this machine is none that the daemon takes.
        answer(terminal, "issuer: ", sandbox.settings["issuer"])
        terminal.expect("allow_loopback_http")
        answer(terminal, "issuer: ", "https://auth.pingone.invalid/x/as")
        answer(terminal, "take it all the same? [y/N]: ", "y")
        answer(terminal, "client_id: ", "client")
        answer(terminal, "redirect_uri [http://127.0.0.1/callback]: ", "")
        answer(terminal, "write it? [y/N]: ", "y")
        terminal.expect("written")
        terminal.sendintr()
        terminal.wait()
    assert file.read_text().splitlines() == [
        "issuer = https://auth.pingone.invalid/x/as", "client_id = client", "redirect_uri = http://127.0.0.1/callback",
    ]
