"""Computations of the daemon, compared with common libraries."""

import base64
import time

import jwt
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from row import MEGABYTES_A_SECOND, NANOSECONDS, at_least, at_most, row
from tools import compute, nanoseconds


def taken_by(work, **given):
    return lambda: compute(work, **given)[0]


@row(1, "one passcode against liboath", NANOSECONDS, at_least(0.6))
def warm_passcode(stage, _):
    return taken_by("passcode-warm"), lambda: nanoseconds(stage.peers / "passcode")


@row(1, "one passcode with a new generator", NANOSECONDS, at_least(0.6))
def cold_passcode(stage, _):
    return taken_by("passcode-cold"), lambda: nanoseconds(stage.peers / "passcode")


@row(2, "ID token validation, RS256, against the signature check", NANOSECONDS, at_most(1.3))
def rsa_token(stage, _):
    return token_check(stage, "RS256", rsa.generate_private_key(public_exponent=65537, key_size=2048))


@row(2, "the same, ES256", NANOSECONDS, at_most(1.1))
def ec_token(stage, _):
    return token_check(stage, "ES256", ec.generate_private_key(ec.SECP256R1()))


def token_check(stage, algorithm, key):
    """Our complete check of an externally signed token, and the library's check of its signature alone."""
    expected = {"issuer": "https://auth.example/as", "client": "desk", "nonce": "n-0S6_WzA2Mj"}
    now = int(time.time())
    claims = {
        "iss": expected["issuer"], "aud": expected["client"], "nonce": expected["nonce"], "sub": "u-1", "env": "e-1",
        "iat": now, "exp": now + 86_400, "amr": ["pwd", "mfa"], "preferred_username": "ann",
    }
    token = jwt.encode(claims, key, algorithm, headers={"kid": "k"})
    published = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
    keys = {"keys": [{**published, "kid": "k", "alg": algorithm, "use": "sig"}]}
    signed, _, signature = token.rpartition(".")
    signature = base64.urlsafe_b64decode(signature + "==")
    if algorithm == "ES256":
        signature = encode_dss_signature(*(int.from_bytes(half) for half in (signature[:32], signature[32:])))
        key.public_key().verify(signature, signed.encode(), ec.ECDSA(hashes.SHA256()))
    else:
        key.public_key().verify(signature, signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    files = [stage.directory / f"{algorithm}.{name}" for name in ("pem", "signed", "signature")]
    encodings = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    contents = key.public_key().public_bytes(*encodings), signed.encode(), signature
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    return taken_by("id-token", token=token, keys=keys, **expected), lambda: nanoseconds(stage.peers / "signature", *files)


@row(3, "JSON: token claims, against Foundation's JSONDecoder", NANOSECONDS, at_least(5))
def claims(*_):
    return taken_by("json-claims"), taken_by("json-claims-foundation")


def document_row(what, work):
    def megabytes_a_second():
        taken, count = compute(work)
        return count / taken * 1000

    row(3, f"JSON: {what}", MEGABYTES_A_SECOND, at_least(200))(lambda *_: (megabytes_a_second, None))


document_row("objects", "json-objects")
document_row("one object with many members", "json-names")
document_row("strings with escapes", "json-escapes")
