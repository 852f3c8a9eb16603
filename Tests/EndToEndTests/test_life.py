"""The daemon under a service manager: readiness, reload, stop, sockets and state."""

import os
import shutil
import signal
import socket
import stat
import subprocess
import time

import pytest

from harness import clock, flows
from harness.activation import activated, listener
from harness.client import Client
from harness.daemon import Daemon
from harness.figures import Figures
from harness.notify import NotifySocket
from harness.process import Process
from harness.programs import PATIENCE, environment, wait_until
from harness.tracer import Tracer


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_daemon_notifies_stopping_on_sigterm(daemon):
    daemon.process.signal(signal.SIGTERM)
    assert daemon.notifications.next() == {"STOPPING": "1", "STATUS": "ending"}
    assert daemon.process.wait() == 0


def test_daemon_stops_on_sigint(daemon):
    daemon.process.signal(signal.SIGINT)
    assert daemon.notifications.next()["STOPPING"] == "1"
    assert daemon.process.wait() == 0


def test_daemon_notifies_an_abstract_socket(daemon, directory, sandbox):
    daemon.stop()
    name = f"\0mfad-{os.getpid()}"
    notifications = NotifySocket(name)
    process = Process(daemon.command, env=environment(NOTIFY_SOCKET="@" + name[1:]))
    assert notifications.next()["READY"] == "1"
    notifications.close()
    process.signal(signal.SIGTERM)
    assert process.wait() == 0


def test_files_are_accessible_to_the_daemon_only(daemon, directory):
    daemon.client().call("device.configure", geo=flows.GEO)
    state = directory / "state"
    assert mode(state) == 0o700
    assert {path.name: mode(path) for path in state.iterdir()} == {path.name: 0o600 for path in state.iterdir()}
    assert mode(daemon.socket) == 0o600 and mode(daemon.socket.parent) == 0o700


def reload(daemon):
    """Reloads the daemon, and checks the notifications against sd_notify(3)."""
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    since = daemon.journal.count
    daemon.process.signal(signal.SIGHUP)
    reloading = daemon.notifications.next()
    assert reloading["RELOADING"] == "1"
    assert before <= int(reloading["MONOTONIC_USEC"]) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    assert daemon.notifications.next()["READY"] == "1"
    return since


def test_reload_applies_the_connection_limit(daemon, client):
    daemon.configure(max_connections_per_uid=1, log_level="info")
    since = reload(daemon)
    daemon.journal.wait("the configuration was read again", since)
    refused = Client(daemon.socket)
    assert refused.read_line()["error"]["code"] == 11006
    refused.close()
    assert client.call("service.status")["version"]


def test_reload_applies_require_approval(daemon, client, sandbox):
    flows.pair(client, sandbox)
    daemon.configure(require_approval="no")
    daemon.journal.wait("the configuration was read again", reload(daemon))
    made = sandbox.code(userApproval="NOT_REQUIRED")
    assert client.call("authentication.start", code=made["code"])["status"] == "COMPLETED"


def test_reload_warns_of_keys_that_need_a_restart(daemon, client, directory):
    daemon.configure(state_directory=directory / "elsewhere", app_id="other")
    since = reload(daemon)
    for key in ("state_directory", "app_id"):
        assert daemon.journal.wait(f"key={key}", since).startswith("<4>")
    assert client.call("device.configure", geo=flows.GEO)["deviceId"]
    assert not (directory / "elsewhere").exists()


