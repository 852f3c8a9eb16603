"""A database modified by an attacker with write access and knowledge of the page checksums."""

import contextlib
import sqlite3

SUM = 8
"""Number of checksum bytes at the end of each page. Zeros mean no checksum."""


@contextlib.contextmanager
def opened(path):
    """Yields a connection for changes. Afterwards, no page checksum reveals them."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
        yield database
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = database.execute("PRAGMA page_size").fetchone()
    with open(path, "r+b") as file:
        for end in range(size, file.seek(0, 2) + 1, size):
            file.seek(end - SUM)
            file.write(bytes(SUM))


def change(stage, *statements):
    """Stops the daemon, executes statements in its database, and starts it again for all users."""
    stage.daemon.stop()
    with opened(stage.daemon.state / "mfad.db") as database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement
    stage.start()
    stage.daemon.socket.chmod(0o666)
