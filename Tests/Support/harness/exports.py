"""The exports of other authenticators, made with other people's cryptography."""

import base64
import json
import subprocess
from pathlib import Path

MAKER = Path(__file__).parents[2] / "Formats" / "OATHTests" / "Foreign" / "exports.py"


def make(*options):
    """The password of the encrypted ones, the accounts in all of them, and their bytes by name.

    How many accounts there are, and the password, may be said.
    """
    # The distribution's Python has what the maker needs.
    run = ["/usr/bin/python3", MAKER, *map(str, options)]
    made = json.loads(subprocess.run(run, capture_output=True, check=True).stdout)
    return made["password"], made["accounts"], {name: base64.b64decode(data) for name, data in made["exports"].items()}
