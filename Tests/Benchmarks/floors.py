"""The least that the work of a row takes: programs in C that do nothing else, beside the same peers."""

import time

from answering import median, rate
from row import A_SECOND, MICROSECONDS, MILLISECONDS, NANOSECONDS, at_least, at_most, floor
from starting import median_of, milliseconds, starts
from storing import CHANGES, REST, PasscodesAfter, changes, synced_writes
from tools import SERVER, nanoseconds, numbers, output, pinned

PAGES = 8
"""So many a commit of a change has."""


def codes(what, *options):
    @floor(1, f"the HMAC alone, with a key that is {what}", NANOSECONDS, at_least(1.5))
    def code(stage, _):
        return lambda: nanoseconds(stage.peers / "hmac", *options), lambda: nanoseconds(stage.peers / "passcode")


codes("kept")
codes("given for it and taken away again", "given")


@floor(4, "a reply that is ready, to a line that is not read, against ssh-agent's list of one key", MICROSECONDS, at_most(0.8))
def round_trip(stage, resources):
    agent = stage.ssh_agent(resources, "agent-floor")[1]
    return median(stage.replies(resources, "ready"), "service.status"), median(agent, "ssh-agent")


@floor(6, "the same with 8 × 32 in flight", A_SECOND, at_least(2))
def many_against_agent(stage, resources):
    agent = stage.ssh_agent(resources, "agent-floors")[1]
    return rate(stage.replies(resources, "many-ready"), "service.status"), rate(agent, "ssh-agent")


@floor(6, "the same against redis, PING", A_SECOND, at_least(0.35))
def many_against_redis(stage, resources):
    redis = stage.redis(resources, "redis-floors")[1]
    return rate(stage.replies(resources, "many-ready-too"), "service.status"), rate(redis, "redis")


def stored(pages, what):
    @floor(7, f"{what} on the disk before such a reply, one at a time, against a loop of fdatasync", A_SECOND, at_least(0.5))
    def one_at_a_time(stage, resources):
        path = stage.replies(resources, f"stored-{pages}", stage.directory / f"pages-{pages}", pages)
        return lambda: changes(path, 1), lambda: synced_writes(stage.directory)


stored(PAGES, f"the {PAGES} pages of a change")
stored(1, "one page")


@floor(7, f"commits of {PAGES} pages by SQLite, for nobody, against a loop of fdatasync", A_SECOND, at_least(0.5))
def commits(stage, _):
    def committed():
        time.sleep(REST)
        command = stage.peers / "commits", stage.directory / "commits.db", PAGES, CHANGES
        return numbers(output(*pinned(SERVER, *command)))[0]

    return committed, lambda: synced_writes(stage.directory)


@floor(8, "such a reply right after an owner's change against one without", MICROSECONDS, at_most(1.1))
def after_a_change(stage, resources):
    replies = PasscodesAfter(stage, resources, "floor-after", stage.replies(resources, "ready-after"))
    return lambda: replies.measure(replies.change), lambda: replies.measure(replies.look)


@floor(11, "the libraries, what is fetched of them and a database, to READY, against /bin/true", MILLISECONDS, at_most(10))
def ready(stage, _):
    start = starts(stage.directory, stage.peers / "start", stage.directory / "start.db")
    return start, median_of(9, lambda: milliseconds("/bin/true"))
