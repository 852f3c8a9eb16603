"""Directories for tests."""

import secrets
import tempfile
from pathlib import Path


def new_directory():
    """A directory that nobody else can look into.

    Its name is short, as sockets want it, and without small letters: none spells a name that is looked for where the
    path may stand.
    """
    path = Path(tempfile.gettempdir(), f"mfad-{secrets.token_hex(4).upper()}")
    path.mkdir(mode=0o700)
    return path
