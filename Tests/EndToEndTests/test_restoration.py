"""`mfad --restore`: removed accounts return, used passcodes and answers stay used, and an interruption does no harm."""

import contextlib
import re
import shutil
import sqlite3

import pyotp
import pytest

from harness import flows
from harness.backups import COUNTING, counting, mfad, restore, wait_until_nothing_is_owed


def audited(client):
    """Returns the audited methods, newest first, without the counts of passcodes."""
    methods = [entry["method"] for entry in client.call("audit.list")["entries"]]
    return [method for method in methods if method != "passcode.get"]


def check_that_a_push_is_approved(client, sandbox):
    client.subscribe()
    _, push = flows.push(client, sandbox)
    assert client.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"


def test_restore_brings_back_a_removed_account_and_keeps_a_denied_push(counting, sandbox):
    daemon, file, paired, account = counting
    client = daemon.client()
    client.subscribe()
    assert [client.call("passcode.get", account=account)["counter"] for _ in range(3)] == [1, 2, 3]
    _, push = flows.push(client, sandbox)
    client.call("notification.deny", notification=push["id"])
    client.call("account.remove", account=account)
    daemon.stop()
    assert restore(daemon, file) == "restored\n"
    daemon.start()
    client = daemon.client()
    assert client.call("passcode.get", account=paired)["passcode"]
    # The removal deleted the account's counter, so the counter of the backup applies.
    assert client.call("passcode.get", account=account)["counter"] == 1
    assert client.call("notification.get", notification=push["id"])["notification"]["state"] == "denied"
    assert audited(client)[0] == "daemon.restoreBackup" and "account.remove" in audited(client)
    assert client.call("audit.verify")["ok"]
    status = client.call("service.status")["protection"]
    assert status["rollback"] == "file" and "rolledBackAt" not in status
    check_that_a_push_is_approved(client, sandbox)


def test_restore_keeps_the_current_hotp_counter(counting):
    daemon, file, _, account = counting
    client = daemon.client()
    assert [client.call("passcode.get", account=account)["counter"] for _ in range(3)] == [1, 2, 3]
    daemon.stop()
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=account)["counter"] == 4


def test_restore_keeps_rotated_device_keys(counting, sandbox):
    daemon, file, _, _ = counting
    daemon.client().call("device.rotateKeys")
    daemon.stop()
    restore(daemon, file)
    daemon.start()
    client = daemon.client()
    check_that_a_push_is_approved(client, sandbox)


PIN = "h4r-to-guess"


def test_restore_keeps_the_current_pin_and_its_failed_tries(counting, sandbox):
    daemon, file, paired, _ = counting
    client = daemon.client()
    client.call("lock.set", pin=PIN)
    client.call("lock.now")
    left = client.refusal("lock.unlock", pin="something-else").details["triesLeft"]
    daemon.stop()
    restore(daemon, file)
    daemon.start()
    client = daemon.client()
    assert client.call("service.status")["protection"]["pin"] == "locked"
    assert client.refusal("passcode.get", account=paired).code == 11005
    assert client.refusal("lock.unlock", pin="something-else").details["triesLeft"] == left - 1
    client.call("lock.unlock", pin=PIN)
    assert client.call("passcode.get", account=paired)["passcode"]
    check_that_a_push_is_approved(client, sandbox)


def test_restore_without_current_state_disables_the_pin(counting):
    daemon, _, paired, _ = counting
    client = daemon.client()
    client.call("lock.set", pin=PIN)
    file = client.call("backup.create")["file"]
    daemon.stop()
    (daemon.directory / "state" / "mfad.db").unlink()
    restore(daemon, file)
    daemon.start()
    client = daemon.client()
    assert client.call("service.status")["protection"]["pin"] == "disabled"
    assert client.refusal("lock.unlock", pin=PIN).code == 11013


def restore_without_the_state_of_now(daemon, file):
    daemon.stop()
    (daemon.directory / "state" / "mfad.db").unlink()
    restore(daemon, file)
    return daemon.start().client()


def asks(client, account):
    error = client.refusal("passcode.get", account=account)
    return (error.code, error.reason, error.details) == (-32602, "INVALID_PARAMS", {"parameter": "confirm"})


def test_restore_without_current_state_makes_hotp_require_confirmation(counting, authctl):
    daemon, file, paired, account = counting
    assert daemon.client().call("passcode.get", account=account)["counter"] == 1
    client = restore_without_the_state_of_now(daemon, file)
    # A refused call does not advance the counter. Time-based passcodes need no confirmation.
    assert asks(client, account) and asks(client, account)
    assert client.call("passcode.get", account=paired)["passcode"]
    refused = authctl.run("otp", account)
    assert refused.status == 2 and "a backup" in refused.errors and "--yes" in refused.errors
    secret = re.search("secret=([A-Z2-7]+)", COUNTING)[1]
    for answer, wanted in (("n", "no passcode was used"), ("y", pyotp.HOTP(secret).at(1))):
        with authctl.terminal("otp", account) as terminal:
            terminal.expect("continue with it")
            terminal.sendline(answer)
            terminal.expect(wanted)
            assert (terminal.wait() == 0) == (answer == "y")
    assert client.call("passcode.get", account=account)["counter"] == 2


