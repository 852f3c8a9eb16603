"""`authctl otp` as people use it: a part of a name, what is left, what is fresh, the clipboard, the live passcode."""

import base64
import re
import time

import pyotp
import pytest

from harness.programs import PATIENCE

SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"


@pytest.fixture
def accounts(client):
    """Three accounts of two issuers; their ids by label."""
    uri = "otpauth://totp/{}:{}?secret=" + SECRET + "&issuer={}&period={}"
    wanted = [("Example%20Bank", "ann", 120), ("Example%20Bank", "bob", 120), ("Mail", "post", 15)]
    return {
        label: client.call("passcode.import", uri=uri.format(issuer, label, issuer, period))["id"]
        for issuer, label, period in wanted
    }


def passcodes(period=120):
    """Those that may be right while a test runs."""
    now = pyotp.TOTP(SECRET, interval=period)
    return {now.at(time.time() + shift) for shift in (-2, 0, 2)}


def test_a_part_of_a_name_is_enough(authctl, accounts):
    for name in ("post", "MAIL", "ail", "Mai"):
        assert authctl.run("otp", name).output.strip() in passcodes(15), name
    assert authctl.run("otp", accounts["post"][:14]).status == 0
    several = authctl.run("otp", "bank")
    assert several.status == 17 and all(accounts[each] in several.errors for each in ("ann", "bob"))
    assert accounts["post"] not in several.errors
    assert authctl.run("otp", "nobody").status == 5


def test_of_several_one_is_picked_on_the_terminal(authctl, accounts):
    for arguments, choice in ((("otp", "bank"), "2"), (("otp",), "3")):
        with authctl.terminal(*arguments) as terminal:
            terminal.expect("1  " + accounts["ann"])
            terminal.expect(r"\[1-[23]\]: ")
            terminal.sendline("7")
            terminal.expect(r"\[1-[23]\]: ")
            terminal.sendline(choice)
            terminal.expect(r"(\d{6})\r\n")
            terminal.expect("valid for")
            assert terminal.wait() == 0


def test_what_is_left_stands_beside_it(authctl, accounts):
    code, left = authctl.run("otp", "ann", "--remaining").output.split()
    assert code in passcodes() and 0 <= int(left) <= 120
    assert authctl.run("otp", "ann", "--remaining", "--next").status == 2


def test_a_passcode_is_as_fresh_as_is_wanted(authctl, accounts):
    # One second before the end of a window there is none that is valid for fourteen: the next is waited for.
    for wanted in (1, 14):
        code, left = authctl.run("otp", "mail", "--wait-fresh", wanted, "--remaining").output.split()
        assert int(left) >= wanted and code in passcodes(15)
    for wrong in ("0", "x", "120", "-1"):
        assert authctl.run("otp", "mail", f"--wait-fresh={wrong}").status == 2
    assert authctl.run("otp", "mail", "--wait-fresh", "100").status in (0, 2)


def test_a_desktops_clipboard_is_filled_and_cleared(authctl, accounts, directory):
    (directory / "wl-copy").write_text(f'#!/bin/sh\necho "$@" >>{directory}/calls\n/bin/cat >>{directory}/calls\necho >>{directory}/calls\n')
    (directory / "wl-copy").chmod(0o755)
    path = f"{directory}:/usr/bin:/bin"
    with authctl.terminal("otp", "ann", "--copy", WAYLAND_DISPLAY="w", PATH=path) as terminal:
        terminal.expect("taken out of the clipboard in 30 s")
        _, copied, *_ = (directory / "calls").read_text().splitlines()
        assert copied in passcodes()
        terminal.sendintr()
        terminal.expect_exact("\r\n")
        terminal.wait()
    assert "--clear" in (directory / "calls").read_text().splitlines()


def test_far_from_a_desktop_the_terminal_has_the_clipboard(authctl, accounts):
    with authctl.terminal("otp", "ann", "--copy") as terminal:
        terminal.expect("\x1b]52;c;([A-Za-z0-9+/=]+)\x07")
        assert base64.b64decode(terminal.match.group(1)).decode() in passcodes()
        terminal.expect("taken out of the clipboard in 30 s")
        terminal.sendintr()
        terminal.expect_exact("\x1b]52;c;!\x07")


def test_without_any_clipboard_it_says_so(authctl, accounts):
    done = authctl.run("otp", "ann", "--copy")
    assert (done.status, done.output) == (1, "") and "wl-clipboard" in done.errors


def test_it_is_shown_live_on_a_terminal(authctl, accounts):
    with authctl.terminal("otp", "mail", "--watch") as terminal:
        terminal.expect(r"\r(\d{6})  (\d+) s ")
        first = terminal.match.group(1)
        assert first in passcodes(15)
        # Each second it is written anew, and after its window another.
        while terminal.expect(r"\r(\d{6})  (\d+) s ") == 0 and terminal.match.group(1) == first:
            pass
        assert terminal.match.group(1) in passcodes(15)
        terminal.sendintr()
        terminal.expect_exact("\r\n")


def test_elsewhere_each_is_a_line(authctl, accounts):
    watching = authctl.start("otp", "mail", "--watch", "--timeout", "20")
    output, errors = watching.communicate(timeout=2 * PATIENCE)
    assert watching.returncode == 7 and len(output.split()) in (2, 3) and "watched for as long" in errors
    assert len(set(output.split())) == len(output.split()) and re.fullmatch(r"(\d{6}\n)+", output)


def test_one_that_counts_once_is_not_used_up_by_being_watched(authctl, client):
    client.call("passcode.import", uri=f"otpauth://hotp/ACME:x?secret={SECRET}&issuer=ACME&counter=0")
    done = authctl.run("otp", "--watch")
    assert done.status == 2 and done.output == "" and "counts once" in done.errors
