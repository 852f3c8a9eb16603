"""A machine that seals and provides the key-encryption key, with a paired daemon."""

import contextlib
import re
import shutil
import sqlite3
import subprocess

import pytest

from . import flows
from .programs import MFAD, PATIENCE, environment

CREDENTIAL = "mfad.kek"
CREDS = shutil.which("systemd-creds")


@pytest.fixture
def machine(directory):
    """A machine with a separate host key for systemd-creds, which it can lose."""
    bin_directory = directory / "bin"
    bin_directory.mkdir()
    script = bin_directory / "systemd-creds"
    script.write_text(f'#!/bin/sh\nSYSTEMD_CREDENTIAL_SECRET={directory}/host.secret exec {CREDS} "$@"\n')
    script.chmod(0o755)
    return Machine(directory, bin_directory)


class Machine:
    """The functions of systemd around the daemon."""

    def __init__(self, directory, programs):
        self.directory, self._programs = directory, programs
        self.handed_over = directory / "handed-over"
        self.sealed = directory / CREDENTIAL
        self.key = directory / "state" / "key"

    @property
    def environment(self):
        return environment(PATH=f"{self._programs}:/usr/sbin:/usr/bin:/sbin:/bin")

    def mfad(self, *options, wrapper=(), text=""):
        """Runs `mfad` like an administrator."""
        return subprocess.run(
            [*wrapper, MFAD, "--config", self.directory / "mfad.conf", *options],
            env=self.environment, input=text, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )

    def change(self, option, **more):
        """Changes the key and returns the printed recovery key."""
        done = self.mfad(option, **more)
        assert done.returncode == 0, done.stderr
        return re.search(r"recovery key: ((?:[A-Z2-7]{4}-){7}[A-Z2-7]{4})\n", done.stdout)[1]

    def start_key_unit(self):
        """Provides the key like mfad-key.service. Returns true on success."""
        shutil.rmtree(self.handed_over, ignore_errors=True)
        if not self.sealed.exists():
            return True
        done = subprocess.run(
            [self._programs / "systemd-creds", "decrypt", f"--name={CREDENTIAL}", self.sealed, "-"], capture_output=True
        )
        if done.returncode == 0:
            self.handed_over.mkdir(mode=0o700)
            (self.handed_over / CREDENTIAL).write_bytes(done.stdout)
        return done.returncode == 0

    def lose_what_unseals(self):
        """Loses the host key, like a cleared TPM or a disk in another machine."""
        (self.directory / "host.secret").unlink()
        shutil.rmtree(self.handed_over, ignore_errors=True)


@pytest.fixture
def paired_daemon(make_daemon, machine, sandbox):
    """A stopped daemon with a pairing, which finds the provided key."""
    daemon = make_daemon(wrapper=["env", f"MFAD_KEY_DIRECTORY={machine.handed_over}"])
    daemon.start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    return daemon


def sealing(daemon):
    return daemon.client().call("service.status")["protection"]["sealing"]


def assert_works(daemon, kept="key-file"):
    """Checks that previously sealed data can be opened."""
    daemon.start()
    client = daemon.client()
    assert client.call("passcode.get")["passcode"]
    assert client.call("account.list")["accounts"][0]["user"]["username"] == "ann"
    assert sealing(daemon) == kept
    daemon.stop()


def wrapped(directory):
    """Returns the wrapped keys of all owners, by slot. They protect everything else."""
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db")) as database:
        return dict(database.execute("SELECT slot, key FROM owner_key JOIN owner_slot USING (slot)"))


def meta(directory):
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db")) as database:
        return dict(database.execute("SELECT name, value FROM meta"))
