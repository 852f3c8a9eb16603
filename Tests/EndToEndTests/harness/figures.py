"""What a process takes of the machine, as the kernel counts it."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figures:
    """What one process holds at one moment."""

    memory: int
    """Bytes of its own that it has written to: shared pages and those of files that it only reads are not in it."""

    files: int
    threads: int

    @classmethod
    def of(cls, pid):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
        dirty = next(line for line in rollup.splitlines() if line.startswith("Private_Dirty:"))
        return cls(int(dirty.split()[1]) * 1024, len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")))

    def __str__(self):
        return f"{self.memory / 1024 / 1024:.2f} MiB, {self.files} files, {self.threads} threads"
