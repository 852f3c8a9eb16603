"""The exports of other authenticators, made with other people's cryptography."""

import base64
import json
import subprocess
from pathlib import Path

MAKER = Path(__file__).parents[2] / "Formats" / "OATHTests" / "Foreign" / "exports.py"


def make():
    """The password of the encrypted ones, the accounts in all of them, and their bytes by name."""
    # The distribution's Python has what the maker needs.
    made = json.loads(subprocess.run(["/usr/bin/python3", MAKER], capture_output=True, check=True).stdout)
    return made["password"], made["accounts"], {name: base64.b64decode(data) for name, data in made["exports"].items()}
