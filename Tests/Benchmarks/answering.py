"""Reply times of the daemon, compared with well-known servers."""

from row import A_SECOND, MICROSECONDS, at_least, at_most, row
from tools import SERVER, load


def median(path, what):
    """Median round trip with server and client on one processor, to exclude wake-ups of another processor."""
    return lambda: load(path, what, 1, 1, processor=SERVER)[1]


def rate(path, what):
    return lambda: load(path, what, 8, 32)[0]


def round_trip_rows(method, what, bound):
    @row(4, f"{what} round trip against the key list of ssh-agent", MICROSECONDS, at_most(bound))
    def against_agent(stage, resources):
        daemon = stage.paired_daemon(resources, f"trips-{method}")
        return median(daemon.socket, method), median(stage.ssh_agent(resources, f"agent-{method}")[1], "ssh-agent")

    @row(5, f"{what} round trip against an echo", MICROSECONDS, at_most(2.0))
    def against_echo(stage, resources):
        daemon = stage.paired_daemon(resources, f"echoed-{method}")
        return median(daemon.socket, method), median(stage.echo(resources, f"echo-{method}"), "echo")


round_trip_rows("service.status", "status", 0.96)
round_trip_rows("passcode.get", "passcode", 0.86)


@row(6, "statuses, 8 × 32 in flight, against ssh-agent", A_SECOND, at_least(1.35))
def many_against_agent(stage, resources):
    daemon = stage.paired_daemon(resources, "many-agent")
    return rate(daemon.socket, "service.status"), rate(stage.ssh_agent(resources, "agent-many")[1], "ssh-agent")


@row(6, "statuses, 8 × 32 in flight, against redis PING", A_SECOND, at_least(0.16))
def many_against_redis(stage, resources):
    daemon = stage.paired_daemon(resources, "many-redis")
    return rate(daemon.socket, "service.status"), rate(stage.redis(resources, "redis-many")[1], "redis")
