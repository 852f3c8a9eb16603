"""The memory contents of a running process, which only root can read."""

import re
import time
from pathlib import Path

from .programs import PATIENCE

SECRET = {"lo", "dd"}
"""The flags in smaps of memory for keys: locked, and excluded from core files."""

SHORT = 12
"""Minimum length of a secret with halves that do not occur by chance."""


def mappings(pid):
    """Yields the readable mappings: start, end, name and flags, proc_pid_smaps(5)."""
    heading = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) (\S+) \S+ \S+ \d+ *(.*)$", re.M)
    text = Path(f"/proc/{pid}/smaps").read_text(encoding="ascii", errors="replace")
    starts = list(heading.finditer(text))
    for found, following in zip(starts, [*starts[1:], None]):
        rest = text[found.end():following.start() if following else None]
        marks = set(re.search(r"^VmFlags: (.*)$", rest, re.M)[1].split())
        if found[3].startswith("r") and found[4] not in ("[vvar]", "[vsyscall]", "[vvar_vclock]"):
            yield int(found[1], 16), int(found[2], 16), found[4], marks


def is_mapped(pid, start, name):
    return any((begin, of) == (start, name) for begin, _, of, _ in mappings(pid))


def contents(pid):
    """Yields the bytes of each mapping, with its name and flags."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end, name, marks in mappings(pid):
            memory.seek(start)
            try:
                yield memory.read(end - start), name, marks
            except OSError:
                # Untouched pages may be missing, and a file mapping may have been removed since.
                assert name.startswith("[") or not is_mapped(pid, start, name), name


def pieces(secret):
    """Returns the halves of a secret, since freed memory loses its beginning.

    A short secret is not split, as its halves would occur by chance.
    """
    if len(secret) < SHORT:
        return [secret]
    middle = len(secret) // 2
    return [secret[:middle], secret[middle:]]


def places(pid, secrets):
    """Returns the locations of each secret or its halves: mapping name or `secret memory`, and count."""
    found = {}
    for data, name, marks in contents(pid):
        place = "secret memory" if SECRET <= marks else name or "no name"
        for title, secret in secrets.items():
            if count := sum(data.count(piece) for piece in pieces(secret)):
                found.setdefault(title, {}).setdefault(place, 0)
                found[title][place] += count
    return found


def lie_nowhere(pid, names, but=()):
    """Waits until a process has none of these secrets in memory, except in the given places."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = {name: where for name, where in places(pid, names).items() if where.keys() - set(but)}
        if not found:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
