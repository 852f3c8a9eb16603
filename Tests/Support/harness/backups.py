"""A backup of a state with an HOTP account, and `mfad --restore` as an administrator runs it."""

import contextlib
import sqlite3
import subprocess
import time

import pytest

from . import flows
from .programs import MFAD, PATIENCE, environment

COUNTING = "otpauth://hotp/Bank:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank&counter=0"


def mfad(daemon, *options, wrapper=(), text=""):
    """Runs `mfad` like an administrator."""
    return subprocess.run(
        [*wrapper, MFAD, "--config", daemon.file, *options],
        env=environment(), input=text, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )


def restore(daemon, file, *options, **more):
    done = mfad(daemon, "--restore", file, *options, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def counting(daemon, sandbox):
    """A daemon with a pairing and an HOTP account with one used passcode, and a backup of this state."""
    client = daemon.client()
    paired = flows.pair(client, sandbox)
    account = client.call("passcode.import", uri=COUNTING)["id"]
    assert client.call("passcode.get", account=account)["counter"] == 0
    return daemon, client.call("backup.create")["file"], paired, account


def wait_until_nothing_is_owed(daemon):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.closing(sqlite3.connect(daemon.directory / "state" / "mfad.db", timeout=PATIENCE)) as database:
            if not database.execute("SELECT count(*) FROM erased_owner").fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("somebody is still to be erased")
