"""A client of the control interface, as anybody would write one from its description."""

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
    """An error that the daemon answered with."""

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
    """The daemon is gone or closed the connection."""


class Client:
    """One connection: requests, their replies, and events, in the order in which they come.

    Replies and events are checked against the contract; with `is_checked=False` the client takes whatever comes.
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
        """Tells the daemon that there will be no more requests."""
        self.socket.shutdown(socket.SHUT_WR)

    def finish(self):
        """The same; waits until the daemon has closed the connection, and closes it."""
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
        """The next line, whatever it is."""
        line = self.line(timeout)
        if line is None:
            raise Disconnected("the connection was closed")
        return json.loads(line)

    def exchange(self, text):
        """Sends one line as it is and returns the next line, also if the daemon closes the connection meanwhile."""
        with contextlib.suppress(Disconnected):
            self.send_line(text)
        return self.read_line()

    @property
    def has_line(self):
        """Whether the daemon has said something that was not read yet."""
        return bool(self._rest) or bool(select.select([self.socket], [], [], 0)[0])

    # Requests

    def begin(self, method, /, **params):
        """Sends a request; `reply` waits for what becomes of it."""
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        if params:
            request["params"] = params
        self._methods[number] = method
        self.send_line(json.dumps(request))
        return number

    def reply(self, number, timeout=PATIENCE):
        """The result of a request, which fits its schema; an error is raised.

        A line that the daemon refuses before it has read it is answered without the id of its request.
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
        """Whether a request is answered, at the latest after so many seconds."""
        deadline = time.monotonic() + timeout
        while number not in self.replies:
            left = deadline - time.monotonic()
            if not self.has_line and (left <= 0 or not select.select([self.socket], [], [], left)[0]):
                return False
            self._take(PATIENCE)
        return True

    def call(self, method, timeout=PATIENCE, /, **params):
        """A request and its result."""
        return self.reply(self.begin(method, **params), timeout)

    def call_patiently(self, method, /, **params):
        """The same of somebody who has asked for much before, and waits as long as they are told."""
        while True:
            try:
                return self.call(method, **params)
            except RPCError as error:
                if error.reason != "RATE_LIMITED":
                    raise
                time.sleep(error.details["retryAfter"])

    def refusal(self, method, timeout=PATIENCE, /, **params):
        """The error of a request that has to be refused."""
        return self.refused(self.begin(method, **params), timeout)

    def refused(self, number, timeout=PATIENCE):
        """The error of a request that was begun and has to be refused."""
        try:
            result = self.reply(number, timeout)
        except RPCError as error:
            return error
        raise AssertionError(f"this was not refused: {result}")

    def receive(self, timeout=PATIENCE):
        """The next message; an event is one of `events` too."""
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
        """The next event of a topic whose payload has members as expected; others are dropped."""
        deadline = time.monotonic() + timeout
        while True:
            while self.events:
                event = self.events.popleft()
                payload = event["payload"]
                if event["topic"] == topic and all(payload.get(name) == value for name, value in expected.items()):
                    return event
            self._take(max(0.001, deadline - time.monotonic()))

    def event(self, topic, timeout=PATIENCE, **expected):
        """The payload of that event."""
        return self.next_event(topic, timeout, **expected)["payload"]
