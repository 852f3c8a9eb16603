"""The programs that measure and are measured beside ours, and the processors that they run on."""

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
"""What each of our peers is linked with; those after the first line are floors."""

SOURCES = Path(__file__).parent / "peers"
SERVER, CLIENT = 0, 1 % os.cpu_count()
"""The processor of what is measured, and that of what asks it."""


class MissingPeer(Exception):
    """What something is measured by is not on this machine."""


def built_peers(directory):
    """Where the programs are that are built of this directory's sources."""
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
    """What a program of one computation prints."""
    return float(output(*pinned(SERVER, *command), text=text).split()[0])


def compute(work, **given):
    """The nanoseconds that one of our computations takes, and the bytes that it reads."""
    text = output(*pinned(SERVER, DIRECTORY / "mfad-bench", "compute", work), text=json.dumps(given))
    taken, count = text.split()
    return float(taken), int(count)


def load(path, what, connections, in_flight, seconds=2, processor=CLIENT):
    """Answers a second, and the microseconds of a batch: the median, the slowest hundredth and the slowest thousandth."""
    command = pinned(processor, DIRECTORY / "mfad-bench", path, what, connections, in_flight, seconds)
    return numbers(output(*command))


def numbers(text):
    """The numbers in a text, in their order."""
    return tuple(float(number) for number in re.findall(r"\d+(?:\.\d+)?", text))
