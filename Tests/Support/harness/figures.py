"""Resource usage of a process, as counted by the kernel."""

import os
from dataclasses import dataclass
from pathlib import Path

from . import memory

PAGE, RESERVED = 4096, 8
"""Size of a database page, and the bytes at its end reserved for the checksum."""

NEEDLE = 48
"""Number of bytes that identify a page."""


@dataclass(frozen=True)
class Figures:
    """Resource usage of a process at one time."""

    memory: int
    """Private bytes that it has written, without shared pages and pages of files that it only reads."""

    cached: int
    """Bytes of these with database pages. They grow with the database up to a limit of SQLite."""

    files: int
    threads: int

    @classmethod
    def of(cls, pid, database=None):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        dirty = next(line for line in rollup.splitlines() if line.startswith("Private_Dirty:"))
        cached = count_cached(pid, database) * PAGE if database else 0
        files, threads = (len(os.listdir(f"/proc/{pid}/{name}")) for name in ("fd", "task"))
        return cls(int(dirty.split()[1]) * 1024, cached, files, threads)

    @property
    def held(self):
        """Bytes for everything but the database."""
        return self.memory - self.cached

    def __str__(self):
        held, cached = (count / 1048576 for count in (self.held, self.cached))
        return f"{held:.2f} MiB and {cached:.2f} of pages, {self.files} files, {self.threads} threads"


def count_cached(pid, database):
    """Returns the number of database pages in the memory of a process."""
    content = database.read_bytes() + b"".join(logged(database))
    ends = {content[end - RESERVED - NEEDLE:end - RESERVED] for end in range(PAGE, len(content) + 1, PAGE)}
    # Unused space in a page is zero. A page that ends so cannot be identified.
    needles = [end for end in ends if len(set(end)) > NEEDLE // 4]
    own = [data for data, name, _ in memory.contents(pid) if not name.startswith("/")]
    return sum(any(needle in data for data in own) for needle in needles)


def logged(database):
    """Returns the pages in the WAL of a database."""
    log = database.with_name(database.name + "-wal")
    content = log.read_bytes() if log.exists() else b""
    for start in range(32 + 24, len(content) - PAGE + 1, 24 + PAGE):
        yield content[start:start + PAGE]
