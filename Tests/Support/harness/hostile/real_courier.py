"""The courier's own program, with a test in the place of its daemon."""

import contextlib
import json
import socket
import struct
import subprocess
import threading

from ..programs import PATIENCE
from .daemon import PROGRAMS, Journal


class Peer:
    """The daemon's side of one connection to a courier."""

    def __init__(self, connected: socket.socket):
        self.socket = connected
        self.socket.settimeout(PATIENCE)
        self.stream = self.socket.makefile("rb")
        self.id = 0

    def write(self, data: bytes):
        self.socket.sendall(struct.pack(">I", len(data)) + data)

    def read(self) -> dict | None:
        """The next message; nothing at the end of the stream."""
        head = self.stream.read(4)
        return json.loads(self.stream.read(struct.unpack(">I", head)[0])) if head else None

    def ask(self, url: str, **members) -> dict:
        self.id += 1
        message = {"id": self.id, "method": "GET", "url": url, "headers": [], "body": "", "timeout": 5000} | members
        self.write(json.dumps(message).encode())
        reply = self.read()
        assert reply["id"] == self.id
        return reply

    def hang_up(self):
        # Closing alone does not wake a thread that waits for the descriptor.
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()


class RealCourier(Peer):
    """A courier that runs as a child."""

    def __init__(self, configuration, environment):
        ours, theirs = socket.socketpair()
        super().__init__(ours)
        with theirs:
            self.process = subprocess.Popen(
                [PROGRAMS / "mfad-courier", "--config", configuration, "--child", str(theirs.fileno())],
                pass_fds=[theirs.fileno()], env={"PATH": "/usr/bin:/bin"} | environment, stderr=subprocess.PIPE)
        self.journal = Journal(self.process.stderr)

    def end(self, reader: threading.Thread | None = None):
        self.hang_up()
        assert self.process.wait(PATIENCE) == 0
        self.journal.thread.join(PATIENCE)
        # Who still passes on a message finds the end of the stream next, not a stream that is closed.
        if reader:
            reader.join(PATIENCE)
        self.stream.close()


class ListeningCourier:
    """A courier that serves whoever may connect to its socket; `log_level` is to be debug."""

    def __init__(self, configuration, path):
        self.path = path
        self.process = subprocess.Popen([PROGRAMS / "mfad-courier", "--config", configuration, "--socket", path],
                                        env={"PATH": "/usr/bin:/bin"}, stderr=subprocess.PIPE)
        self.peers: list[Peer] = []
        self.journal = Journal(self.process.stderr)
        # The last that it does before it serves.
        self.journal.wait_for("confined")

    @property
    def pid(self) -> int:
        return self.process.pid

    def connect(self) -> Peer:
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self.path))
        self.peers.append(Peer(connected))
        return self.peers[-1]

    def end(self):
        for peer in self.peers:
            peer.stream.close()
            peer.socket.close()
        self.process.terminate()
        assert self.process.wait(PATIENCE) == 0
        self.journal.thread.join(PATIENCE)


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
        self.real.end(self.thread)