def test_reload_of_an_invalid_file_changes_nothing(daemon, client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    daemon.file.write_text("nonsense\n")
    since = reload(daemon)
    line = daemon.journal.wait("the configuration was not read again", since)
    assert "mfad.conf:1: expected key = value" in line.replace("'", "")
    assert flows.pair(client, sandbox)
    daemon.stop(expecting=["the configuration was not read again", "configuration kept as it was"])


def test_daemon_serves_a_passed_socket(make_daemon, directory):
    daemon = make_daemon()
    path = directory / "given.sock"
    with listener(path) as given:
        # Clients that connected before the start are served.
        client = Client(path)
        number = client.begin("service.status")
        process, notifications = activated(daemon, given.fileno())
    assert notifications.next()["READY"] == "1"
    assert client.reply(number)["owner"]["uid"] == 0
    assert not daemon.socket.exists()
    process.signal(signal.SIGTERM)
    assert process.wait() == 0
    assert path.exists(), "a socket that was given is not taken away"
    client.close()
    notifications.close()


def test_start_fails_with_two_passed_sockets(make_daemon, directory):
    with listener(directory / "a.sock") as one, listener(directory / "b.sock") as other:
        process, notifications = activated(make_daemon(), one.fileno(), other.fileno())
        assert process.wait() == 1
    assert "LISTEN_FDS must be 1" in str(process.journal)
    notifications.close()


@pytest.mark.parametrize("kind", ["a file", "a socket that does not listen", "datagrams", "TCP"])
def test_start_fails_if_the_passed_descriptor_is_not_a_listening_unix_socket(make_daemon, directory, kind):
    daemon = make_daemon()
    given = {
        "a file": lambda: open(daemon.file, encoding="utf-8"),
        "a socket that does not listen": lambda: socket.socket(socket.AF_UNIX),
        "datagrams": lambda: socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
        "TCP": lambda: socket.create_server(("127.0.0.1", 0)),
    }[kind]()
    with given:
        process, notifications = activated(daemon, given.fileno())
        assert process.wait() == 1
    assert "is not a listening Unix stream socket" in str(process.journal)
    notifications.close()


def test_sockets_passed_to_another_process_are_ignored(make_daemon, directory):
    daemon = make_daemon()
    with listener(directory / "given.sock") as given:
        variables = environment(LISTEN_FDS="1", LISTEN_PID="1", NOTIFY_SOCKET=str(directory / "n.sock"))
        notifications = NotifySocket(directory / "n.sock")
        process = Process(daemon.command, env=variables, pass_fds=[given.fileno()])
        assert notifications.next()["READY"] == "1"
    assert daemon.socket.exists()
    process.signal(signal.SIGTERM)
    assert process.wait() == 0
    notifications.close()


def begin_pairing(client, key):
    """Requests a pairing, and returns when the daemon has started to process it."""
    number = client.begin("pairing.pair", pairingKey=key)
    # The daemon replies to the next request only after it has started this one.
    client.call("service.status")
    return number


def test_pending_request_is_answered_before_the_daemon_exits(make_daemon, sandbox):
    # The daemon waits less than a second at exit, too short on a busy machine; so its clock is slowed.
    daemon = make_daemon(clock=clock.slowed(50)).start()
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    key = sandbox.pairing_key("ann")
    with sandbox.held():
        number = begin_pairing(client, key)
        daemon.process.signal(signal.SIGTERM)
    assert client.reply(number)["user"]["username"] == "ann"
    assert daemon.process.wait() == 0


def test_slow_request_is_refused_when_the_daemon_exits(daemon, client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    key = sandbox.pairing_key("ann")
    with sandbox.held():
        number = begin_pairing(client, key)
        daemon.process.signal(signal.SIGTERM)
        assert daemon.process.wait() == 0
        error = client.refused(number)
    assert (error.code, error.retry) == (10004, True)


def test_daemon_exits_cleanly_during_a_key_derivation(daemon, directory):
    """The deriving thread uses the crypto library until the process ends; exit handlers must not release it."""
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    # At exit_group the exit handlers have run; the delay gives the thread two more seconds to use released memory.
    tracer = Tracer(daemon.process.pid, directory / "trace", "-e", "inject=exit_group:delay_enter=2s")
    client.begin("lock.set", pin="271828")
    wait_until(lambda: daemon.process.status_field("Threads") != "1")
    client.close()
    daemon.process.signal(signal.SIGTERM)
    assert daemon.process.wait() == 0
    assert any("exit_group" in line for line in tracer.stop())


def test_second_daemon_on_the_same_state_fails_and_names_the_first(daemon, directory, sandbox):
    second = Daemon(directory, sandbox, socket=directory / "second.sock")
    second.spawn()
    assert second.process.wait() == 1
    assert f"in use by process {daemon.process.pid}" in str(second.journal)
    second.end()
    assert daemon.client().call("service.status")["owner"]["configured"] is False


def test_second_daemon_on_the_same_socket_fails_and_names_the_first(daemon, directory, sandbox):
    """The second daemon has its own state, but would take over the clients of the first."""
    second = Daemon(directory, sandbox, state_directory=directory / "other")
    second.spawn()
    assert second.process.wait() == 1
    assert f"the socket is in use by process {daemon.process.pid}" in str(second.journal)
    second.end()
    assert daemon.client().call("service.status")["owner"]["configured"] is False
    daemon.kill()
    second.start()
    assert second.client().call("service.status")["version"]
    second.end()


def test_stale_socket_is_replaced(daemon):
    daemon.kill()
    assert daemon.socket.exists()
    daemon.start()
    assert daemon.client().call("service.status")["version"]


def test_daemon_starts_without_its_platform(make_daemon, sandbox):
    sandbox.stop()
    client = make_daemon().start().client()
    assert client.refusal("device.configure", geo=flows.GEO).code == 10004
    assert client.call("service.status")["platform"]["reachable"] is False


def test_daemon_has_one_thread_and_no_leaked_descriptors_after_use(daemon, sandbox):
    client = daemon.client()
    client.call("service.status")
    daemon.wait_checked()
    before = Figures.of(daemon.process.pid).files
    client.call("device.configure", geo=flows.GEO)
    client.subscribe()
    pairing = flows.sign_on(client, sandbox, "ann")["pairing"]
    client.call("pairing.approve", pairing=pairing["id"])
    _, push = flows.push(client, sandbox)
    client.call("notification.approve", notification=push["id"])
    claimed = client.call("authentication.start", code=sandbox.code()["code"])
    client.call("authentication.approve", authentication=claimed["id"])
    client.call("passcode.get", next=True)
    daemon.wait_for_one_thread()
    # The courier stays connected for a while.
    assert Figures.of(daemon.process.pid).files <= before + 1


def test_files_are_private_despite_a_permissive_umask(daemon, directory):
    """The umask of the parent process does not affect the mode of files."""
    daemon.stop()
    shutil.rmtree(directory / "state")
    process = subprocess.Popen(
        ["sh", "-c", 'umask 0; exec "$@"', "sh", *map(str, daemon.command)],
        env=environment(NOTIFY_SOCKET=str(directory / "n.sock")),
        stderr=subprocess.DEVNULL,
    )
    notifications = NotifySocket(directory / "n.sock")
    client = None
    try:
        assert notifications.next()["READY"] == "1"
        client = Client(daemon.socket)
        client.call("device.configure", geo=flows.GEO)
        assert not [path for path in (directory / "state").rglob("*") if mode(path) & 0o077]
        assert mode(directory / "state") == 0o700 and mode(daemon.socket) == 0o600
    finally:
        if client:
            client.close()
        process.terminate()
        assert process.wait(PATIENCE) == 0
        notifications.close()
