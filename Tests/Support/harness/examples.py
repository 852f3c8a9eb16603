"""Converts the examples of `rpc.discover` into actual calls and expected results."""

import re

from .contract import CONTRACT

IDENTIFIERS = {"a1", "a2", "c1", "d-1", "d-2", "e-1", "l1", "n1", "p1", "s1", "u-1", "7", "S-4711"}
"""Placeholders for generated IDs in examples."""

SECRETS = {
    "01882778807215": r"\d{14}",
    "4F7K2M9Q": r"[0-9A-Z]{8}",
    "730219": r"\d{6}",
    "eyJ….eyJ….sig": r"eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+",
    "http://127.0.0.1/callback?code=x&state=y": r"http://127\.0\.0\.1:\d+/callback\?.*code=.+",
    "…": r".+",
}
"""Placeholders for single-use and secret values, with patterns of actual values."""

PLACES = {
    "https://mfa.example.com": r"http://127\.0\.0\.1:\d+",
    "https://auth.example.com/e-1/as": r"http://127\.0\.0\.1:\d+/[\w-]+/as",
    "/var/lib/mfad/backups/20261121T090000000Z.backup": r"/.+/state/backups/\d{8}T\d{9}Z\.backup",
}
"""Placeholders for addresses and paths, with patterns of actual values."""

MEASURED = {
    "backup.create": {"bytes"},
    "backup.list": {"backups[].bytes"},
    "service.doctor": {"checks[].result", "checks[].message"},
    "service.metrics": {
        "connections", "requests.total", "requests.errors", "owners", "notifications.pending",
        "notifications.total", "rssBytes", "openFiles", "databaseBytes", "approvals.approved",
        "approvals.denied",
    },
    "service.status": {
        "uptime", "clock.synchronized", "clock.offset", "protection.memoryLocked", "posture.os.id",
        "posture.os.version", "posture.os.kernel", "posture.secureBoot", "posture.diskEncryption",
        "posture.kernelLockdown",
    },
    "passcode.get": {"validFrom", "validUntil", "remaining"},
}
"""Members of results that depend on the machine or its clock."""

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


class Example:
    """An example, with the actual IDs and secrets of one run."""

    def __init__(self, method):
        (described,) = [one for one in CONTRACT.document["methods"] if one["name"] == method]
        (pairing,) = described["examples"]
        self.method = method
        self.result = pairing["result"]["value"]
        self._params = {param["name"]: param["value"] for param in pairing["params"]}
        self._known = {}

    def params(self, known):
        """Returns the parameters with the IDs and secrets of a scenario, which must be exactly the needed ones."""
        assert set(known) <= IDENTIFIERS | set(SECRETS), f"{self.method}: only ids and secrets are replaced"
        self._known = dict(known)
        used = set()
        params = self._replace(self._params, used)
        assert used >= set(known) & set(SECRETS), f"{self.method}: its example does not say {set(known) - used}"
        return params

    def _replace(self, value, used):
        if isinstance(value, dict):
            return {name: self._replace(each, used) for name, each in value.items()}
        if isinstance(value, list):
            return [self._replace(each, used) for each in value]
        if isinstance(value, str) and (value in self._known or value in IDENTIFIERS | set(SECRETS)):
            used.add(value)
            return self._known[value]
        return value

    def check(self, result):
        """Checks that a result matches the example."""
        self._compare(self.result, result, "")

    def _compare(self, expected, actual, path):
        told = f"{self.method}: {path or 'the result'} is {actual!r} and not {expected!r}"
        assert type(expected) is type(actual), told
        if isinstance(expected, dict):
            assert set(expected) <= set(actual), told
            for name, value in expected.items():
                # Results by geography have its name as member. Paths in `MEASURED` are complete.
                self._compare(value, actual[name], f"{path}.{name}".removeprefix("."))
        elif isinstance(expected, list):
            assert len(expected) == len(actual), told
            for one, other in zip(expected, actual):
                self._compare(one, other, path + "[]")
        elif path in MEASURED.get(self.method, set()):
            return
        elif expected in IDENTIFIERS:
            # Equal placeholder IDs denote the same object everywhere, including parameters.
            assert self._known.setdefault(expected, actual) == actual and actual, told
        elif isinstance(expected, str) and _INSTANT.fullmatch(expected):
            assert _INSTANT.fullmatch(actual), told
        elif expected in {**SECRETS, **PLACES}:
            assert re.fullmatch({**SECRETS, **PLACES}[expected], actual), told
        else:
            assert expected == actual, told
