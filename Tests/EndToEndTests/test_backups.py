"""Backups: made while the state is used, sealed as a whole, put back while no daemon runs."""

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import time

import pytest

from harness import flows
from harness.programs import MFAD, PATIENCE, environment
from harness.tracer import Tracer
from harness.users import ANN_UID, BOB_UID

PERSONAL = [b"Archer", b"SQLite format 3"]
"""What stands in the clear in the state, long enough not to come about by chance in what is sealed."""


@pytest.fixture
def root(shared):
    """A connection of root."""
    return shared[1](0)


def backups(daemon):
    return sorted((daemon.directory / "state" / "backups").iterdir())


def test_a_backup_is_one_sealed_file_that_is_listed(shared, root, two):
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


def test_the_last_seven_are_kept(shared, root, two):
    daemon, _ = shared
    made = [root.call("backup.create")["file"] for _ in range(9)]
    assert [one["file"] for one in root.call("backup.list")["backups"]] == made[:1:-1]
    assert [str(path) for path in backups(daemon)] == made[2:]


def test_backups_that_are_asked_for_at_once_are_one(shared, root, two):
    daemon, _ = shared
    numbers = [root.begin("backup.create") for _ in range(3)]
    assert len({root.reply(number)["file"] for number in numbers}) == len(backups(daemon)) == 1


def test_nobody_else_may(two):
    first, _ = two
    for method in ("backup.create", "backup.list"):
        assert first.refusal(method).code == 11001


def test_others_go_on_while_one_is_made(shared, root, two, sandbox):
    first, second = two
    number = root.begin("backup.create")
    _, push = flows.push(first, sandbox, "ann")
    assert first.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"
    assert second.call("passcode.get")["passcode"]
    assert root.reply(number)["bytes"]


def test_what_was_not_finished_is_gone_after_a_start(shared, root, two):
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
def test_one_that_cannot_come_to_the_disk_is_refused_and_leaves_nothing(shared, root, two, directory, call):
    daemon, _ = shared
    tracer = Tracer(daemon.process.pid, directory / "trace", "-f", "-e", f"inject={call}:error=EIO:when=1")
    error = root.refusal("backup.create")
    assert any("INJECTED" in line for line in tracer.stop())
    assert (error.code, error.reason) == (11010, "STORAGE") and backups(daemon) == []
    made = root.call("backup.create")
    assert root.call("backup.list") == {"backups": [made]}
    daemon.stop(expecting=["the state cannot be read or written"])


# What is put back


COUNTING = "otpauth://hotp/Bank:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bank&counter=0"


def mfad(daemon, *options, wrapper=(), text=""):
    """Runs `mfad` as an administrator does."""
    return subprocess.run(
        [*wrapper, MFAD, "--config", daemon.file, *options],
        env=environment(), input=text, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )


def restore(daemon, file, *options, **more):
    done = mfad(daemon, "--restore", file, *options, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def counting(daemon, sandbox):
    """A daemon with a pairing and an account that counts, whose first passcode was taken, and a backup of that."""
    client = daemon.client()
    paired = flows.pair(client, sandbox)
    account = client.call("passcode.import", uri=COUNTING)["id"]
    assert client.call("passcode.get", account=account)["counter"] == 0
    return daemon, client.call("backup.create")["file"], paired, account


def state_of(daemon):
    """What everybody sees of their own, and that it opens."""
    client = daemon.client()
    accounts = client.call("account.list")["accounts"]
    for account in accounts:
        client.call("passcode.get", account=account["id"]) if account["kind"] != "OATH_HOTP" else None
    return accounts


def audited(client):
    return [entry["method"] for entry in client.call("audit.list")["entries"]]


def test_what_was_taken_away_since_is_there_again_and_what_was_used_stays_used(counting, sandbox):
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
    # Nothing told the count of what is not there any more.
    assert client.call("passcode.get", account=account)["counter"] == 1
    assert client.call("notification.get", notification=push["id"])["notification"]["state"] == "denied"
    assert audited(client)[0] == "daemon.restoreBackup" and "account.remove" in audited(client)
    assert client.call("audit.verify")["ok"]
    status = client.call("service.status")["protection"]
    assert status["rollback"] == "file" and "rolledBackAt" not in status
    client.subscribe()
    _, push = flows.push(client, sandbox)
    assert client.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"


def test_a_count_is_never_that_of_the_backup(counting):
    daemon, file, _, account = counting
    client = daemon.client()
    assert [client.call("passcode.get", account=account)["counter"] for _ in range(3)] == [1, 2, 3]
    daemon.stop()
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=account)["counter"] == 4


