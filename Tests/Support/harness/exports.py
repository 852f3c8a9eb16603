"""Exports of other authenticators, created with independent cryptography."""

import base64
import json
import subprocess
from pathlib import Path

MAKER = Path(__file__).parents[2] / "Formats" / "OATHTests" / "Foreign" / "exports.py"


def make(*options):
    """Returns the password of encrypted exports, the accounts, and the exports by name.

    Options set the number of accounts and the password.
    """
    # The distribution's Python has the required packages.
    run = ["/usr/bin/python3", MAKER, *map(str, options)]
    made = json.loads(subprocess.run(run, capture_output=True, check=True).stdout)
    return made["password"], made["accounts"], {name: base64.b64decode(data) for name, data in made["exports"].items()}
