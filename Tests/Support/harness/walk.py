"""A sign-on with random and conflicting actions of two callers, determined by a seed."""

import random
import time

from .client import RPCError
from .programs import FLOWS

MOVES = 24
"""Number of actions."""

REFUSALS = {
    "INVALID_PARAMS", "SERVER_ERROR", "NO_CONNECTIVITY", "NOT_FOUND", "EXPIRED", "CONFLICT", "QUOTA",
}
"""Permitted errors for a client with random actions."""

SLOW = {"hostile-slow", "hostile-journey-wait-time"}


class Caller:
    """A client that sends requests and reads replies later, so that other clients can act in between."""

    def __init__(self, walk):
        self._walk, self._client = walk, walk.daemon.client()
        self._asked = []

    @property
    def is_waiting(self):
        return bool(self._asked)

    @property
    def awaited(self):
        """The sign-on that its last request answered, or None. The daemon may wait for others in it."""
        method, params, _ = self._asked[-1]
        return params["login"] if method == "login.next" and params["login"] in self._walk.pages else None

    @property
    def is_answered(self):
        """True if there is a reply, after a short wait at most."""
        return self._client.has_reply(self._asked[0][2], 0.2)

    def ask(self, method, /, **params):
        self._asked.append((method, params, self._client.begin(method, **params)))

    def hear(self):
        """Processes the reply to its first request. Retries if it is rate limited."""
        method, params, number = self._asked.pop(0)
        try:
            self._walk.stepped(self._client.reply(number))
        except RPCError as error:
            if error.reason != "RATE_LIMITED":
                return self._walk.refused(method, params, error)
            time.sleep(error.details["retryAfter"])
            self.ask(method, **params)
            self.hear()

    def close(self):
        """Reads the remaining replies and disconnects."""
        while self._asked:
            self.hear()
        self._client.close()


class Walk:
    """The shared state of the callers. `told` has all results that they received."""

    def __init__(self, seed, daemon, sandbox):
        self.daemon, self.sandbox = daemon, sandbox
        self.pages, self.told = {}, set()
        self._chance = random.Random(seed)
        self._step = None
        self._seed, self._problems = seed, []

    def play(self):
        """Runs the actions of the callers, and ends all sign-ons."""
        callers, referee = [Caller(self), Caller(self)], Caller(self)
        for _ in range(MOVES):
            caller = self._chance.choice(callers)
            if not caller.is_waiting:
                self._move(caller)
                continue
            # A waiting request ends when another one for the same sign-on arrives; do not rely on time.
            while caller.awaited and not caller.is_answered:
                referee.ask("login.next", login=caller.awaited)
            caller.hear()
        self.end()
        for caller in [*callers, referee]:
            caller.close()
        # A sign-on that was being started is known only after its reply.
        self.end()
        assert not self._problems, f"seed {self._seed}: {self._problems}"

    def end(self):
        """Cancels all sign-ons."""
        ending = Caller(self)
        for login in sorted(self.pages):
            ending.ask("login.cancel", login=login)
        ending.close()
        self.pages.clear()

    def refused(self, method, params, error):
        self.told.add(error.reason)
        if error.reason not in REFUSALS:
            self._problems.append((method, params, str(error)))

    def stepped(self, result):
        if "node" not in result:
            return
        self.told.add(result["node"])
        if result["node"] in ("continue", "error"):
            self.pages[result["login"]] = self._step = result
        elif self.pages.pop(result["login"], None):
            self._step = None

    def _move(self, caller):
        step, chance = self._step, self._chance
        if step is None or chance.random() < 0.1:
            return caller.ask("login.start", **self._beginning())
        login = step["login"] if chance.random() < 0.95 else chance.choice(["nobody", "", "x" * 300, step["login"][::-1]])
        kind = chance.random()
        if kind < 0.05:
            return caller.ask("login.cancel", login=login)
        if kind < 0.15:
            return caller.ask("login.resume", login=login, uri=chance.choice(self._addresses))
        params = {"login": login}
        if chance.random() < 0.8:
            params["values"] = self._values(step)
        actions = [each["key"] for each in step["actions"]]
        if chance.random() < 0.4:
            params["action"] = chance.choice([*actions, *actions, "nothing", "submit", ""])
        return caller.ask("login.next", **params)

    def _beginning(self):
        chance = self._chance
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

    def _values(self, step):
        chance, values = self._chance, {}
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
