"""A process at its descriptor limit, and its CPU time."""

import contextlib
import os
import pathlib
import resource
import time


def numbers(pid: int) -> list[int]:
    return sorted(int(entry.name) for entry in pathlib.Path(f"/proc/{pid}/fd").iterdir())


@contextlib.contextmanager
def at_most(pid: int, limit: int):
    """Limits the descriptor numbers of a process during the block."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def processor_time(pid: int) -> float:
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spent(pid: int, seconds: float) -> float:
    """Returns the CPU seconds of an idle process during this time."""
    before = processor_time(pid)
    time.sleep(seconds)
    return processor_time(pid) - before
