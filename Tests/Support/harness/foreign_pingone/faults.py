"""Faults of the server, or in transit of its response."""

import threading

from ..programs import PATIENCE

LOST = "lost"
"""The request is executed, but the response is lost."""


class Refusal(Exception):
    """An error response in the format of PingOne."""

    def __init__(self, status, code="INVALID_DATA", detail=None, target=None, inner=None, headers=()):
        super().__init__(f"{status} {code} {detail} {target}")
        self.status, self.code, self.headers = status, code, list(headers)
        more = {"target": target, "innerError": inner}
        self.details = [{"code": detail, "message": "It is not right.", **more}] if detail else []

    def body(self, correlation):
        """Returns its JSON, without members that have no value."""
        details = [{name: value for name, value in one.items() if value is not None} for one in self.details]
        body = {"id": correlation, "code": self.code, "message": "The request could not be completed."}
        return {**body, **({"details": details} if details else {})}


class Held:
    """The request is executed, but the response is held until this block ends. `reached` waits for the execution."""

    def __init__(self):
        self._reached, self._released = threading.Event(), threading.Event()

    def reached(self):
        assert self._reached.wait(PATIENCE), "nothing was asked that could be held"

    def hold(self):
        self._reached.set()
        self._released.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._released.set()
