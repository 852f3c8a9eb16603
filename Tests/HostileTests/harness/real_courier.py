"""The courier's own program, with a test in the place of its daemon."""

import contextlib
import json
import socket
import struct
import subprocess
import threading

from .daemon import PROGRAMS, Journal
from .patience import PATIENCE


class RealCourier:
    """The daemon's side of a courier that runs as a child."""

    def __init__(self, configuration, environment):
        self.socket, theirs = socket.socketpair()
        self.socket.settimeout(PATIENCE)
        self.stream = self.socket.makefile("rb")
        with theirs:
            self.process = subprocess.Popen(
                [PROGRAMS / "mfad-courier", "--config", configuration, "--child", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], env={"PATH": "/usr/bin:/bin"} | environment, stderr=subprocess.PIPE)
        self.journal = Journal(self.process.stderr)
        self.id = 0

    def write(self, data: bytes):
        self.socket.sendall(struct.pack(">I", len(data)) + data)

    def read_bytes(self) -> bytes | None:
        head = self.stream.read(4)
        return self.stream.read(struct.unpack(">I", head)[0]) if head else None

    def read(self) -> dict | None:
        data = self.read_bytes()
        return json.loads(data) if data is not None else None

    def ask(self, url: str, **members) -> dict:
        self.id += 1
        message = {"id": self.id, "method": "GET", "url": url, "headers": [], "body": "", "timeout": 5000} | members
        self.write(json.dumps(message).encode())
        reply = self.read()
        assert reply["id"] == self.id
        return reply

    def end(self):
        # Closing alone does not wake a thread that waits for the descriptor.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        assert self.process.wait(PATIENCE) == 0
        self.journal.thread.join(PATIENCE)
        self.stream.close()


class Listeners:
    """Has the real courier listen for the redirects that the daemon orders of the attacker's."""

    def __init__(self, courier, real: RealCourier):
        self.courier, self.real = courier, real
        self.connection = None
        self.orders: list[dict] = []
        courier.listen = self._order
        self.thread = threading.Thread(target=self._carry_back)
        self.thread.start()

    def _order(self, connection, message: dict):
        self.connection = connection
        self.orders.append(message)
        # What a daemon gives up that ends after its courier has ended already.
        with contextlib.suppress(BrokenPipeError):
            self.real.write(json.dumps(message).encode())

    def _carry_back(self):
        while message := self.real.read():
            self.courier.say(self.connection, message)

    def end(self):
        self.real.end()
        self.thread.join()
