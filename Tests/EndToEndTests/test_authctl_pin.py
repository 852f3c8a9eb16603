"""PIN prompts on a terminal: typed characters are never shown, and every exit restores the terminal."""

import contextlib
import os
import signal
import termios

import pexpect
import pytest

from harness import flows

PIN, WRONG = "280491", "999998"


class Seen:
    """Records all output of a terminal."""

    def __init__(self):
        self.text = ""

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@contextlib.contextmanager
def opened(authctl, *arguments, shell=None):
    """Runs authctl on a terminal; yields the terminal, its output, and a function that returns its echo mode."""
    with authctl.terminal(*arguments, shell=shell) as terminal:
        terminal.logfile_read = seen = Seen()
        side = os.open(f"/proc/{terminal.pid}/fd/0", os.O_RDWR | os.O_NOCTTY)
        try:
            yield terminal, seen, lambda: bool(termios.tcgetattr(side)[3] & termios.ECHO)
        finally:
            os.close(side)


def ended(terminal):
    """Waits for the exit, and returns the exit code or the negated signal number."""
    terminal.wait()
    return terminal.exitstatus if terminal.signalstatus is None else -terminal.signalstatus


@pytest.fixture
def guarded(paired):
    """A client of a paired owner that is locked with a PIN."""
    paired.call("lock.set", pin=PIN)
    return paired


PROMPTS = {
    ("pin", "set"): "new PIN: ", ("pin", "change"): "current PIN: ", ("pin", "clear"): "current PIN: ",
    ("unlock",): "PIN: ", ("otp",): "PIN: ",
}


def to_the_pin(terminal, command):
    """Advances authctl to its PIN prompt."""
    if command == ("approve",):
        terminal.expect(r"\[a/d/r/L\]: ")
        terminal.sendline("y")
    terminal.expect_exact(PROMPTS.get(command, "PIN: "))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_pin_prompt_hides_input_and_restores_the_terminal_on_a_signal(guarded, authctl, sandbox, number):
    sandbox.wait_for_answers(150)
    flows.push(guarded, sandbox)
    for command in [*PROMPTS, ("approve",)]:
        with opened(authctl, *command) as (terminal, seen, echoes):
            to_the_pin(terminal, command)
            assert not echoes(), command
            terminal.send(PIN)
            if number == signal.SIGINT:
                terminal.sendintr()
            else:
                os.kill(terminal.pid, number)
            assert ended(terminal) == -number, command
            assert echoes() and PIN not in seen.text, command
        assert guarded.call("service.status")["protection"]["pin"] == "locked"


def test_pin_prompt_restores_the_terminal_at_the_end_of_input(guarded, authctl, sandbox):
    flows.push(guarded, sandbox)
    for command in [("unlock",), ("approve",)]:
        with opened(authctl, *command) as (terminal, _, echoes):
            to_the_pin(terminal, command)
            terminal.sendeof()
            assert ended(terminal) != 0 and echoes(), command
        assert guarded.call("service.status")["protection"]["pin"] == "locked"


def test_pin_prompt_restores_echo_while_suspended_and_hides_input_again(guarded, authctl):
    # Suspension requires a shell with job control.
    shell = 'set -m; "$@"; echo suspended; read line; fg'
    with opened(authctl, "unlock", shell=shell) as (terminal, seen, echoes):
        terminal.expect_exact("PIN: ")
        assert not echoes()
        terminal.sendcontrol("z")
        terminal.expect_exact("suspended")
        assert echoes()
        terminal.sendline("")
        terminal.expect_exact("PIN: ")
        assert not echoes()
        terminal.sendline(PIN)
        terminal.expect_exact("unlocked until")
        assert ended(terminal) == 0 and echoes() and PIN not in seen.text


def test_pin_change_shows_none_of_the_typed_pins(guarded, authctl):
    other = "734015"
    with opened(authctl, "pin", "change") as (terminal, seen, echoes):
        for prompt, typed in [("current PIN: ", PIN), ("new PIN: ", other), ("new PIN again: ", other)]:
            terminal.expect_exact(prompt)
            terminal.sendline(typed)
        terminal.expect_exact("the PIN is changed")
        assert ended(terminal) == 0 and echoes() and PIN not in seen.text and other not in seen.text
    guarded.call("lock.unlock", pin=other)


@pytest.mark.slow
def test_approve_asks_until_the_pin_is_right_and_never_shows_it(guarded, authctl, sandbox):
    started, _ = flows.push(guarded, sandbox)
    with opened(authctl, "approve") as (terminal, seen, echoes):
        to_the_pin(terminal, ("approve",))
        terminal.sendline(WRONG)
        terminal.expect_exact("9 tries left")
        terminal.expect_exact("PIN: ")
        terminal.sendline(PIN)
        terminal.expect(pexpect.EOF)
        assert ended(terminal) == 0 and echoes() and PIN not in seen.text and WRONG not in seen.text
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_without_a_terminal_unlock_reads_the_pin_and_approve_does_not_ask(guarded, authctl, sandbox):
    _, push = flows.push(guarded, sandbox)
    outcome = authctl.run("approve", push["id"], "--yes", input=f"{PIN}\n")
    assert outcome.status == 9 and "PIN:" not in outcome.output + outcome.errors
    outcome = authctl.run("unlock", input=f"{WRONG}\n")
    assert outcome.status == 9 and WRONG not in outcome.output + outcome.errors
    assert authctl.run("unlock", input="").status != 0
    outcome = authctl.run("unlock", input=f"{PIN}\n")
    assert outcome.status == 0 and PIN not in outcome.output + outcome.errors
    assert guarded.call("service.status")["protection"]["pin"] == "unlocked"
