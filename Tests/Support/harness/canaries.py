"""Uses of secrets for memory searches. Each returns the secrets that stay and those that must be erased after use."""

import base64
import json
import secrets

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

from . import exports, flows


def opened(vault, password):
    """Returns the key derived from a password for an Aegis export, and the key that it decrypts."""
    slot = json.loads(vault)["header"]["slots"][-1]
    derived = Scrypt(bytes.fromhex(slot["salt"]), 32, slot["n"], slot["r"], slot["p"]).derive(password.encode())
    nonce, sealed = (bytes.fromhex(text) for text in (slot["key_params"]["nonce"], slot["key"] + slot["key_params"]["tag"]))
    return derived, AESGCM(derived).decrypt(nonce, sealed, None)


def use_import(client):
    """Imports an encrypted export of another authenticator."""
    password = secrets.token_urlsafe(24)
    _, sources, files = exports.make(3, password)
    vault = files["aegis encrypted"].decode()
    made = client.call("account.import", data=vault, password=password)
    assert len(made["accounts"]) == len(sources)
    derived, master = opened(vault, password)
    seeds = {}
    for number, one in enumerate(sources):
        padded = one["secret"] + "=" * (-len(one["secret"]) % 8)
        seeds[f"the seed of an imported account, {number}"] = base64.b32decode(padded)
    texts = {f"the text of that seed, {number}": one["secret"] for number, one in enumerate(sources)}
    texts["the password of an export"] = password
    return seeds, texts, {"the key that a password gives": derived, "the key of an export": master}


def use_presence(client, sandbox):
    """Uses a PIN as proof of user presence for a push, and returns it."""
    pin = secrets.token_urlsafe(24)
    client.call("lock.set", pin=pin)
    _, push = flows.push(client, sandbox)
    client.call("notification.approve", notification=push["id"], presence={"method": "pin", "pin": pin})
    client.call("lock.unlock", pin=pin)
    client.call("lock.clear", current=pin)
    return {"a PIN that was given for a push": pin}
