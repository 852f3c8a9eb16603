"""The session in the README picture matches the output of the current programs."""

import contextlib
import os
from pathlib import Path

import pexpect
import pytest

from harness import flows, recording
from harness.programs import DIRECTORY, PATIENCE, environment
from harness.sandbox import Sandbox

PROJECT = Path(__file__).parents[2]
CAST = PROJECT / "Sources/Programs/Daemon/Documentation.docc/Resources/five-minutes.cast"
PICTURE = CAST.with_suffix(".svg")
PROMPT = "$ "


class Person:
    """A user at a shell, with a recording of the terminal."""

    def __init__(self, socket):
        variables = environment(MFAD_SOCKET=str(socket), TERM="xterm", PS1=PROMPT, NO_COLOR="1")
        variables["PATH"] = f"{DIRECTORY}:{variables['PATH']}"
        self.recording = recording.Recording()
        self._shell = pexpect.spawn(
            "/bin/sh", ["-i"], env=variables, encoding="utf-8", timeout=PATIENCE,
            dimensions=(recording.LINES, recording.COLUMNS),
        )
        self._shell.delaybeforesend = None
        self._shell.logfile_read = self.recording
        self._shell.expect_exact(PROMPT)

    def type(self, text, until):
        """Types a line and waits for the next prompt."""
        self.recording.read()
        self._shell.sendline(text)
        self._shell.expect_exact(until)

    def leave(self):
        self._shell.close(force=True)


@pytest.fixture
def cast(make_daemon, directory):
    """The recording of the session with the current programs."""
    with contextlib.ExitStack() as ends:
        sandbox = Sandbox(self_service=True)
        ends.callback(sandbox.stop)
        daemon = make_daemon(sandbox=sandbox)
        ends.callback(daemon.end)
        person = Person(daemon.start().socket)
        ends.callback(person.leave)
        play(person, daemon, sandbox)
        yield person.recording.cast


def play(person, daemon, sandbox):
    """Plays the session: the user's commands, and a sign-on that needs approval."""
    password, asked = sandbox.users["ann"]["password"], f"Password for {sandbox.url}: "
    person.type("authctl login --add-passcode", "Username: ")
    person.type("ann", asked)
    person.type(password, PROMPT)
    person.type("authctl otp", PROMPT)
    person.type(f"authctl configure {flows.GEO}", PROMPT)
    person.type("authctl login --username ann --yes", asked)
    person.type(password, PROMPT)
    # A sign-on at a page requires the approval of this machine.
    client = daemon.client()
    client.subscribe("notification")
    (mobile,) = [device for device in sandbox.devices("ann") if device["type"] == "MOBILE"]
    text = {"title": "Sign on", "body": "Approve the sign-on to Payroll?"}
    body = {
        "user": {"id": sandbox.users["ann"]["id"]}, "selectedDevice": {"id": mobile["id"]},
        "notification": {"template": {"variables": text}},
    }
    sandbox.request("POST", f"/{sandbox.environment}/deviceAuthentications", body)
    client.event("notification", state="pending")
    person.type("authctl approve", "[a/d/r/L]: ")
    person.type("a", PROMPT)


def test_recorded_session_matches_the_current_programs(cast):
    """`Tests/record` writes the recording again."""
    if os.environ.get("MFAD_RECORD"):
        CAST.write_text(cast, encoding="utf-8")
        PICTURE.write_text(recording.picture(cast, PROMPT), encoding="utf-8")
    kept = recording.shown(CAST.read_text(encoding="utf-8"))
    assert recording.alike(kept) == recording.alike(recording.shown(cast))


def test_readme_picture_shows_the_recorded_session():
    kept = CAST.read_text(encoding="utf-8")
    assert PICTURE.read_text(encoding="utf-8") == recording.picture(kept, PROMPT)
    assert str(PICTURE.relative_to(PROJECT)) in (PROJECT / "README.md").read_text(encoding="utf-8")
    assert len(kept.encode()) < 8192
    assert max(map(len, recording.shown(kept).splitlines())) <= recording.COLUMNS
