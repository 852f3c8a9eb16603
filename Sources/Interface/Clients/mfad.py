"""A client of mfad's control interface, JSON-RPC 2.0 on a Unix socket. Python 3.11 and its standard library do.

    with mfad.connect() as daemon:
        print(daemon.call("passcode.get")["passcode"])

A connection is for one thread, and one that has nothing to do for ten minutes and has subscribed to nothing is closed.
"""

import collections
import itertools
import json
import os
import socket
import stat
import struct
import time

SYSTEM_DIRECTORY = "/run/mfad"
"""Where root keeps the system socket."""

LONGEST_LINE = 1 << 20
"""Bytes; the daemon writes none that is longer."""


class Error(Exception):
    """What goes wrong with the daemon; what takes too long is a TimeoutError."""


class Unreachable(Error):
    """Nobody listens, or this user may not connect."""


class NotTheDaemon(Error):
    """The program behind the socket may be another; nothing was sent to it."""


class Disconnected(Error):
    """The connection is over."""


class Refused(Error):
    """An error that the daemon answered with."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data", {})
        self.reason = self.data.get("reason")


Event = collections.namedtuple("Event", "topic payload")
"""Something that changed, as its `get` or `list` gives it; the topic `lost` says how many were dropped."""


def connect(path=None, timeout=60):
    """Connects to the daemon: at a path, else at $MFAD_SOCKET, else to the system's, else to the user's own."""
    failures = []
    for place in [path] if path else _places():
        connected = socket.socket(socket.AF_UNIX)
        try:
            # Without symbolic links: what is looked at is what was connected.
            place = os.path.realpath(place, strict=True)
            # For a Unix socket this is also how long connect(2) waits for room.
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", max(1, int(timeout)), 0))
            connected.connect(place)
        except OSError as error:
            connected.close()
            failures.append(f"{place} ({error.strerror or error})")
            continue
        try:
            _make_sure(connected, place)
        except BaseException:
            connected.close()
            raise
        return Connection(connected, timeout)
    raise Unreachable("cannot reach the daemon at " + " or ".join(failures))


class Connection:
    """A connection to the daemon; `timeout` is for each call, in seconds."""

    def __init__(self, connected, timeout):
        self.timeout = timeout
        self._socket = connected
        self._rest = bytearray()
        self._numbers = itertools.count(1)
        self._events = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def call(self, method, /, **params):
        """Calls a method and returns its result; an error is raised as Refused.

        After a TimeoutError nobody knows whether it was done; the connection goes on.
        """
        deadline = time.monotonic() + self.timeout
        number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        if params:
            request["params"] = params
        self._send(json.dumps(request).encode() + b"\n", deadline)
        while (reply := self._take(deadline)).get("id") != number:
            # An event, or the reply to a call that took too long.
            pass
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["result"]

    def events(self, *topics, timeout=None):
        """Subscribes, now, to topics or else to all; what is returned iterates over the events.

        With a timeout one that does not come within so many seconds is a TimeoutError.
        """
        params = {"topics": topics} if topics else {}
        return Events(self, self.call("event.subscribe", **params)["subscription"], timeout)

    def _send(self, line, deadline):
        try:
            self._limit(deadline)
            self._socket.sendall(line)
        except TimeoutError:
            # Part of the line may be sent, and no other can follow it.
            self.close()
            raise TimeoutError("the daemon does not read") from None
        except (BrokenPipeError, ConnectionResetError):
            # Why it closed the connection it may have said, and that can still be read.
            pass
        except OSError as error:
            raise Disconnected(str(error)) from error

    def _take(self, deadline):
        """The next message; an event is kept for whoever has subscribed to it."""
        try:
            message = json.loads(self._line(deadline))
        except (ValueError, RecursionError):
            self.close()
            raise Disconnected("what came is no line of the daemon's") from None
        if message.get("method") == "event":
            event = message["params"]
            # There is no queue any more if it was under way when it was unsubscribed.
            if (queue := self._events.get(event["subscription"])) is not None:
                queue.append(Event(event["topic"], event["payload"]))
        elif "error" in message and message["id"] is None:
            # It is about the line, or about the whole connection.
            raise Refused(message["error"])
        return message

    def _line(self, deadline):
        while (end := self._rest.find(b"\n")) < 0:
            if len(self._rest) > LONGEST_LINE:
                self.close()
                raise Disconnected("what came is no line of the daemon's")
            try:
                self._limit(deadline)
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                raise TimeoutError("the daemon says nothing") from None
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not data:
                raise Disconnected("the daemon closed the connection")
            self._rest += data
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line

    def _limit(self, deadline):
        # A timeout of 0 would mean something else.
        self._socket.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))


class Events:
    """The events of one subscription, in their order; calls can be made in between."""

    def __init__(self, connection, subscription, timeout):
        self.timeout = timeout
        self._connection, self._subscription = connection, subscription
        self._queue = connection._events[subscription] = collections.deque()

    def __iter__(self):
        return self

    def __next__(self):
        deadline = None if self.timeout is None else time.monotonic() + self.timeout
        while not self._queue:
            self._connection._take(deadline)
        return self._queue.popleft()

    def close(self):
        """Unsubscribes."""
        self._connection._events.pop(self._subscription, None)
        self._connection.call("event.unsubscribe", subscription=self._subscription)


def _places():
    """Where the daemon may be, in the order in which that is tried; an empty variable counts as absent."""
    if named := os.environ.get("MFAD_SOCKET"):
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    return [f"{SYSTEM_DIRECTORY}/mfad.sock", f"{runtime}/mfad/mfad.sock"]


# Whether the program behind a socket is the daemon: who listens, by the kernel's word, and whether anybody else could
# have put the socket there.


def _make_sure(connected, path):
    """Refuses a listener, and directories above it, of anybody but root, the service and, elsewhere, the caller."""
    _, peer, _ = struct.unpack("@iII", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    outsider = _outsider()
    trusted = {0, _service_user(outsider)}
    # Where others cannot be told from the caller, the caller is nobody.
    own = {os.geteuid()} - {outsider}
    # Only root can have made the system's directory, whoever root seems to be.
    if peer not in trusted | ({outsider} if path.startswith(SYSTEM_DIRECTORY + "/") else own):
        raise NotTheDaemon(f"the program at {path} runs as user {peer}")
    directory, holds_socket = os.path.dirname(path), True
    while True:
        status = os.lstat(directory)
        if status.st_uid not in trusted | own and not _is_roots(directory, status, outsider):
            raise NotTheDaemon(f"{directory} belongs to user {status.st_uid}")
        # Below a sticky directory things can be renamed only by their owners.
        if _is_shared(status) and (holds_socket or not status.st_mode & stat.S_ISVTX):
            raise NotTheDaemon(f"{directory} can be written by others")
        if directory == "/":
            return
        directory, holds_socket = os.path.dirname(directory), False


def _is_shared(status):
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _is_roots(directory, status, outsider):
    """Whether a directory whose owner cannot be told is one that only root makes."""
    above = directory.rstrip("/") + "/"
    return (
        status.st_uid == outsider
        and not _is_shared(status)
        and any(f"{place}/".startswith(above) for place in (SYSTEM_DIRECTORY, "/run/user"))
    )


def _service_user(outsider):
    """The user that the system service runs as: the owner of a directory that only root can have made."""
    try:
        outer, inner = os.lstat(SYSTEM_DIRECTORY), os.lstat(f"{SYSTEM_DIRECTORY}/owner")
    except OSError:
        return None
    is_roots = stat.S_ISDIR(outer.st_mode) and outer.st_uid == 0 and not _is_shared(outer)
    return inner.st_uid if is_roots and stat.S_ISDIR(inner.st_mode) and inner.st_uid != outsider else None


def _outsider():
    """Who everybody seems to be whom the user namespace does not know; None where everybody is known."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            return None if file.read().split() == ["0", "0", "4294967295"] else 65534
    except OSError:
        return None
