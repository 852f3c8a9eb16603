"""The key-encryption key: sealing, passing by systemd, loss, recovery and change."""

import os
import re
import shutil
import subprocess
import time

import pytest

from harness import flows, users
from harness.authctl import Authctl
from harness.daemon import Daemon
from harness.key_machine import CREDENTIAL, CREDS, assert_works, machine, meta, paired_daemon, sealing, wrapped
from harness.process import Process
from harness.programs import MFAD, PATIENCE, environment


def test_rekey_wraps_every_secret_with_the_new_key(paired_daemon, machine, directory):
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
    paired_daemon.stop(expecting=["the key-encryption key is unavailable", "work of the previous run cannot be resumed"])


def test_sealed_key_is_in_no_other_file(paired_daemon, machine, directory):
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


def test_failed_sealing_leaves_the_key_and_its_recovery_key_valid(paired_daemon, machine, directory):
    recovery = machine.change("--rekey") + "\n"
    script = directory / "bin" / "systemd-creds"
    working = script.read_text()
    script.write_text("#!/bin/sh\nexit 1\n")
    done = machine.mfad("--seal")
    assert done.returncode != 0 and "systemd-creds encrypt failed" in done.stderr
    assert "key_successor" not in meta(directory)
    script.write_text(working)
    machine.key.unlink()
    done = machine.mfad("--recover", text=recovery)
    assert done.returncode == 0, done.stderr
    assert_works(paired_daemon)


def test_new_installation_can_seal_its_key_before_the_first_start(make_daemon, machine, sandbox):
    daemon = make_daemon(wrapper=["env", f"MFAD_KEY_DIRECTORY={machine.handed_over}"])
    machine.change("--seal")
    assert machine.start_key_unit()
    daemon.start()
    assert flows.pair(daemon.client(), sandbox)
    assert sealing(daemon) == "credential" and not machine.key.exists()


def test_daemon_starts_without_the_sealed_key_and_recovery_restores_it(paired_daemon, machine, directory):
    recovery = machine.change("--seal")
    machine.lose_what_unseals()
    assert not machine.start_key_unit()
    paired_daemon.spawn()
    assert paired_daemon.notifications.next() == {"READY": "1", "STATUS": "serving"}
    assert "mfad --recover" in paired_daemon.notifications.next()["STATUS"]
    paired_daemon.journal.wait("<4>refusing requests that need the missing key-encryption key; mfad --recover restores it")
    client = paired_daemon.client()
    error = client.refusal("passcode.get")
    assert (error.code, error.cause) == (11018, "key-sealed")
    told = Authctl(paired_daemon.socket).run("otp")
    assert (told.status, told.output) == (9, "") and error.message in told.errors
    assert '"journalctl -u mfad-key" shows the reason' in told.errors and "mfad --recover" in told.errors
    paired_daemon.journal.wait("a call failed method=passcode.get code=11018 cause=key-sealed at=- ")
    assert client.call("service.status")["protection"]["sealing"] == "unavailable"
    assert not machine.key.exists(), "a new key would open nothing"
    paired_daemon.stop(expecting=["the key-encryption key is unavailable", "work of the previous run cannot be resumed"])

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


def test_unavailable_sealed_key_is_not_replaced_in_a_new_state(make_daemon, machine, sandbox):
    machine.sealed.write_text("what this machine cannot open\n")
    daemon = make_daemon().start()
    assert daemon.client().refusal("device.configure", geo=flows.GEO).code == 11018
    assert not machine.key.exists()
    daemon.stop(expecting=["the key-encryption key is unavailable"])


USERS_CREDS = '''#!/bin/sh
printf '%s\\n' "$*" >>calls
case $1 in encrypt) printf sealed: && cat ;; decrypt) tail -c +8 "$4" ;; esac
'''
"""A fake systemd-creds with user credentials, as of systemd 256. It records its arguments and returns its input."""


