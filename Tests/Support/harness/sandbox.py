"""The real `pingone-sandbox`, and requests of administrators and relying parties to it."""

import contextlib
import json
import signal
import socket
import urllib.error
import urllib.request

from .process import Process
from .programs import PATIENCE, SANDBOX, environment


class Refused(Exception):
    """An error response of PingOne."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status, self.body = status, body

    @property
    def detail(self):
        """Returns the code of its first detail."""
        return self.body["details"][0]["code"]


def place():
    """Returns a socket that reserves its port for our servers: no outgoing connection uses it meanwhile."""
    taken = socket.socket()
    taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    taken.bind(("127.0.0.1", 0))
    return taken


class Sandbox:
    """A PingOne with one environment and the users ann and bob."""

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
        """Starts it, after a stop at the same address."""
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
        """Returns the settings of a daemon for it."""
        return {
            "platform": self.url,
            "platform_key": self.announcement["platformKey"],
            "issuer": self.announcement["issuer"],
            "client_id": self.announcement["clientId"],
        }

    @property
    def secrets(self):
        """Secrets that no journal may contain."""
        return [user["password"] for user in self.users.values()]

    def stop(self):
        """Terminates it and checks its exit status."""
        if self.process.is_running:
            self.process.signal(signal.SIGTERM)
        assert self.process.wait() == 0, str(self.process.journal)
        if self._clock:
            self._clock.forget(self.process.pid)

    @contextlib.contextmanager
    def held(self):
        """Holds all responses until the end of the block, so that requests stay in flight."""
        self.process.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.signal(signal.SIGCONT)

    # Requests

    def request(self, method, path, body=None, media_type="application/json", token=None):
        """Sends a request to the management or authentication API, as administrator or with a user's token."""
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

    # Interface that PingOne does not have

    def advance(self, seconds):
        """Advances the clock for expiries and limits."""
        self.request("POST", "/sandbox/clock", {"advance": seconds})

    def fault(self, path, count=1, **effect):
        """Injects a fault into the next requests to a path."""
        self.request("POST", "/sandbox/faults", {"path": path, "count": count, **effect})

    def identities(self):
        """Returns the registered devices."""
        return self.request("GET", "/sandbox/devices")["devices"]

    def forget_devices(self):
        """Forgets all registered devices."""
        for device in self.identities():
            self.request("DELETE", f"/sandbox/devices/{device['id']}")

    def tokens(self, **settings):
        """Changes the lifetimes of tokens and their refresh."""
        self.request("PUT", "/sandbox/oidc", settings)

    def sessions(self):
        """Returns the users of sign-ons with valid tokens."""
        return [each["user"]["id"] for each in self.request("GET", "/sandbox/oidc/sessions")["sessions"]]

    # Administration

    def user(self, name):
        """Creates a user and returns the name."""
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
        """Makes pushes require the number that the sign-on page shows, in a mode if one is given."""
        self.change_policy({"push": {"numberMatching": {"enabled": True}}})
        if kind is not None:
            self.change_application({"push": {"numberMatching": {"type": kind}}})

    def limit_pushes(self, count, lock_seconds=60):
        """Locks an account temporarily after this number of ignored or denied pushes."""
        duration = {"duration": lock_seconds, "timeUnit": "SECONDS"}
        self.change_policy({"pushLimit": {"count": count, "lockDuration": duration}, **self._timeout(150)})

    def wait_for_answers(self, seconds):
        """Sets the time in which pushes can be answered."""
        self.change_policy(self._timeout(seconds))

    @staticmethod
    def _timeout(seconds):
        return {"pushTimeout": {"duration": seconds, "timeUnit": "SECONDS"}}

    def check_integrity(self, strictness):
        """Makes approvals depend on the machine's posture. The strictness decides if there is none."""
        detection = {"mode": "ENABLED", "cacheDuration": {"amount": 1, "units": "MINUTES"}}
        self.change_application({"integrityDetection": detection})
        self.change_policy({"integrityDetection": strictness})

    def authorize_devices(self, extra_verification):
        """Lets a paired device authenticate for its user, with an extra verification if required."""
        self.change_policy({"deviceAuthorization": {"enabled": True, "extraVerification": extra_verification}})

    def require(self, **requirements):
        """Sets the application's requirements for devices, replacing previous ones."""
        self.change_settings(integrity=None)
        self.change_settings(integrity=requirements)

    def change_settings(self, **parts):
        """Merges changes into the settings and returns them."""
        return self.request("PATCH", "/sandbox/settings", parts)

    def change_application(self, mobile):
        """Changes the mobile settings of the daemons' application."""
        self.change_settings(application={"mobile": mobile})

    def refuse_pushes(self, text):
        """Makes push services refuse pushes with a text."""
        self.request("PUT", "/sandbox/transport", {"refusal": text})

    def change_policy(self, mobile):
        """Changes the policy for the daemons' application."""
        self.change_settings(policy={"mobile": mobile})

    def outcomes(self):
        """Returns the active devices of users, and the outcomes of device authentications and codes started here."""
        found = [user for user in self.users for device in self.devices(user) if device["status"] == "ACTIVE"]
        for path in self.begun:
            # A restored state of the sandbox does not have it.
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
        """Executes an administrator's action on the only device of a user."""
        (device,) = self.devices(user)
        media_type = f"application/vnd.pingidentity.{action}+json"
        self.request("POST", f"{self.user_path(user)}/devices/{device['id']}", {}, media_type)

    # Relying parties

    def authenticate(self, user, notification=None):
        """Starts a device authentication, which sends a push if possible."""
        body = {"user": {"id": self.users[user]["id"]}}
        if notification is not None:
            body["notification"] = notification
        return self._begin("deviceAuthentications", body)

    def stand_in(self, user, payload):
        """Starts a device authentication in which the device of a mobile payload authenticates for the user."""
        body = {
            "user": {"id": self.users[user]["id"]},
            "application": {"id": self.announcement["application"]},
            "mobilePayload": payload,
        }
        return self._begin("deviceAuthentications", body)

    def authentication(self, started):
        """Returns the current state of a device authentication."""
        return self.request("GET", f"/{self.environment}/deviceAuthentications/{started['id']}")

    def act(self, started, action, body):
        """Executes an action on a device authentication."""
        path = f"/{self.environment}/deviceAuthentications/{started['id']}"
        return self.request("POST", path, body, f"application/vnd.pingidentity.{action}+json")

    def check_passcode(self, started, passcode):
        """Completes a device authentication by passcode."""
        return self.act(started, "otp.check", {"otp": passcode})

    def code(self, **more):
        """Creates an authentication code."""
        body = {"application": {"id": self.announcement["application"]}, **more}
        return self._begin("authenticationCodes", body)

    def code_status(self, made):
        """Returns the status of an authentication code."""
        return self.request("GET", f"/{self.environment}/authenticationCodes/{made['id']}")["status"]
