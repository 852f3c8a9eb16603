"""The PIN: the methods that it guards, the counting of tries, and its protection against crashes and floods."""

import contextlib
import sqlite3
import subprocess

import pytest

from harness.client import Disconnected, RPCError
from harness.programs import PATIENCE

PIN, OTHER, WRONG = "280491", "734015", "999998"
TITLE, BODY = "Sign on", "Approve the sign-on to Payroll?"


@pytest.fixture
def guarded(paired):
    """A client of a paired owner that is locked with a PIN."""
    paired.call("lock.set", pin=PIN)
    return paired


def state(client):
    return client.call("service.status")["protection"]["pin"]


def tries(daemon):
    """Returns the number of tries stored on the disk."""
    with contextlib.closing(sqlite3.connect(f"file:{daemon.directory}/state/mfad.db?mode=ro", uri=True)) as database:
        return [count for (count,) in database.execute("SELECT tries FROM pin")]


def ask(sandbox):
    """Starts a sign-on of ann by push with a title and a text."""
    return sandbox.authenticate("ann", {"template": {"variables": {"title": TITLE, "body": BODY}}})


def refused(client, method, /, **params):
    error = client.refusal(method, **params)
    return error.code, error.reason


LOCKED = (11005, "LOCKED")


def test_guarded_methods_work_only_while_unlocked(guarded, sandbox):
    """Checks some methods. Tests/HostileTests/test_who_may.py checks all."""
    assert state(guarded) == "locked"
    for method, params in {
        "passcode.get": {}, "payload.generate": {}, "notification.act": {"action": "open", "payload": "x"},
        # For these methods the PIN parameter does not replace unlocking.
        "lock.set": {"pin": OTHER, "current": PIN}, "lock.clear": {"current": PIN},
    }.items():
        assert refused(guarded, method, **params) == LOCKED, method
    (account,) = guarded.call("account.list")["accounts"]
    assert account["label"] == "" and account["user"].keys() == {"id"} and "nickname" not in account
    assert "ann" not in str(guarded.call("device.info"))
    unlocked = guarded.call("lock.unlock", pin=PIN, seconds=60)
    assert unlocked.keys() == {"lockedAt"} and state(guarded) == "unlocked"
    assert guarded.call("passcode.get")["passcode"] and guarded.call("payload.generate")
    assert "ann" in str(guarded.call("account.list"))
    assert guarded.call("lock.now") == {} and state(guarded) == "locked"
    assert refused(guarded, "passcode.get") == LOCKED


def test_pushes_of_a_locked_owner_hide_their_contents(guarded, sandbox):
    sandbox.match_numbers("SELECT_NUMBER")
    ask(sandbox)
    push = guarded.event("notification", state="pending")
    listed = guarded.call("notification.get", notification=push["id"])["notification"]
    for shown in (push, listed, *guarded.call("notification.list")["notifications"]):
        assert not {"title", "body", "numberMatching", "clientContext", "applicationContext"} & shown.keys(), shown
    guarded.call("lock.unlock", pin=PIN)
    shown = guarded.call("notification.get", notification=push["id"])["notification"]
    assert (shown["title"], shown["body"]) == (TITLE, BODY) and shown["numberMatching"]["options"]


def test_locked_owner_can_deny_but_not_approve_a_push(guarded, sandbox):
    started = ask(sandbox)
    push = guarded.event("notification", state="pending")["id"]
    assert refused(guarded, "notification.approve", notification=push) == LOCKED
    denied = guarded.call("notification.deny", notification=push, reason="REPORT_FRAUD")["notification"]
    assert denied["state"] == "denied" and "title" not in denied
    assert sandbox.authentication(started)["status"] in ("FAILED", "PUSH_DENIED", "REJECTED")


