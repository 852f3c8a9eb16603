"""Exports of Aegis with any number of accounts, encrypted if there is a password."""

import base64
import json
import os

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

PARAMETERS = {"n": 32768, "r": 8, "p": 1}
"""The parameters of Aegis, and the maximum that is accepted."""


def aegis(count: int, password: str | None = None) -> str:
    """Returns an export in the format of Aegis, with minimal accounts, so that many fit."""
    entries = [{"type": "totp", "uuid": f"{number}", "name": f"n{number}", "issuer": "i", "note": "", "icon": None,
                "info": {"secret": base64.b32encode(os.urandom(20)).decode(), "algo": "SHA1", "digits": 6, "period": 30}}
               for number in range(count)]
    database = {"version": 3, "entries": entries}
    if password is None:
        return dump({"version": 1, "header": {"slots": None, "params": None}, "db": database})
    master, salt = os.urandom(32), os.urandom(32)
    derived = Scrypt(salt=salt, length=32, **PARAMETERS).derive(password.encode())
    key, key_params = seal(derived, master)
    data, params = seal(master, dump(database).encode())
    slot = {"type": 1, "uuid": "x", "key": key.hex(), "key_params": key_params, "salt": salt.hex(), **PARAMETERS}
    return dump({"version": 1, "header": {"slots": [slot], "params": params}, "db": base64.b64encode(data).decode()})


def slow() -> str:
    """Returns an encrypted export of andOTP in base64 with the maximum number of rounds of PBKDF2."""
    return base64.b64encode((1_000_000).to_bytes(4, "big") + os.urandom(64)).decode()


def dump(value) -> str:
    return json.dumps(value, separators=(",", ":"))


def seal(key: bytes, plaintext: bytes) -> tuple[bytes, dict]:
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, plaintext, None)
    return sealed[:-16], {"nonce": nonce.hex(), "tag": sealed[-16:].hex()}
