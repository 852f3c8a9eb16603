"""Costs that could grow with the amount of data: lists, subscribers, owners."""

import contextlib
import os
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from harness import flows
from harness.client import Client
from harness.figures import Figures
from harness.programs import DIRECTORY
from harness.users import client_of
from line import Line
from row import BYTES, MICROSECONDS, MILLISECONDS, at_most, row
from starting import median_of, started
from tools import CLIENT, numbers, output, pinned

FEW, MANY = 1_000, 100_000
SHOWN = 120
"""Number of real pushes: more than a list shows."""

FIRST_UID, OWNERS = 30_000, 10_000


def answered(stage, resources, name, count):
    """A connection of the owner of the newest pushes, in a database with `count` pushes."""
    daemon = stage.paired_daemon(resources, name)
    with contextlib.closing(client_of(os.geteuid(), daemon.socket)) as client:
        client.subscribe("notification")
        for _ in range(SHOWN):
            _, push = flows.push(client, stage.sandbox, name)
            client.call_patiently("notification.approve", notification=push["id"])
    daemon.stop()
    output(DIRECTORY / "mfad-bench", "fill", daemon.directory / "state" / "mfad.db", count)
    daemon.start()
    return resources.enter_context(contextlib.closing(client_of(os.geteuid(), daemon.socket)))


def lists(client, **wanted):
    """Returns a measurement of a list of 100, in microseconds."""

    def once():
        begin = time.perf_counter()
        reply = client.begin("notification.list", limit=100, **wanted)
        line = client.read_line()
        taken = (time.perf_counter() - begin) * 1e6
        assert line["id"] == reply and len(line["result"]["notifications"]) == 100, line
        return taken

    return lambda: statistics.median(once() for _ in range(50))


def list_rows(what, **wanted):
    @row(9, what, MICROSECONDS, at_most(1.2))
    def listed(stage, resources):
        suffix = "-".join(wanted)
        few = answered(stage, resources, f"few{suffix}", FEW)
        many = answered(stage, resources, f"many{suffix}", MANY)
        return lists(many, **wanted), lists(few, **wanted)


list_rows(f"list of 100 pushes among {MANY:,}, against among {FEW:,}")
list_rows("the same, filtered by state", state="approved")


@row(9, f"answer to a push among {MANY:,}, against among {FEW:,}", MICROSECONDS, at_most(1.2))
def answers(stage, resources):
    def answering(name, count):
        client = answered(stage, resources, name, count)
        client.subscribe("notification")

        def once():
            _, push = flows.push(client, stage.sandbox, name)
            begin = time.perf_counter()
            client.call_patiently("notification.approve", notification=push["id"])
            return (time.perf_counter() - begin) * 1e6

        return lambda: statistics.median(once() for _ in range(20))

    few, many = answering("few-answers", FEW), answering("many-answers", MANY)
    return many, few


@row(10, "one change reaches 1,000 subscribers, 99th percentile", MILLISECONDS, at_most(20))
def subscribers(stage, resources):
    daemon = stage.new_daemon(resources, "subscribers", max_connections=1100, max_connections_per_uid=1050).start()
    uri = "otpauth://totp/Example:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Example"
    with contextlib.closing(Client(daemon.socket)) as client:
        account = client.call("account.import", data=uri)["accounts"][0]["id"]

    def slowest():
        slowest, reply, first = numbers(output(*pinned(CLIENT, DIRECTORY / "mfad-bench", "events", daemon.socket, account, 1000)))
        assert reply <= first, f"an event came after {first} µs, before the reply after {reply} µs"
        return slowest / 1000

    return slowest, None


class Crowd:
    """A daemon with many paired owners."""

    def __init__(self, stage, resources):
        self.daemon = stage.new_daemon(resources, "crowd", max_connections=1024).start()

        def pair(uid):
            with contextlib.closing(client_of(uid, self.daemon.socket)) as client:
                flows.pair(client, stage.sandbox, stage.sandbox.user(f"crowd{uid}"))

        with ThreadPoolExecutor(4) as pool:
            for _ in pool.map(pair, range(FIRST_UID, FIRST_UID + OWNERS)):
                pass
        self.daemon.stop()

    def first_reply(self):
        """Milliseconds until the first reply after a start."""
        self.daemon.start()
        with Line(FIRST_UID + OWNERS // 2, self.daemon.socket) as line:
            begin = time.perf_counter()
            line.ask("passcode.get")
            taken = (time.perf_counter() - begin) * 1000
        self.daemon.stop()
        return taken


def crowd(stage, resources):
    """Shared by all rows, since pairing takes minutes."""
    return stage.kept("crowd", lambda kept: Crowd(stage, kept))


@row(11, f"start to READY, {OWNERS:,} owners against one", MILLISECONDS, at_most(1.2))
def ready(stage, resources):
    one = stage.paired_daemon(resources, "one")
    one.stop()
    return started(crowd(stage, resources).daemon), started(one)


@row(11, f"first reply after READY with {OWNERS:,} owners", MILLISECONDS, at_most(50))
def first_reply(stage, resources):
    return median_of(3, crowd(stage, resources).first_reply), None


@row(11, f"memory per idle owner, of {OWNERS:,} that poll", BYTES, at_most(2300))
def owner(stage, resources):
    many = crowd(stage, resources).daemon
    one = stage.paired_daemon(resources, "one-owner")

    def held():
        many.start()
        # Wait until all polls are in flight.
        time.sleep(20)
        memory = Figures.of(many.process.pid).memory
        many.stop()
        return (memory - Figures.of(one.process.pid).memory) / (OWNERS - 1)

    return held, None


@row(11, "memory per idle account, of 64 accounts of an owner", BYTES, at_most(300))
def account(stage, resources):
    owners = 100
    daemon = stage.new_daemon(resources, "accounts").start()
    empty = Figures.of(daemon.process.pid).memory
    uris = "\n".join(f"otpauth://totp/Example:user{n}?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" for n in range(64))
    for uid in range(FIRST_UID, FIRST_UID + owners):
        with contextlib.closing(client_of(uid, daemon.socket)) as client:
            assert len(client.call("account.import", data=uris)["accounts"]) == 64
    daemon.stop()

    def held():
        daemon.start()
        with contextlib.closing(client_of(FIRST_UID, daemon.socket)) as client:
            client.call("account.list")
        memory = Figures.of(daemon.process.pid).memory
        daemon.stop()
        return max(0, memory - empty) / (64 * owners)

    return held, None
