"""Soak tests: the resource usage of the programs does not grow with requests or time.

`Tests/soak` runs a million requests and a simulated day. The default is enough to show a leak per request."""

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
"""Speed of the simulated clock. A fast clock needs an idle machine, because it shortens all timeouts."""

HOUR = int(os.environ.get("MFAD_TEST_SOAK_HOUR", "5"))
"""Seconds of that clock between two measurements."""

LOOKS = int(os.environ.get("MFAD_TEST_SOAK_LOOKS", "12"))
"""Number of measurements, each after the same work."""

WARM = 4
"""Number of measurements until all caches and bounded buffers are full. Nothing may grow afterwards."""

GROWTH = 1 << 19
"""Maximum growth of a process after the warm-up, in bytes. A leak of a kilobyte per request would be far more.

Pages of the database are excluded. SQLite caches them up to a limit.
"""

MOST_CACHED = 2000 << 10
"""SQLite's limit for cached pages in bytes, which the programs do not change."""

FIRST_UID, OWNERS = 30_000, 8


@dataclass
class Owner:
    """A user of the machine, paired with a platform user, and with an account of another service."""

    uid: int
    user: str
    account: str
    paired: str


def owners(daemon, sandbox):
    """Creates users, each with both kinds of accounts."""
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
    """Returns lines with valid, refused and malformed requests, and the number of valid ones."""
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
    """Sends all lines repeatedly on a new connection. Returns the number of lines."""
    lines, good = lines_of(owner)
    text = ("\n".join(lines) + "\n").encode()
    (connection,) = sockets_of(owner.uid, daemon.socket)
    with connection, connection.makefile("rb") as replies:
        for _ in range(rounds):
            connection.sendall(text)
            for reply in [json.loads(replies.readline()) for _ in lines]:
                for one in reply if isinstance(reply, list) else [reply]:
                    # A connection can have sixteen subscriptions. More are refused with QUOTA.
                    refusal = one["error"]["data"]["reason"] if "error" in one else None
                    is_good = one["id"] is not None and one["id"] < good
                    assert refusal in (None, "QUOTA") if is_good else refusal, one
    return rounds * len(lines)


def live(daemon, sandbox, owner, approves):
    """Changes state: answers a push, adds and removes an account, starts and cancels a sign-on."""
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
    """Starts a device authentication. Returns it and the ID of its push."""
    client.subscribe("notification")
    started = sandbox.authenticate(owner.user)
    return started, client.event("notification", state="pending")["id"]


def look(daemon):
    """Measures the daemon and its courier while no client is connected."""
    client = daemon.client()
    client.call("service.status")
    client.finish()
    mfad, courier = pids(daemon)
    return {"mfad": Figures.of(mfad, daemon.directory / "state" / "mfad.db"), "mfad-courier": Figures.of(courier)}


def pids(daemon):
    return [daemon.process.pid, *daemon.process.children]


def slope(values):
    """Returns the growth per measurement: the median of the slopes of all pairs."""
    pairs = itertools.combinations(enumerate(values), 2)
    return statistics.median((second - first) / (later - earlier) for (earlier, first), (later, second) in pairs)


def assert_flat(looks):
    """Asserts that nothing has grown since the warm-up."""
    for name in looks[0]:
        seen = [each[name] for each in looks]
        warm = seen[WARM:]
        print(f"{name}: {seen[WARM]} when warm, {seen[-1]} at the end, {max(each.memory for each in seen) / 1048576:.2f} MiB at most")
        # A temporary peak in one measurement is gone at the next and does not change the median.
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
