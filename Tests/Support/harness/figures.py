"""What a process takes of the machine, as the kernel counts it."""

import os
from dataclasses import dataclass
from pathlib import Path

from . import memory

PAGE, RESERVED = 4096, 8
"""The size of a page of the database, and what of its end is kept for its checksum."""

NEEDLE = 48
"""How much of a page tells it from others."""


@dataclass(frozen=True)
class Figures:
    """What one process holds at one moment."""

    memory: int
    """Bytes of its own that it has written to: shared pages and those of files that it only reads are not in it."""

    cached: int
    """Bytes of these in which pages of its database lie, which grow with the database up to a bound of SQLite's."""

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
        """Bytes that it holds for anything but its database."""
        return self.memory - self.cached

    def __str__(self):
        held, cached = (count / 1048576 for count in (self.held, self.cached))
        return f"{held:.2f} MiB and {cached:.2f} of pages, {self.files} files, {self.threads} threads"


def count_cached(pid, database):
    """How many pages of a database lie in the memory of the process that has it open."""
    content = database.read_bytes() + b"".join(logged(database))
    ends = {content[end - RESERVED - NEEDLE:end - RESERVED] for end in range(PAGE, len(content) + 1, PAGE)}
    # What a page does not use is zeros; one that ends so is told from no other.
    needles = [end for end in ends if len(set(end)) > NEEDLE // 4]
    own = [data for data, name, _ in memory.contents(pid) if not name.startswith("/")]
    return sum(any(needle in data for data in own) for needle in needles)


def logged(database):
    """The pages in the log of a database, each behind a header of its own."""
    log = database.with_name(database.name + "-wal")
    content = log.read_bytes() if log.exists() else b""
    for start in range(32 + 24, len(content) - PAGE + 1, 24 + PAGE):
        yield content[start:start + PAGE]
