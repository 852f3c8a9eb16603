"""A client of the control interface, written only from its description."""

import collections
import contextlib
import itertools
import json
import select
import socket
import time

from . import contract
from .programs import PATIENCE


class RPCError(Exception):
    """An error reply of the daemon."""

    def __init__(self, error):
        super().__init__(json.dumps(error))
        self.error = error
        self.code = error["code"]
        self.message = error["message"]
        self.reason = error["data"]["reason"]
        self.retry = error["data"]["retry"]
        self.cause = error["data"].get("cause")
        self.details = error["data"].get("details", {})


class Disconnected(ConnectionError):
    """The daemon has ended or has closed the connection."""


class Client:
    """A connection: requests, replies and events, in the order of their arrival.

    Replies and events are checked against the contract. With `is_checked=False`, nothing is checked.
    """

    def __init__(self, target, is_checked=True):
        if isinstance(target, socket.socket):
            self.socket = target
        else:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(str(target))
            except OSError as error:
                self.socket.close()
                raise Disconnected(str(error)) from error
        self._is_checked = is_checked
        self._ids = itertools.count(1)
        self._rest = b""
        self.replies = {}
        self._methods = {}
        self.events = collections.deque()
        self._sequences = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def finish_writing(self):
        """Shuts down the sending direction: no more requests follow."""
        self.socket.shutdown(socket.SHUT_WR)

    def finish(self):
        """Shuts down sending, waits until the daemon has closed the connection, and closes it."""
        self.finish_writing()
        try:
            while self.line() is not None:
                pass
        except Disconnected:
            pass
        self.close()

    # Lines

    def write(self, data):
        """Sends bytes as they are."""
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Disconnected(str(error)) from error

    def send_line(self, text):
        """Sends one line as it is."""
        self.write((text if isinstance(text, bytes) else text.encode()) + b"\n")

    def line(self, timeout=PATIENCE):
        """Returns the bytes of the next line; `None` at the end of the connection."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._rest:
            self.socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self.socket.recv(1 << 16)
            except TimeoutError:
                raise AssertionError(f"nothing came within {timeout} s") from None
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not data and self._rest:
                raise Disconnected("the connection was closed within a line")
            if not data:
                return None
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return line

    def read_line(self, timeout=PATIENCE):
        """Returns the next line, parsed as JSON."""
        line = self.line(timeout)
        if line is None:
            raise Disconnected("the connection was closed")
        return json.loads(line)

    def exchange(self, text):
        """Sends one line unchanged and returns the next line, even if the daemon closes the connection meanwhile."""
        with contextlib.suppress(Disconnected):
            self.send_line(text)
        return self.read_line()

    @property
    def has_line(self):
        """True if there is unread data."""
        return bool(self._rest) or bool(select.select([self.socket], [], [], 0)[0])

    # Requests

    def begin(self, method, /, **params):
        """Sends a request. `reply` waits for its outcome."""
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        if params:
            request["params"] = params
        self._methods[number] = method
        self.send_line(json.dumps(request))
        return number

    def reply(self, number, timeout=PATIENCE):
        """Returns the result of a request, checked against its schema; raises an error reply.

        The reply to a line that is refused before it is parsed has no request ID.
        """
        deadline = time.monotonic() + timeout
        while number not in self.replies and None not in self.replies:
            self._take(max(0.001, deadline - time.monotonic()))
        reply = self.replies.pop(number if number in self.replies else None)
        method = self._methods.pop(number)
        if "error" in reply:
            if self._is_checked:
                contract.check_error(reply["error"], method)
            raise RPCError(reply["error"])
        if self._is_checked:
            contract.check_result(method, reply["result"])
        return reply["result"]

    def has_reply(self, number, timeout):
        """True if a request gets a reply within this number of seconds."""
        deadline = time.monotonic() + timeout
        while number not in self.replies:
            left = deadline - time.monotonic()
            if not self.has_line and (left <= 0 or not select.select([self.socket], [], [], left)[0]):
                return False
            self._take(PATIENCE)
        return True

    def call(self, method, timeout=PATIENCE, /, **params):
        """Sends a request and returns its result."""
        return self.reply(self.begin(method, **params), timeout)

    def call_patiently(self, method, /, **params):
        """Like `call`, but waits and retries when it is rate limited."""
        while True:
            try:
                return self.call(method, **params)
            except RPCError as error:
                if error.reason != "RATE_LIMITED":
                    raise
                time.sleep(error.details["retryAfter"])

    def refusal(self, method, timeout=PATIENCE, /, **params):
        """Returns the error of a request that must be refused."""
        return self.refused(self.begin(method, **params), timeout)

    def refused(self, number, timeout=PATIENCE):
        """Returns the error of a sent request that must be refused."""
        try:
            result = self.reply(number, timeout)
        except RPCError as error:
            return error
        raise AssertionError(f"this was not refused: {result}")

    def receive(self, timeout=PATIENCE):
        """Returns the next message. Also adds an event to `events`."""
        message = self.read_line(timeout)
        if self._is_checked:
            assert message["jsonrpc"] == "2.0", message
        if isinstance(message, dict) and "method" in message:
            self._take_event(message)
        return message

    def _take(self, timeout):
        message = self.receive(timeout)
        if "method" in message:
            return
        if self._is_checked:
            assert ("result" in message) != ("error" in message), message
            assert message["id"] in self._methods, f"a reply that nobody asked for: {message}"
            assert message["id"] not in self.replies, f"a second reply: {message}"
        self.replies[message["id"]] = message

    # Events

    def _take_event(self, message):
        event = message["params"]
        if self._is_checked:
            assert message["method"] == "event" and "id" not in message, message
            contract.check_event(event)
            subscription = event["subscription"]
            assert event["sequence"] == self._sequences.get(subscription, 0) + 1, "events are numbered one by one"
            self._sequences[subscription] = event["sequence"]
        self.events.append(event)

    def subscribe(self, *topics):
        """Subscribes to topics, or to all."""
        params = {"topics": list(topics)} if topics else {}
        return self.call("event.subscribe", **params)["subscription"]

    def next_event(self, topic, timeout=PATIENCE, **expected):
        """Returns the next event of a topic with these payload members; drops others."""
        deadline = time.monotonic() + timeout
        while True:
            while self.events:
                event = self.events.popleft()
                payload = event["payload"]
                if event["topic"] == topic and all(payload.get(name) == value for name, value in expected.items()):
                    return event
            self._take(max(0.001, deadline - time.monotonic()))

    def event(self, topic, timeout=PATIENCE, **expected):
        """Returns the payload of that event."""
        return self.next_event(topic, timeout, **expected)["payload"]
