"""Approvals from end to end: a push that begins at the platform, the daemon, its courier, and the platform again."""

import contextlib
import http.client
import json
import time
import urllib.parse
from concurrent.futures import ThreadPoolExecutor

from harness import flows
from harness.sandbox import Sandbox
from harness.users import client_of
from line import Line
from row import A_SECOND, at_least, row

FIRST_UID, OWNERS, AT_ONCE = 30_000, 64, 16
EACH = 4
"""So many approvals of each owner in a round: fewer than the limit of writes lets through."""


class RelyingParty:
    """Begins authentications, over a connection that it keeps."""

    def __init__(self, sandbox):
        self._sandbox = sandbox
        self._connection = http.client.HTTPConnection(urllib.parse.urlsplit(sandbox.url).netloc)
        self._headers = {
            "Authorization": f"Bearer {sandbox.announcement['adminToken']}", "Content-Type": "application/json",
        }

    def request(self, method, path, body=None):
        self._connection.request(method, path, None if body is None else json.dumps(body), self._headers)
        response = self._connection.getresponse()
        text = response.read()
        assert response.status < 300, text
        return json.loads(text)

    def begin(self, user):
        body = {"user": {"id": self._sandbox.users[user]["id"]}}
        return self.request("POST", f"/{self._sandbox.environment}/deviceAuthentications", body)

    def status(self, started):
        return self.request("GET", f"/{self._sandbox.environment}/deviceAuthentications/{started['id']}")["status"]

    def close(self):
        self._connection.close()


class Approvals:
    """A daemon with some owners and a sandbox of its own that holds so many authentications."""

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
                # Nobody's push: bob has no device.
                party.begin("bob")

    def rate(self):
        """Approvals a second, some owners' at once."""
        people = list(self._lines)
        begin = time.perf_counter()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(self._approve, [people[start::AT_ONCE] for start in range(AT_ONCE)]):
                pass
        return OWNERS * EACH / (time.perf_counter() - begin)

    def _approve(self, people):
        with contextlib.closing(RelyingParty(self._sandbox)) as party:
            for user in people * EACH:
                line = self._lines[user]
                started = party.begin(user)
                line.ask("notification.approve", notification=line.event(state="pending")["id"])
                assert party.status(started) == "COMPLETED"


@row(14, "approvals from end to end, of a platform that holds 10,000 authentications", A_SECOND, at_least(300))
def approvals(stage, resources):
    return Approvals(stage, resources, "approvals", 10_000).rate, None


@row(14, "the same against one that holds 10", A_SECOND, at_least(0.8))
def growth(stage, resources):
    return (
        Approvals(stage, resources, "approvals-many", 10_000).rate, Approvals(stage, resources, "approvals-few", 10).rate,
    )
