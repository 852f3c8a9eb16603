"""Disk errors during administrator commands, during a start, and during a poll that returns a push.

Each error is injected at each system call on a state file. A reported success is stored. A failed operation is done
or has no effect, and repeating it completes it. No data is lost or duplicated. Only a few cases run here;
`Tests/faults` runs all.
"""

import shutil

import pytest

from harness import flows
from harness.backups import counting, mfad
from harness.client import RPCError
from harness.faults import ERRORS, SIGNS, chosen
from harness.host import paired as is_paired
from harness.key_machine import machine, meta, paired_daemon
from harness.tracer import Tracer, places

AT_ONCE = 2
"""Number of cases per operation in a normal test run."""


class Cases:
    """Injects each error at each system call of a program on a state file."""

    def __init__(self, daemon, name, record):
        directory = daemon.directory
        self._daemon, self._trace, self._name, self._record = daemon, directory / "trace", name, record
        # The sealed key is next to the state directory.
        self._wanted = [f"{directory}/state", f"{directory}/mfad.kek"]

    def strace(self, *options):
        # -D: the program itself is the child of this process, so that signals reach it.
        return ["strace", "-D", "--quiet=all", "-y", "-o", self._trace, *options]

    def play(self, run, check):
        """Traces a complete run, then runs and checks each case; raises all failures together."""
        run(self.strace())
        lines = self._trace.read_text(errors="replace").splitlines()
        calls = places(lines, lambda call, line: call in ERRORS and any(path in line for path in self._wanted))
        assert any(call == "pwrite64" for call, _ in calls) and len(calls) > 10
        cases = [(call, place, error) for call, place in calls for error in ERRORS[call]]
        failures, tried = [], 0
        for call, place, error in chosen(cases, self._name, AT_ONCE):
            self._trace.unlink()
            try:
                check(run(self.strace("-e", f"inject={call}:error={error}:when={place}")))
            except Exception as failure:
                failure.add_note(f"{error} at {call} {place}")
                failures.append(failure)
                if self._daemon.process.is_running:
                    self._daemon.kill()
            tried += any(sign in self._trace.read_text(errors="replace") for sign in SIGNS)
        self._record("faults", tried)
        if failures:
            raise ExceptionGroup("an error at a call", failures)


class Saved:
    """Saved directories and files, restored before each case. Files that did not exist are deleted."""

    def __init__(self, directory, *names):
        self._directory, self._place, self._names = directory, directory / "saved", names
        self._place.mkdir()
        for name in names:
            self._copy(directory / name, self._place / name)

    @staticmethod
    def _copy(source, target):
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy2(source, target)

    def put_back(self):
        for name in self._names:
            path = self._directory / name
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            self._copy(self._place / name, path)


def test_restore_survives_a_disk_error_at_any_call(counting, record_property):
    daemon, file, paired, account = counting
    client = daemon.client()
    assert client.call("passcode.get", account=account)["counter"] == 1
    client.call("account.remove", account=account)
    daemon.stop()
    saved = Saved(daemon.directory, "state", "state-rollback")

    def restore(wrapper=()):
        return mfad(daemon, "--restore", file, wrapper=wrapper)

    def restore_anew(wrapper):
        saved.put_back()
        return restore(wrapper)

    def accounts():
        daemon.start()
        client = daemon.client()
        assert client.call("audit.verify")["ok"]
        assert "rolledBackAt" not in client.call("service.status")["protection"]
        return {one["id"] for one in client.call("account.list")["accounts"]}

    def next_count(may_ask):
        client = daemon.client()
        try:
            return client.call("passcode.get", account=account)["counter"]
        except RPCError as error:
            assert may_ask and error.details == {"parameter": "confirm"}, error
            return client.call("passcode.get", account=account, confirm=True)["counter"]

    def check(done):
        outcome = accounts()
        daemon.stop()
        assert outcome == {paired, account} or (done.returncode and outcome == {paired}), done.stderr
        again = restore()
        assert again.returncode == 0, again.stderr
        assert accounts() == {paired, account}
        # A restore that succeeded despite an error may not have read the counters of the replaced state.
        assert next_count(may_ask=done.returncode == 0) == 1
        daemon.stop()

    Cases(daemon, "restore", record_property).play(restore_anew, check)