def test_new_keys_of_the_device_stay_and_a_push_is_answered_with_them(counting, sandbox):
    daemon, file, _, _ = counting
    daemon.client().call("device.rotateKeys")
    daemon.stop()
    restore(daemon, file)
    daemon.start()
    client = daemon.client()
    client.subscribe()
    _, push = flows.push(client, sandbox)
    assert client.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"


PIN = "h4r-to-guess"


def test_a_pin_is_the_one_of_now_with_its_tries(counting, sandbox):
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
    client.subscribe()
    _, push = flows.push(client, sandbox)
    assert client.call("notification.approve", notification=push["id"])["notification"]["state"] == "approved"


def test_without_the_state_of_now_a_pin_is_disabled(counting):
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


def test_an_older_state_that_is_put_back_by_hand_afterwards_is_noticed(counting):
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


def test_into_a_second_directory_with_the_key(counting):
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
def test_what_cannot_be_read_is_replaced_and_pushes_of_then_are_over(counting, sandbox, damage):
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
    # Whoever is erased may be in what cannot be read.
    client.call("device.removeLocalData", confirm=True)
    wait_until_nothing_is_owed(daemon)
    assert not kept.exists()


@pytest.fixture
def refused(counting):
    """That a file is refused, and the state is as it was."""
    daemon, file, _, _ = counting
    before = state_of(daemon)
    daemon.stop()

    def refuse(reason, file=file, *options):
        done = mfad(daemon, "--restore", file, *options)
        assert done.returncode == 1 and re.search(f"^mfad: error: .*{reason}.*\n$", done.stderr, re.MULTILINE), done.stderr
        assert not (daemon.directory / "state" / "restoring").exists()

    yield refuse, daemon, file
    daemon.start()
    assert state_of(daemon) == before


@pytest.mark.parametrize("change", [
    lambda content: content[:-1], lambda content: content[:-200_000] or content[:300], lambda content: content + b"x",
    lambda content: content[:-1] + bytes([content[-1] ^ 1]), lambda content: content[:290] + bytes([content[290] ^ 1]) + content[291:],
    lambda content: content[:20] + bytes([content[20] ^ 1]) + content[21:], lambda content: content[:100], lambda content: b"", lambda content: b"x" * 5000,
])
def test_a_file_that_was_changed_is_refused(refused, change):
    refuse, daemon, file = refused
    other = daemon.directory / "changed.backup"
    with open(file, "rb") as source:
        other.write_bytes(change(source.read()))
    refuse("(damaged|no backup|no key)", other)


def test_pieces_in_another_order_are_refused(refused):
    refuse, daemon, file = refused
    with open(file, "rb") as source:
        content = source.read()
    header, piece = 280, 64 * 1024 + 16
    assert len(content) > header + 3 * piece
    first, second, rest = content[header:header + piece], content[header + piece:header + 2 * piece], content[header + 2 * piece:]
    other = daemon.directory / "changed.backup"
    for body in (second + first + rest, first + first + rest, first + rest, first + second + second + rest):
        other.write_bytes(content[:header] + body)
        refuse("damaged", other)


