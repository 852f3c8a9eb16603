"""Where the examples of `rpc.discover` are played."""

from . import archive, flows, users
from .sandbox import Sandbox

UID = 1000
"""Whose daemon the examples talk to."""

TITLE, BODY = "Sign on", "Approve the sign-on to Payroll?"


class Stage:
    """A daemon of which user 1000 asks, and root where only root may, and a platform that knows ann."""

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

    # What has to be

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
        """Lets ann sign on, which asks to pair her."""
        self.configure()
        return flows.sign_on(self.user, self.sandbox, "ann")["pairing"]["id"]

    def pair_by_sign_on(self):
        return self.user.call("pairing.approve", pairing=self.ask_to_pair())["account"]

    def ask(self):
        """Lets a platform ask ann, by push."""
        self.sandbox.wait_for_answers(120)
        self.sandbox.authenticate("ann", {"template": {"variables": {"title": TITLE, "body": BODY}}})

    def push(self):
        """A push that waits."""
        self.pair()
        self.ask()
        return self.user.event("notification", state="pending")["id"]

    def carried(self):
        """A push that nothing but another transport can bring."""
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
        """The platform serves again, where it was."""
        self.sandbox.start()

    def claim(self):
        """A code that was claimed."""
        self.pair()
        made = self.sandbox.code(userApproval="REQUIRED")
        return self.user.call("authentication.start", code=made["code"])["id"]
