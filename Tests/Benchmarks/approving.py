"""Complete approvals: the platform sends a push, the daemon approves it, and the courier returns it to the platform."""

import contextlib
import json
import socket
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from harness import flows
from harness.sandbox import Sandbox
from harness.users import client_of
from line import Line
from row import A_SECOND, at_least, row

FIRST_UID, OWNERS = 30_000, 64
EACH = 4
"""Approvals of each owner in a round: fewer than the write limit allows."""


class RelyingParty:
    """Starts authentications over one connection. Its own time is measured too, so it parses only a minimum of HTTP."""

    def __init__(self, sandbox):
        self._users = sandbox.users
        url = urllib.parse.urlsplit(sandbox.url)
        self._path = f"/{sandbox.environment}/deviceAuthentications"
        self._headers = (
            f" HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {sandbox.announcement['adminToken']}\r\n"
            "Content-Type: application/json\r\nContent-Length: "
        )
        self._socket = socket.create_connection((url.hostname, url.port))
        self._responses = self._socket.makefile("rb")

    def _request(self, line, body=""):
        self._socket.sendall(f"{line}{self._headers}{len(body)}\r\n\r\n{body}".encode())
        status = self._responses.readline()
        length = 0
        while (header := self._responses.readline()) != b"\r\n":
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        text = self._responses.read(length)
        assert status.startswith(b"HTTP/1.1 20"), text
        return json.loads(text)

    def begin(self, user):
        return self._request(f"POST {self._path}", json.dumps({"user": {"id": self._users[user]["id"]}}))

    def status(self, started):
        return self._request(f"GET {self._path}/{started['id']}")["status"]

    def close(self):
        self._responses.close()
        self._socket.close()


class Approvals:
    """A daemon with several owners, and its own sandbox with `held` authentications."""

    def __init__(self, stage, resources, name, held):
        self._sandbox = sandbox = Sandbox()
        resources.callback(sandbox.stop)
        self._daemon = stage.new_daemon(resources, name, sandbox=sandbox, is_pinned=False).start()
        self._lines = {}
        for uid in range(FIRST_UID, FIRST_UID + OWNERS):
            user = sandbox.user(f"user{uid}")
            with contextlib.closing(client_of(uid, self._daemon.socket)) as client:
                flows.pair(client, sandbox, user)
            line = resources.enter_context(Line(uid, self._daemon.socket))
            line.ask("event.subscribe", topics=["notification"])
            self._lines[user] = line
        with contextlib.closing(RelyingParty(sandbox)) as party:
            for _ in range(held):
                # No push is sent, since bob has no device.
                party.begin("bob")

    def rate(self):
        """Approvals per second: all owners in parallel, the approvals of each owner in sequence."""
        begin = time.perf_counter()
        with ThreadPoolExecutor(OWNERS) as pool:
            for _ in pool.map(self._approve, self._lines):
                pass
        return OWNERS * EACH / (time.perf_counter() - begin)

    def _approve(self, user):
        line = self._lines[user]
        with contextlib.closing(RelyingParty(self._sandbox)) as party:
            for _ in range(EACH):
                started = party.begin(user)
                line.ask("notification.approve", notification=line.event(state="pending")["id"])
                assert party.status(started) == "COMPLETED"


@row(14, "approvals, end to end, 10,000 authentications stored", A_SECOND, at_least(300))
def approvals(stage, resources):
    return Approvals(stage, resources, "approvals", 10_000).rate, None


@row(14, "the same, against 10 stored", A_SECOND, at_least(0.8))
def growth(stage, resources):
    return (
        Approvals(stage, resources, "approvals-many", 10_000).rate, Approvals(stage, resources, "approvals-few", 10).rate,
    )
