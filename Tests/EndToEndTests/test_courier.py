"""A courier that dies or hangs: the daemon keeps serving, reports the error, and recovers."""

import os
import select
import signal
import time

import pytest

from harness import flows
from harness.activation import handed, listener
from harness.programs import COURIER, PATIENCE


def courier(daemon):
    (pid,) = daemon.process.children
    return pid


def test_courier_is_a_child_process_and_ends_with_the_daemon(daemon, client):
    client.call("device.configure", geo=flows.GEO)
    pid = courier(daemon)
    with open(f"/proc/{pid}/comm", encoding="ascii") as file:
        assert file.read().strip() == "mfad-courier"
    with open(f"/proc/{pid}/environ", "rb") as file:
        assert not [word for word in file.read().split(b"\0") if word.lower().split(b"=")[0].endswith(b"_proxy")]
    watched = os.pidfd_open(pid)
    daemon.kill()
    assert wait_end(watched)


def test_courier_starts_only_with_the_first_network_request(daemon, client, sandbox):
    client.call("service.status")
    client.call("account.import", data="otpauth://totp/Example:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    client.call("passcode.get")
    assert daemon.process.children == []
    flows.pair(client, sandbox)
    assert courier(daemon)


def wait_end(pidfd):
    """Returns True if the process ends in time."""
    ready, _, _ = select.select([pidfd], [], [], PATIENCE)
    os.close(pidfd)
    return bool(ready)


def kill(daemon, number):
    """Signals the courier and waits until the daemon has noticed its death."""
    since = daemon.journal.count
    os.kill(courier(daemon), number)
    daemon.journal.wait("courier ended", since)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGABRT], ids=lambda number: number.name)
def test_dead_courier_is_restarted(daemon, client, sandbox, number):
    client.call("device.configure", geo=flows.GEO)
    for user in ("ann", "bob"):
        before = courier(daemon)
        kill(daemon, number)
        assert flows.pair(client, sandbox, user)
        assert courier(daemon) != before


def test_pushes_arrive_after_the_courier_died(daemon, paired, sandbox):
    for _ in range(3):
        kill(daemon, signal.SIGKILL)
        started, push = flows.push(paired, sandbox)
        paired.call("notification.approve", notification=push["id"])
        assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_request_in_flight_fails_as_retryable_if_the_courier_dies(daemon, client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    key = sandbox.pairing_key("ann")
    with sandbox.held():
        number = client.begin("pairing.pair", pairingKey=key)
        client.call("service.status")
        kill(daemon, signal.SIGKILL)
        error = client.refused(number)
    assert (error.code, error.retry) == (10004, True)
    assert flows.pair(client, sandbox)
    assert len(sandbox.devices("ann")) == 1


@pytest.mark.slow
def test_hung_courier_times_out_while_local_calls_are_served(daemon, paired, sandbox):
    hung = courier(daemon)
    os.kill(hung, signal.SIGSTOP)
    begun = time.monotonic()
    number = paired.begin("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    other = daemon.client()
    for _ in range(3):
        other.call("passcode.get")
        other.call("account.list")
    assert not paired.has_line, "local calls waited until the courier was given up"
    error = paired.refused(number)
    assert (error.code, error.retry) == (10004, True)
    assert time.monotonic() - begun > 25
    assert flows.pair(paired, sandbox, "bob")
    assert courier(daemon) != hung


@pytest.fixture
def spoiled(make_daemon, directory):
    """A running daemon with an invalid configuration file, and a function that starts a courier on its socket."""
    path = directory / "courier.sock"
    with listener(path) as given:
        daemon = make_daemon(courier_socket=path).start()
        with daemon.file.open("a") as file:
            file.write("platfrm = x\n")
        started = []

        def start():
            started.append(handed([COURIER, "--config", daemon.file], given.fileno()))
            return started[-1]

        yield daemon, start
    daemon.stop()
    for process in started:
        if process.is_running:
            process.signal(signal.SIGTERM)
        assert process.wait() == 0


def refuses(client):
    error = client.refusal("device.configure", geo=flows.GEO)
    return (error.code, error.cause, error.retry) == (10004, "courier-unavailable", True)


def overwrite(file, old, new):
    """Overwrites part of the file with one write, so that no reader sees a partial change."""
    with file.open("r+b") as opened:
        opened.seek(opened.read().index(old))
        opened.write(new)


def replace(file, old, new):
    """Replaces the file by rename, like editors."""
    other = file.with_suffix(".new")
    other.write_bytes(file.read_bytes().replace(old, new))
    other.replace(file)


@pytest.mark.parametrize("mend", [overwrite, replace])
def test_courier_with_an_invalid_file_refuses_requests_until_it_is_fixed(spoiled, sandbox, mend):
    daemon, start = spoiled
    process, client = start(), daemon.client()
    # If the courier exited, pending connections on the socket would restart it repeatedly.
    assert all(refuses(client) for _ in range(3)) and process.is_running
    overwrite(daemon.file, b"platfrm", b"no such")
    process.journal.wait("<3>the configuration cannot be used")
    assert refuses(client) and str(process.journal).count(": unknown key") == 2
    mend(daemon.file, b"no such = x\n", b"#")
    # The next courier reads the fixed file. The old one exits before the next request.
    assert process.wait() == 0
    process = start()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    started, push = flows.push(client, sandbox)
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED" and process.is_running
