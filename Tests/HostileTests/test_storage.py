"""A failing disk: each failure gives its error, no change is partial, and the daemon recovers with the disk."""

import contextlib
import resource
import sqlite3
import subprocess

import pytest

from harness import tampering
from harness.programs import PATIENCE


def refused(stage, kind, method="payload.generate", **params):
    error = stage.client.refusal(method, **params)
    assert (error.code, error.reason, error.details) == (11010, "STORAGE", {"kind": kind}), error
    assert error.retry is True
    assert stage.client.call("rpc.discover")["openrpc"]


@contextlib.contextmanager
def locked(stage):
    database = sqlite3.connect(stage.daemon.state / "mfad.db", isolation_level=None)
    with contextlib.closing(database):
        database.execute("BEGIN EXCLUSIVE")
        yield database
        database.execute("ROLLBACK")


def push(stage, **claims):
    return stage.platform.sign_push(stage.platform.push_claims(**claims))


def test_locked_database_is_reported_as_busy_until_it_is_released(paired):
    shown = paired.client.call("notification.process", payload=push(paired))["notification"]
    token, before = push(paired), paired.state()
    with locked(paired):
        refused(paired, "busy")
        refused(paired, "busy", "notification.process", payload=token)
        refused(paired, "busy", "notification.approve", notification=shown["id"])
        refused(paired, "busy", "pairing.pair", pairingKey=paired.platform.make_pairing_key("bob"))
        # Reads need no lock.
        assert paired.state() == before and paired.client.call("passcode.get")["passcode"]
    assert paired.platform.decisions == [], "a decision was sent that is not on the disk"
    assert paired.client.call("notification.process", payload=token)["notification"]["state"] == "pending"
    paired.client.call("notification.approve", notification=shown["id"])
    paired.pair("bob")


def test_pushes_that_cannot_be_stored_are_fetched_again(paired):
    polls = paired.platform.hold("GET /notifications")
    paired.platform.deliver(None)
    batch = 200, {"notifications": [push(paired, title="one"), push(paired, title="two")], "cursor": "next", "more": False}
    poll = polls.next()
    paired.client.call("event.subscribe", topics=["notification"])
    with locked(paired):
        poll.answer(*batch)
        again = polls.next()
        assert again.request.query.get("after") == poll.request.query.get("after"), "the cursor moved past what was lost"
        assert paired.state()["notifications"] == []
    assert not paired.client.events, "subscribers were told of a push that is not stored"
    again.answer(*batch)
    assert polls.next().request.query["after"] == "next"
    assert [n["title"] for n in paired.state()["notifications"]] == ["two", "one"]


