"""Where the programs under test lie."""

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
"""Seconds after which something that should have happened at once counts as not happening."""


def wait_until(is_so):
    """Waits for what comes to be so by itself, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while not (found := is_so()):
        assert time.monotonic() < deadline, "it is never so"
        time.sleep(0.02)
    return found


def environment(**more):
    """What a program is started with: nothing of the tester's own settings."""
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", **more}


def run(program, *arguments):
    """A program that ends by itself, and what it printed."""
    return subprocess.run(
        [program, *map(str, arguments)], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )


@contextlib.contextmanager
def beginner():
    """Begins programs that end with this; what a beginning returns waits for the end and gives status, output and errors."""
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
    """So many seeds, times what the tester wants: `MFAD_TEST_SEEDS` scales everything that chance plays."""
    return range(count * int(os.environ.get("MFAD_TEST_SEEDS", "1")))
