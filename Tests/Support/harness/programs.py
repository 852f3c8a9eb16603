"""Paths of the programs under test."""

import contextlib
import os
import subprocess
import time
from pathlib import Path

DIRECTORY = Path(os.environ.get("MFAD_PROGRAMS", Path(__file__).parents[3] / ".build" / "debug")).resolve()

MFAD = DIRECTORY / "mfad"
COURIER = DIRECTORY / "mfad-courier"
AUTHCTL = DIRECTORY / "authctl"
AGENT = DIRECTORY / "mfa-agent"
SANDBOX = DIRECTORY / "pingone-sandbox"

FIXTURES = Path(__file__).parents[2] / "Fixtures"
FLOWS = Path(__file__).parents[3] / "Sources" / "Programs" / "Sandbox" / "Flows"
CLIENTS = Path(__file__).parents[3] / "Sources" / "Interface" / "Clients"

PATIENCE = 180
"""Timeout in seconds for something that should happen at once."""


def wait_until(is_so):
    """Waits until a function returns a true value, and returns the value."""
    deadline = time.monotonic() + PATIENCE
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it is never so"
        time.sleep(0.02)
    return found


def environment(**more):
    """Returns the environment of a program, without the tester's own settings."""
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", **more}


def run(program, *arguments):
    """Runs a program to its end and returns its result."""
    return subprocess.run(
        [program, *map(str, arguments)], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@contextlib.contextmanager
def beginner():
    """Starts programs and kills them at the end of the block. A start returns a function that waits for its end."""
    begun = []

    def begin(command, input="", **variables):
        process = subprocess.Popen(
            [*map(str, command)], env=environment(**variables),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        begun.append(process)

        def end():
            output, errors = process.communicate(input, timeout=PATIENCE)
            return process.returncode, output, errors

        return end

    try:
        yield begin
    finally:
        for process in begun:
            with process:
                process.kill()


def seeds(count):
    """Returns `count` seeds, multiplied by `MFAD_TEST_SEEDS`."""
    return range(count * int(os.environ.get("MFAD_TEST_SEEDS", "1")))
