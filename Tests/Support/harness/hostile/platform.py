"""The platform of the device service, honest unless a test forges a response."""

import base64
import hashlib
import queue
import time
import uuid

import jwt
import pyotp

from .. import jose
from ..programs import PATIENCE
from .exchange import Exchange

POLLS = ("GET /notifications", "POST /polls")
"""The routes for polling pushes, for one or several devices."""


class Held(queue.SimpleQueue):
    """Requests without a response yet."""

    def next(self) -> Exchange:
        return self.get(timeout=PATIENCE)


class Platform:
    URL = "https://platform.test"
    ENVIRONMENT = "b3a1c5d2-0000-4000-8000-00000000e001"

    def __init__(self):
        self.key = jose.p256()
        self.version = 1
        self.lead = 0
        self.issuers: list[str] = []
        self.forgeries: dict = {}
        self.device_keys: dict = {}
        self.devices: dict[str, str] = {}
        self.decision_keys: dict[str, dict] = {}
        self.proof_ids: set[str] = set()
        self.answer_keys: set[str] = set()
        self.violations: list[str] = []
        self.pairing_keys: dict[str, dict] = {}
        self.pairings: dict[str, dict] = {}
        self.decisions: list[dict] = []
        self.outbox: list = []
        self.batch = 50
        self.addressee: str | None = None
        self.cursor = 0
        self.polls: list[Exchange] = []
        self.codes: dict[str, dict] = {}

    settings = {"platform": URL}
    """Settings of a daemon's configuration that name this platform."""
    secrets: list[str] = []

    def now(self) -> int:
        return int(time.time()) + self.lead

    def check(self, holds: bool, what: str):
        if not holds:
            self.violations.append(what)

    # Test interface

    def forge(self, route: str, handler):
        """Sets a handler for a route, which replaces the honest behaviour."""
        self.forgeries[route] = handler

    def hold(self, route: str) -> "Held":
        """Holds the requests of a route until the test answers them."""
        held = Held()
        self.forge(route, held.put)
        return held

    def be_honest(self):
        self.forgeries.clear()

    def make_pairing_key(self, username="ann", user=None, **members) -> str:
        """Returns a pairing key, as created by an administrator of PingOne."""
        key = "01" + "".join("ABCDEFGHJKMNPQRS"[byte % 16] for byte in uuid.uuid4().bytes[:12])
        user = user or {"id": f"user-{username}", "username": username}
        self.pairing_keys[key] = {"user": user} | members
        return key

    def device_of(self, username="ann") -> str:
        return next(p["device"] for p in self.pairings.values() if p["user"]["id"] == f"user-{username}")

    def push_claims(self, device: str | None = None, **others) -> dict:
        now = self.now()
        claims = {"iss": self.URL, "aud": device or self.device_of(), "jti": jose.random_id(), "iat": now,
                  "exp": now + 120, "type": "authentication", "sub": "user-ann", "env": self.ENVIRONMENT,
                  "timeout": 120, "title": "Sign-on request", "body": "Do you approve?"}
        return {name: value for name, value in (claims | others).items() if value is not None}

    def sign_push(self, claims, key=None, algorithm="ES256", **header) -> str:
        key = key or self.key
        head = {"alg": algorithm, "typ": "push+jwt", "kid": jose.named_jwk(self.key)["kid"]} | header
        return jose.compact({name: value for name, value in head.items() if value is not None}, claims, key, algorithm)

    def deliver(self, *pushes, device=None):
        """Answers a waiting or the next long poll with these pushes, of any device or of one."""
        if pushes:
            self.outbox.extend(pushes)
            self.addressee = device
        while self.outbox and (poll := next((poll for poll in self.polls if self._fits(poll)), None)):
            self.polls.remove(poll)
            self._answer_poll(poll)

    def _fits(self, poll) -> bool:
        return not poll.request.is_given_up and (self.addressee is None or self.addressee in poll.asked)

    # Behaviour of the platform

    def __call__(self, request):
        if request.path == "/device/v1/platform-keys":
            return self.forgeries.get("GET /platform-keys", Platform.send_keys)(self, request)
        if request.path == "/":
            # A reachability check.
            return request.reply_json({}, 404)
        exchange = Exchange(self, request)
        if not exchange.is_known:
            return exchange.answer(401, {"code": "DEVICE_UNKNOWN", "message": "no such device"})
        handler = self.forgeries.get(exchange.route)
        if handler:
            return handler(exchange)
        skew = exchange.proof["iat"] - self.now()
        if abs(skew) > 60:
            return exchange.answer(401, {"code": "CLOCK_SKEW", "message": "the clock is off",
                                         "details": [{"code": "10015", "target": "iat"}]})
        if exchange.route in POLLS:
            self.polls.append(exchange)
            self.deliver()
            if exchange in self.polls and exchange.does_not_wait:
                self.polls.remove(exchange)
                exchange.tell(next(iter(exchange.asked)))
            return None
        return exchange.answer_honestly()

    def key_set(self, keys=None, version=None, key=None, **header) -> str:
        payload = {"keys": keys or [jose.named_jwk(self.key)], "version": version or self.version, "iat": self.now()}
        head = {"alg": "ES256", "typ": "platform-keys+jwt", "kid": jose.named_jwk(key or self.key)["kid"]} | header
        return jose.compact(head, payload, key or self.key, "ES256")

    def send_keys(self, request):
        request.reply(self.key_set())

    def _answer_poll(self, exchange):
        batch, self.outbox = self.outbox[:self.batch], self.outbox[self.batch:]
        self.cursor += 1
        try:
            exchange.tell(self.addressee or next(iter(exchange.asked)), *batch, cursor=f"c{self.cursor}", more=bool(self.outbox))
        except OSError:
            # The daemon of this poll has ended.
            self.outbox = batch + self.outbox

    def carry_out(self, exchange):
        match exchange.route.split():
            case ["POST", "/trust"]: return self._trust(exchange)
            case ["PUT", "/push"]: return 200, {"pushEnabled": True}
            case ["POST", "/pairings"]: return self._pair(exchange)
            case ["POST", "/pairings/*/otp"]: return self._check_passcode(exchange)
            case ["GET", "/notifications/*"]: return 200, {"status": "pending"}
            case ["POST", "/notifications/*/answer"]: return self._take_decision(exchange)
            case ["POST", "/authentication-codes/*/claim"]: return self._claim(exchange)
            case ["POST", "/authentication-codes/*/answer"]: return self._take_decision(exchange)
        return 404, {"code": "NOT_FOUND", "message": "no such endpoint"}

    def _trust(self, exchange):
        device = f"device-{exchange.thumbprint[:8].replace('_', '.')}"
        self.devices[exchange.thumbprint] = device
        self.device_keys[exchange.thumbprint] = exchange.device_key
        self.decision_keys[device] = exchange.body["answerJwk"]
        return 200, {"deviceId": device, "platformKeys": {"keys": [jose.named_jwk(self.key)]},
                     "issuers": self.issuers, "serverTime": "2026-11-21T09:00:00Z"}

    def _pair(self, exchange):
        key = exchange.body["pairingKey"]
        if key not in self.pairing_keys:
            return 404, {"code": "INVALID_PAIRING_KEY", "message": "the key is not valid"}
        entry = self.pairing_keys[key]
        secret = base64.b32encode(hashlib.sha256(key.encode()).digest()[:20]).decode()
        identifier = f"pairing-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        self.pairings[identifier] = {"user": entry["user"], "device": self.devices[exchange.thumbprint],
                                     "secret": secret, "key": key}
        return 201, {"pairingId": identifier, "user": entry["user"], "environment": {"id": self.ENVIRONMENT},
                     "authenticators": [{"type": "PUSH", "status": "COMPLETED"}, {"type": "OTP", "status": "PENDING"}],
                     "oath": {"secret": secret, "algorithm": "SHA1", "digits": 6, "period": 30}}

    def _check_passcode(self, exchange):
        pairing = self.pairings[exchange.path.split("/")[2]]
        if not pyotp.TOTP(pairing["secret"]).verify(exchange.body["otp"], valid_window=1):
            return 400, {"code": "InvalidOneTimePasscode", "message": "wrong"}
        self.pairing_keys.pop(pairing["key"], None)
        return 200, {"status": "ACTIVE"}

    def _take_decision(self, exchange):
        header = jose.header(exchange.body["decision"])
        is_by_device_key = header["kid"] == exchange.thumbprint
        key = exchange.device_key if is_by_device_key else self.decision_keys[self.devices[exchange.thumbprint]]
        decision = jwt.decode(exchange.body["decision"], jwt.PyJWK(key | {"alg": "ES256"}), algorithms=["ES256"])
        self.check(header["typ"] == "decision+jwt", "typ of the decision")
        self.check(not is_by_device_key or decision["decision"] == "deny", "what the device key signs")
        self.check(decision["device"] == self.devices[exchange.thumbprint], "device of the decision")
        self.check(abs(decision["iat"] - time.time()) < 600, "time of the decision")
        self.decisions.append(decision)
        states = {"approve": "approved", "deny": "denied"}
        if exchange.route.startswith("POST /authentication-codes"):
            states = {"approve": "COMPLETED", "deny": "DENIED"}
        return 200, {"status": states[decision["decision"]]}

    def _claim(self, exchange):
        code = exchange.path.split("/")[2]
        if code not in self.codes:
            return 404, {"code": "AUTHENTICATION_CODE_INVALID", "message": "unknown"}
        users = [pairing["user"] for pairing in self.pairings.values()]
        return 200, {"requestId": f"request-{code}", "status": "CLAIMED", "userApproval": "REQUIRED",
                     "needsApproval": True, "users": users, "expiresAt": "2099-01-01T00:00:00Z"} | self.codes[code]
