"""Directories for tests."""

import secrets
import tempfile
from pathlib import Path


def new_directory():
    """Creates a directory that no other user can access.

    Its name is short enough for sockets. It has no lowercase letters, so that it never contains a name that a test
    searches for.
    """
    path = Path(tempfile.gettempdir(), f"mfad-{secrets.token_hex(4).upper()}")
    path.mkdir(mode=0o700)
    return path
