"""A backup is restored completely, with its key and without a running daemon, or rejected without any change."""

import os
import re
import shutil
from pathlib import Path

import pytest

from harness.backups import counting, mfad, restore


def state_of(daemon):
    """Returns the accounts, and checks that their secrets can be decrypted."""
    client = daemon.client()
    accounts = client.call("account.list")["accounts"]
    for account in accounts:
        client.call("passcode.get", account=account["id"]) if account["kind"] != "OATH_HOTP" else None
    return accounts


@pytest.fixture
def refused(counting):
    """Checks that `--restore` rejects a file and leaves the state unchanged."""
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
def test_restore_rejects_a_modified_file(refused, change):
    refuse, daemon, file = refused
    other = daemon.directory / "changed.backup"
    with open(file, "rb") as source:
        other.write_bytes(change(source.read()))
    refuse("(damaged|not a backup|no available key)", other)


@pytest.mark.parametrize("change", [
    lambda content: content[:-1], lambda content: content + b"x", lambda content: content[:300], lambda content: b"",
    lambda content: content[:20] + bytes([content[20] ^ 1]) + content[21:],
    lambda content: content[:40] + bytes(240) + content[280:],
], ids=["cut short", "longer", "hardly there", "empty", "another's", "without a key"])
def test_doctor_warns_if_the_newest_backup_is_damaged(counting, change):
    daemon, file, _, _ = counting
    client = daemon.client()
    assert backup_check(client)["result"] == "pass"
    path = Path(file)
    path.write_bytes(change(path.read_bytes()))
    check = backup_check(client)
    assert (check["result"], check["cause"]) == ("warning", "damaged") and file in check["message"]
    client.call("backup.create")
    assert backup_check(client)["result"] == "pass"


def backup_check(client):
    return next(check for check in client.call("service.doctor")["checks"] if check["name"] == "backup")



def test_restore_rejects_reordered_chunks(refused):
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


def test_restore_rejects_a_backup_of_another_machine(refused):
    refuse, daemon, file = refused
    key = daemon.directory / "state" / "key"
    sound = key.read_bytes()
    key.write_bytes(os.urandom(32))
    refuse("no available key")
    key.write_bytes(sound)


def test_restore_fails_while_the_daemon_runs(counting):
    daemon, file, _, _ = counting
    done = mfad(daemon, "--restore", file)
    assert done.returncode == 1 and "is in use by process" in done.stderr
    assert 'hint: "systemctl stop mfad.socket mfad.service mfad-key.service" stops it' in done.stderr


# Keys


def rekeyed(daemon):
    """Changes the key, and returns the printed recovery key."""
    done = mfad(daemon, "--rekey")
    assert done.returncode == 0, done.stderr
    return re.search(r"recovery key: ((?:[A-Z2-7]{4}-){7}[A-Z2-7]{4})\n", done.stdout)[1]


def test_backups_can_be_restored_after_a_key_change(counting):
    daemon, file, paired, _ = counting
    daemon.stop()
    old = (daemon.directory / "state" / "key").read_bytes()
    rekeyed(daemon)
    rekeyed(daemon)
    restore(daemon, file)
    daemon.start()
    assert daemon.client().call("passcode.get", account=paired)["passcode"]
    daemon.stop()
    # The old key no longer opens the backup, and a failed restore creates no state.
    second = daemon.directory / "second"
    second.mkdir(mode=0o700)
    (second / "key").write_bytes(old)
    (second / "key").chmod(0o600)
    assert "no available key" in mfad(daemon, "--restore", file, "--state-directory", second).stderr
    assert {path.name for path in second.iterdir()} == {"key", "lock"}
    daemon.start()


def test_recovery_key_restores_a_backup_if_the_state_is_lost(counting):
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
