"""The database in the hands of somebody who can write it, and knows how its pages are held against damage."""

import contextlib
import sqlite3

SUM = 8
"""How many bytes at the end of each page are its checksum; zeros there are none."""


@contextlib.contextmanager
def opened(path):
    """A connection, each of whose statements is a change; afterwards no page tells that it was changed."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        yield database
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with open(path, "r+b") as file:
        for end in range(size, file.seek(0, 2) + 1, size):
            file.seek(end - SUM)
            file.write(bytes(SUM))
