"""The waiting line of a sign-on, as an independent terminal emulator shows it."""

import os
import re
import signal

import pexpect
import pyte
import pytest

from harness.authctl import Authctl

NODE = {"login": "l1", "node": "continue", "method": "signon", "title": "Approve on your phone"}
NODE["collectors"] = [{"key": "push", "type": "PollingCollector"}]
NODE["actions"] = [{"key": "other", "label": "Another device", "kind": "flow"}]
DONE = {**NODE, "node": "success", "collectors": [], "actions": [], "user": {"id": "u1"}, "pairing": None}
PROMPT = "waiting, Ctrl-C ends it: "
CLEARED = "\r\x1b[K"


class Screen:
    """The screen of a terminal emulator."""

    def __init__(self):
        self._screen = pyte.Screen(160, 40)
        self._stream = pyte.Stream(self._screen)

    def write(self, text):
        self._stream.feed(text)

    def flush(self):
        pass

    @property
    def lines(self):
        return [line.rstrip() for line in self._screen.display if line.strip()]


@pytest.fixture
def waiting(scripted):
    """A terminal with a waiting sign-on, and its screen."""
    with Authctl(scripted.socket).terminal("login") as terminal:
        terminal.logfile_read = Screen()
        scripted.answer("login.start", NODE)
        terminal.expect(PROMPT)
        yield terminal, terminal.logfile_read


def test_waiting_line_spins_and_is_cleared_at_the_end(scripted, waiting):
    terminal, screen = waiting
    for glyph in "⠙⠹⠸":
        terminal.expect(glyph)
    assert screen.lines[-1].endswith(PROMPT.rstrip()) and re.search(r"\b\d+:\d\d\b", screen.lines[-1])
    scripted.answer("login.next", DONE)
    terminal.expect(pexpect.EOF)
    assert screen.lines == [
        "Approve on your phone", "while this waits you can type", "  :1  Another device",
        "signed on as u1: nothing to pair",
    ]


def test_waiting_line_keeps_typed_text_visible(scripted, waiting):
    terminal, screen = waiting
    terminal.send("htt")
    terminal.expect("htt")
    for glyph in "⠴⠦⠧":
        terminal.expect(glyph)
    assert screen.lines[-1].endswith(PROMPT + "htt")
    terminal.sendline("p://127.0.0.1/callback?code=1")
    scripted.take("login.next")
    assert scripted.answer("login.resume", DONE)["uri"] == "http://127.0.0.1/callback?code=1"
    terminal.expect(pexpect.EOF)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_signal_clears_the_waiting_line_and_cancels_the_sign_on(scripted, waiting, number):
    terminal, screen = waiting
    scripted.take("login.next")
    os.kill(terminal.pid, number)
    assert scripted.answer("login.cancel", {}) == {"login": "l1"}
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus == number
    assert screen.lines[-1] == "  :1  Another device"


def test_waiting_line_reappears_after_a_suspension(scripted, waiting):
    terminal, screen = waiting
    terminal.sendcontrol("z")
    terminal.expect_exact(CLEARED)
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.expect(PROMPT)
    scripted.answer("login.next", DONE)
    terminal.expect(pexpect.EOF)
    assert screen.lines[-1] == "signed on as u1: nothing to pair"


def test_waiting_line_is_cleared_at_the_end_of_input(scripted, waiting):
    terminal, screen = waiting
    scripted.take("login.next")
    terminal.sendeof()
    scripted.answer("login.cancel", {})
    terminal.expect(pexpect.EOF)
    assert not any("waiting" in line for line in screen.lines)
    assert "input ended before the sign-on was complete" in screen.lines[-2]


POSSIBLE = "  now you can type :1; Ctrl-C ends the sign-on"


@pytest.mark.parametrize("text", ["", "7", "x" * 300], ids=["nothing", "no such number", "several lines"])
def test_rejected_input_is_cleared_with_the_waiting_line(scripted, waiting, text):
    terminal, screen = waiting
    terminal.sendline(text)
    if text:
        terminal.expect_exact(POSSIBLE)
    terminal.expect_exact(PROMPT)
    said = [POSSIBLE] if text else []
    assert screen.lines[2:-1] == ["  :1  Another device", *said]
    scripted.answer("login.next", DONE)
    terminal.expect(pexpect.EOF)
    assert screen.lines[-1] == "signed on as u1: nothing to pair" and not any("xx" in line for line in screen.lines)


def test_waiting_line_appears_while_the_server_processes_an_answer(scripted):
    field = {"key": "a", "type": "TextCollector", "label": "A"}
    form = {**NODE, "title": "Sign On", "collectors": [field], "actions": []}
    with Authctl(scripted.socket).terminal("login") as terminal:
        terminal.logfile_read = screen = Screen()
        scripted.answer("login.start", form)
        terminal.expect("A: ")
        terminal.sendline("1")
        terminal.expect_exact(PROMPT)
        scripted.answer("login.next", DONE)
        terminal.expect(pexpect.EOF)
    assert screen.lines == ["Sign On", "A: 1", "signed on as u1: nothing to pair"]


def test_typing_a_number_chooses_another_method_while_waiting(scripted, waiting):
    terminal, screen = waiting
    terminal.sendline("1")
    scripted.take("login.next")
    assert scripted.answer("login.next", DONE) == {"login": "l1", "action": "other"}
    terminal.expect(pexpect.EOF)
    assert not any("waiting" in line for line in screen.lines)
    assert screen.lines[-1] == "signed on as u1: nothing to pair"


def test_answer_that_requires_presence_asks_until_the_pin_is_right(scripted, waiting):
    terminal, screen = waiting
    asked = {"login": "l1", "action": "other"}
    terminal.sendline("1")
    scripted.take("login.next")
    assert scripted.refuse("login.next", 11019, "PRESENCE_REQUIRED", "somebody has to be there", methods=["pin"]) == asked
    for pin, typed in enumerate(["999998", "280491"]):
        terminal.expect_exact("PIN: ")
        assert not terminal.getecho()
        terminal.sendline(typed)
        given = {**asked, "presence": {"method": "pin", "pin": typed}}
        if pin == 0:
            assert scripted.refuse("login.next", 11020, "PRESENCE_FAILED", "wrong", method="pin", triesLeft=9) == given
            terminal.expect_exact("9 tries left")
        else:
            assert scripted.answer("login.next", DONE) == given
    terminal.expect(pexpect.EOF)
    assert not any(typed in line for line in screen.lines for typed in ("999998", "280491"))
    assert screen.lines[-1] == "signed on as u1: nothing to pair"
