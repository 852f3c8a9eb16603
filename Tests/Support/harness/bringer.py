"""A transport other than the long poll, for tests that deliver pushes themselves."""

from . import archive, flows
from .sandbox import Sandbox


class Bringer:
    """Delivers pushes that the platform created while the daemon was stopped."""

    def __init__(self, directory, make_daemon):
        self.kept = directory / "sandbox.db"
        self.sandbox = Sandbox(data=self.kept)
        self.daemon = make_daemon(sandbox=self.sandbox).start()
        flows.pair(self.daemon.client(), self.sandbox)
        self.passcode = self.daemon.client().call("passcode.get")["passcode"]
        self.daemon.stop()

    def leave(self):
        """Stops the platform, starts the daemon, and returns the platform's pushes, oldest first."""
        self.sandbox.stop()
        self.daemon.start()
        return [push["token"] for push in archive.things(self.kept, "Notification")]

    def come_back(self):
        """Restarts the platform at the same address with the same state."""
        self.sandbox.start()
