"""The daemon's side of a connection to a courier."""

import json
import socket

from .frames import frame, read_frame
from .programs import PATIENCE


class Peer:
    """A connection to a real courier that a test controls."""

    def __init__(self, connected: socket.socket):
        self.socket = connected
        self.socket.settimeout(PATIENCE)
        self.stream = self.socket.makefile("rb")
        self.id = 0

    def write(self, data: bytes):
        self.socket.sendall(frame(data))

    def read(self) -> dict | None:
        """Returns the next message; `None` at the end of the stream."""
        data = read_frame(self.stream)
        return None if data is None else json.loads(data)

    def ask(self, url: str, **members) -> dict:
        self.id += 1
        message = {"id": self.id, "method": "GET", "url": url, "headers": [], "body": "", "timeout": 5000} | members
        self.write(json.dumps(message).encode())
        reply = self.read()
        assert reply["id"] == self.id
        return reply

    def hang_up(self):
        # close(2) alone does not wake a thread that waits for the descriptor.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()

    def close(self):
        self.stream.close()
        self.socket.close()
