"""Tokens assembled from parts, so that every part can be wrong."""

import base64
import hashlib
import json
import os

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from joserfc import jwe
from joserfc.jwk import ECKey


def b64(data: bytes | str) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data.encode() if isinstance(data, str) else data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def dump(value) -> bytes:
    """Returns the JSON text of a value. Bytes are used unchanged."""
    return value if isinstance(value, bytes) else json.dumps(value, separators=(",", ":")).encode()


def signature(algorithm: str, key, data: bytes) -> bytes:
    if algorithm.lower() == "none":
        return b""
    return jwt.algorithms.get_default_algorithms()[algorithm].sign(data, key)


def compact(header, payload, key, algorithm: str) -> str:
    """A compact token with exactly this header and payload."""
    text = f"{b64(dump(header))}.{b64(dump(payload))}"
    return f"{text}.{b64(signature(algorithm, key, text.encode()))}"


def claims(token: str) -> dict:
    return json.loads(unb64(token.split(".")[1]))


def header(token: str) -> dict:
    return json.loads(unb64(token.split(".")[0]))


def p256():
    return ec.generate_private_key(ec.SECP256R1())


def rsa_key(bits: int = 2048, exponent: int = 65537):
    return rsa.generate_private_key(public_exponent=exponent, key_size=bits)


def integer(number: int, size: int | None = None) -> str:
    return b64(number.to_bytes(size or (number.bit_length() + 7) // 8, "big"))


def public_jwk(key, **members) -> dict:
    if isinstance(key, ed25519.Ed25519PrivateKey):
        return {"kty": "OKP", "crv": "Ed25519", "x": b64(key.public_key().public_bytes_raw())} | members
    numbers = key.public_key().public_numbers()
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return {"kty": "EC", "crv": "P-256", "x": integer(numbers.x, 32), "y": integer(numbers.y, 32)} | members
    return {"kty": "RSA", "n": integer(numbers.n), "e": integer(numbers.e)} | members


def thumbprint(jwk: dict) -> str:
    names = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n")}[jwk["kty"]]
    return b64(hashlib.sha256(dump({name: jwk[name] for name in names})).digest())


def named_jwk(key) -> dict:
    jwk = public_jwk(key)
    return jwk | {"kid": thumbprint(jwk)}


def seal(plaintext: bytes, recipient: dict, **header) -> str:
    head = {"alg": "ECDH-ES", "enc": "A256GCM"} | header
    return jwe.encrypt_compact(head, plaintext, ECKey.import_key({k: recipient[k] for k in ("kty", "crv", "x", "y")}))


def unseal(text: str, key) -> tuple[dict, bytes]:
    opened = jwe.decrypt_compact(text, ECKey.import_key(key))
    return dict(opened.protected), opened.plaintext


def flip(token: str, segment: int) -> str:
    """Returns the token with one inverted bit in a segment."""
    parts = token.split(".")
    data = bytearray(unb64(parts[segment]))
    data[len(data) // 2] ^= 1
    parts[segment] = b64(bytes(data))
    return ".".join(parts)


def random_id() -> str:
    return b64(os.urandom(12))
