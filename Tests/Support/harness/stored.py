"""What lies in the files of a daemon's state, as whoever takes the disk finds it."""

import contextlib
import dataclasses
import sqlite3


def _opened(state):
    # Who only reads leaves the files as they are, also as the last who closes them.
    return contextlib.closing(sqlite3.connect(f"file:{state}/mfad.db?mode=ro", uri=True, isolation_level=None))


def _wrapped(state, uid, places):
    with _opened(state) as database:
        ((key,),) = database.execute(f"SELECT key FROM owner_key JOIN {places} USING (slot) WHERE owner = ?", (uid,)).fetchall()
    return key


def owner_key(state, uid):
    """By what everything of an owner's opens, as the key-encryption key wraps it."""
    return _wrapped(state, uid, "owner_slot")


def guard_key(state, uid):
    """By what an owner's secrets open, as their key wraps it, with their PIN if they have one."""
    return _wrapped(state, uid, "owner_guard")


def files_with(state, piece):
    """The files in which it stands."""
    return [path.name for path in state.iterdir() if path.is_file() and piece in path.read_bytes()]


@contextlib.contextmanager
def reading(state):
    """Somebody is reading, so that the log cannot be emptied."""
    with _opened(state) as database:
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM owner").fetchall()
        yield


@dataclasses.dataclass
class Pages:
    """How many pages a database has, how many of them hold nothing, and the bytes of all."""

    all: int
    free: int
    size: int


def pages(state):
    with _opened(state) as database:
        names = ("page_count", "freelist_count", "page_size")
        number, free, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return Pages(number, free, number * size)
