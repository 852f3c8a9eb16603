"""What a sandbox with `--data` has kept, for judges that need the other side's secrets. It has to be stopped."""

import base64
import json
import sqlite3

from cryptography.hazmat.primitives.asymmetric import ec

from . import jose


def things(path, kind):
    """All things of a kind."""
    database = sqlite3.connect(path)
    try:
        rows = database.execute("SELECT body FROM thing WHERE kind = ? ORDER BY place", (kind,)).fetchall()
    finally:
        database.close()
    return [json.loads(body) for (body,) in rows]


def passcode_secret(path):
    """The secret of the only pairing, in base32 as authenticators take it."""
    (device,) = things(path, "MFADevice")
    return base64.b32encode(bytes(device["secret"]["bytes"])).decode().rstrip("=")


def answer_key(path):
    """The public answer key of the only device, as the platform learned it."""
    return public_key(path, "answer")


def public_key(path, name):
    """One of its public keys: `answer` or `device`."""
    (device,) = things(path, "TrustedDevice")
    jwk = json.loads(device["keys"][name])
    numbers = [int.from_bytes(jose.unb64(jwk[name]), "big") for name in ("x", "y")]
    return ec.EllipticCurvePublicNumbers(*numbers, ec.SECP256R1()).public_key(), jwk
