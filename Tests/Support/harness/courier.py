"""The real `mfad-courier` with a socket."""

import signal
import socket
import time

from .peer import Peer
from .process import Process
from .programs import COURIER, PATIENCE, environment


class Courier:
    """A courier at the `courier_socket` of a configuration, or at another path."""

    def __init__(self, configuration, path, arguments=()):
        self.path = path
        self._peers = []
        self.process = Process([COURIER, "--config", configuration, *arguments], env=environment())
        # A courier does not report that it listens, so wait for its socket.
        deadline = time.monotonic() + PATIENCE
        while not path.is_socket():
            assert time.monotonic() < deadline and self.process.is_running, str(self.process.journal)
            time.sleep(0.005)

    def connect(self):
        """Connects to it like a daemon."""
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self.path))
        self._peers.append(Peer(connected))
        return self._peers[-1]

    def stop(self):
        """Terminates it and checks its exit status."""
        for peer in self._peers:
            peer.close()
        if self.process.is_running:
            self.process.signal(signal.SIGTERM)
            assert self.process.wait() == 0, str(self.process.journal)
