"""A TOTP device, verified by pyotp, or a device of another type, which only appears in lists."""

import hashlib
import time
import urllib.parse
import uuid
from datetime import datetime, timezone

import pyotp

from .faults import Refusal

TIME_TO_ACTIVATE = 30 * 60
"""Seconds after which a secret without activation expires."""

HASHES = {"SHA1": hashlib.sha1, "SHA256": hashlib.sha256, "SHA512": hashlib.sha512}


class Device:
    def __init__(self, tenant, user, kind="TOTP", status="ACTIVATION_REQUIRED", nickname=None):
        self.tenant, self.user = tenant, user
        self.id = str(uuid.uuid4())
        self.type, self.status, self.nickname = kind, status, nickname
        self.secret = pyotp.random_base32(32)
        self.created = self.updated = self._now()
        self._parameters = dict(tenant.uri_parameters)
        self._failures, self._last_window = 0, None

    def _now(self):
        return time.time() + self.tenant.date_offset + self.tenant.time_passed

    @property
    def totp(self):
        """The generator of its codes, as described by its `keyUri`."""
        return pyotp.TOTP(
            self.secret,
            digits=int(self._parameters.get("digits", 6)),
            digest=HASHES[self._parameters.get("algorithm", "SHA1")],
            interval=int(self._parameters.get("period", 30)),
        )

    @property
    def key_uri(self):
        secret = pyotp.random_base32(32) if self.tenant.uri_has_other_secret else self.secret
        query = urllib.parse.urlencode({"secret": secret, **self._parameters})
        return f"otpauth://totp/{urllib.parse.quote(self.user['username'], safe='@')}?{query}"

    def check(self, code):
        """Raises unless a code is correct. Each window accepts one code, RFC 6238 section 5.2."""
        if not isinstance(code, str):
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp")
        if self._failures >= self.tenant.failures:
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp", {"attemptsRemaining": 0})
        # Codes follow the real clock. `time_passed` does not affect them.
        now, totp = int(time.time() + self.tenant.date_offset), self.totp
        for offset in range(-self.tenant.grace_windows, self.tenant.grace_windows + 1):
            window = now // totp.interval + offset
            fresh = self._last_window is None or window > self._last_window
            if fresh and pyotp.utils.strings_equal(totp.generate_otp(window), code):
                self._failures, self._last_window = 0, window
                return
        self._failures += 1
        left = {"attemptsRemaining": self.tenant.failures - self._failures}
        raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "otp", left)

    def activate(self, code):
        if self.status != "ACTIVATION_REQUIRED" or self._now() - self.created > TIME_TO_ACTIVATE:
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "status")
        self.check(code)
        self.status, self.updated = "ACTIVE", self._now()

    def rename(self, nickname):
        if not isinstance(nickname, str) or len(nickname) > 100:
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "nickname")
        self.nickname, self.updated = nickname, self._now()

    def document(self, where, with_secret=False):
        """Returns its JSON. Only the response to its creation contains the secret."""
        links = {"self": {"href": where}}
        if self.status == "ACTIVATION_REQUIRED":
            links["device.activate"] = {"href": where}
        document = {
            "_links": links,
            "id": self.id,
            "environment": {"id": self.tenant.environment},
            "user": {"id": self.user["id"]},
            "type": self.type,
            "status": self.status,
            "createdAt": _instant(self.created),
            "updatedAt": _instant(self.updated),
            "block": {"status": "UNBLOCKED"},
        }
        if self.nickname is not None:
            document["nickname"] = self.nickname
        if with_secret:
            document |= {"secret": self.secret, "keyUri": self.key_uri}
        return document


def _instant(seconds):
    text = datetime.fromtimestamp(seconds, timezone.utc).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")
