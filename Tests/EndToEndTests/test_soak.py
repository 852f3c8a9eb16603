"""Much that is asked for a long time: what the programs take of the machine stays what it was.

`Tests/soak` plays a million requests and a day; the tests of every day play as much as shows a leak of each request."""

import base64
import itertools
import json
import math
import os
import statistics
import time
from dataclasses import dataclass

import pytest

from harness import flows
from harness.clock import paced
from harness.figures import Figures
from harness.sandbox import Sandbox
from harness.users import GROUP, client_of, open_directory, sockets_of

assert os.geteuid() == 0, "these tests play several users, which only root can"

REQUESTS = int(os.environ.get("MFAD_TEST_SOAK_REQUESTS", "24000"))
PACE = int(os.environ.get("MFAD_TEST_SOAK_PACE", "5"))
"""How many times as fast as others the clock of the day goes; a fast one wants a quiet machine, since whoever waits for an
answer waits so much less long."""

HOUR = int(os.environ.get("MFAD_TEST_SOAK_HOUR", "5"))
"""The seconds of that clock between two looks."""

LOOKS = int(os.environ.get("MFAD_TEST_SOAK_LOOKS", "12"))
"""How often is looked, after the same work each time."""

WARM = 4
"""The looks after which nothing may grow: caches are full, and what is bounded has reached its bound."""

GROWTH = 1 << 19
"""Bytes that a process may hold more at the end than when it was warm; a kilobyte of each request would be far more.

Pages of the database are not in it: SQLite keeps as many as there are, up to a bound.
"""

MOST_CACHED = 2000 << 10
"""SQLite's bound of the pages that it keeps, which nothing here changes."""

FIRST_UID, OWNERS = 30_000, 8


@dataclass
class Owner:
    """A user of the machine, paired with a user of the platform and with an account of another service."""

    uid: int
    user: str
    account: str
    paired: str


def owners(daemon, sandbox):
    """Some users, each with both kinds of accounts."""
    made = []
    for number in range(OWNERS):
        uid, user = FIRST_UID + number, sandbox.user(f"soak{number}")
        client = client_of(uid, daemon.socket)
        paired = flows.pair(client, sandbox, user)
        secret = base64.b32encode(os.urandom(20)).decode()
        account = client.call("account.enrol", uri=f"otpauth://totp/ACME:{user}?secret={secret}&issuer=ACME")["id"]
        made.append(Owner(uid, user, account, paired))
        client.close()
    return made


def lines_of(owner):
    """Requests as they come from many programs: what is answered, what is refused, and what is none."""
    named = {"account": owner.account}
    good = [
        ("passcode.get", named), ("passcode.get", {"account": owner.paired}), ("service.status", {}), ("device.info", {}),
        ("account.list", {}), ("notification.list", {"limit": 5}), ("pairing.list", {}), ("session.list", {}),
        ("audit.list", {"limit": 5}), ("passcode.get", named), ("event.subscribe", {"topics": ["notification"]}),
    ]
    bad = [
        ("passcode.get", {"account": "nobody"}), ("notification.get", {"notification": "nobody"}),
        ("owner.list", {}), ("login.next", {"login": "nobody"}), ("no.method", {}), ("account.rename", {"account": 5}),
    ]
    requests = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate([*good, *bad])
    ]
    lines = [json.dumps(request) for request in requests]
    return [*lines, "[" + ",".join(lines[:5]) + "]", "{", "[]", '{"jsonrpc":"2.0","id":{},"method":"x"}'], len(good)


def ask(daemon, owner, rounds):
    """Asks all of it again and again on a new connection; returns how many lines that was."""
    lines, good = lines_of(owner)
    text = ("\n".join(lines) + "\n").encode()
    (connection,) = sockets_of(owner.uid, daemon.socket)
    with connection, connection.makefile("rb") as replies:
        for _ in range(rounds):
            connection.sendall(text)
            for reply in [json.loads(replies.readline()) for _ in lines]:
                for one in reply if isinstance(reply, list) else [reply]:
                    # A connection has sixteen subscriptions.
                    refusal = one["error"]["data"]["reason"] if "error" in one else None
                    is_good = one["id"] is not None and one["id"] < good
                    assert refusal in (None, "QUOTA") if is_good else refusal, one
    return rounds * len(lines)


