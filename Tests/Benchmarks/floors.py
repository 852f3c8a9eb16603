"""Lower bounds of the rows: programs that do only the necessary work, compared with the same peers."""

from answering import median, rate
from row import A_SECOND, MICROSECONDS, MILLISECONDS, NANOSECONDS, at_least, at_most, floor
from stage import Stage
from starting import median_of, milliseconds, starts
from storing import PasscodesAfter, changes, synced_writes
from tools import compute, nanoseconds

PAGES = 8
"""Pages per commit of a change."""

READY = "prepared reply to an unparsed line"


def codes(what, *options):
    @floor(1, f"HMAC only, {what}", NANOSECONDS, at_least(0.6))
    def code(stage, _):
        return lambda: nanoseconds(stage.peers / "hmac", *options), lambda: nanoseconds(stage.peers / "passcode")


codes("kept key")
codes("key set and cleared each time", "given")


def nanoseconds_of(*works):
    return sum(compute(work)[0] for work in works)


STATUS = "status-read", "status-written"
PASSCODE = "passcode-read", "passcode-warm", "passcode-written"
"""The necessary work of a call: parse the request, compute the result, and write the reply from its table."""


@floor(4, f"{READY}, against the key list of ssh-agent", MICROSECONDS, at_most(0.86))
def round_trip(stage, resources):
    agent = stage.ssh_agent(resources, "agent-floor")[1]
    return median(stage.replies(resources, "ready"), "service.status"), median(agent, "ssh-agent")


def round_trip_of_a_call(what, works, bound, replies=Stage.replies, **options):
    @floor(4, f"the same{what}", MICROSECONDS, at_most(bound))
    def round_trip_and_work(stage, resources):
        name = f"{replies.__name__}-{works[0]}"
        agent = stage.ssh_agent(resources, f"agent-{name}")[1]
        ready = median(replies(stage, resources, f"ready-{name}", **options), "service.status")
        return lambda: ready() + nanoseconds_of(*works) / 1e3, median(agent, "ssh-agent")


round_trip_of_a_call(", plus parsing and writing a status", STATUS, 0.96)
round_trip_of_a_call(" of passcode length, plus parsing, computing and writing a passcode", PASSCODE, 0.86, length=120)
round_trip_of_a_call(", plus the passcode, with the daemon's event loop", PASSCODE, 0.86, Stage.own_replies, length=120)


def many(peer, start, bound):
    def rates(stage, resources, name):
        path = start(stage, resources, f"{peer}-{name}")[1]
        return rate(stage.replies(resources, f"{name}-beside-{peer}"), "service.status"), rate(path, peer)

    @floor(6, f"{READY}, with 8 × 32 in flight, against {peer}", A_SECOND, bound)
    def replies(stage, resources):
        return rates(stage, resources, "ready")

    @floor(6, "the same, plus parsing and writing a status", A_SECOND, bound)
    def calls(stage, resources):
        ready, theirs = rates(stage, resources, "called")
        return lambda: 1e9 / (1e9 / ready() + nanoseconds_of(*STATUS)), theirs


many("ssh-agent", Stage.ssh_agent, at_least(1.35))
many("redis", Stage.redis, at_least(0.16))


def stored(pages, what, program="replies"):
    @floor(7, f"prepared reply after {what}, one at a time, against an fdatasync loop", A_SECOND, at_least(0.37))
    def one_at_a_time(stage, resources):
        name = f"{program}-{pages}"
        path = stage.replies(resources, name, stage.directory / f"{name}.stored", pages, program=program)
        return lambda: changes(path, 1), lambda: synced_writes(stage.directory)


stored(PAGES, f"a synced write of {PAGES} pages")
stored(1, "a synced write of one page")
stored(PAGES, f"an SQLite commit of {PAGES} pages", "commits")
stored(1, "an SQLite commit of one page", "commits")


@floor(8, "prepared reply right after an owner's change, against none", MICROSECONDS, at_most(4.5))
def after_a_change(stage, resources):
    replies = PasscodesAfter(stage, resources, "floor-after", stage.replies(resources, "ready-after"))
    return lambda: replies.measure(replies.change), lambda: replies.measure(replies.look)


@floor(11, "libraries, their algorithms and a database to READY, against `/bin/true`", MILLISECONDS, at_most(10))
def ready(stage, _):
    start = starts(stage.directory, stage.peers / "start", stage.directory / "start.db")
    return start, median_of(9, lambda: milliseconds("/bin/true"))


@floor(14, "P-256 operations of an approval on both sides, two processors", A_SECOND, at_least(300))
def approvals(stage, _):
    return lambda: 2e9 / nanoseconds(stage.peers / "approval"), None
