"""`authctl otp`: name matching, remaining time, fresh passcodes, clipboard and live display."""

import base64
import contextlib
import re
import time

import pexpect
import pyotp
import pytest

from harness.programs import PATIENCE

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture
def accounts(client):
    """Three accounts of two issuers: a dictionary from label to id."""
    uri = "otpauth://totp/{}:{}?secret=" + SECRET + "&issuer={}&period={}"
    wanted = [("Example%20Bank", "ann", 120), ("Example%20Bank", "bob", 120), ("Mailbox", "post", 15)]
    return {
        label: client.call("passcode.import", uri=uri.format(issuer, label, issuer, period))["id"]
        for issuer, label, period in wanted
    }


def passcodes(since, period=120, ahead=0):
    """Returns the passcodes valid at any time from `since` to now, shifted by `ahead` seconds."""
    judge = pyotp.TOTP(SECRET, interval=period)
    first, last = (int(instant + ahead) // period for instant in (since, time.time()))
    return {judge.generate_otp(window) for window in range(first, last + 1)}


def test_otp_accepts_a_unique_part_of_a_name(authctl, accounts):
    for name in ("post", "MAILBOX", "ailbox", "Mailbo"):
        before = time.time()
        assert authctl.run("otp", name).output.strip() in passcodes(before, 15), name
    assert authctl.run("otp", accounts["post"][:14]).status == 0
    several = authctl.run("otp", "bank")
    assert several.status == 17 and all(f"Example Bank  {each}  " in several.errors for each in ("ann", "bob"))
    assert accounts["post"][:8] not in several.errors
    assert authctl.run("otp", "nobody").status == 5


def test_otp_asks_for_an_account_on_a_terminal(authctl, accounts):
    for arguments, choice in ((("otp", "bank"), "2"), (("otp",), "3")):
        with authctl.terminal(*arguments) as terminal:
            terminal.expect("1  Example Bank +ann .*" + accounts["ann"][:8])
            terminal.expect(r"\[1-[23]\]: ")
            terminal.sendline("7")
            terminal.expect(r"\[1-[23]\]: ")
            terminal.sendline(choice)
            terminal.expect(r"(\d{6})\r\n")
            terminal.expect("valid for")
            assert terminal.wait() == 0


def test_otp_remaining_prints_the_remaining_seconds(authctl, accounts):
    before = time.time()
    code, left = authctl.run("otp", "ann", "--remaining").output.split()
    assert code in passcodes(before) and 0 <= int(left) <= 120
    assert authctl.run("otp", "ann", "--remaining", "--next").status == 2


def test_otp_wait_fresh_prints_a_passcode_with_the_requested_validity(authctl, accounts):
    # For most of a 15-second window no passcode is valid for 14 more seconds: authctl waits for the next window.
    for wanted in (1, 14):
        before = time.time()
        code, left = authctl.run("otp", "mail", "--wait-fresh", wanted, "--remaining").output.split()
        # authctl prints it after the wait, and the passcode is valid until its last second.
        assert int(left) >= wanted and code in passcodes(before, 15, ahead=int(left) - 1)
    for wrong in ("0", "x", "120", "-1"):
        assert authctl.run("otp", "mail", f"--wait-fresh={wrong}").status == 2
    assert authctl.run("otp", "mail", "--wait-fresh", "100").status in (0, 2)


# Arguments of the clipboard programs, and the environment variable of the desktop of each.
FILLING = {"wl-copy": [], "xclip": ["-selection", "clipboard"]}
CLEARING = {"wl-copy": ["--clear"], "xclip": ["-selection", "clipboard"]}
DESKTOPS = {"wl-copy": "WAYLAND_DISPLAY", "xclip": "DISPLAY"}


class Clipboard:
    """A fake clipboard program that records its arguments and its standard input."""

    def __init__(self, name, directory):
        self.name, self.folder = name, directory / name
        self.folder.mkdir()
        self.record = self.folder / "calls"
        program = self.folder / name
        program.write_text(f'#!/bin/sh\nprintf "%s|%s\\n" "$*" "$(/bin/cat)" >>{self.record}\n')
        program.chmod(0o755)
        self.variables = {DESKTOPS[name]: "d", "PATH": f"{self.folder}:/usr/bin:/bin"}

    @property
    def calls(self):
        return [tuple(line.split("|")) for line in self.record.read_text().splitlines()]

    def check_filled(self, since):
        ((words, copied),) = self.calls
        assert words.split() == FILLING[self.name] and copied in passcodes(since)

    def check_cleared(self):
        _, (words, copied) = self.calls
        assert words.split() == CLEARING[self.name] and copied == ""


@pytest.mark.parametrize("name", DESKTOPS)
def test_otp_copy_fills_the_desktop_clipboard_and_clears_it_on_interrupt(authctl, accounts, directory, name):
    clipboard = Clipboard(name, directory)
    before = time.time()
    with authctl.terminal("otp", "ann", "--copy", **clipboard.variables) as terminal:
        terminal.expect("the clipboard is cleared after 30 s")
        clipboard.check_filled(before)
        terminal.sendintr()
        terminal.expect_exact("\r\n")
        terminal.wait()
    clipboard.check_cleared()


@pytest.mark.slow
def test_otp_copy_clears_every_clipboard_after_30_seconds(authctl, accounts, directory):
    desktops = [Clipboard(name, directory) for name in DESKTOPS]
    before, begun = time.time(), time.clock_gettime(time.CLOCK_BOOTTIME)
    with contextlib.ExitStack() as stack:
        start = lambda **variables: stack.enter_context(authctl.terminal("otp", "ann", "--copy", **variables))
        # All in parallel, because each waits 30 seconds.
        far, near = start(), [start(**clipboard.variables) for clipboard in desktops]
        for terminal in [far, *near]:
            terminal.expect("the clipboard is cleared after 30 s")
        for clipboard in desktops:
            clipboard.check_filled(before)
        far.expect_exact("\x1b]52;c;!\x07", timeout=30 + PATIENCE)
        assert time.clock_gettime(time.CLOCK_BOOTTIME) - begun >= 30
        for terminal in [far, *near]:
            terminal.expect(pexpect.EOF)
            terminal.close()
            assert terminal.exitstatus == 0
        for clipboard in desktops:
            clipboard.check_cleared()


def test_otp_copy_uses_the_terminal_clipboard_without_a_desktop(authctl, accounts):
    before = time.time()
    with authctl.terminal("otp", "ann", "--copy") as terminal:
        terminal.expect("\x1b]52;c;([A-Za-z0-9+/=]+)\x07")
        assert base64.b64decode(terminal.match.group(1)).decode() in passcodes(before)
        terminal.expect("the clipboard is cleared after 30 s")
        terminal.sendintr()
        terminal.expect_exact("\x1b]52;c;!\x07")


def test_otp_copy_fails_without_a_clipboard(authctl, accounts):
    done = authctl.run("otp", "ann", "--copy")
    assert (done.status, done.output) == (1, "") and "wl-clipboard" in done.errors


def test_otp_watch_updates_the_passcode_on_a_terminal(authctl, accounts):
    before = time.time()
    with authctl.terminal("otp", "mail", "--watch") as terminal:
        terminal.expect(r"\r(\d{6})  (\d+) s ")
        first = terminal.match.group(1)
        assert first in passcodes(before, 15)
        # authctl rewrites the line each second, and shows the next passcode after the window.
        while terminal.expect(r"\r(\d{6})  (\d+) s ") == 0 and terminal.match.group(1) == first:
            pass
        assert terminal.match.group(1) in passcodes(before, 15)
        terminal.sendintr()
        terminal.expect_exact("\r\n")


def test_otp_watch_prints_a_line_per_passcode_without_a_terminal(authctl, accounts):
    watching = authctl.start("otp", "mail", "--watch", "--timeout", "20")
    output, errors = watching.communicate(timeout=2 * PATIENCE)
    assert watching.returncode == 7 and len(output.split()) in (2, 3) and "the time limit of --timeout" in errors
    assert len(set(output.split())) == len(output.split()) and re.fullmatch(r"(\d{6}\n)+", output)


def test_refused_otp_uses_no_counter(authctl, client):
    client.call("passcode.import", uri=f"otpauth://hotp/ACME:x?secret={SECRET}&issuer=ACME&counter=0")
    done = authctl.run("otp", "--watch")
    assert done.status == 2 and done.output == "" and "valid once" in done.errors
    assert authctl.run("otp", "--copy").status == 1
    with authctl.terminal("otp", shell='"$@" >&-') as terminal:
        terminal.expect("standard output is closed")
    assert client.call("passcode.get")["counter"] == 0