@contextlib.contextmanager
def full(stage):
    """Sets the daemon's file size limit to 0: each write fails, with SIGXFSZ in addition."""
    before = resource.prlimit(stage.daemon.process.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    yield
    resource.prlimit(stage.daemon.process.pid, resource.RLIMIT_FSIZE, before)


def test_full_disk_is_reported_and_leaves_no_partial_change(paired):
    shown = paired.client.call("notification.process", payload=push(paired))["notification"]
    token, before = push(paired), paired.state()
    with full(paired):
        refused(paired, "full")
        refused(paired, "full", "notification.process", payload=token)
        refused(paired, "full", "notification.approve", notification=shown["id"])
        refused(paired, "full", "pairing.pair", pairingKey=paired.platform.make_pairing_key("bob"))
        assert paired.state() == before
        assert paired.client.call("passcode.get")["passcode"]
    assert paired.platform.decisions == []
    assert paired.state() == before
    assert paired.client.call("notification.process", payload=token)["notification"]["state"] == "pending"
    assert paired.client.call("notification.approve", notification=shown["id"])["notification"]["state"] == "approved"
    paired.pair("bob")
    paired.restart()
    assert len(paired.state()["accounts"]) == 2 and len(paired.state()["notifications"]) == 2


def test_pairing_can_be_repeated_if_the_disk_fills_during_it(configured):
    key = configured.platform.make_pairing_key()
    held = configured.platform.hold("POST /pairings")
    number = configured.client.begin("pairing.pair", pairingKey=key)
    exchange = held.next()
    with full(configured):
        exchange.answer_honestly()
        message = configured.client.receive()
        assert message["id"] == number and message["error"]["data"]["details"] == {"kind": "full"}
        assert configured.state()["accounts"] == []
    # The platform gives the same response to the same key, so a repeated call succeeds.
    configured.platform.be_honest()
    assert configured.client.call("pairing.pair", pairingKey=key)["user"]["id"] == "user-ann"
    assert len(configured.state()["accounts"]) == 1


# Root without the capabilities to override file permissions, so that permissions apply.
PLAIN_ROOT = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def test_unwritable_database_is_reported_as_read_only(make_stage):
    stage = make_stage(wrapper=PLAIN_ROOT).configure()
    stage.daemon.stop()
    state = stage.daemon.state
    files = [path for path in state.iterdir() if path.name.startswith("mfad.db")]
    for path in files:
        path.chmod(0o400)
    state.chmod(0o500)
    stage.start()
    error = stage.client.refusal("payload.generate")
    assert (error.code, error.details) == (11010, {"kind": "readOnly"})
    assert stage.client.call("rpc.discover")
    state.chmod(0o700)
    for path in files:
        path.chmod(0o600)
    # A database that failed to open is opened again at the next use. A read-only database needs a restart.
    stage.restart()
    assert stage.client.call("payload.generate")["mobilePayload"]


def damaged(stage, damage):
    """Starts the daemon with a damaged database. Returns its path and the original bytes."""
    stage.daemon.stop()
    path = stage.daemon.state / "mfad.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sound = path.read_bytes()
    path.write_bytes(damage(sound))
    for name in ("mfad.db-wal", "mfad.db-shm"):
        (stage.daemon.state / name).unlink(missing_ok=True)
    stage.start()
    return path, sound


DAMAGES = {
    "no database": lambda sound: b"This is not a database. " * 1000,
    "another header": lambda sound: b"X" * 100 + sound[100:],
    "every page but the first overwritten": lambda sound: sound[:4096] + b"\xa5" * (len(sound) - 4096),
    "cut in half": lambda sound: sound[:len(sound) // 2],
    "random bytes": lambda sound: bytes(number * 7919 % 251 for number in range(len(sound))),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_database_is_reported_as_corrupt_and_the_daemon_keeps_running(paired, damage):
    before = paired.state()
    path, sound = damaged(paired, DAMAGES[damage])
    for method in ("payload.generate", "account.list", "notification.list", "passcode.get"):
        refused(paired, "corrupt", method)
    paired.daemon.stop()
    for name in ("mfad.db-wal", "mfad.db-shm"):
        (paired.daemon.state / name).unlink(missing_ok=True)
    path.write_bytes(sound)
    paired.start()
    assert paired.state() == before


def test_database_of_a_newer_version_is_refused_and_not_changed(paired):
    path = paired.daemon.state / "mfad.db"
    with contextlib.closing(sqlite3.connect(path)) as database:
        version = database.execute("PRAGMA user_version").fetchone()[0]
    before = paired.state()
    paired.daemon.stop()
    with tampering.opened(path) as database:
        database.execute(f"PRAGMA user_version = {version + 1}")
        rows = list(database.iterdump())
    paired.start()
    for method in ("payload.generate", "account.list"):
        refused(paired, "newer", method)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        assert list(database.iterdump()) == rows
        database.execute(f"PRAGMA user_version = {version}")
    # Each use tries again, so no restart is needed.
    assert paired.state() == before


def test_second_daemon_on_the_same_state_does_not_start(paired):
    daemon = paired.daemon
    outcome = subprocess.run(
        [*daemon.command, "--socket", daemon.directory / "second.sock"], capture_output=True, timeout=PATIENCE)
    assert outcome.returncode == 1 and b"in use by process" in outcome.stderr
    assert paired.client.call("passcode.get")["passcode"]
    assert paired.connect().call("account.list")["accounts"]


def test_killed_daemon_loses_no_confirmed_change(paired):
    shown = [paired.client.call("notification.process", payload=push(paired))["notification"]["id"] for _ in range(5)]
    paired.daemon.kill()
    paired.start()
    assert [n["id"] for n in paired.state()["notifications"]] == list(reversed(shown))
    assert paired.client.call("passcode.get")["passcode"]
