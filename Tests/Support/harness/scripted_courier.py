"""A courier that a test controls."""

import base64
import contextlib
import json
import queue
import socket
import threading

from .courier_request import CourierRequest
from .frames import frame, read_frame
from .programs import PATIENCE


class Request(CourierRequest):
    """A request of the daemon to the courier, answered once, late, wrongly or never."""

    def __init__(self, courier, connection, message: dict):
        super().__init__(message)
        self.courier, self.connection = courier, connection
        self.is_given_up = False

    def send_raw(self, data: bytes):
        self.courier.write(self.connection, data)

    def response(self, body: bytes, status=200, headers=()) -> dict:
        return {"id": self.id, "status": status, "headers": [list(pair) for pair in headers],
                "body": base64.b64encode(body).decode()}

    def reply(self, body, status=200, headers=()):
        body = body.encode() if isinstance(body, str) else body
        self.courier.say(self.connection, self.response(body, status, headers))

    def reply_json(self, value, status=200, headers=()):
        self.reply(json.dumps(value), status, [("Content-Type", "application/json"), *headers])

    def fail(self, failure: str):
        self.courier.say(self.connection, {"id": self.id, "failure": failure})

    def hang_up(self):
        self.connection.shutdown(socket.SHUT_RDWR)


class ScriptedCourier:
    """Listens at the daemon's courier socket and dispatches requests to the handlers of their origins."""

    def __init__(self, path):
        self.path = path
        self.origins: dict = {}
        self.frames: list[bytes] = []
        self.requests: list[Request] = []
        self.listen = None
        """Called with each order to listen for a redirect or to cancel, and its connection."""
        self.faults: list[BaseException] = []
        self.changed = threading.Condition()
        self.writing = threading.Lock()
        self.connections: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.listener.bind(str(path))
        self.listener.listen()
        self.work: queue.SimpleQueue = queue.SimpleQueue()
        self.threads: list[threading.Thread] = []
        self._start(self._accept)
        self._start(self._serve)

    def _start(self, target, *arguments):
        self.threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        self.threads[-1].start()

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.connections.append(connection)
            self._start(self._read, connection)

    def _read(self, connection):
        with connection.makefile("rb") as stream, contextlib.suppress(OSError):
            while (data := read_frame(stream)) is not None:
                self.work.put((connection, data))

    def _serve(self):
        while True:
            item = self.work.get()
            if item is None:
                return
            connection, data = item
            message = json.loads(data)
            if self.listen and "id" not in message:
                self.listen(connection, message)
            request = Request(self, connection, message) if "id" in message else None
            with self.changed:
                self.frames.append(data)
                if request:
                    self.requests.append(request)
                elif "cancel" in message:
                    self._give_up(connection, message["cancel"])
                self.changed.notify_all()
            if not request:
                continue
            try:
                handler = self.origins.get(request.origin)
                handler(request) if handler else request.fail("refused-origin")
            except (BrokenPipeError, ConnectionError):
                pass
            except BaseException as fault:
                self.faults.append(fault)
                request.fail("unreachable")
            with self.changed:
                self.changed.notify_all()

    def write(self, connection, data: bytes):
        with self.writing:
            connection.sendall(data)

    def say(self, connection, message: dict):
        self.write(connection, frame(json.dumps(message).encode()))

    def _give_up(self, connection, number: int):
        for request in self.requests:
            request.is_given_up |= request.connection is connection and request.id == number

    def wait_for(self, matches, after: int = 0) -> Request:
        """Waits for the first request from this number on that matches."""
        def found():
            return next((request for request in self.requests[after:] if matches(request)), None)
        with self.changed:
            self.changed.wait_for(found, PATIENCE)
            assert found(), f"no such request; there were {self.requests}"
            return found()

    def wait_until(self, holds):
        """Waits until a condition is true. It is checked after each message of the daemon."""
        with self.changed:
            assert self.changed.wait_for(holds, PATIENCE), "it never came to that"

    def leave(self):
        """Stops listening and closes all connections."""
        for end in [self.listener, *self.connections]:
            # close(2) alone does not wake a thread that waits for the descriptor.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.work.put(None)
        for thread in self.threads:
            thread.join(PATIENCE)
        for end in [self.listener, *self.connections]:
            end.close()

    def close(self):
        self.leave()
        if self.faults:
            raise self.faults[0]