KEYS = ("state", "state-rollback", "mfad.kek", "host.secret")


def opens(daemon, machine):
    """Checks that the machine's key decrypts the existing secrets; returns True if the key is sealed."""
    assert machine.start_key_unit()
    daemon.start()
    client = daemon.client()
    assert client.call("passcode.get")["passcode"] and client.call("audit.verify")["ok"]
    kept = client.call("service.status")["protection"]["sealing"]
    daemon.stop()
    return kept == "credential"


@pytest.mark.parametrize("option", ["--rekey", "--seal"])
def test_key_change_survives_a_disk_error_at_any_call(paired_daemon, machine, directory, record_property, option):
    saved, is_sealing = Saved(directory, *KEYS), option == "--seal"

    def change(wrapper):
        saved.put_back()
        return machine.mfad(option, wrapper=wrapper)

    def check(done):
        is_sealed = opens(paired_daemon, machine)
        assert done.returncode or is_sealed == is_sealing, f"{done.stdout}{done.stderr}"
        machine.change(option)
        assert "key_successor" not in meta(directory)
        assert opens(paired_daemon, machine) == is_sealing

    Cases(paired_daemon, option, record_property).play(change, check)


def test_recovery_survives_a_disk_error_at_any_call(paired_daemon, machine, directory, record_property):
    recovery = machine.change("--seal") + "\n"
    machine.lose_what_unseals()
    saved = Saved(directory, *KEYS)

    def recover(wrapper=()):
        return machine.mfad("--recover", wrapper=wrapper, text=recovery)

    def recover_anew(wrapper):
        saved.put_back()
        return recover(wrapper)

    def check(done):
        if not machine.start_key_unit():
            assert done.returncode, f"{done.stdout}{done.stderr}"
            again = recover()
            assert again.returncode == 0, again.stderr
        assert opens(paired_daemon, machine)

    Cases(paired_daemon, "recover", record_property).play(recover_anew, check)


def test_start_survives_a_disk_error_at_any_call(hosts, directory, record_property):
    host = hosts(is_paired)
    host.restore()
    before, daemon = host.view(), host.daemon

    def start(wrapper):
        host.restore(starts=False)
        daemon.wrapper = wrapper
        try:
            daemon.spawn()
            daemon.wait_ready_or_ended()
        finally:
            daemon.wrapper = ()
        return daemon.process

    def check(process):
        if process.is_running:
            daemon.kill()
        host.start()
        assert host.view() == before, process.journal
        host.check_others()
        daemon.stop()
        host.check_file()

    Cases(daemon, "start", record_property).play(start, check)


def test_push_is_stored_once_despite_a_disk_error_during_the_poll(hosts, directory, record_property):
    host, tried = hosts(is_paired), 0
    watched = [option for file in host.files for option in ("-P", file)]

    def poll(*options):
        host.restore()
        tracer = Tracer(host.daemon.process.pid, directory / "trace", *watched, *options)
        started, push = flows.push(host.client, host.sandbox)
        return tracer.stop(), started, push

    calls = places(poll()[0], lambda call, _: call in ERRORS)
    cases = [(call, place, error) for call, place in calls for error in ERRORS[call]]
    assert any(call == "pwrite64" for call, _ in calls) and len(cases) > 5
    for call, place, error in chosen(cases, "poll", AT_ONCE):
        told = f"{error} at {call} {place}"
        lines, started, push = poll("-e", f"inject={call}:error={error}:when={place}")
        tried += any(sign in line for line in lines for sign in SIGNS)
        # The push is stored, and a second delivery by the platform does not duplicate it.
        host.daemon.kill()
        host.start()
        assert [one["id"] for one in host.client.call("notification.list")["notifications"]] == [push["id"]], told
        approved = host.client.call("notification.approve", notification=push["id"])["notification"]
        assert approved["state"] == "approved" and host.sandbox.authentication(started)["status"] == "COMPLETED", told
        host.check_others()
        host.daemon.stop()
        host.check_file()
    record_property("faults", tried)
