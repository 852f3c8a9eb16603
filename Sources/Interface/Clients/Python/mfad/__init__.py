"""A client of mfad's control interface, JSON-RPC 2.0 on a Unix socket. Requires only Python 3.11.

    with mfad.connect() as daemon:
        print(daemon.call("passcode.get")["passcode"])

A connection is for one thread. The daemon closes it after ten idle minutes, unless it has a subscription.
"""

import collections
import contextlib
import itertools
import json
import os
import socket
import stat
import struct
import time

SYSTEM_DIRECTORY = "/run/mfad"
"""The directory of the system socket, which only root can create."""

LONGEST_LINE = 1 << 20
"""Maximum length in bytes of a line from the daemon."""


class Error(Exception):
    """An error of the daemon or the connection. A timeout is a TimeoutError instead."""


class Unreachable(Error):
    """No daemon listens, or this user may not connect."""


class NotTheDaemon(Error):
    """The program behind the socket may not be the daemon; nothing was sent to it."""


class Disconnected(Error):
    """The connection has ended."""


class Refused(Error):
    """An error that the daemon returned."""

    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.message = error["message"]
        self.data = error.get("data", {})
        self.reason = self.data.get("reason")


Event = collections.namedtuple("Event", "topic payload")
"""A changed object, as its `get` or `list` returns it; the topic `lost` has the number of dropped events."""


