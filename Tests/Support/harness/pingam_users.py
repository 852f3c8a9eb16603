"""An independent PingAM with sign-ons and management of own devices, according to its REST documentation."""

import secrets
import threading
import urllib.parse

from harness.pingam import PingAM

REALM = "/am/json/realms/root/realms/alpha"
COOKIE = "5cc4f1a9e0b2d37"
KINDS = ("push", "oath", "webauthn", "binding")


def refused(status, reason):
    return status, {"code": status, "reason": reason, "message": reason}


class PingAMUsers(PingAM):
    """Signs on any named user, and keeps the devices of each user by type."""

    def __init__(self):
        super().__init__()
        self.sessions, self.kept, self.calls = {}, {}, []
        self.kinds, self.permits, self.has_sessions = set(KINDS), True, True
        self.asked, self.goes_on, self.ended = (threading.Event() for _ in range(3))
        self.goes_on.set()
        self.after_deletion = lambda: None

    def add(self, user, kind, uuid, name):
        """Adds a device that is unknown to this machine."""
        self.kept.setdefault((user, kind), {})[uuid] = {
            "_id": uuid, "_rev": "1", "uuid": uuid, "deviceName": name,
            "createdDate": 1629261902660, "lastAccessDate": 1629261902660,
        }

    def of(self, user, kind):
        return {uuid: device["deviceName"] for uuid, device in self.kept.get((user, kind), {}).items()}

    def _register(self, body):
        answer = super()._register(body)
        if answer[0] == 200:
            device = list(self.devices.values())[-1]
            for kind, uuid in zip(("push", "oath"), device["names"]):
                if uuid:
                    self.add(device["user"], kind, uuid, device["deviceName"])
        return answer

    def serve(self, method, path, headers, body):
        if not path.startswith(REALM):
            return super().serve(method, path, headers, body)
        self.calls.append((method, path, dict(headers), body))
        address = urllib.parse.urlsplit(path.removeprefix(REALM))
        query = dict(urllib.parse.parse_qsl(address.query))
        if address.path == "/authenticate":
            return self._sign_on(body)
        token = headers.get(COOKIE)
        user = self.sessions.get(token)
        if user is None or "Accept-API-Version" not in headers:
            return refused(401, "Unauthorized")
        if address.path == "/sessions":
            return self._session(token, user, query["_action"])
        self.asked.set()
        self.goes_on.wait()
        return self._devices(method, user, address.path, query, headers, body)

    def _sign_on(self, body):
        if not body or "authId" not in body:
            return 200, {"authId": "a", "callbacks": [{
                "type": "NameCallback", "output": [{"name": "prompt", "value": "User Name"}],
                "input": [{"name": "IDToken1", "value": ""}],
            }]}
        if not self.has_sessions:
            return 200, {"successUrl": "/am/console", "realm": "/alpha"}
        token = secrets.token_urlsafe(24)
        self.sessions[token] = body["callbacks"][0]["input"][0]["value"]
        return 200, {"tokenId": token, "successUrl": "/am/console", "realm": "/alpha"}

    def _session(self, token, user, action):
        if action == "logout":
            del self.sessions[token]
            self.ended.set()
            return 200, {"result": "Successfully logged out"}
        universal = f"id={user},ou=user,o=alpha,ou=services,ou=am-config"
        return 200, {"username": user, "universalId": universal, "realm": "/alpha", "latestAccessTime": "2026-11-21T09:00:00Z"}

    def _devices(self, method, user, path, query, headers, body):
        parts = [urllib.parse.unquote(part) for part in path.split("/")]
        if not self.permits or parts[:3] != ["", "users", user] or parts[3:5] != ["devices", "2fa"]:
            return refused(403, "Forbidden")
        kind, uuid = parts[5], parts[6] if len(parts) > 6 else None
        if kind not in self.kinds:
            return refused(404, "Not Found")
        devices = self.kept.setdefault((user, kind), {})
        if uuid is None:
            if (method, query) != ("GET", {"_queryFilter": "true"}):
                return refused(400, "Bad Request")
            return 200, {"result": list(devices.values()), "resultCount": len(devices)}
        if uuid not in devices:
            return refused(404, "Not Found")
        if method == "DELETE":
            device = devices.pop(uuid)
            self.after_deletion()
            return 200, device
        if headers.get("If-Match") != "*" or body.keys() != {"_id", "deviceName", "uuid"}:
            return refused(412, "Precondition Failed")
        devices[uuid]["deviceName"] = body["deviceName"]
        return 200, devices[uuid]