def test_key_of_a_user_daemon_is_sealed_with_user_credentials(sandbox):
    with users.open_directory() as path:
        programs, home = users.user_installation(path)
        (programs / "systemd-creds").write_text(USERS_CREDS)
        (programs / "systemd-creds").chmod(0o755)
        handed_over, sealed = home / "handed-over", home / CREDENTIAL
        wrapper = ["env", f"MFAD_KEY_DIRECTORY={handed_over}"]
        daemon = Daemon(home, sandbox, wrapper=wrapper, program=programs / MFAD.name, user=users.ANN_UID)

        def change(option):
            done = subprocess.run(
                [*daemon.command, option], cwd=home, env=environment(PATH=f"{programs}:/usr/bin:/bin"), text=True,
                capture_output=True, timeout=PATIENCE, user=users.ANN_UID, group=users.ANN_UID, extra_groups=[], check=False,
            )
            assert done.returncode == 0, done.stderr

        def take_calls():
            calls = (home / "calls").read_text().splitlines()
            (home / "calls").unlink()
            return calls

        encrypt = f"encrypt --user --name={CREDENTIAL} --with-key=auto - -"
        change("--seal")
        assert take_calls() == [encrypt]
        assert sealed.stat().st_uid == users.ANN_UID and not (home / "state" / "key").exists()
        material = sealed.read_bytes().removeprefix(b"sealed:")
        handed_over.mkdir(mode=0o755)
        (handed_over / CREDENTIAL).write_bytes(material)
        daemon.start()
        try:
            client = users.client_of(users.ANN_UID, daemon.socket)
            flows.pair(client, sandbox)
            assert client.call("service.status")["protection"]["sealing"] == "credential"
            client.finish()
        finally:
            daemon.end()
        # --rekey unseals the old key and seals the new one in the same way.
        change("--rekey")
        calls = take_calls()
        assert set(calls) == {f"decrypt --user --name={CREDENTIAL} {sealed} -", encrypt}, calls
        assert sealed.read_bytes().startswith(b"sealed:") and material not in sealed.read_bytes()


class SoftwareTPM:
    """A software TPM that systemd-creds reaches by a socket. Clearing replaces it by a new one."""

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
    """A TPM that the machine's systemd-creds seals with."""
    tpm = SoftwareTPM(directory)
    script = directory / "bin" / "systemd-creds"
    # systemd-creds detects a TPM by firmware and kernel, which do not know this one; so the script selects it.
    script.write_text(f"""#!/bin/bash
export SYSTEMD_CREDENTIAL_SECRET={directory}/host.secret
command=$1; shift
exec {CREDS} "$command" --tpm2-device={tpm.name} "${{@/--with-key=auto/--with-key=host+tpm2}}"
""")
    yield tpm
    tpm.stop()


def test_tpm_unseals_the_key_until_cleared_and_recovery_seals_with_the_new_tpm(paired_daemon, machine, tpm):
    recovery = machine.change("--seal")
    assert machine.start_key_unit()
    assert_works(paired_daemon, "tpm2")
    tpm.clear()
    assert not machine.start_key_unit(), "only that TPM opened it"
    paired_daemon.start()
    assert paired_daemon.client().refusal("passcode.get").code == 11018
    assert sealing(paired_daemon) == "unavailable"
    paired_daemon.stop(expecting=["the key-encryption key is unavailable", "work of the previous run cannot be resumed"])
    assert machine.mfad("--recover", text=recovery + "\n").returncode == 0
    assert machine.start_key_unit()
    assert_works(paired_daemon, "tpm2")


TPM = ["k6iUCUh0RJCQyvL8k8q1UyAAAAABAAAA", "DHzAexF2RZGcSwvqCLwg/iAAAAABAAAA"]


@pytest.mark.parametrize("header", TPM)
def test_sealing_is_reported_as_tpm2_by_the_credential_header(paired_daemon, machine, header):
    """The header has the TPM type of systemd-creds; the credential behind it cannot be decrypted."""
    machine.change("--seal")
    machine.start_key_unit()
    machine.sealed.write_text(header + machine.sealed.read_text()[32:])
    assert_works(paired_daemon, "tpm2")


def test_key_changes_fail_while_the_daemon_runs(paired_daemon, machine, directory):
    paired_daemon.start()
    before = wrapped(directory)
    for option in ("--rekey", "--seal"):
        done = machine.mfad(option)
        assert done.returncode == 1 and "is in use by process" in done.stderr
    assert wrapped(directory) == before


@pytest.mark.parametrize("option, saved", [("--rekey", users.ANN_UID), ("--seal", 0)])
def test_root_gives_up_its_ids_and_groups_before_it_opens_the_state(option, saved):
    """Only a key that systemd-creds seals needs root again."""
    with users.open_directory() as place:
        state, trace, file = place / "state", place / "trace", place / "mfad.conf"
        state.mkdir(mode=0o700)
        os.chown(state, users.ANN_UID, users.ANN_UID)
        file.write_text(f"state_directory = {state}\n")
        strace = ["strace", "-f", "-o", trace, "-e", "trace=setgroups,setresuid,setresgid,openat"]
        subprocess.run([*strace, MFAD, "--config", file, option], env=environment(), capture_output=True, check=option == "--rekey")
        calls = [line.split(maxsplit=1)[1] for line in trace.read_text().splitlines()]
        user = users.ANN_UID
        given_up = ["setgroups(0, NULL) = 0", f"setresgid({user}, {user}, {saved}) = 0", f"setresuid({user}, {user}, {saved}) = 0"]
        first = next(number for number, call in enumerate(calls) if f'"{state}/mfad.db' in call)
        done = [re.sub(r"\s+=", " =", call) for call in calls[:first] if call.startswith("set")]
        assert done == given_up
        assert option == "--seal" or (state / "key").stat().st_uid == user
