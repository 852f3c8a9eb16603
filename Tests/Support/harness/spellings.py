"""Encodings in which a secret may occur."""

import base64


def base32(secret):
    return base64.b32encode(secret).decode().rstrip("=")


def spelled(names):
    """Returns texts unchanged, and as they occur in frames between daemon and courier."""
    found = {}
    for name, text in names.items():
        found[name] = text.encode()
        for shift in range(3):
            whole = base64.b64encode(b"?" * shift + text.encode())
            # Without the ends, which depend on the adjacent bytes.
            found[f"{name}, as base64 at {shift}"] = whole[4:len(whole) // 4 * 4 - 4]
    return found