def test_a_backup_of_another_machine_is_refused(refused):
    refuse, daemon, file = refused
    key = daemon.directory / "state" / "key"
    sound = key.read_bytes()
    key.write_bytes(os.urandom(32))
    refuse("no key")
    key.write_bytes(sound)


def test_nothing_is_put_back_under_a_daemon_that_runs(counting):
    daemon, file, _, _ = counting
    done = mfad(daemon, "--restore", file)
    assert done.returncode == 1 and "is in use by process" in done.stderr


# Keys


def rekeyed(daemon):
    """Changes the key, and returns the recovery key that was shown."""
    done = mfad(daemon, "--rekey")
    assert done.returncode == 0, done.stderr
    return re.search(r"recovery key: ((?:[A-Z2-7]{4}-){7}[A-Z2-7]{4})\n", done.stdout)[1]


def test_backups_follow_the_key(counting):
    daemon, file, paired, _ = counting
    daemon.stop()
    old = (daemon.directory / "state" / "key").read_bytes()
    rekeyed(daemon)
    rekeyed(daemon)
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=paired)["passcode"]
    daemon.stop()
    # By the old key it opens no more, and nothing is made where nothing is put back.
    second = daemon.directory / "second"
    second.mkdir(mode=0o700)
    (second / "key").write_bytes(old)
    (second / "key").chmod(0o600)
    assert "no key" in mfad(daemon, "--restore", file, "--state-directory", second).stderr
    assert {path.name for path in second.iterdir()} == {"key", "lock"}
    daemon.start()


def test_where_everything_else_is_lost_the_recovery_key_opens_it(counting):
    daemon, _, paired, _ = counting
    daemon.stop()
    recovery = rekeyed(daemon)
    daemon.start()
    file = daemon.directory / "elsewhere.backup"
    shutil.copy2(daemon.client().call("backup.create")["file"], file)
    daemon.stop()
    shutil.rmtree(daemon.directory / "state")
    shutil.rmtree(daemon.directory / "state-rollback")
    assert mfad(daemon, "--restore", file).returncode == 1
    assert mfad(daemon, "--restore", file, "--recover", text="nonsense\n").returncode == 1
    restore(daemon, file, "--recover", text=recovery + "\n")
    daemon.start()
    assert daemon.client().call("passcode.get", account=paired)["passcode"]


# Who is erased


def contents(daemon, directory):
    """The rows of owners of each backup, put back apart."""
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


def wait_until_nothing_is_owed(daemon):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with contextlib.closing(sqlite3.connect(daemon.directory / "state" / "mfad.db", timeout=5)) as database:
            if not database.execute("SELECT count(*) FROM erased_owner").fetchone()[0]:
                return
        time.sleep(0.05)
    raise AssertionError("somebody is still to be erased")


def test_who_is_erased_is_erased_from_the_backups_too(shared, root, two, directory):
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


def test_what_could_not_be_taken_out_is_taken_out_at_a_later_start(shared, root, two, directory):
    daemon, _ = shared
    root.call("backup.create")
    root.call("owner.erase", uid=ANN_UID, confirm=True)
    daemon.kill()
    daemon.start()
    wait_until_nothing_is_owed(daemon)
    daemon.stop()
    assert contents(daemon, directory) == [{BOB_UID}]
    daemon.start()


def test_who_begins_anew_is_another(shared, two, sandbox, directory):
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
    # A copy from elsewhere brings nobody back who was erased here.
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


# Killed at any moment


STEPS = "openat,pwrite64,write,fsync,fdatasync,rename,unlink,mkdir,rmdir,ftruncate"


@pytest.mark.slow
def test_putting_back_that_is_killed_at_any_step_leaves_the_old_state_or_the_new(counting):
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
    # What was left lying about holds nothing up.
    again()
    (state / "restoring").mkdir()
    (state / "restoring" / "mfad.db").write_bytes(b"x")
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=account)["counter"] == 1
    assert not (state / "restoring").exists()
