"""The issuer: discovery, a sign-on by a policy in `pi.flow`, and tokens for the resulting code."""

import hashlib
import re
import secrets
import urllib.parse
import uuid

from .. import jose
from .faults import Refusal
from .http import Response

ACTIONS = {
    "USERNAME_PASSWORD_REQUIRED": ["usernamePassword.check", "password.forgot"],
    "OTP_REQUIRED": ["otp.check"],
}
"""The actions of a step; the first is the expected one."""


class Issuer:
    """`path` is its path on its origin: `/<environment>/as`, or `/as` at a custom domain."""

    def __init__(self, world, path):
        self.world, self.tenant, self.path = world, world.tenant, path
        self._pushed, self._flows, self._codes = {}, {}, {}

    def routes(self):
        flow = re.escape(self.path.removesuffix("/as")) + "/flows/([^/]+)"
        base = re.escape(self.path)
        return [
            ("GET", base + "/.well-known/openid-configuration", "discovery", self.discovery),
            ("GET", base + "/jwks", "jwks", lambda _: Response(body=self.world.tokens.key_set())),
            ("POST", base + "/par", "par", self.push),
            ("GET", base + "/authorize", "authorize", self.authorize),
            ("POST", base + "/authorize", "authorize", self.authorize),
            ("GET", flow, "flow", self.look),
            ("POST", flow, "act", self.act),
            ("GET", base + "/resume", "resume", self.resume),
            ("POST", base + "/token", "token", self.token),
            ("POST", base + "/revoke", "revoke", lambda _: Response(body={})),
        ]

    @property
    def url(self):
        return self.world.auth.origin + self.path

    def discovery(self, _):
        names = {
            "authorization_endpoint": "authorize",
            "pushed_authorization_request_endpoint": "par",
            "token_endpoint": "token",
            "userinfo_endpoint": "userinfo",
            "jwks_uri": "jwks",
            "end_session_endpoint": "signoff",
            "revocation_endpoint": "revoke",
            "introspection_endpoint": "introspect",
            "device_authorization_endpoint": "device_authorization",
        }
        if not self.tenant.takes_pushed_requests:
            del names["pushed_authorization_request_endpoint"]
        body = {
            "issuer": self.url,
            **{name: f"{self.url}/{path}" for name, path in names.items()},
            "response_modes_supported": ["pi.flow", "query", "fragment", "form_post"],
            "response_types_supported": ["code", "id_token", "token"],
            "code_challenge_methods_supported": ["plain", "S256"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "scopes_supported": ["openid", "profile", "email", "address", "phone", "offline_access"],
        }
        return Response(body=body)

    # The request

    def push(self, request):
        if not self.tenant.takes_pushed_requests:
            raise Refusal(404, "NOT_FOUND")
        self._check(request.form)
        reference = "urn:ietf:params:oauth:request_uri:" + secrets.token_urlsafe(16)
        self._pushed[reference] = request.form
        return Response(201, {"request_uri": reference, "expires_in": 60})

    def authorize(self, request):
        asked = {**request.query, **(request.form if request.method == "POST" else {})}
        if "request_uri" in asked:
            asked = self._pushed.pop(asked["request_uri"], {})
        self._check(asked)
        if request.headers.get("x-requested-with") != "ping-sdk":
            # PingOne would return a page for browsers.
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "x-requested-with")
        flow = {"id": str(uuid.uuid4()), "status": "USERNAME_PASSWORD_REQUIRED", "asked": asked, "user": None}
        flow["session"] = secrets.token_urlsafe(16)
        self._flows[flow["id"]] = flow
        cookie = f"ST={flow['session']}; Path={self.path.removesuffix('/as') or '/'}; HttpOnly"
        return Response(body=self._page(flow), headers=[("Set-Cookie", cookie)])

    def _check(self, asked):
        """Raises for an invalid request. Both steps must be as PingOne requires them."""
        wrong = None
        if asked.get("client_id") != self.tenant.client:
            wrong = "client_id"
        elif _portless(asked.get("redirect_uri", "")) != self.tenant.redirect_uri:
            wrong = "redirect_uri"
        elif asked.get("response_type") != "code" or asked.get("response_mode") != "pi.flow":
            wrong = "response_mode"
        elif asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge"):
            wrong = "code_challenge"
        elif self.tenant.refuses_other_scopes and self._scope(asked) != asked.get("scope", "").split():
            wrong = "scope"
        if wrong:
            raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", wrong)

    def _scope(self, asked):
        """Returns the granted part of the requested scope."""
        standard = {"openid", "profile", "email", "address", "phone"}
        return [each for each in asked.get("scope", "").split() if each in standard | self.tenant.granted]

    # Steps

    def _page(self, flow):
        where = self.url.removesuffix("/as") + "/flows/" + flow["id"]
        page = {
            "id": flow["id"],
            "environment": {"id": self.tenant.environment},
            "status": flow["status"],
            "resumeUrl": f"{self.url}/resume?flowId={flow['id']}",
            "_links": {name: {"href": where} for name in ["self", *ACTIONS.get(flow["status"], [])]},
            "_embedded": {"application": {"name": "Authenticator"}},
        }
        if flow["user"]:
            page["_embedded"]["user"] = {"id": flow["user"]["id"], "username": flow["user"]["username"]}
        if flow["status"] == "OTP_REQUIRED":
            device = self.world.devices.first_active(flow["user"])
            page["selectedDevice"] = {"id": device.id}
            short = {"id": device.id, "type": device.type, "usableStatus": {"status": "ENABLED"}}
            page["_embedded"]["devices"] = [short]
        return page

    def _flow(self, request, identifier):
        flow = self._flows.get(identifier)
        cookies = [pair.strip() for pair in request.headers.get("cookie", "").split(";")]
        if flow is None or f"ST={flow['session']}" not in cookies:
            raise Refusal(404, "NOT_FOUND")
        return flow

    def look(self, request, identifier):
        return Response(body=self._page(self._flow(request, identifier)))

    def act(self, request, identifier):
        flow = self._flow(request, identifier)
        action = ACTIONS.get(flow["status"], ["none"])[0]
        body = request.json(f"application/vnd.pingidentity.{action}+json")
        if action == "usernamePassword.check":
            user = self.tenant.users.get(body.get("username"))
            if user is None or user["password"] != body.get("password"):
                raise Refusal(400, "INVALID_DATA", "INVALID_VALUE", "password")
            flow["user"] = user
            second = self.tenant.asks_for_passcode and self.world.devices.first_active(user)
            flow["status"] = "OTP_REQUIRED" if second else "COMPLETED"
        else:
            self.world.devices.first_active(flow["user"]).check(body.get("otp"))
            flow["status"] = "COMPLETED"
        return Response(body=self._page(flow))

    # Completion

    def resume(self, request):
        flow = self._flow(request, request.query.get("flowId"))
        if flow["status"] != "COMPLETED":
            raise Refusal(400, "INVALID_REQUEST")
        code = secrets.token_urlsafe(24)
        self._codes[code] = flow
        state = flow["asked"].get("state")
        answer = {"code": code, **({"state": state} if state else {})}
        return Response(body={"id": flow["id"], "status": "COMPLETED", "authorizeResponse": answer})

    def token(self, request):
        form = request.form
        flow = self._codes.pop(form.get("code"), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        asked = flow["asked"] if flow else {}
        challenge = jose.b64(digest)
        same = ("client_id", "redirect_uri")
        if (
            form.get("grant_type") != "authorization_code"
            or asked.get("code_challenge") != challenge
            or any(asked.get(name) != form.get(name) for name in same)
        ):
            return Response(400, {"error": "invalid_grant", "error_description": "the code is not good"})
        scope = self._scope(asked)
        return Response(body=self.world.tokens.answer(flow["user"], scope, asked.get("nonce"), flow["session"]))


def _portless(uri):
    parts = urllib.parse.urlsplit(uri)
    return f"{parts.scheme}://{parts.hostname}{parts.path}" if parts.hostname else uri
