"""Tokens of the issuer, and their validation by the API: RS256, with the members that PingOne documents."""

import hashlib
import secrets
import time

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

from .. import jose
from .faults import Refusal

LIFETIME = 3600


class Tokens:
    """The signing key of the environment and its tokens. `api` is the origin of the API."""

    def __init__(self, tenant, issuer, api):
        self.tenant, self.issuer, self.api = tenant, issuer, api
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self._organization = secrets.token_hex(16)

    def key_set(self):
        """Returns the published public key."""
        public = jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "default", "use": "sig", "alg": "RS256"}]}

    def _sign(self, claims):
        now = int(time.time()) + self.tenant.date_offset
        claims = {"iss": self.issuer, "iat": now, "exp": now + LIFETIME, "env": self.tenant.environment, **claims}
        return jwt.encode(claims, self._key, "RS256", headers={"kid": "default"})

    def answer(self, user, scope, nonce, session):
        """Returns the response of the token endpoint."""
        common = {"sub": user["id"], "sid": session, "org": self._organization}
        access = self._sign(
            {**common, "client_id": self.tenant.client, "aud": [self.api], "scope": " ".join(scope)}
        )
        half = hashlib.sha256(access.encode()).digest()[:16]
        id_claims = {
            **common,
            "aud": self.tenant.client,
            "acr": "Single_Factor",
            "amr": ["pwd"],
            "auth_time": int(time.time()),
            "at_hash": jose.b64(half),
            "preferred_username": user["username"],
        }
        answer = {"access_token": access, "token_type": "Bearer", "expires_in": LIFETIME, "scope": " ".join(scope)}
        if "openid" in scope:
            answer["id_token"] = self._sign({**id_claims, **({"nonce": nonce} if nonce else {})})
        return answer

    def check(self, request):
        """Validates the access token of a request. Rejects ID tokens and modified tokens."""
        kind, _, token = request.headers.get("authorization", "").partition(" ")
        try:
            claims = jwt.decode(
                token,
                self._key.public_key(),
                algorithms=["RS256"],
                audience=self.api,
                issuer=self.issuer,
                leeway=2 * abs(self.tenant.date_offset),
            )
        except jwt.InvalidTokenError:
            claims = None
        if kind != "Bearer" or claims is None:
            raise Refusal(401, "INVALID_TOKEN", headers=[("WWW-Authenticate", 'Bearer error="invalid_token"')])
        request.scope = frozenset(claims["scope"].split())
        request.user = self.tenant.user_by_id(claims["sub"])
