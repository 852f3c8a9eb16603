"""An independent PingAM: its two nodes for device keys, with PyJWT to validate responses."""

import base64
import contextlib
import json
import secrets
import threading
import urllib.parse

import jwt

from .servers import answering

SKEW = 30


def universal(user, realm="alpha"):
    """Returns the universal ID of a user."""
    return f"id={user},ou=user,o={realm},ou=services,ou=am-config"


class KeysAM:
    """Runs journeys of one callback each. Validates and records the client's input."""

    def __init__(self):
        self.application_ids = {"mfad"}
        self.limit = 0
        self.devices = {}
        self.outcomes, self.told = [], []
        self.held = None
        self.came = threading.Event()
        self._plays = {}
        self._changes = {}
        self._copies = 1
        self._ends = contextlib.ExitStack()
        self.url = self._ends.enter_context(answering(self._answer)) + "/am"

    def close(self):
        self._ends.close()

    def _answer(self, request):
        body = json.loads(request.body or b"{}")
        status, answer = self._take(request.path, body)
        if body.get("authId"):
            self.came.set()
            if self.held is not None:
                self.held.wait()
        return status, json.dumps(answer).encode()

    def change(self, copies=1, **outputs):
        """Changes the output of callbacks in the next journeys; None omits a member."""
        self._changes, self._copies = outputs, copies

    # Journeys: Bind-NAME and Sign-NAME for a user, Sign for any user.

    def _take(self, path, body):
        url = urllib.parse.urlsplit(path)
        realm = url.path.removesuffix("/authenticate").rsplit("/", 1)[-1]
        query = dict(urllib.parse.parse_qsl(url.query))
        if "authId" not in body:
            kind, _, name = query["authIndexValue"].partition("-")
            return self._ask(kind, universal(name, realm) if name else None, name, realm)
        kind, user, challenge = self._plays.pop(body["authId"])
        told = [{each["name"].removeprefix("IDToken1"): each["value"] for each in one["input"]} for one in body["callbacks"]]
        self.told.append(told)
        first = told[0]
        outcome = self._bind(user, challenge, first) if kind == "Bind" else self._sign(user, challenge, first, realm)
        self.outcomes.append(outcome)
        if outcome == "success":
            return 200, {"tokenId": "t", "successUrl": "/am/console", "realm": f"/{realm}"}
        return 401, {"code": 401, "reason": "Unauthorized", "message": "Login failure"}

    def _ask(self, kind, user, name, realm):
        if kind == "Bind" and 0 < self.limit <= len(self.devices.get(user, {})):
            self.outcomes.append("exceedDeviceLimit")
            return 401, {"code": 401, "reason": "Unauthorized", "message": "Login failure"}
        challenge = base64.b64encode(secrets.token_bytes(32)).decode()
        outputs = {"challenge": challenge, "title": "Authentication required", "subtitle": "Cryptography device binding",
                   "description": "Please complete with biometric to proceed", "timeout": 60}
        if user or kind == "Bind":
            outputs["userId"] = user
        inputs = ["jws", "clientError"]
        if kind == "Bind":
            outputs |= {"username": name, "authenticationType": "NONE", "attestation": False}
            inputs = ["jws", "deviceName", "deviceId", "clientError"]
        outputs = {key: value for key, value in (outputs | self._changes).items() if value is not None}
        callback = {
            "type": "DeviceBindingCallback" if kind == "Bind" else "DeviceSigningVerifierCallback",
            "output": [{"name": key, "value": value} for key, value in outputs.items()],
            "input": [{"name": f"IDToken1{key}", "value": ""} for key in inputs],
        }
        play = secrets.token_urlsafe(24)
        self._plays[play] = (kind, user, outputs.get("challenge"))
        return 200, {"authId": play, "callbacks": [callback] * self._copies}

    # Validation

    def _claims(self, text, key, challenge):
        """Returns the claims of a valid token; raises for any other."""
        claims = jwt.decode(text, key, algorithms=["ES256"], leeway=SKEW, options={"require": ["exp", "sub", "iss"]})
        assert claims["iss"] in self.application_ids and claims["challenge"] == challenge
        return claims

    def _bind(self, user, challenge, told):
        if not told["jws"] or not told["deviceId"]:
            return told["clientError"] or "callback"
        try:
            header = jwt.get_unverified_header(told["jws"])
            key = jwt.PyJWK(header["jwk"])
            self.claims = self._claims(told["jws"], key, challenge)
        except (jwt.PyJWTError, AssertionError, KeyError):
            return "failure"
        self.header = header
        device = {"key": key, "jwk": header["jwk"], "deviceName": told["deviceName"], "deviceId": told["deviceId"]}
        self.devices.setdefault(user, {})[header["jwk"]["kid"]] = device
        return "success"

    def _sign(self, user, challenge, told, realm):
        if not told["jws"]:
            return told["clientError"] or "callback"
        try:
            subject = jwt.decode(told["jws"], options={"verify_signature": False})["sub"]
            if user and subject != user:
                return "failure"
            if not self.devices.get(subject):
                return "noDeviceRegistered"
            device = self.devices[subject].get(jwt.get_unverified_header(told["jws"])["kid"])
            if device is None:
                return "keyNotFound"
            self.claims = self._claims(told["jws"], device["key"], challenge)
        except (jwt.PyJWTError, AssertionError, KeyError):
            return "failure"
        self.header = jwt.get_unverified_header(told["jws"])
        return "success"
