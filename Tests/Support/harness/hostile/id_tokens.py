"""Correct ID tokens, in which tests change one part."""

import time

from .. import jose


class Draft:
    """A correct ID token with a pairing request, before it is signed. A test changes one part."""

    def __init__(self, stage, username="ann"):
        self.stage = stage
        self.key, self.algorithm = stage.issuer_key, "RS256"
        self.header = {"alg": "RS256", "kid": "k1", "typ": "JWT"}
        payload = jose.claims(stage.client.call("payload.generate")["mobilePayload"])
        now = int(time.time())
        self.claims = {
            "iss": stage.ISSUER, "aud": stage.CLIENT, "sub": f"user-{username}", "preferred_username": username,
            "env": stage.platform.ENVIRONMENT, "iat": now, "exp": now + 300, "nonce": "nonce-of-the-test",
            "mfa_pairing": {"key": stage.platform.make_pairing_key(username), "device": stage.device,
                            "payload": payload["jti"], "expiresAt": "2099-01-01T00:00:00Z"}}

    def without(self, *names):
        for name in names:
            del self.claims[name]
        return self

    def with_claims(self, **claims):
        self.claims |= claims
        return self

    def with_pairing(self, **members):
        self.claims["mfa_pairing"] |= members
        return self

    def with_header(self, **members):
        self.header |= members
        return self

    def signed_by(self, key, algorithm: str):
        self.key, self.algorithm = key, algorithm
        self.header["alg"] = algorithm
        return self

    @property
    def text(self) -> str:
        return jose.compact(self.header, self.claims, self.key, self.algorithm)

    def spelled(self, header=None, payload=None) -> str:
        """Returns a token signed over a header or payload text that JSON writers would not produce."""
        return jose.compact(header or self.header, payload or self.claims, self.key, self.algorithm)
