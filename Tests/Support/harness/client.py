"""A client of the control interface, as anybody would write one from its description."""

import collections
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
        self.code = error["code"]
        self.message = error["message"]
        self.reason = error["data"]["reason"]
        self.retry = error["data"]["retry"]
        self.cause = error["data"].get("cause")
        self.details = error["data"].get("details", {})


class Disconnected(Exception):
    """The daemon is gone or closed the connection."""


class Client:
    """One connection: requests, their replies, and events, in the order in which they come."""

    def __init__(self, target):
        if isinstance(target, socket.socket):
            self._socket = target
        else:
            self._socket = socket.socket(socket.AF_UNIX)
            try:
                self._socket.connect(str(target))
            except OSError as error:
                self._socket.close()
                raise Disconnected(str(error)) from error
        self._ids = itertools.count(1)
        self._rest = b""
        self._replies = {}
        self._methods = {}
        self._events = collections.deque()
        self._sequences = {}

    def close(self):
        self._socket.close()

    def finish(self):
        """Says that nothing more will be asked, and waits until the daemon has closed the connection."""
        self._socket.shutdown(socket.SHUT_WR)
        try:
            while True:
                self.read_line()
        except Disconnected:
            self._socket.close()

    # Lines

    def send_line(self, text):
        """Sends one line as it is."""
        try:
            self._socket.sendall((text if isinstance(text, bytes) else text.encode()) + b"\n")
        except OSError as error:
            raise Disconnected(str(error)) from error

    def read_line(self, timeout=PATIENCE):
        """The next line, whatever it is."""
        deadline = time.monotonic() + timeout
        while b"\n" not in self._rest:
            self._socket.settimeout(max(0.001, deadline - time.monotonic()))
            try:
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                raise AssertionError(f"nothing came within {timeout} s") from None
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not data:
                raise Disconnected("the connection was closed")
            self._rest += data
        line, self._rest = self._rest.split(b"\n", 1)
        return json.loads(line)

    @property
    def has_line(self):
        """Whether the daemon has said something that was not read yet."""
        return bool(self._rest) or bool(select.select([self._socket], [], [], 0)[0])

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
        """The result of a request, which fits its schema; an error is raised."""
        deadline = time.monotonic() + timeout
        while number not in self._replies:
            self._take(max(0.001, deadline - time.monotonic()))
        reply = self._replies.pop(number)
        method = self._methods.pop(number)
        if "error" in reply:
            contract.check_error(reply["error"], method)
            raise RPCError(reply["error"])
        contract.check_result(method, reply["result"])
        return reply["result"]

    def has_reply(self, number, timeout):
        """Whether a request is answered, at the latest after so many seconds."""
        deadline = time.monotonic() + timeout
        while number not in self._replies:
            left = deadline - time.monotonic()
            if not self.has_line and (left <= 0 or not select.select([self._socket], [], [], left)[0]):
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

    def _take(self, timeout):
        message = self.read_line(timeout)
        assert message["jsonrpc"] == "2.0", message
        if "method" in message:
            self._take_event(message)
        else:
            assert ("result" in message) != ("error" in message), message
            assert message["id"] in self._methods, f"a reply that nobody asked for: {message}"
            assert message["id"] not in self._replies, f"a second reply: {message}"
            self._replies[message["id"]] = message

    # Events

    def _take_event(self, message):
        assert message["method"] == "event" and "id" not in message, message
        event = message["params"]
        contract.check_event(event)
        subscription = event["subscription"]
        assert event["sequence"] == self._sequences.get(subscription, 0) + 1, "events are numbered one by one"
        self._sequences[subscription] = event["sequence"]
        self._events.append(event)

    def subscribe(self, *topics):
        """Subscribes to topics, or to all."""
        params = {"topics": list(topics)} if topics else {}
        return self.call("event.subscribe", **params)["subscription"]

    def event(self, topic, timeout=PATIENCE, **expected):
        """The payload of the next event of a topic whose members are as expected; others are dropped."""
        deadline = time.monotonic() + timeout
        while True:
            while self._events:
                event = self._events.popleft()
                payload = event["payload"]
                if event["topic"] == topic and all(payload.get(name) == value for name, value in expected.items()):
                    return payload
            self._take(max(0.001, deadline - time.monotonic()))
