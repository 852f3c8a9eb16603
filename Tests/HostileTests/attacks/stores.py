"""Calls with a cost that grows with the database, on a database of the maximum size."""

import contextlib
import hashlib
import json
import secrets
import time

from harness import tampering

from .clients import CROWD, MEMBER, ask, line, members, request
from .platforms import deliver
from .registry import attack

QUOTA = 16 << 20
"""Maximum size of an owner's rows in bytes."""

AUDITED = 65_536
"""Maximum number of audit entries of an owner."""


@contextlib.contextmanager
def filled(stage):
    """Opens the database while the daemon is stopped, and starts the daemon afterwards."""
    stage.daemon.stop()
    with tampering.opened(stage.daemon.state / "mfad.db") as database:
        database.execute("BEGIN")
        yield database
        database.execute("COMMIT")
    stage.start()
    stage.daemon.socket.chmod(0o666)


def give(database, owner: int, size: int, each: int = 3500):
    """Inserts rows of an owner that count as SIZE bytes in total."""
    database.execute("INSERT OR IGNORE INTO owner (uid, created_at) VALUES (?, 0)", [owner])
    database.execute("""
        WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?1)
        INSERT INTO account (id, owner, kind, state, digest, data_key, label, created_at)
          SELECT 'acc_' || hex(randomblob(11)), ?2, 'pingone', 'revoked', x'', x'', randomblob(?3), 0 FROM number
    """, [size // (each + 256), owner, each])


def enter(database, owner: int):
    """Inserts nearly the maximum number of unsealed audit entries of an owner."""
    head = database.execute("SELECT head FROM audit_chain WHERE owner = ?", [owner]).fetchone()
    link, rows, now = head[0] if head else bytes(32), [], int(time.time() * 1000)
    for _ in range(AUDITED - 64):
        entry = [secrets.token_urlsafe(16), owner, now, "notification.process", "not_" + "x" * 22, "done"]
        link = hashlib.sha256(link + json.dumps(entry, separators=(",", ":")).encode()).digest()
        rows.append([*entry, link])
    database.executemany("INSERT INTO audit (id, owner, at, method, target, outcome, link) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def seal_entries(client):
    """Adds an entry, which seals the earlier entries."""
    client.refusal("account.remove", account="acc_nobodys")
    assert client.call("audit.verify")["ok"]


def much_of_many(stage):
    with filled(stage) as database:
        for number in range(3):
            give(database, CROWD + number, QUOTA // 2)
            enter(database, CROWD + number)
        give(database, MEMBER, QUOTA - (QUOTA >> 6))
        enter(database, MEMBER)
    seal_entries(stage.connect(MEMBER))


@attack("erasure of an owner with nearly maximum data, next to other large owners", over=much_of_many)
def erasure_of_much(stage):
    stage.connect(MEMBER).call("device.removeLocalData", confirm=True)


def all_entries(stage):
    with filled(stage) as database:
        for owner in (0, MEMBER):
            enter(database, owner)
    for client in (stage.client, stage.connect(MEMBER)):
        seal_entries(client)


@attack("verifications and lists of an audit with nearly the maximum number of entries", over=all_entries)
def long_audit(stage):
    data = line(request(1, "audit.verify")) + line(request(1, "audit.list", limit=200)) * 10
    ask([*members(stage, 1, 7), *(stage.connect() for _ in range(7))], data * 6)


@attack("repeated lists of 200 large pushes")
def full_lists(stage):
    deliver(stage, 4, 50, clientContext={"text": "x" * 3000}, title="x" * 200, body="x" * 400)
    assert len(stage.client.call("notification.list", limit=200)["notifications"]) == 200
    ask([stage.connect() for _ in range(7)], line(request(1, "notification.list", limit=200)) * 40)


@attack("repeated service.doctor calls")
def doctors(stage):
    ask(members(stage, 14, 4), line(request(1, "service.doctor")) * 60)
