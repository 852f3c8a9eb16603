"""The real `pingone-sandbox`, and what administrators and relying parties ask of it."""

import contextlib
import json
import signal
import socket
import urllib.error
import urllib.request

from .process import Process
from .programs import PATIENCE, SANDBOX, environment


class Refused(Exception):
    """PingOne said no."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.body = status, body

    @property
    def detail(self):
        """The code of its first detail."""
        return self.body["details"][0]["code"]


def place():
    """A socket whose port is for servers of ours alone while it is open: no connection of others begins at it."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind(("127.0.0.1", 0))
    return taken


class Sandbox:
    """A PingOne of one environment, with the users ann and bob."""

    def __init__(self, data=None, port=None, flows=None, self_service=False, clock=None, options=(), wrapper=(), **variables):
        if port is None:
            self._place = place()
            port = self._place.getsockname()[1]
        self._command = [*wrapper, SANDBOX, "--port", port] + (["--data", data] if data else [])
        self._command += ["--flows", flows] if flows else []
        self._command += ["--self-service"] if self_service else []
        self._command += options
        self._clock = clock
        self.begun = []
        self._variables = environment(**(clock.environment if clock else {}), **variables)
        self.start()

    def start(self):
        """Serves; once more where it did, if it has ended."""
        self.process = Process(self._command, env=self._variables)
        try:
            self.announcement = json.loads(self.process.output.wait("{"))
        except AssertionError:
            self.process.kill()
            self.process.journal.wait_end()
            raise AssertionError(f"the sandbox did not start:\n{self.process.journal}") from None
        self.url = self.announcement["url"]
        self.environment = self.announcement["environment"]
        self.users = {user["username"]: user for user in self.announcement["users"]}

    @property
    def settings(self):
        """What a daemon's configuration says of it."""
        return {
            "platform": self.url,
            "platform_key": self.announcement["platformKey"],
            "issuer": self.announcement["issuer"],
            "client_id": self.announcement["clientId"],
        }

    @property
    def secrets(self):
        """What must be in no journal."""
        return [user["password"] for user in self.users.values()]

    def stop(self):
        """Ends it; it has to end well."""
        if self.process.is_running:
            self.process.signal(signal.SIGTERM)
        assert self.process.wait() == 0, str(self.process.journal)
        if self._clock:
            self._clock.forget(self.process.pid)

    @contextlib.contextmanager
    def held(self):
        """Nothing is answered before the end of this: what is asked meanwhile is under way for as long."""
        self.process.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.signal(signal.SIGCONT)

    # Requests

    def request(self, method, path, body=None, media_type="application/json", token=None):
        """One request of the management or authentication interface, as its administrator or with a user's token."""
        request = urllib.request.Request(
            self.url + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {token or self.announcement['adminToken']}",
                "Content-Type": media_type,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.loads(error.read())) from None
        return json.loads(text) if text else None

    def user_path(self, name):
        return f"/v1/environments/{self.environment}/users/{self.users[name]['id']}"

    # What it has that PingOne has not

    def advance(self, seconds):
        """Moves expiries and limits on."""
        self.request("POST", "/sandbox/clock", {"advance": seconds})

    def fault(self, path, count=1, **effect):
        """Lets something go wrong with the next requests to a path."""
        self.request("POST", "/sandbox/faults", {"path": path, "count": count, **effect})

    def identities(self):
        """The devices that have introduced themselves."""
        return self.request("GET", "/sandbox/devices")["devices"]

    def forget_devices(self):
        """Knows none of them from now on."""
        for device in self.identities():
            self.request("DELETE", f"/sandbox/devices/{device['id']}")

    def tokens(self, **settings):
        """How long tokens last from now on, and how they are refreshed."""
        self.request("PUT", "/sandbox/oidc", settings)

    def sessions(self):
        """The users of the sign-ons whose tokens are good."""
        return [each["user"]["id"] for each in self.request("GET", "/sandbox/oidc/sessions")["sessions"]]

    # Administration

    def user(self, name):
        """Makes a user and returns the name."""
        made = self.request("POST", f"/v1/environments/{self.environment}/users", {"username": name})
        self.users[name] = {"id": made["id"], "username": name, "password": "none"}
        self.request("PUT", self.user_path(name) + "/mfaEnabled", {"mfaEnabled": True})
        return name

    def pairing_key(self, user, **body):
        """A new pairing key of a user."""
        return self.request("POST", self.user_path(user) + "/pairingKeys", body)["code"]

    def devices(self, user):
        """The devices of a user."""
        return self.request("GET", self.user_path(user) + "/devices")["_embedded"]["devices"]

    def match_numbers(self, kind=None):
        """From now on pushes want the number that is shown where the user signs on, of a kind if one is given."""
        self.change_policy({"push": {"numberMatching": {"enabled": True}}})
        if kind is not None:
            self.change_application({"push": {"numberMatching": {"type": kind}}})

    def limit_pushes(self, count, lock_seconds=60):
        """From now on so many pushes that are ignored or denied close the account for a while."""
        duration = {"duration": lock_seconds, "timeUnit": "SECONDS"}
        self.change_policy({"pushLimit": {"count": count, "lockDuration": duration}, **self._timeout(150)})

    def wait_for_answers(self, seconds):
        """From now on pushes can be answered for so long."""
        self.change_policy(self._timeout(seconds))

    @staticmethod
    def _timeout(seconds):
        return {"pushTimeout": {"duration": seconds, "timeUnit": "SECONDS"}}

    def check_integrity(self, strictness):
        """From now on approvals are judged by what the machine says of itself; silence by the strictness."""
        detection = {"mode": "ENABLED", "cacheDuration": {"amount": 1, "units": "MINUTES"}}
        self.change_application({"integrityDetection": detection})
        self.change_policy({"integrityDetection": strictness})

    def authorize_devices(self, extra_verification):
        """From now on a paired device can stand in for its user, after it was asked itself where that is wanted."""
        self.change_policy({"deviceAuthorization": {"enabled": True, "extraVerification": extra_verification}})

    def require(self, **requirements):
        """What the application requires of devices from now on, and nothing else."""
        self.change_settings(integrity=None)
        self.change_settings(integrity=requirements)

    def change_settings(self, **parts):
        """Merges into the parts of the settings, which it returns."""
        return self.request("PATCH", "/sandbox/settings", parts)

    def change_application(self, mobile):
        """Changes the mobile settings of the application that daemons are."""
        self.change_settings(application={"mobile": mobile})

    def refuse_pushes(self, text):
        """Lets the services that carry pushes refuse them with a text of theirs."""
        self.request("PUT", "/sandbox/transport", {"refusal": text})

    def change_policy(self, mobile):
        """Changes what the policy says of the application that daemons are."""
        self.change_settings(policy={"mobile": mobile})

    def outcomes(self):
        """The users' active devices, and how the device authentications and codes ended that were begun here."""
        found = [user for user in self.users for device in self.devices(user) if device["status"] == "ACTIVE"]
        for path in self.begun:
            # An older state of the sandbox does not know it.
            with contextlib.suppress(Refused):
                if (status := self.request("GET", path)["status"]) in ("COMPLETED", "FAILED", "DENIED"):
                    found.append(f"{path.split('/')[-2]} {status}")
        return sorted(found)

    def _begin(self, path, body):
        path = f"/{self.environment}/{path}"
        begun = self.request("POST", path, body)
        self.begun.append(f"{path}/{begun['id']}")
        return begun

    def act_on_device(self, user, action):
        """An administrator's action on the only device of a user."""
        (device,) = self.devices(user)
        media_type = f"application/vnd.pingidentity.{action}+json"
        self.request("POST", f"{self.user_path(user)}/devices/{device['id']}", {}, media_type)

    # Relying parties

    def authenticate(self, user, notification=None):
        """Begins a device authentication, which sends a push when it can."""
        body = {"user": {"id": self.users[user]["id"]}}
        if notification is not None:
            body["notification"] = notification
        return self._begin("deviceAuthentications", body)

    def stand_in(self, user, payload):
        """Begins a device authentication in which the device of a mobile payload stands in for the user."""
        body = {
            "user": {"id": self.users[user]["id"]},
            "application": {"id": self.announcement["application"]},
            "mobilePayload": payload,
        }
        return self._begin("deviceAuthentications", body)

    def authentication(self, started):
        """A device authentication as it is now."""
        return self.request("GET", f"/{self.environment}/deviceAuthentications/{started['id']}")

    def act(self, started, action, body):
        """An action on a device authentication."""
        path = f"/{self.environment}/deviceAuthentications/{started['id']}"
        return self.request("POST", path, body, f"application/vnd.pingidentity.{action}+json")

    def check_passcode(self, started, passcode):
        """Finishes a device authentication by passcode."""
        return self.act(started, "otp.check", {"otp": passcode})

    def code(self, **more):
        """A new authentication code."""
        body = {"application": {"id": self.announcement["application"]}, **more}
        return self._begin("authenticationCodes", body)

    def code_status(self, made):
        """Where an authentication code stands."""
        return self.request("GET", f"/{self.environment}/authenticationCodes/{made['id']}")["status"]
