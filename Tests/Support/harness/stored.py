"""The files of a daemon's state, as seen by someone with access to the disk."""

import contextlib
import dataclasses
import sqlite3


def _opened(state):
    # A read-only connection leaves the files unchanged, even if it is the last to close.
    return contextlib.closing(sqlite3.connect(f"file:{state}/mfad.db?mode=ro", uri=True, isolation_level=None))


def _wrapped(state, uid, places):
    with _opened(state) as database:
        ((key,),) = database.execute(f"SELECT key FROM owner_key JOIN {places} USING (slot) WHERE owner = ?", (uid,)).fetchall()
    return key


def owner_key(state, uid):
    """Returns the key of an owner's data, wrapped with the key-encryption key."""
    return _wrapped(state, uid, "owner_slot")


def guard_key(state, uid):
    """Returns the key of an owner's secrets, wrapped with the owner's key, and with the PIN if there is one."""
    return _wrapped(state, uid, "owner_guard")


def files_with(state, piece):
    """Returns the names of files that contain these bytes."""
    return [path.name for path in state.iterdir() if path.is_file() and piece in path.read_bytes()]


@contextlib.contextmanager
def reading(state):
    """Holds a read transaction, so that the WAL cannot be truncated."""
    with _opened(state) as database:
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM owner").fetchall()
        yield


@dataclasses.dataclass
class Pages:
    """Number of pages of a database, number of free pages, and size in bytes."""

    all: int
    free: int
    size: int


def pages(state):
    with _opened(state) as database:
        names = ("page_count", "freelist_count", "page_size")
        number, free, size = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    return Pages(number, free, number * size)
