"""A client of the control interface that may write what it likes."""

import contextlib
import json
import os
import socket
import time

from ..programs import PATIENCE


class RPCError(Exception):
    def __init__(self, error: dict):
        super().__init__(json.dumps(error))
        self.error = error
        self.code = error["code"]
        self.reason = error["data"]["reason"]
        self.details = error["data"].get("details", {})
        self.cause = error["data"].get("cause")


class Client:
    """One connection; whatever comes is read line by line and kept until it is asked for."""

    def __init__(self, path, uid: int | None = None, connected: socket.socket | None = None):
        self.socket = connected or socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # Without a limit of its own: a full queue of the listener is waited for, not an error.
            if not connected:
                self._connect(str(path), uid)
            self.socket.settimeout(PATIENCE)
        except OSError:
            self.socket.close()
            raise
        self.buffer = b""
        self.events: list[dict] = []
        self.replies: dict = {}
        self.number = 0

    def _connect(self, path: str, uid: int | None):
        if uid is None:
            return self.socket.connect(path)
        # The kernel notes the effective user at the moment of connecting.
        os.seteuid(uid)
        try:
            self.socket.connect(path)
        finally:
            os.seteuid(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def write(self, data: bytes):
        self.socket.sendall(data)

    def finish_writing(self):
        self.socket.shutdown(socket.SHUT_WR)

    def line(self, timeout: float | None = None) -> bytes | None:
        """The next line without its end; nothing at the end of the stream."""
        self.socket.settimeout(timeout or PATIENCE)
        while b"\n" not in self.buffer:
            data = self.socket.recv(1 << 16)
            if not data:
                assert not self.buffer, "the stream ended within a line"
                return None
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def exchange(self, data: bytes):
        """What one line is answered with."""
        # Who is turned away is told so, perhaps before the line is written.
        with contextlib.suppress(BrokenPipeError):
            self.write(data + b"\n")
        return json.loads(self.line())

    def send(self, method: str, /, **params) -> int:
        """Asks without waiting and returns the request's id."""
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.write(json.dumps(request).encode() + b"\n")
        return self.number

    def receive(self) -> dict:
        line = self.line()
        assert line is not None, "the daemon closed the connection"
        message = json.loads(line)
        if isinstance(message, dict) and message.get("method") == "event":
            self.events.append(message["params"])
        return message

    def reply(self, number: int):
        """The result of a request that was sent, or its error raised.

        A line that is refused before it was read is answered without the id of its request.
        """
        while number not in self.replies and None not in self.replies:
            message = self.receive()
            if "method" not in message:
                self.replies[message["id"]] = message
        message = self.replies.pop(number if number in self.replies else None)
        if "error" in message:
            raise RPCError(message["error"])
        return message["result"]

    def call(self, method: str, /, **params):
        return self.reply(self.send(method, **params))

    def error(self, method: str, /, **params) -> RPCError:
        """The error that a call must end with."""
        try:
            result = self.call(method, **params)
        except RPCError as error:
            return error
        raise AssertionError(f"{method} succeeded: {result}")

    def event(self, topic: str, matches=lambda payload: True) -> dict:
        """The next event of a topic with such a payload; those before it are dropped."""
        deadline = time.monotonic() + PATIENCE
        while True:
            while self.events:
                event = self.events.pop(0)
                if event["topic"] == topic and matches(event["payload"]):
                    return event
            assert time.monotonic() < deadline, f"no such event of topic {topic}"
            message = self.receive()
            if "method" not in message:
                self.replies[message["id"]] = message