def test_hotp_requires_confirmation_until_confirmed_despite_another_restore(counting, authctl):
    daemon, file, _, account = counting
    later = daemon.client().call("backup.create")["file"]
    client = restore_without_the_state_of_now(daemon, file)
    assert asks(client, account)
    daemon.stop()
    restore(daemon, later)
    assert asks(daemon.start().client(), account)
    assert authctl.run("otp", account, "--yes").status == 0
    daemon.stop()
    restore(daemon, file)
    assert daemon.start().client().call("passcode.get", account=account)["counter"] == 2


def test_state_rolled_back_by_hand_after_a_restore_is_detected(counting):
    daemon, file, _, _ = counting
    daemon.stop()
    before = daemon.directory / "before"
    shutil.copytree(daemon.directory / "state", before)
    restore(daemon, file)
    daemon.start()
    daemon.stop()
    shutil.rmtree(daemon.directory / "state")
    shutil.copytree(before, daemon.directory / "state")
    daemon.start()
    assert daemon.client().call("service.status")["protection"]["rolledBackAt"]


def test_restore_works_into_another_directory_with_the_key(counting):
    daemon, file, paired, account = counting
    daemon.stop()
    second = daemon.directory / "second"
    second.mkdir(mode=0o700)
    shutil.copy2(daemon.directory / "state" / "key", second)
    assert "could not be read" in restore(daemon, file, "--state-directory", second)
    daemon.configure(state_directory=second)
    daemon.start()
    client = daemon.client()
    assert {one["id"] for one in client.call("account.list")["accounts"]} == {paired, account}
    assert client.call("passcode.get", account=paired)["passcode"]
    assert client.call("audit.verify")["ok"] and audited(client)[0] == "daemon.restoreBackup"


def spoil(database):
    for ending in ("-wal", "-shm"):
        database.with_name(database.name + ending).unlink(missing_ok=True)
    with open(database, "r+b") as file:
        file.seek(0)
        file.write(b"\0" * 4096)


@pytest.mark.parametrize("damage", [spoil, lambda database: database.unlink(), lambda database: database.write_bytes(b"")])
def test_restore_replaces_an_unreadable_database_and_expires_pushes(counting, sandbox, damage):
    daemon, _, paired, _ = counting
    client = daemon.client()
    client.subscribe()
    _, push = flows.push(client, sandbox)
    file = client.call("backup.create")["file"]
    daemon.stop()
    database = daemon.directory / "state" / "mfad.db"
    damage(database)
    damaged = database.read_bytes() if database.exists() else b""
    assert "could not be read" in restore(daemon, file)
    kept = database.with_name("mfad.db.damaged")
    assert not damaged or kept.read_bytes() == damaged
    daemon.start()
    client = daemon.client()
    assert client.call("passcode.get", account=paired)["passcode"]
    assert client.call("notification.get", notification=push["id"])["notification"]["state"] == "expired"
    assert client.call("audit.verify")["ok"]
    # The unreadable database may contain data of the erased owner.
    client.call("device.removeLocalData", confirm=True)
    wait_until_nothing_is_owed(daemon)
    assert not kept.exists()


# Interruptions


STEPS = "openat,pwrite64,write,fsync,fdatasync,rename,unlink,mkdir,rmdir,ftruncate"


@pytest.mark.slow
def test_restore_killed_at_any_step_leaves_the_old_or_the_new_state(counting):
    daemon, file, paired, account = counting
    daemon.client().call("account.remove", account=account)
    daemon.stop()
    state, saved, trace = daemon.directory / "state", daemon.directory / "saved", daemon.directory / "trace"
    shutil.copytree(state, saved)

    def again():
        shutil.rmtree(state)
        shutil.copytree(saved, state)

    restore(daemon, file, wrapper=["strace", "-f", "-o", trace, "-e", f"trace={STEPS}"])
    counts, calls, has_begun = {}, [], False
    for line in trace.read_text().splitlines():
        call = re.match(r"(?:\d+ +)?(\w+)\(", line)
        if not call or call[1] not in STEPS.split(","):
            continue
        counts[call[1]] = counts.get(call[1], 0) + 1
        has_begun = has_begun or "/state/" in line
        if has_begun:
            calls.append((call[1], counts[call[1]]))
    assert len(calls) > 20
    outcomes = set()
    for call, place in calls:
        again()
        kill = ["strace", "-f", "--quiet=all", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={place}"]
        done = mfad(daemon, "--restore", file, wrapper=kill)
        assert done.returncode != 0
        with contextlib.closing(sqlite3.connect(state / "mfad.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            accounts = {one for (one,) in database.execute("SELECT id FROM account WHERE state = 'active'")}
        assert accounts in ({paired}, {paired, account})
        outcomes.add(len(accounts))
    assert outcomes == {1, 2}
    # Files left by an interrupted restore do not block the next one.
    again()
    (state / "restoring").mkdir()
    (state / "restoring" / "mfad.db").write_bytes(b"x")
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=account)["counter"] == 1
    assert not (state / "restoring").exists()
