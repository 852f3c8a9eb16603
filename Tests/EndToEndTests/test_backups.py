"""Backups: created during operation, sealed as a whole, and without the data of erased owners."""

import contextlib
import json
import shutil
import sqlite3

import pytest

from harness import flows
from harness.backups import restore, wait_until_nothing_is_owed
from harness.tracer import Tracer
from harness.users import ANN_UID, BOB_UID

PERSONAL = [b"Archer", b"SQLite format 3"]
"""Plain text of the state, long enough not to occur by chance in encrypted data."""


@pytest.fixture
def root(shared):
    """A connection of root."""
    return shared[1](0)


def backups(daemon):
    return sorted((daemon.directory / "state" / "backups").iterdir())


def test_backup_is_one_sealed_file_and_is_listed(shared, root, two):
    daemon, _ = shared
    assert root.call("backup.list") == {"backups": []}
    made = root.call("backup.create")
    (file,) = backups(daemon)
    assert made["file"] == str(file) and made["bytes"] == file.stat().st_size > 4096
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700
    content = file.read_bytes()
    assert not [text for text in PERSONAL if text in content]
    assert root.call("backup.list") == {"backups": [made]}
    assert root.call("audit.list")["entries"][0]["method"] == "backup.create"


def test_only_the_last_seven_backups_are_kept(shared, root, two):
    daemon, _ = shared
    made = [root.call("backup.create")["file"] for _ in range(9)]
    assert [one["file"] for one in root.call("backup.list")["backups"]] == made[:1:-1]
    assert [str(path) for path in backups(daemon)] == made[2:]


def test_concurrent_backup_requests_create_one_backup(shared, root, two):
    daemon, _ = shared
    # Sent in one write, so that no request arrives after the first backup is complete.
    asked = [json.dumps({"jsonrpc": "2.0", "id": number, "method": "backup.create"}) for number in range(3)]
    root.send_line("\n".join(asked))
    assert len({root.read_line()["result"]["file"] for _ in asked}) == len(backups(daemon)) == 1


def test_backup_methods_require_root(two):
    first, _ = two
    for method in ("backup.create", "backup.list"):
        assert first.refusal(method).code == 11001


def test_requests_are_served_while_a_backup_is_created(shared, root, two, sandbox):
    first, second = two
    number = root.begin("backup.create")
    _, push = flows.push(first, sandbox, "ann")
    assert first.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"
    assert second.call("passcode.get")["passcode"]
    assert root.reply(number)["bytes"]


def test_unfinished_backup_files_are_deleted_at_start(shared, root, two):
    daemon, connect = shared
    kept = root.call("backup.create")["file"]
    for name in ("copy.db", "erasing.db", "20261122T000000000Z.backup.new"):
        (daemon.directory / "state" / "backups" / name).write_bytes(b"SQLite format 3")
    others = daemon.directory / "state" / "backups" / "notes.txt"
    others.write_text("what somebody keeps there\n")
    daemon.stop()
    daemon.start()
    assert [str(path) for path in backups(daemon)] == [kept, str(others)]


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_backup_fails_and_leaves_no_file_if_the_disk_fails(shared, root, two, directory, call):
    daemon, _ = shared
    tracer = Tracer(daemon.process.pid, directory / "trace", "-f", "-e", f"inject={call}:error=EIO:when=1")
    error = root.refusal("backup.create")
    assert any("INJECTED" in line for line in tracer.stop())
    assert (error.code, error.reason) == (11010, "STORAGE") and backups(daemon) == []
    made = root.call("backup.create")
    assert root.call("backup.list") == {"backups": [made]}
    daemon.stop(expecting=["the state cannot be read or written"])


# Erased owners


def contents(daemon, directory):
    """Restores each backup to a separate directory, and returns the set of owners of each."""
    owners = []
    for number, file in enumerate(backups(daemon)):
        apart = directory / f"apart{number}"
        apart.mkdir(mode=0o700)
        shutil.copy2(daemon.directory / "state" / "key", apart)
        restore(daemon, file, "--state-directory", apart)
        with contextlib.closing(sqlite3.connect(apart / "mfad.db")) as database:
            owners.append({uid for (uid,) in database.execute("SELECT uid FROM owner")})
            assert {uid for (uid,) in database.execute("SELECT owner FROM owner_slot")} <= owners[-1]
            assert {uid for (uid,) in database.execute("SELECT owner FROM audit")} <= owners[-1] | {0}
    return owners


def test_erased_owner_is_removed_from_existing_backups(shared, root, two, directory):
    daemon, _ = shared
    first, second = two
    for _ in range(2):
        root.call("backup.create")
    before = [file.read_bytes() for file in backups(daemon)]
    listed = root.call("backup.list")["backups"]
    root.call("owner.erase", uid=ANN_UID, confirm=True)
    wait_until_nothing_is_owed(daemon)
    assert [(one["file"], one["createdAt"]) for one in root.call("backup.list")["backups"]] == [
        (one["file"], one["createdAt"]) for one in listed]
    after = [file.read_bytes() for file in backups(daemon)]
    assert all(old[:280] != new[:280] and old[280:1000] != new[280:1000] for old, new in zip(before, after))
    assert second.call("passcode.get")["passcode"]
    daemon.stop()
    assert contents(daemon, directory) == [{BOB_UID}, {BOB_UID}]
    daemon.start()


def test_erasure_from_backups_is_completed_after_a_crash(shared, root, two, directory):
    daemon, _ = shared
    root.call("backup.create")
    root.call("owner.erase", uid=ANN_UID, confirm=True)
    daemon.kill()
    daemon.start()
    wait_until_nothing_is_owed(daemon)
    daemon.stop()
    assert contents(daemon, directory) == [{BOB_UID}]
    daemon.start()


def test_enrolment_after_an_erasure_creates_a_new_owner(shared, two, sandbox, directory):
    daemon, connect = shared
    root = connect(0)
    first, _ = two
    root.call("backup.create")
    root.call("owner.erase", uid=ANN_UID, confirm=True)
    wait_until_nothing_is_owed(daemon)
    account = flows.pair(first, sandbox)
    root.call("backup.create")
    wait_until_nothing_is_owed(daemon)
    daemon.stop()
    assert contents(daemon, directory) == [{BOB_UID}, {ANN_UID, BOB_UID}]
    # Restoring an older copy does not bring back an erased owner.
    daemon.start()
    copy = directory / "elsewhere.backup"
    shutil.copy2(backups(daemon)[-1], copy)
    connect(0).call("owner.erase", uid=ANN_UID, confirm=True)
    wait_until_nothing_is_owed(daemon)
    daemon.stop()
    restore(daemon, copy)
    daemon.start()
    assert [owner["uid"] for owner in connect(0).call("owner.list")["owners"]] == [BOB_UID]
    assert account and connect(ANN_UID).call("account.list") == {"accounts": []}
