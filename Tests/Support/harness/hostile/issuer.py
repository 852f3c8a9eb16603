"""An OpenID Connect issuer with a flow of one step, honest unless a test forges a response."""

import hashlib
import time

from .. import jose


class Issuer:
    """Dispatches by the last part of the path: discovery, jwks, par, authorize, check, resume, token."""

    ORIGIN = "https://issuer.test"
    URL = f"{ORIGIN}/env/as"
    FLOW = f"{ORIGIN}/env/flows/f1"
    PASSWORD = "correct horse battery staple"
    CLIENT = "client-1"
    SETTINGS = {"issuer": URL, "client_id": CLIENT, "redirect_uri": "http://127.0.0.1/callback"}
    """Settings of a daemon's configuration that name this issuer."""

    def __init__(self, key, client: str, platform):
        self.key, self.client, self.platform = key, client, platform
        self.forgeries: dict = {}
        self.requests: dict = {}
        self.asked: list[str] = []
        self.signed: list[str] = []

    def __call__(self, request):
        if request.path == "/":
            # A reachability check.
            return request.reply_json({}, 404)
        step = {"openid-configuration": "discovery", "f1": "check"}.get(request.path.rsplit("/", 1)[1],
                                                                       request.path.rsplit("/", 1)[1])
        self.asked.append(step)
        forged = self.forgeries.get(step)
        forged(self, request) if forged else getattr(self, step)(request)

    def forge(self, step: str, handler):
        self.forgeries[step] = handler

    def be_honest(self):
        self.forgeries.clear()

    def configuration(self) -> dict:
        endpoints = {"authorization_endpoint": "authorize", "token_endpoint": "token", "jwks_uri": "jwks",
                     "pushed_authorization_request_endpoint": "par"}
        return {"issuer": self.URL} | {name: f"{self.URL}/{path}" for name, path in endpoints.items()}

    def discovery(self, request):
        request.reply_json(self.configuration())

    def jwks(self, request):
        request.reply_json({"keys": [jose.public_jwk(self.key, kid="k1")]})

    def par(self, request):
        self.requests = request.form
        request.reply_json({"request_uri": "urn:request:1", "expires_in": 60}, 201)

    def flow(self) -> dict:
        return {"id": "f1", "status": "USERNAME_PASSWORD_REQUIRED", "resumeUrl": f"{self.URL}/resume",
                "_links": {"usernamePassword.check": {"href": self.FLOW}}}

    def authorize(self, request):
        request.reply_json(self.flow(), headers=[("Set-Cookie", "ST=session; Path=/; Secure; HttpOnly")])

    def check(self, request):
        if request.json != {"username": "ann", "password": self.PASSWORD}:
            return request.reply_json({"code": "INVALID_DATA", "message": "no", "details": [
                {"code": "INVALID_VALUE", "target": "password"}]}, 400)
        request.reply_json({"id": "f1", "status": "COMPLETED", "resumeUrl": f"{self.URL}/resume"})

    def response(self) -> dict:
        return {"code": "code-1", "state": self.requests["state"]}

    def resume(self, request):
        request.reply_json({"authorizeResponse": self.response()})

    def claims(self) -> dict:
        now = int(time.time())
        payload = jose.claims(self.requests["mobilePayload"])
        return {"iss": self.URL, "aud": self.client, "sub": "user-ann", "preferred_username": "ann", "iat": now,
                "exp": now + 300, "nonce": self.requests["nonce"], "env": self.platform.ENVIRONMENT,
                "mfa_pairing": {"key": self.platform.make_pairing_key(), "device": payload["sub"],
                                "payload": payload["jti"], "expiresAt": "2099-01-01T00:00:00Z"}}

    def sign(self, claims, key=None) -> str:
        token = jose.compact({"alg": "RS256", "kid": "k1"}, claims, key or self.key, "RS256")
        self.signed.append(token)
        return token

    def token(self, request):
        form = request.form
        challenge = jose.b64(hashlib.sha256(form["code_verifier"].encode()).digest())
        if form["code"] != "code-1" or challenge != self.requests["code_challenge"]:
            return request.reply_json({"error": "invalid_grant"}, 400)
        request.reply_json({"access_token": "access", "token_type": "Bearer", "id_token": self.sign(self.claims())})
