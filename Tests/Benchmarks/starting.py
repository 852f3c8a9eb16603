"""Costs of a start, of a process, and of a long run."""

import contextlib
import os
import subprocess
import time

from harness.figures import Figures
from harness.notify import NotifySocket
from harness.programs import AUTHCTL, environment
from row import MEGABYTES, MILLISECONDS, at_most, row
from tools import SERVER, load


@contextlib.contextmanager
def placed():
    """Pins started programs to the server's processor without a wrapper, which would be measured too."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {SERVER})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def milliseconds(*command, **variables):
    with placed():
        begin = time.perf_counter()
        subprocess.run(list(map(str, command)), env={**os.environ, **variables}, check=True, stdout=subprocess.DEVNULL)
        return (time.perf_counter() - begin) * 1000


def median_of(count, measure):
    return lambda: sorted(measure() for _ in range(count))[count // 2]


def started(daemon):
    """Returns a measurement of the start of a daemon until it serves, in milliseconds."""
    return starts(daemon.directory, daemon.program, "--config", daemon.file)


def starts(directory, *command):
    """Returns a measurement of the start of a program until READY, in milliseconds."""
    path = directory / "start.sock"

    def once():
        with contextlib.closing(NotifySocket(path)) as said, placed():
            begin = time.perf_counter()
            process = subprocess.Popen(
                list(map(str, command)), env=environment(NOTIFY_SOCKET=str(path)), stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                assert said.next()["READY"] == "1"
                return (time.perf_counter() - begin) * 1000
            finally:
                process.terminate()
                process.wait()
                path.unlink()

    return median_of(9, once)


@row(11, "start to READY against `/bin/true`", MILLISECONDS, at_most(10))
def ready(stage, resources):
    daemon = stage.paired_daemon(resources, "ready")
    daemon.stop()
    return started(daemon), median_of(9, lambda: milliseconds("/bin/true"))


@row(12, "private memory after a million requests against redis", MEGABYTES, at_most(1.0))
def memory(stage, resources):
    daemon = stage.paired_daemon(resources, "memory")
    # As after a boot: pairing generates and caches the whole interface description.
    daemon.end()
    daemon.start()
    redis, path = stage.redis(resources, "redis-memory")
    pids = {daemon.socket: ("service.status", daemon.process.pid), path: ("redis", redis.pid)}

    def asked(path):
        what, pid = pids[path]
        count = 0
        while count < 1_000_000 / 5:
            count += load(path, what, 8, 32)[0] * 2
        return Figures.of(pid).memory / 1e6

    return lambda: asked(daemon.socket), lambda: asked(path)


def command_rows(what, *words, bound):
    @row(13, f"process `{what}` against `ssh-add -l`", MILLISECONDS, at_most(bound))
    def command(stage, resources):
        daemon = stage.kept("command", lambda resources: stage.paired_daemon(resources, "command"))
        _, agent = stage.ssh_agent(resources, f"agent-{words[-1]}")
        ours = [AUTHCTL, "--socket", daemon.socket, *words]
        return (
            median_of(25, lambda: milliseconds(*ours)),
            median_of(25, lambda: milliseconds("ssh-add", "-l", SSH_AUTH_SOCK=str(agent))),
        )


command_rows("authctl otp", "otp", bound=0.8)
# Printing needs no daemon. The bound is the speed of version 0.1.0.
command_rows("authctl --version", "--version", bound=0.51)
