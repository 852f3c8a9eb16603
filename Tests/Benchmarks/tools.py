"""The programs that measure, the peers that are measured, and the processors for them."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from harness.programs import DIRECTORY

PACKAGES = {
    "cc": "gcc", "fio": "fio", "redis-server": "redis-server", "ssh-agent": "openssh-client", "taskset": "util-linux",
}
LIBRARIES = {
    "passcode": ["-loath"], "signature": ["-lcrypto"], "echo": [],
    "hmac": ["-lcrypto"], "replies": [], "commits": ["-lsqlite3"], "start": ["-lsqlite3", "-lcrypto"],
    "approval": ["-lcrypto"],
}
"""Linker options of each peer. Those after the first line are lower bounds."""

SOURCES = Path(__file__).parent / "peers"
SERVER, CLIENT = 0, 1 % os.cpu_count()
"""The processors for the measured server and for its client."""


class MissingPeer(Exception):
    """A program that a measurement needs is not installed."""


def built_peers(directory):
    """Builds the peers into a directory and returns it."""
    missing = [package for tool, package in PACKAGES.items() if not shutil.which(tool)]
    if missing:
        raise MissingPeer(f"these packages are missing: {', '.join(missing)}")
    for name, libraries in LIBRARIES.items():
        command = ["cc", "-O2", SOURCES / f"{name}.c", "-o", directory / name, *libraries]
        if subprocess.run(command, check=False).returncode:
            raise MissingPeer(f"{name}.c cannot be built: systemd/dependencies --measure installs what it needs")
    return directory


def pinned(processor, *command):
    return ["taskset", "-c", str(processor), *map(str, command)]


def output(*command, text=None):
    return subprocess.run(list(map(str, command)), input=text, check=True, capture_output=True, text=True).stdout


def nanoseconds(*command, text=None):
    """Returns the nanoseconds that a program prints for one computation."""
    return float(output(*pinned(SERVER, *command), text=text).split()[0])


def compute(work, **given):
    """Returns the nanoseconds of one of our computations and the bytes that it reads."""
    text = output(*pinned(SERVER, DIRECTORY / "mfad-bench", "compute", work), text=json.dumps(given))
    taken, count = text.split()
    return float(taken), int(count)


def load(path, what, connections, in_flight, seconds=2, processor=CLIENT):
    """Returns replies per second, and batch times in microseconds: median, slowest hundredth and slowest thousandth."""
    command = pinned(processor, DIRECTORY / "mfad-bench", path, what, connections, in_flight, seconds)
    return numbers(output(*command))


def numbers(text):
    """Returns the numbers in a text, in order."""
    return tuple(float(number) for number in re.findall(r"\d+(?:\.\d+)?", text))
