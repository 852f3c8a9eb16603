"""Sign-ons that two clients walk at random and against each other: always a step or a known error, and nothing left."""

import random
import threading
import time

import pytest

from harness import pages
from harness.client import RPCError
from harness.programs import FLOWS

SEEDS = 60
AT_ONCE = 10
"""How many walks one daemon sees, one after the other."""

STEPS = 12
LONGEST_WAIT = 40

REFUSALS = {
    "INVALID_PARAMS", "SERVER_ERROR", "NO_CONNECTIVITY", "NOT_FOUND", "EXPIRED", "RATE_LIMITED", "CONFLICT", "QUOTA",
}
"""What may be answered to a client that does anything at any time."""

SLOW = {"hostile-slow", "hostile-journey-wait-time"}


@pytest.fixture
def daemon(make_daemon, sandbox):
    """A daemon that can sign on in every way."""
    daemon = make_daemon(
        issuer=[sandbox.announcement["issuer"], f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"],
        journey_server=f"{sandbox.url}/am",
        journey_cookie=sandbox.request("GET", "/am/json/realms/root/realms/alpha/serverinfo/*")["cookieName"],
        keep_session="yes",
    )
    return daemon.start()


class Walk:
    """What the clients of one walk know together."""

    def __init__(self, seed, daemon, sandbox):
        self.seed, self.daemon, self.sandbox = seed, daemon, sandbox
        self.lock, self.over = threading.Lock(), threading.Event()
        self.logins, self.step = set(), None
        self.problems, self.told = [], set()

    def play(self):
        """Both clients walk; when one is done, whatever the other waits for is ended."""
        threads = [threading.Thread(target=self._walk, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        self.over.wait(LONGEST_WAIT)
        self.over.set()
        referee = self.daemon.client()
        for thread in threads:
            while thread.is_alive():
                self.end(referee)
                thread.join(0.1)
        while self.logins:
            self.end(referee)
            time.sleep(0.05)
        assert not self.problems, f"seed {self.seed}: {self.problems}"
        return referee

    def end(self, client):
        """Ends every sign-on that was begun."""
        with self.lock:
            logins = sorted(self.logins)
        for login in logins:
            if self.ask(client, "login.cancel", login=login) != "RATE_LIMITED":
                self.logins.discard(login)

    def _walk(self, number):
        client = self.daemon.client()
        try:
            chance = random.Random(self.seed * 2 + number)
            for _ in range(STEPS):
                if self.over.is_set():
                    break
                self._move(client, chance)
        except BaseException as problem:  # pylint: disable=broad-except
            self.problems.append(repr(problem))
        finally:
            client.close()
            self.over.set()

    def _move(self, client, chance):
        step = self.step
        if step is None or chance.random() < 0.1:
            return self.ask(client, "login.start", **self._beginning(chance))
        login = step["login"] if chance.random() < 0.95 else chance.choice(["nobody", "", "x" * 300, step["login"][::-1]])
        kind = chance.random()
        if kind < 0.05:
            return self.ask(client, "login.cancel", login=login)
        if kind < 0.15:
            return self.ask(client, "login.resume", login=login, uri=chance.choice(self._addresses))
        params = {"login": login}
        if chance.random() < 0.8:
            params["values"] = self._values(step, chance)
        actions = [each["key"] for each in step["actions"]]
        if chance.random() < 0.4:
            params["action"] = chance.choice([*actions, *actions, "nothing", "submit", ""])
        return self.ask(client, "login.next", **params)

    def _beginning(self, chance):
        names = sorted(path.stem for path in FLOWS.glob("*.json") if path.stem not in SLOW)
        name = chance.choice(names)
        more = {"forceAuth": True} if chance.random() < 0.5 else {}
        if chance.random() < 0.15:
            return {"method": chance.choice(["signon", "redirect", "device"]), **more}
        if "journey" in name:
            return {"method": "journey", "journey": name, **more}
        return {"method": "davinci", "parameters": {"acr_values": name}, **more}

    @property
    def _addresses(self):
        return [
            "x", "http://[", "http://127.0.0.1/callback?code=x&state=y", "http://127.0.0.1/callback?continueToken=x",
            f"{self.sandbox.url}/am/XUI/?suspendedId=x", f"{self.sandbox.url}/am/XUI/?realm=/alpha&suspendedId=",
            "http://evil.test/?continueToken=" + "y" * 10_000, "http://127.0.0.1/callback?error=access_denied",
        ]

    def _values(self, step, chance):
        values = {}
        for each in step["collectors"]:
            good = [option["value"] for option in each.get("options", [])] or [self._text(each)]
            odd = [None, 5, -1, 1e300, True, [], {}, ["x"], {"a": [1]}, "", "x" * 5000, "\u202e\0", "{", "é" * 100]
            if chance.random() < 0.9:
                values[each["key"]] = chance.choice(good if chance.random() < 0.85 else odd)
        if chance.random() < 0.05:
            values["nobody asked"] = "x"
        kinds = ("Collector", "TextOutputCallback", "PollingWaitCallback")
        answered = [each for each in step["collectors"] if not each["type"].startswith(("Label", "Polling", "Agreement"))]
        keep = {each["key"] for each in answered if each["type"] not in kinds} | {"nobody asked"}
        return {key: value for key, value in values.items() if key in keep}

    def _text(self, collector):
        if "Password" in collector["type"]:
            return self.sandbox.users["ann"]["password"]
        if "Boolean" in collector["type"] or "Terms" in collector["type"]:
            return True
        if "Phone" in collector["type"]:
            return {"countryCode": "GB", "phoneNumber": "7700900123"}
        return "ann"

    def ask(self, client, method, /, **params):
        """Asks, and looks at what comes; the reason of a refusal is returned."""
        try:
            result = client.call(method, LONGEST_WAIT, **params)
        except RPCError as error:
            self.told.add(error.reason)
            if error.reason not in REFUSALS:
                self.problems.append((method, params, str(error)))
            return error.reason
        if "node" in result:
            self.told.add(result["node"])
            with self.lock:
                if result["node"] in ("continue", "error"):
                    self.logins.add(result["login"])
                    self.step = result
                elif result["login"] in self.logins:
                    self.logins.discard(result["login"])
                    self.step = None
        return None


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_a_walk_gives_steps_and_known_errors_and_leaves_no_sign_on(daemon, sandbox, first):
    pages.configured(daemon)
    told = set()
    for seed in range(first, first + AT_ONCE):
        walk = Walk(seed, daemon, sandbox)
        referee = walk.play()
        told |= walk.told
        patiently(referee, 4)
        referee.close()
    assert {"continue", "error", "failure", "INVALID_PARAMS", "EXPIRED"} <= told, "the walks went everywhere"
    client = daemon.client()
    step = client.call("login.start", method="signon", forceAuth=True)
    values = {"username": "ann", "password": sandbox.users["ann"]["password"]}
    assert pages.answer(client, step, values)["node"] == "success"


def patiently(client, count):
    """So many sign-ons can be begun, and are ended again."""
    begun = []
    while len(begun) < count:
        try:
            begun.append(client.call("login.start", method="signon", forceAuth=True)["login"])
        except RPCError as error:
            assert error.reason == "RATE_LIMITED", error
            time.sleep(error.details["retryAfter"])
    while begun:
        try:
            client.call("login.cancel", login=begun[-1])
            begun.pop()
        except RPCError as error:
            assert error.reason == "RATE_LIMITED", error
            time.sleep(error.details["retryAfter"])