def connect(path=None, timeout=60):
    """Connects to the daemon: at a path, else at $MFAD_SOCKET, else at the system socket, else at the user's own."""
    failures = []
    for place in [path] if path else _places():
        connected = socket.socket(socket.AF_UNIX)
        try:
            # Resolve symbolic links, so that the check applies to the path of this connection.
            place = os.path.realpath(place, strict=True)
            # For a Unix socket this also limits the time that connect(2) waits for a free slot of the backlog.
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
    """A connection to the daemon; `timeout` is the limit of each call in seconds."""

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

        After a TimeoutError it is unknown whether the call was executed. The connection stays usable.
        """
        deadline = time.monotonic() + self.timeout
        number = next(self._numbers)
        request = {"jsonrpc": "2.0", "id": number, "method": method}
        if params:
            request["params"] = params
        self._send(json.dumps(request).encode() + b"\n", deadline)
        while (reply := self._take(deadline)).get("id") != number:
            # An event, or the reply to a call that timed out.
            pass
        if "error" in reply:
            raise Refused(reply["error"])
        return reply["result"]

    def events(self, *topics, timeout=None):
        """Subscribes immediately to the topics, by default to all, and returns an iterator over the events.

        With a timeout in seconds, a longer wait for an event raises TimeoutError.
        """
        params = {"topics": topics} if topics else {}
        return Events(self, self.call("event.subscribe", **params)["subscription"], timeout)

    def next_push(self, timeout=60):
        """Returns a pending push, or waits for the next one; a longer wait in seconds raises TimeoutError."""
        with contextlib.closing(self.events("notification", timeout=timeout)) as changes:
            pending = self.call("notification.list", state="pending")["notifications"]
            return pending[0] if pending else next(each.payload for each in changes if each.payload.get("state") == "pending")

    def approve(self, push, number=None):
        """Approves a push of `next_push`, with the number that the sign-on page shows if it shows one."""
        return self.call("notification.approve", notification=push["id"], **({} if number is None else {"number": number}))

    def passcode(self, account=None):
        """Returns the current passcode of an account, by default of the only one."""
        return self.call("passcode.get", **({} if account is None else {"account": account}))["passcode"]

    def _send(self, line, deadline):
        try:
            self._limit(deadline)
            self._socket.sendall(line)
        except TimeoutError:
            # Part of the line may have been sent, so no other line can follow.
            self.close()
            raise TimeoutError("the daemon did not read the request in time") from None
        except (BrokenPipeError, ConnectionResetError):
            # The daemon may have sent a reason before it closed the connection. It can still be read.
            pass
        except OSError as error:
            raise Disconnected(str(error)) from error

    def _take(self, deadline):
        """Returns the next message. An event is also queued for its subscription."""
        try:
            message = json.loads(self._line(deadline))
        except (ValueError, RecursionError):
            self.close()
            raise Disconnected("the reply does not follow the daemon's protocol") from None
        if message.get("method") == "event":
            event = message["params"]
            # The queue is gone if the event was in flight when the subscription ended.
            if (queue := self._events.get(event["subscription"])) is not None:
                queue.append(Event(event["topic"], event["payload"]))
        elif "error" in message and message["id"] is None:
            # An error without an id concerns a line that the daemon could not parse, or the whole connection.
            raise Refused(message["error"])
        return message

    def _line(self, deadline):
        while (end := self._rest.find(b"\n")) < 0:
            if len(self._rest) > LONGEST_LINE:
                self.close()
                raise Disconnected("the reply does not follow the daemon's protocol")
            try:
                self._limit(deadline)
                data = self._socket.recv(1 << 16)
            except TimeoutError:
                raise TimeoutError("the daemon did not answer in time") from None
            except OSError as error:
                raise Disconnected(str(error)) from error
            if not data:
                raise Disconnected("the daemon closed the connection")
            self._rest += data
        line = bytes(self._rest[:end])
        del self._rest[: end + 1]
        return line

    def _limit(self, deadline):
        # A timeout of 0 would make the socket non-blocking.
        self._socket.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))


class Events:
    """The events of one subscription, in order; calls can be made in between."""

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
    """Returns the possible paths of the socket, in order; an empty variable counts as unset."""
    if named := os.environ.get("MFAD_SOCKET"):
        return [named]
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    return [f"{SYSTEM_DIRECTORY}/mfad.sock", f"{runtime}/mfad/mfad.sock"]


# The check that the program behind a socket is the daemon: the listener's uid, as the kernel reports it, and whether
# another user could have placed the socket.


def _make_sure(connected, path):
    """Raises unless listener and directories belong to root, the service or, outside /run/mfad, the caller."""
    _, peer, _ = struct.unpack("@iII", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    outsider = _outsider()
    trusted = {0, _service_user(outsider)}
    # If other users have the caller's uid in this namespace, the caller is not trusted.
    own = {os.geteuid()} - {outsider}
    # In the system directory, which only root can create, a listener with the overflow uid is trusted.
    if peer not in trusted | ({outsider} if path.startswith(SYSTEM_DIRECTORY + "/") else own):
        raise NotTheDaemon(f"the program at {path} runs as user {peer}")
    directory, holds_socket = os.path.dirname(path), True
    while True:
        status = os.lstat(directory)
        if status.st_uid not in trusted | own and not _is_roots(directory, status, outsider):
            raise NotTheDaemon(f"{directory} belongs to user {status.st_uid}")
        # Only the owner of a sticky directory, or of an entry in it, can rename the entry.
        if _is_shared(status) and (holds_socket or not status.st_mode & stat.S_ISVTX):
            raise NotTheDaemon(f"{directory} can be written by others")
        if directory == "/":
            return
        directory, holds_socket = os.path.dirname(directory), False


def _is_shared(status):
    return bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _is_roots(directory, status, outsider):
    """True if a directory of an unknown owner is one that only root can create."""
    above = directory.rstrip("/") + "/"
    return (
        status.st_uid == outsider
        and not _is_shared(status)
        and any(f"{place}/".startswith(above) for place in (SYSTEM_DIRECTORY, "/run/user"))
    )


def _service_user(outsider):
    """Returns the user of the system service: the owner of a directory that only root can create."""
    try:
        outer, inner = os.lstat(SYSTEM_DIRECTORY), os.lstat(f"{SYSTEM_DIRECTORY}/owner")
    except OSError:
        return None
    is_roots = stat.S_ISDIR(outer.st_mode) and outer.st_uid == 0 and not _is_shared(outer)
    return inner.st_uid if is_roots and stat.S_ISDIR(inner.st_mode) and inner.st_uid != outsider else None


def _outsider():
    """Returns the overflow uid, which all users unknown to the namespace have; None if all users are known."""
    try:
        with open("/proc/self/uid_map", encoding="ascii") as file:
            return None if file.read().split() == ["0", "0", "4294967295"] else 65534
    except OSError:
        return None
