"""What Aegis exports, of as many accounts as are wanted."""

import base64
import json
import os


def aegis(count: int) -> str:
    """An export as Aegis writes it, with next to nothing in each account, so that many have room."""
    entries = [{"type": "totp", "uuid": f"{number}", "name": f"n{number}", "issuer": "i", "note": "", "icon": None,
                "info": {"secret": base64.b32encode(os.urandom(20)).decode(), "algo": "SHA1", "digits": 6, "period": 30}}
               for number in range(count)]
    export = {"version": 1, "header": {"slots": None, "params": None}, "db": {"version": 3, "entries": entries}}
    return json.dumps(export, separators=(",", ":"))
