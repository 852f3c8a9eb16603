"""The key-encryption key: sealed, handed over, lost, recovered and changed, and killed in the middle of it."""

import collections
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time

import pytest

from harness import flows
from harness.process import Process
from harness.programs import MFAD, PATIENCE, environment

CREDENTIAL = "mfad.kek"
CREDS = shutil.which("systemd-creds")


@pytest.fixture
def machine(directory):
    """A machine whose systemd-creds has a host key of its own; it can lose what it unseals by."""
    bin_directory = directory / "bin"
    bin_directory.mkdir()
    script = bin_directory / "systemd-creds"
    script.write_text(f'#!/bin/sh\nSYSTEMD_CREDENTIAL_SECRET={directory}/host.secret exec {CREDS} "$@"\n')
    script.chmod(0o755)
    return Machine(directory, bin_directory)


class Machine:
    """What systemd does around the daemon."""

    def __init__(self, directory, programs):
        self.directory, self._programs = directory, programs
        self.handed_over = directory / "handed-over"
        self.sealed = directory / CREDENTIAL
        self.key = directory / "state" / "key"

    @property
    def environment(self):
        return environment(PATH=f"{self._programs}:/usr/sbin:/usr/bin:/sbin:/bin")

    def mfad(self, *options, wrapper=(), text=""):
        """Runs `mfad` as an administrator does."""
        return subprocess.run(
            [*wrapper, MFAD, "--config", self.directory / "mfad.conf", *options],
            env=self.environment, input=text, capture_output=True, text=True, timeout=PATIENCE, check=False,
        )

    def change(self, option, **more):
        """Changes the key, and returns the recovery key that was shown."""
        done = self.mfad(option, **more)
        assert done.returncode == 0, done.stderr
        return re.search(r"recovery key: ((?:[A-Z2-7]{4}-){7}[A-Z2-7]{4})\n", done.stdout)[1]

    def start_key_unit(self):
        """Hands the key over as mfad-key.service does; whether that went well."""
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
        """As a TPM that was cleared, or a disk in another machine."""
        (self.directory / "host.secret").unlink()
        shutil.rmtree(self.handed_over, ignore_errors=True)


@pytest.fixture
def paired_daemon(make_daemon, machine, sandbox):
    """A daemon that finds what is handed over, with a pairing, stopped."""
    daemon = make_daemon(wrapper=["env", f"MFAD_KEY_DIRECTORY={machine.handed_over}"])
    daemon.start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    return daemon


def sealing(daemon):
    return daemon.client().call("service.status")["protection"]["sealing"]


def assert_works(daemon, kept="key-file"):
    """That what was sealed before still opens."""
    daemon.start()
    client = daemon.client()
    assert client.call("passcode.get")["passcode"]
    assert client.call("account.list")["accounts"][0]["user"]["username"] == "ann"
    assert sealing(daemon) == kept
    daemon.stop()


def wrapped(directory):
    """The wrapped keys of all owners, by their slots; they wrap everything else."""
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db")) as database:
        return dict(database.execute("SELECT slot, key FROM owner_key JOIN owner_slot USING (slot)"))


def meta(directory):
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db")) as database:
        return dict(database.execute("SELECT name, value FROM meta"))


def test_a_new_key_wraps_everything_anew(paired_daemon, machine, directory):
    before, old = wrapped(directory), machine.key.read_bytes()
    machine.change("--rekey")
    after = wrapped(directory)
    assert before and before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())
    assert machine.key.read_bytes() != old and machine.key.stat().st_mode & 0o777 == 0o600
    assert "key_successor" not in meta(directory)
    assert_works(paired_daemon)
    machine.key.write_bytes(old)
    paired_daemon.start()
    assert paired_daemon.client().refusal("passcode.get").code == 11018
    paired_daemon.stop(expecting=["the key-encryption key cannot be had", "what was left from before cannot be resumed"])


def test_a_key_that_is_sealed_lies_nowhere_else(paired_daemon, machine, directory):
    machine.change("--seal")
    assert machine.sealed.exists() and not machine.key.exists()
    assert machine.start_key_unit()
    assert_works(paired_daemon, "credential")
    material = (machine.handed_over / CREDENTIAL).read_bytes()
    for path in [machine.sealed, *(directory / "state").iterdir()]:
        assert material not in path.read_bytes()
    machine.change("--rekey")
    assert machine.start_key_unit() and (machine.handed_over / CREDENTIAL).read_bytes() != material
    assert_works(paired_daemon, "credential")


def test_a_new_installation_seals_its_key_before_anything_needs_it(make_daemon, machine, sandbox):
    daemon = make_daemon(wrapper=["env", f"MFAD_KEY_DIRECTORY={machine.handed_over}"])
    machine.change("--seal")
    assert machine.start_key_unit()
    daemon.start()
    assert flows.pair(daemon.client(), sandbox)
    assert sealing(daemon) == "credential" and not machine.key.exists()


