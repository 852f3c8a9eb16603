"""Runs every documented command with a paired daemon and compares its exit code with a table."""

import re

import pexpect
import pytest
from test_readme import written

from harness import flows

pytestmark = pytest.mark.flows

PLAYED = {
    "accounts": 0,
    "audit": 0,
    "audit verify": 0,
    "device": 0,
    "doctor": 0,
    "metrics": 0,
    "owners": 0,
    "send-logs": 0,
    "sessions": 0,
    "status": 0,
    "completion bash": 0,
    "help otp": 0,
    "otp": 0,
    "otp --wait-fresh 10": 0,
    "otp github": 0,
    # There is no clipboard.
    "otp --copy": 1,
    "approve --wait": 0,
    "approve --wait --yes --timeout 60 --json": 0,
    # No request is pending.
    "approve --number 42": 5,
    "deny --all": 5,
    "deny --report-fraud": 5,
    # These commands end at their timeout.
    "notifications --watch": 7,
    "watch": 7,
    "watch --exec ./notify": 7,
    # The platform does not know the code or the key.
    "code 4F7K2M9Q": 15,
    "pair 01882778807215": 15,
    "configure Europe": 1,
    "userinfo": 5,
    "rotate-keys": 0,
    "test-push": 0,
    "push off": 0,
    # No relay is configured.
    "push-token UNIFIEDPUSH --relay": 1,
    "push-token WEBPUSH --relay": 1,
    # Values and files are missing.
    "push-token FCM": 2,
    "devices": 1,
    "login": 0,
    "login --add-passcode": 1,
    "login --answers ~/.config/inputs.json --yes": 2,
    # No PingAM is configured.
    "login --journey Login": 8,
    "tenant-check": 1,
    "enrol": 2,
    "enrol --image code.png": 2,
    "enrol --name GitHub": 2,
    "import aegis.json": 2,
    "rpc METHOD [JSON]": 2,
    "setup": 2,
    "backup create": 0,
    "pin set": 0,
    "reset": 1,
}
"""Exit code of each command, in execution order."""

ANSWERS = {
    "otp": [(r"\[1-2\]: ", "1")],
    "otp --wait-fresh 10": [(r"\[1-2\]: ", "2")],
    "approve --wait": [(r"\[a/d/r/L\]: ", "a")],
    "login": [("Username: ", "ann"), ("Password for .*: ", None)],
    "pin set": [("new PIN: ", "280491"), ("new PIN again: ", "280491")],
    "reset": [(r"\[y/N\]: ", "n")],
}
"""Prompts and the user's input. All other commands run without input."""

ENDLESS = ("watch", "watch --exec ./notify", "notifications --watch")


def test_each_documented_command_is_in_the_table():
    assert sorted(PLAYED) == sorted(" ".join(words) for words in written())


def is_too_wide(line):
    """Returns true for more than 80 columns. A line may be longer if it ends with a long URL, which users copy."""
    return len(line) > 80 and not re.search(r"://\S{50,}$", line)


def play(authctl, words, answers):
    """Runs a command at a terminal of 80 columns. Returns its output and exit code."""
    without_input = {} if answers else {"shell": 'exec "$@" </dev/null'}
    with authctl.terminal(*words, columns=80, **without_input) as terminal:
        shown = ""
        for question, answer in answers:
            terminal.expect(question)
            shown += terminal.before + terminal.after
            terminal.sendline(answer)
        terminal.expect(pexpect.EOF)
        shown += terminal.before
        terminal.close()
        return re.sub(r"\x1b\[[\d;]*m", "", shown.replace("\r\n", "\n")), terminal.exitstatus


@pytest.mark.slow
def test_documented_commands_exit_as_in_the_table_and_fit_80_columns(authctl, paired, sandbox):
    uri = "otpauth://totp/GitHub:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=GitHub"
    paired.call("passcode.import", uri=uri)
    password = sandbox.users["ann"]["password"]
    wrong = []
    for command, status in PLAYED.items():
        words = next(list(words) for words in written() if " ".join(words) == command)
        if command.startswith("approve --wait"):
            flows.push(paired, sandbox)
        if command in ENDLESS:
            words += ["--timeout", "2"]
        answers = [(question, password if answer is None else answer) for question, answer in ANSWERS.get(command, [])]
        shown, ended = play(authctl, words, answers)
        wide = [] if "--json" in words else [line for line in shown.splitlines() if is_too_wide(line)]
        if ended != status or wide:
            wrong.append((command, ended, wide or shown[-300:]))
    assert not wrong
