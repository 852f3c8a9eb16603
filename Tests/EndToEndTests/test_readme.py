"""Each command of the README and of the article Commands exists with the options that they show."""

import re
import shlex
import shutil
import subprocess

import pexpect
import pytest

from harness import articles, flows, users
from harness.authctl import Authctl, Outcome
from harness.programs import AUTHCTL, PATIENCE, environment


def commands():
    """Yields the arguments of each shell line that runs authctl, without comments."""
    for block in articles.shell_blocks():
        for line in block.splitlines():
            words = shlex.split(line.split("|")[0], comments=True)
            words = words[1:] if words[:1] == ["sudo"] else words
            if words[:1] == ["authctl"]:
                yield words[1:]


def written():
    return sorted({tuple(words) for words in commands()})


def test_articles_show_more_than_45_commands():
    assert len(written()) > 45


NEEDS_NOBODY = ("help", "completion")
MISSING = ["terminal", "aegis.json", "code.png", "inputs.json", "JSON"]
"""Words in errors about a missing terminal, or about files and parameters that the reader provides."""


@pytest.mark.parametrize("words", written(), ids=" ".join)
def test_documented_command_is_accepted_by_authctl(words, directory):
    articles.check_understood(words, directory, MISSING, alone=NEEDS_NOBODY)


UNDER_SUDO = {"SUDO_USER": f"u{users.ANN_UID}", "SUDO_UID": str(users.ANN_UID), "SUDO_GID": "100", "HOME": "/root"}
A_USER = {"user": users.ANN_UID, "group": users.ANN_UID, "extra_groups": []}


@pytest.mark.parametrize(
    "identity, variables", [({}, {}), ({}, UNDER_SUDO), (A_USER, {"HOME": "/nonexistent"})], ids=["root", "sudo", "user"]
)
def test_documented_commands_are_accepted_as_root_with_sudo_and_as_user(identity, variables):
    with users.open_directory() as path:
        program = shutil.copy(AUTHCTL, path)
        for words in written():
            done = subprocess.run(
                [program, *words], **identity, env=environment(MFAD_SOCKET=str(path / "nobody.sock"), **variables),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=path,
            )
            articles.check_reached(words, Outcome(done), MISSING, NEEDS_NOBODY)


def at_a_small_terminal(authctl, *words):
    """Runs a command without input at a terminal of 80 columns. Returns its output and exit code."""
    with authctl.terminal(*words, columns=80, shell='exec "$@" </dev/null') as terminal:
        terminal.expect(pexpect.EOF)
        shown = terminal.before
        terminal.close()
        return shown.replace("\r\n", "\n"), terminal.exitstatus


def check_width(shown):
    assert shown and not [line for line in shown.splitlines() if len(line) > 80]


def test_help_fits_80_columns(directory):
    authctl = Authctl(directory / "nobody.sock")
    overview, status = at_a_small_terminal(authctl, "--help")
    assert status == 0
    check_width(overview)
    commands = re.findall(r"^  ([a-z]+(?:-[a-z]+)*(?: [a-z]+)?)  ", overview, re.M)
    assert len(commands) > 40
    for command in commands:
        shown, status = at_a_small_terminal(authctl, "help", *command.split())
        assert status == 0, command
        check_width(shown)


def test_otp_and_status_output_fits_80_columns(authctl, paired, sandbox):
    shown, status = at_a_small_terminal(authctl, "otp")
    assert status == 0
    check_width(shown)
    sandbox.limit_pushes(1)
    _, push = flows.push(paired, sandbox)
    paired.call("notification.deny", notification=push["id"])
    shown, status = at_a_small_terminal(authctl, "status")
    assert status == 0 and "too many requests were denied" in " ".join(shown.split())
    check_width(shown)
    # Output to a pipe is not wrapped.
    assert [line.split()[0] for line in authctl.run("status").output.splitlines()] == ["ready", "passcodes", "pushes", "locked", "next:"]


def test_misspelled_command_exits_with_2(directory):
    for words in (["otp", "--wait-frsh", "10"], ["doctr"], ["deny", "--al"], ["sessions", "end", "a", "b"]):
        done = Authctl(directory / "nobody.sock").run(*words)
        assert done.status == 2 and not [each for each in MISSING if each in done.errors]