def test_what_cannot_be_unsealed_ends_nothing_and_is_recovered(paired_daemon, machine, directory):
    recovery = machine.change("--seal")
    machine.lose_what_unseals()
    assert not machine.start_key_unit()
    paired_daemon.spawn()
    assert paired_daemon.notifications.next() == {"READY": "1", "STATUS": "serving"}
    assert "mfad --recover" in paired_daemon.notifications.next()["STATUS"]
    paired_daemon.journal.wait("<4>what needs the key-encryption key is refused until mfad --recover brings it back")
    client = paired_daemon.client()
    assert client.refusal("passcode.get").code == 11018
    assert client.call("service.status")["protection"]["sealing"] == "unavailable"
    assert not machine.key.exists(), "a new key would open nothing"
    paired_daemon.stop(expecting=["the key-encryption key cannot be had", "what was left from before cannot be resumed"])

    wrong = "-".join(["AAAA"] * 8)
    for text in ("", "nonsense\n", recovery[:-1] + "\n", wrong + "\n"):
        before = machine.sealed.read_bytes()
        done = machine.mfad("--recover", text=text)
        assert done.returncode == 1 and done.stderr.startswith("mfad: error: ")
        assert machine.sealed.read_bytes() == before and (not text or text.strip() not in done.stderr)
    done = machine.mfad("--recover", text=recovery.lower().replace("-", " ") + "\n")
    assert done.returncode == 0, done.stderr
    assert machine.start_key_unit()
    assert_works(paired_daemon, "credential")


def test_a_key_that_is_sealed_and_not_had_is_not_replaced_in_a_new_state(make_daemon, machine, sandbox):
    machine.sealed.write_text("what this machine cannot open\n")
    daemon = make_daemon().start()
    assert daemon.client().refusal("device.configure", geo=flows.GEO).code == 11018
    assert not machine.key.exists()
    daemon.stop(expecting=["the key-encryption key cannot be had"])


class SoftwareTPM:
    """A TPM that systemd-creds reaches by a socket; one that is cleared is another."""

    def __init__(self, directory):
        self._state, self._socket = directory / "tpm", directory / "tpm.sock"
        self._process = None
        self.clear()

    @property
    def name(self):
        return f"swtpm:path={self._socket}"

    def clear(self):
        self.stop()
        shutil.rmtree(self._state, ignore_errors=True)
        self._state.mkdir()
        channels = ["--server", f"type=unixio,path={self._socket}", "--ctrl", f"type=unixio,path={self._socket}.ctrl"]
        self._process = Process(
            ["swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self._state}", *channels, "--flags", "not-need-init,startup-clear"]
        )
        deadline = time.monotonic() + PATIENCE
        while not self._socket.is_socket():
            assert time.monotonic() < deadline and self._process.is_running, str(self._process.journal)
            time.sleep(0.01)

    def stop(self):
        if self._process:
            self._process.kill()
            for path in (self._socket, self._socket.with_name(self._socket.name + ".ctrl")):
                path.unlink(missing_ok=True)


@pytest.fixture
def tpm(directory, machine):
    """A TPM of the machine, by which its systemd-creds seals."""
    tpm = SoftwareTPM(directory)
    script = directory / "bin" / "systemd-creds"
    # Whether there is one it asks the firmware and the kernel, which this one is unknown to.
    script.write_text(f"""#!/bin/bash
export SYSTEMD_CREDENTIAL_SECRET={directory}/host.secret
command=$1; shift
exec {CREDS} "$command" --tpm2-device={tpm.name} "${{@/--with-key=auto/--with-key=host+tpm2}}"
""")
    yield tpm
    tpm.stop()


def test_a_tpm_keeps_the_key_until_it_is_cleared_and_the_recovery_key_seals_it_by_the_next(paired_daemon, machine, tpm):
    recovery = machine.change("--seal")
    assert machine.start_key_unit()
    assert_works(paired_daemon, "tpm2")
    tpm.clear()
    assert not machine.start_key_unit(), "only that TPM opened it"
    paired_daemon.start()
    assert paired_daemon.client().refusal("passcode.get").code == 11018
    assert sealing(paired_daemon) == "unavailable"
    paired_daemon.stop(expecting=["the key-encryption key cannot be had", "what was left from before cannot be resumed"])
    assert machine.mfad("--recover", text=recovery + "\n").returncode == 0
    assert machine.start_key_unit()
    assert_works(paired_daemon, "tpm2")


TPM = ["k6iUCUh0RJCQyvL8k8q1UyAAAAABAAAA", "DHzAexF2RZGcSwvqCLwg/iAAAAABAAAA"]


