"""The real `mfad`, with its own configuration and directory."""

import os
import select
import signal
import time

from . import contract, users
from .client import Client
from .notify import NotifySocket
from .process import Process
from .programs import MFAD, PATIENCE, environment


def configuration(sandbox, directory, **settings):
    """Returns a `mfad.conf` for a platform. A setting of None is omitted; a list repeats its key."""
    values = {
        "allow_loopback_http": "yes",
        **sandbox.settings,
        "redirect_uri": "http://127.0.0.1/callback",
        "state_directory": directory / "state",
        "socket": directory / "control" / "mfad.sock",
        "courier_socket": directory / "no-courier.sock",
        "log_level": "debug",
        **settings,
    }
    lines = []
    for name, value in values.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                lines.append(f"{name} = {one}")
    return "\n".join(lines) + "\n"


class Daemon:
    """A daemon that tests start, stop, kill and restart with one state.

    With `is_checked=False`, its clients check nothing, and its journal may contain errors.
    """

    def __init__(
        self, directory, sandbox, wrapper=(), clock=None, user=0, program=MFAD, umask=0o022, is_checked=True, **settings
    ):
        self.directory, self.sandbox = directory, sandbox
        self.wrapper, self.clock = wrapper, clock
        self.user, self.program, self.umask = user, program, umask
        self.file = directory / "mfad.conf"
        self.state = settings.get("state_directory") or directory / "state"
        self.socket = settings.get("socket") or directory / "control" / "mfad.sock"
        self.configure(**settings)
        self.process = None
        self.notifications = None
        self._is_checked = is_checked
        self._clients = []

    def configure(self, **settings):
        """Writes the configuration."""
        self.file.write_text(configuration(self.sandbox, self.directory, **settings))

    def reload(self, **settings):
        """Writes the configuration if there are settings, and waits until the daemon has read it."""
        if settings:
            self.configure(**settings)
        count = self.journal.count
        self.process.signal(signal.SIGHUP)
        self.journal.wait("the configuration was read again", count)

    @property
    def command(self):
        return [*self.wrapper, self.program, "--config", self.file]

    def start(self):
        """Starts it and waits until it is ready."""
        self.spawn()
        self.wait_ready()
        return self

    def spawn(self):
        """Starts it."""
        path = self.directory / "notify.sock"
        path.unlink(missing_ok=True)
        self.notifications = NotifySocket(path)
        variables = environment(NOTIFY_SOCKET=str(path), **(self.clock.environment if self.clock else {}))
        self.notifications.path.chmod(0o666)
        identity = {"user": self.user, "group": self.user, "extra_groups": []} if self.user else {}
        self.process = Process(self.command, env=variables, umask=self.umask, **identity)

    def wait_ready_or_ended(self):
        """Waits until it sends a notification or ends. Returns the ready objects."""
        ended = os.pidfd_open(self.process.pid)
        try:
            return select.select([self.notifications, ended], [], [], PATIENCE)[0]
        finally:
            os.close(ended)

    def wait_ready(self):
        """Waits for READY=1. Fails if the daemon ends first."""
        ready = self.wait_ready_or_ended()
        assert self.notifications in ready, f"it did not become ready:\n{self.process.journal}"
        assert self.notifications.next() == {"READY": "1", "STATUS": "serving"}
        if self._is_checked and contract.CONTRACT.document is None:
            # Closed before a test counts connections.
            learner = Client(self.socket)
            learner.call("rpc.discover")
            learner.finish()

    def wait_checked(self):
        """Waits for the result of the database check, which runs in parallel to the first calls after a start."""
        return self.journal.wait("pages of the database are")

    @property
    def journal(self):
        return self.process.journal

    def client(self, uid=None):
        """Opens a connection, as another user if one is named."""
        with users.acting_as(uid):
            return self.adopt(Client(self.socket, self._is_checked))

    def adopt(self, client):
        """Returns a connection, which is closed when the daemon ends."""
        self._clients.append(client)
        return client

    def kill(self):
        """Kills it without a clean shutdown."""
        self.process.kill()
        self._release()

    def stop(self, expecting=()):
        """Terminates it and checks the invariants of every daemon.

        The journal must be ASCII, and contain no secrets and no errors except those that a test expects.
        """
        assert self.process.is_running, f"it ended by itself:\n{self.journal}"
        if self._is_checked:
            self.wait_for_one_thread()
        self.process.signal(signal.SIGTERM)
        assert self.process.wait() == 0, str(self.journal)
        self._release()
        text = str(self.journal)
        assert text.isascii(), text
        assert not [secret for secret in [*self.sandbox.secrets, "eyJ"] if secret in text], "the journal tells a secret"
        errors = [line for line in self.journal if line.startswith("<3>") and self._is_checked]
        assert not [line for line in errors if not any(one in line for one in expecting)], text

    def wait_for_one_thread(self):
        """Waits until all worker threads have ended."""
        deadline = time.monotonic() + PATIENCE
        while self.process.status_field("Threads") != "1":
            assert time.monotonic() < deadline, "it keeps threads"
            time.sleep(0.01)

    def end(self):
        """Stops it cleanly after a test if it is still running."""
        if self.process is not None and self.process.is_running:
            self.stop()
        elif self.process is not None:
            self._release()

    def close_clients(self):
        for client in self._clients:
            client.close()
        self._clients = []

    def _release(self):
        self.close_clients()
        self.notifications.close()
        if self.clock:
            self.clock.forget(self.process.pid)
