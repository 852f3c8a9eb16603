"""The receiving side of sd_notify(3)."""

import socket

from .programs import PATIENCE


class NotifySocket:
    """Receives the notifications of a service, each as a dictionary."""

    def __init__(self, path):
        self.path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))

    def next(self, timeout=PATIENCE):
        """Returns the next message."""
        self._socket.settimeout(timeout)
        text = self._socket.recv(4096).decode()
        return dict(line.split("=", 1) for line in text.splitlines())

    def close(self):
        self._socket.close()

    def fileno(self):
        return self._socket.fileno()
