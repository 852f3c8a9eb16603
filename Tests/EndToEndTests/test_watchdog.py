"""Watchdog pings to the service manager: sent while the daemon is healthy, and only then."""

import contextlib
import select
import signal
import sqlite3
import time

import pytest

from harness import flows
from harness.programs import PATIENCE, wait_until

PING = {"WATCHDOG": "1"}
INTERVAL = 0.2
SILENCE = 10 * INTERVAL


@pytest.fixture
def watched(make_daemon):
    """A daemon with an enabled watchdog."""
    return make_daemon(wrapper=["env", f"WATCHDOG_USEC={int(2 * INTERVAL * 1e6)}"]).start()


def drain(notifications):
    """Discards the notifications so far."""
    while select.select([notifications], [], [], 0)[0]:
        notifications.next()


def assert_silent(daemon):
    """Asserts that nothing is sent for many intervals. Discards a ping in flight first."""
    drain(daemon.notifications)
    time.sleep(SILENCE)
    assert not select.select([daemon.notifications], [], [], 0)[0]


def test_healthy_daemon_sends_watchdog_pings(watched):
    assert [watched.notifications.next() for _ in range(5)] == [PING] * 5


def test_no_ping_is_sent_without_a_watchdog(daemon):
    assert_silent(daemon)


def test_no_ping_is_sent_if_watchdog_pid_is_another_process(make_daemon):
    daemon = make_daemon(wrapper=["env", "WATCHDOG_USEC=400000", "WATCHDOG_PID=1"]).start()
    assert_silent(daemon)


def test_no_ping_is_sent_while_the_process_is_stopped(watched):
    watched.notifications.next()
    watched.process.signal(signal.SIGSTOP)
    try:
        # A ping in flight is sent before the process stops.
        wait_until(lambda: watched.process.status_field("State").startswith("T"))
        assert_silent(watched)
    finally:
        watched.process.signal(signal.SIGCONT)
    assert watched.notifications.next() == PING


def test_watchdog_ping_stops_if_the_database_is_not_writable(watched, directory):
    watched.client().call("device.configure", geo=flows.GEO)
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db", isolation_level=None, timeout=PATIENCE)) as other:
        other.execute("BEGIN IMMEDIATE")
        watched.journal.wait("no watchdog ping is sent: a check failed")
        assert_silent(watched)
        other.execute("ROLLBACK")
    assert watched.notifications.next() == PING
    assert str(watched.journal).count("no watchdog ping is sent: a check failed") == 1
    watched.stop(expecting=["no watchdog ping is sent: a check failed"])


def test_watchdog_ping_stops_if_key_check_fails(watched, directory, sandbox):
    flows.pair(watched.client(), sandbox)
    with contextlib.closing(sqlite3.connect(directory / "state" / "mfad.db", isolation_level=None, timeout=PATIENCE)) as other:
        ((proof,),) = other.execute("SELECT value FROM meta WHERE name = 'key_proof'").fetchall()
        other.execute("UPDATE meta SET value = ? WHERE name = 'key_proof'", [bytes(len(proof))])
        said = watched.journal.wait("no watchdog ping is sent: a check failed")
        assert_silent(watched)
        other.execute("UPDATE meta SET value = ? WHERE name = 'key_proof'", [proof])
    assert watched.notifications.next() == PING
    assert "the message is not authentic" in said, said
    watched.stop(expecting=["no watchdog ping is sent: a check failed"])


def test_watchdog_pings_continue_with_a_damaged_database(watched, directory):
    """A restart would find the same damage."""
    watched.client().call("device.configure", geo=flows.GEO)
    watched.stop()
    with (directory / "state" / "mfad.db").open("r+b") as file:
        file.write(bytes(4096))
    (directory / "state" / "mfad.db-wal").unlink(missing_ok=True)
    watched.start()
    assert watched.client().refusal("account.list").code == 11010
    drain(watched.notifications)
    pings = [message for message in (watched.notifications.next() for _ in range(4)) if message == PING]
    assert len(pings) >= 3
    watched.stop(expecting=["sqlite: ", "pages of the database are damaged"])


def test_watchdog_pings_continue_with_an_unavailable_key(make_daemon, directory, sandbox):
    daemon = make_daemon(wrapper=["env", f"WATCHDOG_USEC={int(2 * INTERVAL * 1e6)}"]).start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    (directory / "state" / "key").unlink()
    daemon.start()
    client = daemon.client()
    assert client.refusal("passcode.get").code == 11018
    drain(daemon.notifications)
    assert [daemon.notifications.next() for _ in range(3)] == [PING] * 3
    daemon.stop(expecting=["the key-encryption key is unavailable", "work of the previous run cannot be resumed"])