def live(daemon, sandbox, owner, approves):
    """What changes something: a push that is answered, an account that comes and goes, a sign-on that is given up."""
    client = client_of(owner.uid, daemon.socket)
    started, push = pushed(client, sandbox, owner)
    client.call_patiently("notification.approve" if approves else "notification.deny", notification=push)
    assert sandbox.authentication(started)["status"] == ("COMPLETED" if approves else "FAILED")
    secret = base64.b32encode(os.urandom(20)).decode()
    uri = f"otpauth://hotp/Other:{owner.user}?secret={secret}&issuer=Other"
    account = client.call_patiently("account.enrol", uri=uri)["id"]
    client.call_patiently("passcode.get", account=account)
    client.call_patiently("account.remove", account=account)
    step = client.call_patiently("login.start", method="signon", forceAuth=True)
    client.call_patiently("login.cancel", login=step["login"])
    client.close()


def pushed(client, sandbox, owner):
    """A device authentication and the push that came of it."""
    client.subscribe("notification")
    started = sandbox.authenticate(owner.user)
    return started, client.event("notification", state="pending")["id"]


def look(daemon):
    """What the daemon and its courier take, when nobody is connected any more."""
    client = daemon.client()
    client.call("service.status")
    client.finish()
    mfad, courier = pids(daemon)
    return {"mfad": Figures.of(mfad, daemon.directory / "state" / "mfad.db"), "mfad-courier": Figures.of(courier)}


def pids(daemon):
    return [daemon.process.pid, *daemon.process.children]


def slope(values):
    """By how much they grow from one to the next: the median of what each two of them say."""
    pairs = itertools.combinations(enumerate(values), 2)
    return statistics.median((second - first) / (later - earlier) for (earlier, first), (later, second) in pairs)


def assert_flat(looks):
    """That nothing has grown since it was warm."""
    for name in looks[0]:
        seen = [each[name] for each in looks]
        warm = seen[WARM:]
        print(f"{name}: {seen[WARM]} when warm, {seen[-1]} at the end, {max(each.memory for each in seen) / 1048576:.2f} MiB at most")
        # What one look catches on its way is gone at the next, and moves no median.
        assert min(each.held for each in warm[-3:]) <= warm[0].held + GROWTH, [str(each) for each in seen]
        assert slope([each.held for each in warm]) * (len(warm) - 1) <= GROWTH, [str(each) for each in seen]
        assert max(each.cached for each in seen) <= MOST_CACHED, [str(each) for each in seen]
        assert min(each.files for each in warm[-3:]) <= warm[0].files, [str(each) for each in seen]
        assert {each.threads for each in warm[-3:]} & {1, warm[0].threads}, [str(each) for each in seen]


@pytest.mark.slow
def test_many_requests_do_not_increase_memory_files_or_threads(shared, sandbox):
    daemon, _ = shared
    people = owners(daemon, sandbox)
    asked, looks = 0, []
    rounds = math.ceil(REQUESTS / LOOKS / len(people) / len(lines_of(people[0])[0]))
    for period in range(LOOKS):
        for number, owner in enumerate(people):
            asked += ask(daemon, owner, rounds)
            live(daemon, sandbox, owner, approves=(period + number) % 2 == 0)
        looks.append(look(daemon))
    print(f"{asked} lines and {LOOKS * len(people)} pushes of {len(people)} owners")
    assert_flat(looks)


@pytest.mark.slow
def test_simulated_day_does_not_increase_memory_files_or_threads(directory, make_daemon):
    sandbox = Sandbox(clock=paced(PACE))
    with open_directory() as path:
        daemon = make_daemon(
            sandbox=sandbox, clock=paced(PACE), socket=path / "control" / "mfad.sock", socket_group=GROUP
        )
        daemon.start()
        people, looks = owners(daemon, sandbox), []
        for hour in range(LOOKS):
            end = time.monotonic() + HOUR / PACE
            for number, owner in enumerate(people):
                live(daemon, sandbox, owner, approves=(hour + number) % 2 == 0)
            time.sleep(max(0, end - time.monotonic()))
            looks.append(look(daemon))
        print(f"{LOOKS * HOUR / 3600:.1f} hours, {LOOKS * len(people)} pushes of {len(people)} owners")
        assert_flat(looks)
        daemon.end()
    sandbox.stop()
