"""A sign-on by an application: authorization code with PKCE, and a mobile payload."""

import hashlib
import http.cookiejar
import json
import secrets
import urllib.parse
import urllib.request

from . import jose
from .programs import PATIENCE

REDIRECT = "http://127.0.0.1:8765/callback"


class Application:
    """A public client of the sandbox's issuer."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.client = sandbox.announcement["clientId"]
        self.issuer = sandbox.announcement["issuer"]
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies)

    def _send(self, url, body=None, media_type="application/x-www-form-urlencoded"):
        request = urllib.request.Request(url, data=body, headers={"Content-Type": media_type} if body else {})
        with self._opener.open(request, timeout=PATIENCE) as response:
            return json.load(response)

    def _post_form(self, path, **form):
        return self._send(self.issuer + path, urllib.parse.urlencode(form).encode())

    def sign_on(self, user, payload):
        """Returns a user's ID token for an authorization request with a payload, and its nonce."""
        tokens, nonce = self.tokens(user, mobilePayload=payload)
        return tokens["id_token"], nonce

    def tokens(self, user, scope="openid profile", **parameters):
        """Returns a user's tokens, and the nonce of the authorization request."""
        verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
        digest = hashlib.sha256(verifier.encode()).digest()
        flow = self._post_form(
            "/authorize",
            client_id=self.client,
            response_type="code",
            response_mode="pi.flow",
            redirect_uri=REDIRECT,
            scope=scope,
            state="s",
            nonce=nonce,
            code_challenge=jose.b64(digest),
            code_challenge_method="S256",
            prompt="login",
            **parameters,
        )
        credentials = {name: self.sandbox.users[user][name] for name in ("username", "password")}
        flow = self._send(
            flow["_links"]["usernamePassword.check"]["href"],
            json.dumps(credentials).encode(),
            "application/vnd.pingidentity.usernamePassword.check+json",
        )
        answer = self._send(flow["resumeUrl"])
        tokens = self._post_form(
            "/token",
            grant_type="authorization_code",
            code=answer["authorizeResponse"]["code"],
            redirect_uri=REDIRECT,
            client_id=self.client,
            code_verifier=verifier,
        )
        return tokens, nonce
