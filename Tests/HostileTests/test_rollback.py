"""A rolled-back state: an attacker with temporary access to the disk replaces the state by an older copy."""

import contextlib
import shutil
import sqlite3

import pytest

from harness.tampering import opened

NOTICED = "daemon.noticeRollback"


def copied(stage, name):
    """Copies the state directory while no daemon runs."""
    copy = stage.directory / name
    shutil.copytree(stage.daemon.state, copy)
    return copy


def put_back(stage, copy):
    shutil.rmtree(stage.daemon.state)
    shutil.copytree(copy, stage.daemon.state)


def counter(stage):
    return stage.daemon.state.with_name(stage.daemon.state.name + "-rollback") / "counter"


def change(stage):
    """Changes a stored setting."""
    stage.client.call("device.setPushAllowed", allowed=False)
    stage.client.call("device.setPushAllowed", allowed=True)


def protection(stage):
    return stage.client.call("service.status")["protection"]


def findings(stage):
    """The rollback entries of the audit, the oldest first."""
    return [entry["target"] for entry in reversed(stage.client.call("audit.list")["entries"]) if entry["method"] == NOTICED]


def assert_unnoticed(stage):
    status = protection(stage)
    assert status["rollback"] == "file" and "rolledBackAt" not in status
    assert not findings(stage)
    assert stage.client.call("audit.verify")["ok"]


@pytest.fixture
def aged(paired):
    """A stage with a stopped daemon, and an older copy of its state."""
    paired.daemon.stop()
    older = copied(paired, "older")
    paired.start()
    assert_unnoticed(paired)
    change(paired)
    paired.daemon.stop()
    return paired, older


def test_rolled_back_state_is_reported_in_status_audit_and_journal(aged):
    stage, older = aged
    put_back(stage, older)
    stage.start()
    stage.daemon.journal.wait("the state is not the latest one")
    status = protection(stage)
    assert status["rollback"] == "file" and status["rolledBackAt"]
    assert findings(stage) == ["older"]
    # Audit entries are missing, and no chain shows the gap.
    gap = [entry["id"] for entry in stage.client.call("audit.list")["entries"] if entry["method"] == NOTICED]
    verified = stage.client.call("audit.verify")
    assert (verified["ok"], verified["brokenAt"]) == (False, gap[0])
    # The daemon keeps serving, and reports the rollback once.
    assert stage.client.call("passcode.get")["passcode"]
    stage.restart()
    assert findings(stage) == ["older"] and protection(stage)["rolledBackAt"] == status["rolledBackAt"]


def test_every_rollback_is_detected_including_repeated_ones(aged):
    stage, older = aged
    newest = copied(stage, "newest")
    for copy in (older, newest, older):
        put_back(stage, copy)
        stage.start()
        assert findings(stage)[-1] == "older"
        change(stage)
        stage.daemon.stop()
    stage.start()


@pytest.mark.parametrize("name, content", [("missing", None), ("foreign", b"nonsense\n"), ("foreign", b"x" * 100_000)])
def test_missing_or_foreign_rollback_counter_is_reported(aged, name, content):
    stage, older = aged
    put_back(stage, older)
    if content is None:
        counter(stage).unlink()
    else:
        counter(stage).write_bytes(content)
    stage.start()
    assert findings(stage) == [name]
    assert protection(stage)["rollback"] == "file"


@pytest.mark.parametrize("statement", [
    "UPDATE rollback SET count = count + 1000000", "UPDATE rollback SET replaced = x''", "DELETE FROM rollback",
])
def test_rollback_is_detected_if_its_database_rows_are_changed(aged, statement):
    stage, older = aged
    put_back(stage, older)
    with opened(stage.daemon.state / "mfad.db") as database:
        assert database.execute(statement).rowcount == 1
    stage.start()
    assert findings(stage) in (["older"], ["foreign"])


def test_stopped_or_killed_daemon_is_not_mistaken_for_a_rollback(paired):
    for end in ("stop", "kill", "kill"):
        change(paired)
        getattr(paired.daemon, end)()
        paired.start()
        assert_unnoticed(paired)


def test_unwritable_rollback_counter_is_reported_and_does_not_block_calls(paired):
    paired.daemon.stop()
    directory = counter(paired).parent
    shutil.rmtree(directory)
    directory.write_text("no directory\n")
    paired.start()
    assert not findings(paired)
    assert protection(paired)["rollback"] == "none"
    assert paired.client.call("passcode.get")["passcode"]


AUDIT = ["audit", "audit_chain", "audit_total"]


def verified(stage):
    return stage.client.call("audit.verify")


@pytest.fixture
def audited(paired):
    """A stage with a stopped daemon and several audit entries."""
    change(paired)
    assert verified(paired)["ok"] and verified(paired)["entries"] > 2
    paired.daemon.stop()
    return paired


def assert_incomplete(stage):
    change(stage)
    stage.daemon.journal.wait("the state is not the latest one")
    assert findings(stage)[-1] == "incomplete" and "rolledBackAt" in protection(stage)
    assert not verified(stage)["ok"]
    # Later entries do not hide the gap, not even after further starts.
    for _ in range(3):
        change(stage)
    stage.restart()
    change(stage)
    assert not verified(stage)["ok"]


def test_emptied_audit_is_reported(audited):
    with opened(audited.daemon.state / "mfad.db") as database:
        for table in AUDIT:
            database.execute(f"DELETE FROM {table}")
    audited.start()
    assert_incomplete(audited)


def test_audit_that_is_emptied_while_the_daemon_runs_is_reported(paired):
    change(paired)
    with contextlib.closing(sqlite3.connect(paired.daemon.state / "mfad.db", isolation_level=None)) as database:
        for table in AUDIT:
            database.execute(f"DELETE FROM {table}")
    assert_incomplete(paired)


def test_older_copy_of_the_audit_alone_is_reported(audited):
    older = copied(audited, "older")
    audited.start()
    change(audited)
    audited.daemon.stop()
    with opened(audited.daemon.state / "mfad.db") as database:
        database.execute("ATTACH DATABASE ? AS older", (str(older / "mfad.db"),))
        for table in AUDIT:
            database.execute(f"DELETE FROM {table}")
            database.execute(f"INSERT INTO {table} SELECT * FROM older.{table}")
    audited.start()
    assert_incomplete(audited)


def test_older_state_without_its_rollback_row_and_counter_is_reported(aged):
    stage, older = aged
    put_back(stage, older)
    counter(stage).unlink()
    with opened(stage.daemon.state / "mfad.db") as database:
        database.execute("DELETE FROM rollback")
    stage.start()
    assert findings(stage) == ["missing"] and "rolledBackAt" in protection(stage)
