"""What lies in the memory of a running process, as only root can see it."""

import re
import time
from pathlib import Path

from .programs import PATIENCE

SECRET = {"lo", "dd"}
"""The marks of memory for keys in smaps: locked, and in no core file."""

SHORT = 12
"""Bytes of which chance makes no half by itself."""


def mappings(pid):
    """The readable mappings: where they begin and end, what they are of, and their marks, proc_pid_smaps(5)."""
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
    """Each mapping's bytes, with what it is of and its marks."""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        for start, end, name, marks in mappings(pid):
            memory.seek(start)
            try:
                yield memory.read(end - start), name, marks
            except OSError:
                # Pages that nobody has touched may not be there, and a file's mapping may be over since it was found.
                assert name.startswith("[") or not is_mapped(pid, start, name), name


def pieces(secret):
    """The halves of a secret: what was freed has lost its beginning, and is a secret all the same.

    Half of a short one would be found anywhere.
    """
    if len(secret) < SHORT:
        return [secret]
    middle = len(secret) // 2
    return [secret[:middle], secret[middle:]]


def places(pid, secrets):
    """Where each secret lies, whole or half: the name of the mapping, `secret memory` for that of keys, and how often."""
    found = {}
    for data, name, marks in contents(pid):
        place = "secret memory" if SECRET <= marks else name or "no name"
        for title, secret in secrets.items():
            if count := sum(data.count(piece) for piece in pieces(secret)):
                found.setdefault(title, {}).setdefault(place, 0)
                found[title][place] += count
    return found


def lie_nowhere(pid, names, but=()):
    """Waits until none of these lies anywhere in a process, but in the places named."""
    deadline = time.monotonic() + PATIENCE
    while True:
        found = {name: where for name, where in places(pid, names).items() if where.keys() - set(but)}
        if not found:
            return
        assert time.monotonic() < deadline, found
        time.sleep(0.2)
