"""Another transport than the long poll, for tests that bring pushes themselves."""

from . import archive, flows
from .sandbox import Sandbox


class Bringer:
    """Brings pushes that the platform made while the daemon was away."""

    def __init__(self, directory, make_daemon):
        self.kept = directory / "sandbox.db"
        self.sandbox = Sandbox(data=self.kept)
        self.daemon = make_daemon(sandbox=self.sandbox).start()
        flows.pair(self.daemon.client(), self.sandbox)
        self.passcode = self.daemon.client().call("passcode.get")["passcode"]
        self.daemon.stop()

    def leave(self):
        """Ends the platform, starts the daemon, and returns what the platform had sent, oldest first."""
        self.sandbox.stop()
        self.daemon.start()
        return [push["token"] for push in archive.things(self.kept, "Notification")]

    def come_back(self):
        """Starts the platform again, where it was and with what it knew."""
        self.sandbox.start()
