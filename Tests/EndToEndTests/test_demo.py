"""systemd/demo shows the main features, and fails if a step has the wrong result."""

import re
import subprocess
import urllib.request
from pathlib import Path

import pytest

from harness.authctl import Authctl
from harness.programs import AUTHCTL, DIRECTORY, PATIENCE, environment

LIES = [
    ("otp", "000000", "passcode 000000 at PingOne is PUSH_CONFIRMATION_REQUIRED, not COMPLETED"),
    ("deny", "denied", "the second sign-on at PingOne is PUSH_CONFIRMATION_REQUIRED, not FAILED"),
    ("code", "signed on", "the code at PingOne is UNCLAIMED, not COMPLETED"),
]

DEMO = Path(__file__).parents[2] / "systemd" / "demo"


def run(programs, *options, **more):
    variables = environment(MFAD_PROGRAMS=str(programs), **more)
    return subprocess.run([DEMO, *options], env=variables, capture_output=True, text=True, timeout=2 * PATIENCE, check=False)


@pytest.mark.slow
def test_demo_shows_every_step():
    done = run(DIRECTORY)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert 30 <= len(lines) <= 60
    for text in ("paired with Ann Archer", "at PingOne: COMPLETED", "at PingOne: FAILED", "paired with Bob Baker"):
        assert text in done.stdout
    assert "every step succeeded" in lines[-1]


@pytest.mark.slow
def test_demo_keep_leaves_the_programs_running_until_the_end_script(directory):
    done = run(DIRECTORY, "--keep", TMPDIR=str(directory))
    assert done.returncode == 0, done.stdout + done.stderr
    said = dict(re.findall(r"^   (the \w+|its \w+|to end both): +(.+)$", done.stdout, re.M))
    try:
        socket = Path(said["the daemon"].split("=")[1])
        accounts = Authctl(socket).run("accounts", "--json").json["accounts"]
        assert len(accounts) == 2
        assert re.fullmatch(r"ann, password \S{16}; bob, password \S{16}", said["its users"])
        assert socket.is_relative_to(directory)
        command, *words = said["the sandbox"].split()
        asked = subprocess.run([command, *words], env=environment(), capture_output=True, text=True, check=True)
        assert "PUSH_CONFIRMATION_REQUIRED" in asked.stdout
        assert Authctl(socket).run("approve", "--wait", "--yes").status == 0
        printed = subprocess.run(said["its page"].split(), env=environment(), capture_output=True, text=True, check=True)
        with urllib.request.build_opener(urllib.request.HTTPCookieProcessor()).open(printed.stdout.strip()) as page:
            assert "<title>Users" in page.read().decode()
    finally:
        subprocess.run([said["to end both"]], env=environment(), timeout=PATIENCE, check=True)
    assert not list(directory.iterdir())
    assert Authctl(socket).run("status").status == 3


def test_demo_rejects_an_unknown_option():
    done = run(DIRECTORY, "--kep")
    assert (done.returncode, done.stdout) == (2, "") and "usage" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command, prints, complaint", LIES)
def test_demo_fails_if_a_command_reports_success_without_effect(directory, command, prints, complaint):
    """Replaces one command of authctl by one without effect."""
    for program in DIRECTORY.glob("*"):
        if program.name in ("mfad", "mfad-courier", "pingone-sandbox"):
            (directory / program.name).symlink_to(program)
    liar = directory / AUTHCTL.name
    liar.write_text(
        "#!/bin/bash\n"
        f'for word in "$@"; do [ "$word" = {command} ] && {{ echo "{prints}"; exit 0; }}; done\n'
        f'exec "{AUTHCTL}" "$@"\n'
    )
    liar.chmod(0o755)
    done = run(directory)
    assert (done.returncode, done.stderr) == (1, f"demo: error: {complaint}\n")
    assert "every step succeeded" not in done.stdout
