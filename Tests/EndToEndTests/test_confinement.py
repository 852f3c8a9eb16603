"""Privileges that mfad and mfad-courier drop at start, as the kernel reports them, and operations that still work."""

import ctypes
import os
from socket import AF_INET, AF_UNIX

import pytest

from harness import flows, injection
from harness.courier import Courier
from harness.injection import injected


def kernel_status(pid):
    """Returns the fields of /proc/PID/status."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file)


def assert_confined(pid):
    fields = kernel_status(pid)
    assert (fields["Seccomp"], fields["NoNewPrivs"]) == ("2", "1")
    assert fields["Threads"] == "1"


def landlock():
    """Returns the Landlock entry of the status: the kernel's version, at most 6. Empty without Landlock."""
    version = ctypes.CDLL(None).syscall(ctypes.c_long(444), None, ctypes.c_size_t(0), ctypes.c_uint(1))
    return [f"landlock:{min(version, 6)}"] if version > 0 else []


def child(daemon):
    (pid,) = daemon.process.children
    return pid


def test_daemon_and_its_courier_are_confined_and_can_pair(daemon, client, sandbox):
    flows.pair(client, sandbox)
    assert_confined(daemon.process.pid)
    assert_confined(child(daemon))
    confinement = client.call("service.status")["protection"]["confinement"]
    assert confinement == ["no-new-privileges", *landlock(), "seccomp", "no-dump"]
    daemon.journal.wait(f"<6>confined by={','.join(confinement)}")


def test_courier_behind_a_socket_is_confined(make_daemon, directory, sandbox):
    outside = directory / "courier.sock"
    daemon = make_daemon(courier_socket=outside)
    courier = Courier(daemon.file, outside, ["--socket", outside])
    daemon.start()
    assert flows.pair(daemon.client(), sandbox)
    assert_confined(daemon.process.pid)
    assert_confined(courier.process.pid)
    assert daemon.process.children == []
    daemon.stop()
    courier.stop()
    assert not outside.exists(), "its own socket goes with it"


def test_daemon_of_a_users_service_uses_the_courier_of_its_own_unit(make_daemon, directory, sandbox):
    outside = directory / "courier.sock"
    daemon = make_daemon(wrapper=["env", f"MFAD_COURIER_SOCKET={outside}"])
    courier = Courier(daemon.file, outside, ["--socket", outside])
    daemon.start()
    assert flows.pair(daemon.client(), sandbox)
    assert daemon.process.children == []
    daemon.stop()
    courier.stop()


needs_injection = pytest.mark.skipif(
    os.uname().machine != injection.ARCHITECTURE or not landlock(), reason="no such registers, or no Landlock"
)


def outcome(pid, file):
    """Returns the errors of a running program for opening a file, IP and Unix sockets, and execve. None: allowed."""
    with injected(pid) as held:
        return held.open(file), held.make_socket(AF_INET), held.make_socket(AF_UNIX), held.execute("/usr/bin/true")


def assert_harmless(pid, other, state):
    """Checks that a running program changes neither the mode of the state nor limits, and makes no datagram sockets."""
    with injected(pid) as held:
        assert held.attack(state, other) == ["EPERM"] * 3
    assert state.stat().st_mode & 0o777 == 0o600


@needs_injection
def test_kernel_refuses_dropped_privileges_of_running_programs(make_daemon, directory, sandbox, tmp_path):
    outside = directory / "courier.sock"
    elsewhere = tmp_path / "file"
    elsewhere.write_text("somebody else's\n")
    daemon = make_daemon(courier_socket=outside)
    courier = Courier(daemon.file, outside, ["--socket", outside])
    client = daemon.start().client()
    flows.pair(client, sandbox)
    state = directory / "state" / "mfad.db"
    assert outcome(daemon.process.pid, state) == (None, "EAFNOSUPPORT", None, "EPERM")
    assert outcome(daemon.process.pid, elsewhere) == ("EACCES", "EAFNOSUPPORT", None, "EPERM")
    assert outcome(courier.process.pid, state) == ("EACCES", None, "EAFNOSUPPORT", "EPERM")
    assert outcome(courier.process.pid, daemon.file) == (None, None, "EAFNOSUPPORT", "EPERM")
    assert_harmless(courier.process.pid, daemon.process.pid, state)
    assert_harmless(daemon.process.pid, courier.process.pid, state)
    # Both programs still work.
    assert client.call("device.info")["errors"] == []
    daemon.stop()
    courier.stop()


@needs_injection
def test_daemon_keeps_the_privileges_that_its_child_courier_needs(daemon, client, directory, sandbox):
    flows.pair(client, sandbox)
    state = directory / "state" / "mfad.db"
    assert outcome(daemon.process.pid, state) == (None, None, None, "EACCES")
    assert outcome(child(daemon), state) == ("EACCES", None, "EAFNOSUPPORT", "EPERM")
    assert_harmless(child(daemon), daemon.process.pid, state)
    assert_harmless(daemon.process.pid, child(daemon), state)
    assert client.call("device.info")["errors"] == []


def test_missing_kernel_features_are_logged_once_and_tolerated(make_daemon, sandbox):
    """Simulates an older kernel by calls that fail with ENOSYS."""
    calls = "inject=landlock_create_ruleset,seccomp:error=ENOSYS"
    strace = ["strace", "-D", "--quiet=all", "-o", "/dev/null", "-e", "trace=landlock_create_ruleset,seccomp", "-e", calls]
    daemon = make_daemon(wrapper=strace)
    daemon.start()
    client = daemon.client()
    assert client.call("service.status")["protection"]["confinement"] == ["no-new-privileges", "no-dump"]
    lines = [line for line in daemon.journal if "the kernel does not support a kind of confinement" in line]
    assert [line.startswith("<4>") for line in lines] == [True, True]
    assert "landlock" in lines[0] and "seccomp" in lines[1]


def replace(file, text):
    """Replaces a file by rename, like editors and package managers."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


@pytest.mark.parametrize("way", ["written over", "replaced"])
def test_reload_reads_a_file_that_was_overwritten_or_replaced(daemon, client, sandbox, way):
    client.call("device.configure", geo=flows.GEO)
    before = child(daemon)
    text = daemon.file.read_text().replace("log_level = debug", "log_level = info")
    since = daemon.journal.count
    if way == "replaced":
        replace(daemon.file, text)
    else:
        daemon.file.write_text(text)
    daemon.process.signal(1)
    daemon.journal.wait("the configuration was read again", since)
    if way == "replaced":
        # Dropped privileges cannot be regained: a new courier process reads the new file.
        daemon.journal.wait("exiting, so that a new courier reads the changed file", since)
    else:
        daemon.journal.wait("<6>configuration read again", since)
    assert flows.pair(client, sandbox)
    assert (child(daemon) == before) == (way == "written over")
