"""Passcodes of RFC 6238, to compare with."""

import base64
import hashlib
import hmac


def passcode(secret: str, window: int, digits: int = 6) -> str:
    digest = hmac.digest(base64.b32decode(secret), window.to_bytes(8, "big"), hashlib.sha1)
    offset = digest[-1] & 15
    number = int.from_bytes(digest[offset:offset + 4], "big") & 0x7FFF_FFFF
    return str(number % 10**digits).rjust(digits, "0")