def test_locked_owner_can_deny_but_not_approve_a_code(guarded, sandbox):
    guarded.call("lock.unlock", pin=PIN)
    code = guarded.call("authentication.start", code=sandbox.code(userApproval="REQUIRED")["code"])
    guarded.call("lock.now")
    (listed,) = guarded.call("authentication.list")["authentications"]
    assert all(user.keys() == {"userId"} for user in listed["users"])
    assert refused(guarded, "authentication.approve", authentication=code["id"]) == LOCKED
    assert guarded.call("authentication.deny", authentication=code["id"]) == {"status": "DENIED"}


def test_locking_and_unlocking_send_service_events(guarded):
    guarded.subscribe("service")
    guarded.call("lock.unlock", pin=PIN)
    assert guarded.event("service")["protection"]["pin"] == "unlocked"
    guarded.call("lock.now")
    assert guarded.event("service")["protection"]["pin"] == "locked"


def test_guessable_pins_are_rejected(paired):
    for pin in ("12345", "123456", "111111", "password", ""):
        assert refused(paired, "lock.set", pin=pin) == (-32602, "INVALID_PARAMS")
        assert state(paired) == "none"


def test_crash_during_the_check_counts_as_a_try(guarded, daemon):
    # The daemon starts the deriving thread only after the try is on the disk.
    tracer = subprocess.Popen(
        ["strace", "-f", "-p", str(daemon.process.pid), "-o", daemon.directory / "trace", "-e", "trace=clone3,clone",
         "-e", "inject=clone3,clone:signal=KILL:when=1"],
        stderr=subprocess.PIPE, text=True,
    )
    assert "attached" in tracer.stderr.readline()
    with pytest.raises(Disconnected):
        guarded.call("lock.unlock", pin=PIN)
    tracer.communicate(timeout=PATIENCE)
    daemon.kill()
    assert tries(daemon) == [1]
    client = daemon.start().client()
    assert client.refusal("lock.unlock", pin=WRONG).details["triesLeft"] == 8
    client.call("lock.unlock", pin=PIN)
    assert tries(daemon) == [0]


def test_concurrent_tries_are_counted_or_rejected(guarded, daemon):
    clients = [daemon.client() for _ in range(12)]
    outcomes = []
    for client, number in [(client, client.begin("lock.unlock", pin=WRONG)) for client in clients]:
        try:
            client.reply(number)
        except RPCError as error:
            outcomes.append(error.code)
    assert set(outcomes) == {11012, 11006} and len(outcomes) == 12
    assert tries(daemon) == [outcomes.count(11012)] and outcomes.count(11012) <= 6


def test_lock_during_unlock_leaves_a_consistent_state(guarded, daemon):
    other = daemon.client()
    for _ in range(10):
        number = guarded.begin("lock.unlock", pin=PIN)
        other.call("lock.now")
        guarded.reply(number)
        try:
            assert other.call("passcode.get")["passcode"] and state(other) == "unlocked"
        except RPCError as error:
            assert error.code == 11005
        other.call("lock.now")
        assert state(other) == "locked"
    assert refused(guarded, "passcode.get") == LOCKED


def test_tries_are_recorded_in_the_audit(guarded):
    guarded.refusal("lock.unlock", pin=WRONG)
    guarded.call("lock.unlock", pin=PIN)
    entries = [(entry["method"], entry["outcome"]) for entry in guarded.call("audit.list")["entries"]]
    assert entries[:3] == [("lock.unlock", "ok"), ("lock.unlock", "PIN_WRONG"), ("lock.set", "ok")], entries[:4]


def test_journal_and_files_do_not_contain_the_pin(guarded, daemon):
    guarded.call("lock.unlock", pin=PIN)
    guarded.refusal("lock.unlock", pin=WRONG)
    daemon.stop()
    for path in (daemon.directory / "state").iterdir():
        content = path.read_bytes()
        assert PIN.encode() not in content and WRONG.encode() not in content, path.name
    assert PIN not in str(daemon.journal) and WRONG not in str(daemon.journal)
