"""Reads the database of a stopped sandbox with `--data`, for tests that need the server's secrets."""

import base64
import json
import sqlite3

from cryptography.hazmat.primitives.asymmetric import ec

from . import jose


def things(path, kind):
    """Returns all objects of a kind."""
    database = sqlite3.connect(path)
    try:
        rows = database.execute("SELECT body FROM thing WHERE kind = ? ORDER BY place", (kind,)).fetchall()
    finally:
        database.close()
    return [json.loads(body) for (body,) in rows]


def passcode_secret(path):
    """Returns the secret of the only pairing in base32, as authenticators use it."""
    (device,) = things(path, "MFADevice")
    return base64.b32encode(bytes(device["secret"]["bytes"])).decode().rstrip("=")


def answer_key(path):
    """Returns the public answer key of the only device, as the platform knows it."""
    return public_key(path, "answer")


def public_key(path, name):
    """Returns one of its public keys: `answer` or `device`."""
    (device,) = things(path, "TrustedDevice")
    jwk = json.loads(device["keys"][name])
    numbers = [int.from_bytes(jose.unb64(jwk[name]), "big") for name in ("x", "y")]
    return ec.EllipticCurvePublicNumbers(*numbers, ec.SECP256R1()).public_key(), jwk
