"""The environment for the examples of `rpc.discover`."""

from . import archive, flows, users
from .sandbox import Sandbox

UID = 1000
"""The user ID of the example calls."""

TITLE, BODY = "Sign on", "Approve the sign-on to Payroll?"


class Stage:
    """A daemon with user 1000, root for privileged calls, and a platform with the user ann."""

    def __init__(self, make_daemon, path, data):
        self.data = data
        self.sandbox = Sandbox(data=data)
        credentials = path / "credentials"
        credentials.mkdir()
        (credentials / "mfad.kek").write_bytes(bytes(range(32)))
        self.daemon = make_daemon(
            sandbox=self.sandbox,
            socket=path / "control" / "mfad.sock",
            socket_group=users.GROUP,
            wrapper=["env", f"CREDENTIALS_DIRECTORY={credentials}"],
            keep_session="yes",
            scope="openid profile offline_access",
        )
        self.daemon.start()
        self._clients = []
        self.user, self.root = self.connect(UID), self.connect(0)

    def connect(self, uid):
        self._clients.append(users.client_of(uid, self.daemon.socket))
        return self._clients[-1]

    def close(self):
        for client in self._clients:
            client.close()
        self.daemon.end()
        if self.sandbox.process.is_running:
            self.sandbox.stop()

    # Preconditions

    def configure(self):
        return self.user.call("device.configure", geo="Europe")["deviceId"]

    def pair(self):
        """Pairs ann and returns her account."""
        self.configure()
        key = self.sandbox.pairing_key("ann", region="EU")
        account = self.user.call("pairing.pair", pairingKey=key)["account"]
        self.user.subscribe("notification")
        return account

    def ask_to_pair(self):
        """Signs ann on, which creates a pairing request."""
        self.configure()
        return flows.sign_on(self.user, self.sandbox, "ann")["pairing"]["id"]

    def pair_by_sign_on(self):
        return self.user.call("pairing.approve", pairing=self.ask_to_pair())["account"]

    def ask(self):
        """Makes the platform send a push to ann."""
        self.sandbox.wait_for_answers(120)
        self.sandbox.authenticate("ann", {"template": {"variables": {"title": TITLE, "body": BODY}}})

    def push(self):
        """Returns a pending push."""
        self.pair()
        self.ask()
        return self.user.event("notification", state="pending")["id"]

    def carried(self):
        """Returns a push that only another transport can deliver."""
        self.pair()
        self.user.call("device.setPushAllowed", allowed=True)
        self.daemon.stop()
        self.ask()
        self.sandbox.stop()
        (token,) = [push["token"] for push in archive.things(self.data, "Notification")]
        self.daemon.start()
        self.user = self.connect(UID)
        return token

    def come_back(self):
        """Restarts the platform at the same address."""
        self.sandbox.start()

    def claim(self):
        """Returns a claimed code."""
        self.pair()
        made = self.sandbox.code(userApproval="REQUIRED")
        return self.user.call("authentication.start", code=made["code"])["id"]