@pytest.mark.parametrize("header", TPM)
def test_only_what_needs_the_tpm_is_called_so(paired_daemon, machine, header):
    """What a TPM sealed begins as systemd-creds begins it; the header here stands before nothing that opens."""
    machine.change("--seal")
    machine.start_key_unit()
    machine.sealed.write_text(header + machine.sealed.read_text()[32:])
    assert_works(paired_daemon, "tpm2")


def test_nothing_is_changed_under_a_daemon_that_runs(paired_daemon, machine, directory):
    paired_daemon.start()
    before = wrapped(directory)
    for option in ("--rekey", "--seal"):
        done = machine.mfad(option)
        assert done.returncode == 1 and "is in use by process" in done.stderr
    assert wrapped(directory) == before


# What is left at a step of a kind that was seen before is opened at each fifth, and at every one when all are wanted.
EACH = 1 if os.environ.get("MFAD_TEST_FAULTS") == "all" else 5
STEPS = "openat,pwrite64,write,fsync,fdatasync,rename,unlink,ftruncate,fchmod"


def steps(run, trace):
    """The calls at which a whole change can be killed, each by its name and its place among those of that name.

    Reading the program and its libraries comes first and changes nothing.
    """
    done = run(["strace", "-o", trace, "-e", f"trace={STEPS}"])
    assert done.returncode == 0, done.stderr
    counts, steps, has_begun = collections.Counter(), [], False
    for line in trace.read_text().splitlines():
        call = line.split("(")[0]
        if call not in STEPS.split(","):
            continue
        counts[call] += 1
        has_begun = has_begun or "/state/" in line
        if has_begun:
            steps.append((call, counts[call]))
    assert len(steps) > 20
    return steps


class Saved:
    """A state and its key as they were, to be had again and again."""

    def __init__(self, machine):
        self._directory, self._place = machine.directory, machine.directory / "saved"
        self._files = (machine.sealed, machine.directory / "host.secret")
        self._place.mkdir()
        shutil.copytree(self._directory / "state", self._place / "state")
        for path in self._files:
            if path.exists():
                shutil.copy2(path, self._place)

    def restore(self):
        shutil.rmtree(self._directory / "state")
        shutil.copytree(self._place / "state", self._directory / "state")
        for path in self._files:
            path.unlink(missing_ok=True)
            if (self._place / path.name).exists():
                shutil.copy2(self._place / path.name, path)


def killed_at_each_step(machine, run):
    """Kills a change at each of its steps, one after the other; gives the number of each."""
    saved = Saved(machine)
    for number, (call, place) in enumerate(steps(run, machine.directory / "trace")):
        saved.restore()
        kill = ["strace", "--quiet=all", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={place}"]
        assert run(kill).returncode != 0
        yield number


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--rekey", "--seal"])
def test_a_change_that_is_killed_at_any_step_leaves_a_key_that_opens_everything(paired_daemon, machine, directory, option):
    rows, outcomes = wrapped(directory).keys(), set()
    for number in killed_at_each_step(machine, lambda wrapper: machine.mfad(option, wrapper=wrapper)):
        names = meta(directory)
        assert wrapped(directory).keys() == rows
        state = ("key_spare" in names, "key_successor" in names, machine.sealed.exists(), machine.key.exists())
        if state in outcomes and number % EACH:
            continue
        outcomes.add(state)
        assert machine.start_key_unit()
        kept = "key-file" if not machine.sealed.exists() else "credential"
        assert_works(paired_daemon, kept)
        # What was cut short is brought to its end by the next change.
        machine.change(option)
        assert "key_successor" not in meta(directory)
        assert machine.start_key_unit()
        assert_works(paired_daemon, "credential" if option == "--seal" else "key-file")
    # Before the change, between its transaction and the keeping, and after both.
    assert {(spare, successor) for spare, successor, _, _ in outcomes} >= {(False, False), (True, True)}


@pytest.mark.slow
def test_a_recovery_that_is_killed_at_any_step_has_brought_the_key_back_or_can_be_made_again(paired_daemon, machine):
    recovery = machine.change("--seal") + "\n"
    machine.lose_what_unseals()
    outcomes = set()
    for number in killed_at_each_step(machine, lambda wrapper: machine.mfad("--recover", wrapper=wrapper, text=recovery)):
        is_back = machine.start_key_unit()
        if is_back in outcomes and number % EACH:
            continue
        outcomes.add(is_back)
        if not is_back:
            done = machine.mfad("--recover", text=recovery)
            assert done.returncode == 0, done.stderr
            assert machine.start_key_unit()
        assert_works(paired_daemon, "credential")
    assert outcomes == {False, True}, "the key came back at one of the steps"
