"""An independent PingAM: its resource for devices, with hmac of the standard library to validate responses."""

import base64
import contextlib
import copy
import hashlib
import hmac
import json
import secrets
import time
import urllib.parse
import uuid

from .jose import b64, unb64
from .servers import answering

PATH = "/am/json/alpha/push/sns/message"
REFUSED = (400, {"code": 400, "reason": "Bad Request", "message": "Bad request."})


def code(secret, message):
    return hmac.new(secret, message, hashlib.sha256).digest()


def token(secret, claims):
    """Returns a compact HS256 token with claims."""
    text = b64('{"typ":"JWT","alg":"HS256"}') + "." + b64(json.dumps(claims))
    return text + "." + b64(code(secret, text.encode()))


def claims_of(secret, text):
    """Returns the claims of a token, or None if the secret did not sign it."""
    head, body, signature = text.split(".")
    if json.loads(unb64(head)) != {"typ": "JWT", "alg": "HS256"}:
        return None
    if not hmac.compare_digest(code(secret, f"{head}.{body}".encode()), unb64(signature)):
        return None
    return json.loads(unb64(body))


class PingAM:
    """Enrols devices, creates their pushes, and receives their answers."""

    def __init__(self, port=0):
        self.requests, self.devices, self.answers = [], {}, {}
        self._registrations, self._pushes = {}, {}
        self.tells_wrong_numbers = True
        self.has_push_service = True
        self.fails = 0
        self.held = None
        self._ends = contextlib.ExitStack()
        self.url = self._ends.enter_context(answering(self._answer, port=port))

    def close(self):
        self._ends.close()

    def _answer(self, request):
        self.requests.append((request.path, dict(request.headers), request.body))
        if self.held is not None:
            self.held.wait()
        status, answer = self.serve(request.command, request.path, request.headers, json.loads(request.body or "null"))
        return status, json.dumps(answer).encode()

    def save(self):
        """Returns its state for `restore`."""
        return copy.deepcopy((self.devices, self.answers, self._registrations, self._pushes))

    def restore(self, saved):
        """Restores a saved state."""
        self.devices, self.answers, self._registrations, self._pushes = copy.deepcopy(saved)
        self.requests.clear()

    # Journeys

    def enrolment(self, user="bob", issuer="Acme", account=None, combined=None, cookie="amlbcookie=01", policies=None):
        """Returns the URI of a QR code, with the parameters in a server's order."""
        message = f"REGISTER:{uuid.uuid4()}{time.time_ns() // 1_000_000}"
        secret, challenge = secrets.token_bytes(32), secrets.token_bytes(32)
        names = [str(uuid.uuid4()), str(uuid.uuid4()) if combined else None]
        self._registrations[message] = (user, secret, challenge, names)
        values = {"l": b64(cookie)} if cookie else {}
        values |= {"issuer": b64(issuer), "m": message, "s": b64(secret), "c": b64(challenge)}
        for name, action in (("r", "register"), ("a", "authenticate")):
            values[name] = b64(f"{self.url}{PATH}?_action={action}")
        values |= {"uid": b64(user), "pid": b64(names[0]), "b": "032b75", "image": ""}
        if combined:
            values |= {"secret": combined + "======", "period": "30", "digits": "6", "oid": b64(names[1])}
        if policies:
            values["policies"] = b64(json.dumps(policies))
        scheme = "mfauth://totp" if combined else "pushauth://push"
        label = urllib.parse.quote(f"{issuer}:{account or user}", safe="-._~!$'()*,;&=@:+/")
        return f"{scheme}/{label}?" + "&".join(f"{name}={value}" for name, value in values.items())

    def push(self, user="bob", lifetime=120, age=0, numbers=None, cookie="amlbcookie=02", **claims):
        """Returns a push to a user's device as a transport delivers it, and expects an answer."""
        mechanism, device = next((one, each) for one, each in self.devices.items() if each["user"] == user)
        message = f"AUTHENTICATE:{uuid.uuid4()}{time.time_ns() // 1_000_000}"
        challenge = secrets.token_bytes(32)
        shown = {"k": "challenge", "n": ",".join(map(str, numbers[0]))} if numbers else {}
        self._pushes[message] = (device["secret"], challenge, str(numbers[1]) if numbers else None)
        text = token(device["secret"], {
            "u": mechanism, "l": base64.b64encode(cookie.encode()).decode(),
            "c": base64.b64encode(challenge).decode(), "m": f"Login attempt from {user} at Acme", "k": "default",
            "i": str(time.time_ns() // 1_000_000 - age * 1000), "t": str(lifetime), "d": user, "p": "{  }",
            **shown, **claims,
        })
        return {"messageId": message, "message": text}

    def forget(self, envelope):
        """Drops a push, as after its expiry or after the journey has read the answer."""
        del self._pushes[envelope["messageId"]]

    def _play(self, body):
        """A journey that ends when its user's device is registered, like that of the registration node."""
        if any(device["user"] == "bob" for device in self.devices.values()):
            return 200, {"tokenId": "t", "successUrl": "/am/console", "realm": "/alpha"}
        self._enrolment = getattr(self, "_enrolment", None) or self.enrolment()
        return 200, {"authId": "a", "stage": "", "callbacks": [
            {"type": "TextOutputCallback", "output": [{"name": "message", "value": "Scan the code"}, {"name": "messageType", "value": "0"}]},
            {"type": "HiddenValueCallback",
             "output": [{"name": "value", "value": self._enrolment}, {"name": "id", "value": "mfaDeviceRegistration"}],
             "input": [{"name": "IDToken2", "value": "mfaDeviceRegistration"}]},
            {"type": "PollingWaitCallback",
             "output": [{"name": "waitTime", "value": "200"}, {"name": "message", "value": "Waiting for the device"}]},
        ]}

    # Requests of devices

    def serve(self, method, path, headers, body):
        return self.take(path, headers, body)

    def take(self, path, headers, body):
        if "/authenticate" in path:
            return self._play(body)
        path, action = path.split("?_action=")
        if not self.has_push_service:
            return 404, {"code": 404, "reason": "Not Found", "message": "Cannot find Push Notification Service."}
        if path != PATH or headers.get("Accept-API-Version") != "resource=1.0, protocol=1.0":
            return REFUSED
        if self.fails:
            self.fails -= 1
            return 503, {}
        return {"register": self._register, "authenticate": self._authenticate, "refresh": self._refresh}[action](body)

    @staticmethod
    def _responds(claims, secret, challenge):
        return claims is not None and claims.get("response") == base64.b64encode(code(secret, challenge)).decode()

    def _register(self, body):
        user, secret, challenge, names = self._registrations.get(body["messageId"], (None, b"", b"", None))
        claims = claims_of(secret, body["jwt"])
        if user is None or not self._responds(claims, secret, challenge):
            return REFUSED
        if not all(claims.get(name) for name in ("mechanismUid", "deviceId", "deviceType", "communicationType")):
            return REFUSED
        del self._registrations[body["messageId"]]
        self.devices[claims["mechanismUid"]] = {"user": user, "secret": secret, "names": names, **claims}
        return 200, {}

    def _authenticate(self, body):
        if body["messageId"] not in self._pushes:
            return REFUSED
        secret, challenge, number = self._pushes[body["messageId"]]
        claims = claims_of(secret, body["jwt"])
        if not self._responds(claims, secret, challenge):
            return REFUSED
        # The presence of `deny` is a denial, with any value.
        is_denied = "deny" in claims
        is_wrong = number is not None and not is_denied and str(int(claims["challengeResponse"])) != number
        if is_wrong and self.tells_wrong_numbers:
            return REFUSED
        self.answers[body["messageId"]] = "denied" if is_denied else "wrong" if is_wrong else "approved"
        return 200, {}

    def _refresh(self, body):
        device = self.devices.get(body["mechanismUid"])
        claims = claims_of(device["secret"], body["jwt"]) if device else None
        if claims is None or body.get("username") != device["user"]:
            return REFUSED
        device.update(claims)
        return 200, {}
