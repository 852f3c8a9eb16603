"""An operation that is repeated with each possible fault."""

import contextlib
import itertools
import os
import random

from . import flows, users
from .client import RPCError
from .programs import seeds
from .tracer import Tracer


ERRORS = {
    "fallocate": ["ENOSPC", "EIO"],
    "fcntl": ["ENOLCK", "EIO"],
    "fdatasync": ["ENOSPC", "EIO"],
    "fsync": ["ENOSPC", "EIO"],
    "ftruncate": ["ENOSPC", "EIO"],
    "mmap": ["ENOMEM"],
    "openat": ["ENOSPC", "EIO", "EMFILE", "ENOMEM"],
    "pread64": ["EIO", "ENOMEM"],
    "pwrite64": ["ENOSPC", "EIO", "ENOMEM"],
    "read": ["EIO"],
    "rename": ["ENOSPC", "EIO"],
    "unlink": ["EIO", "ENOMEM"],
    "write": ["ENOSPC", "EIO"],
}
"""Errors of file system calls on disk faults or lack of kernel memory."""


def chosen(cases, name, count):
    """Returns all cases if requested, else a random sample for each seed."""
    if os.environ.get("MFAD_TEST_FAULTS") == "all":
        return cases
    picked = [random.Random(f"{name} {seed}").sample(cases, min(count, len(cases))) for seed in seeds(1)]
    return sorted(set(itertools.chain(*picked)))


SIGNS = ("INJECTED", "killed by", "stopped by")
"""Marks of an injected fault in strace output."""


class Stage:
    """One operation on a host that is restored before each attempt."""

    def __init__(self, host, operation, report):
        self.host, self.operation, self.report = host, operation, report
        self.tried = 0
        self.params = self.before = self.done = self._entries = None
        self._options = ["-f"] if operation.has_threads else []

    def prepare(self):
        """Restores the state before the operation."""
        self.host.restore()
        self.params = self.operation.begin(self.host)
        self.before = self.host.view()
        self._entries = self._count_entries()

    @property
    def is_audited(self):
        """True if the audit has an entry of the operation since `prepare()`."""
        return self._count_entries() > self._entries

    def _count_entries(self):
        entries = self.host.client.call("audit.list")["entries"]
        return [entry["method"] for entry in entries].count(self.operation.method)

    @property
    def process(self):
        """The ID of the process with injected faults."""
        return self.host.daemon.process.pid

    def rehearse(self, *options):
        """Runs the operation without faults. Returns its system calls, and records the final state."""
        self.prepare()
        tracer = Tracer(self.process, self.report, *self._options, *options)
        outcome, result = self.host.call(self.operation.method, self.params)
        lines = tracer.stop()
        assert outcome == "done", result
        self.done = self.host.view()
        return lines

    def run(self, *options):
        """Runs the operation with a fault. Returns its outcome, and whether the fault occurred."""
        tracer = Tracer(self.process, self.report, *self._options, *options)
        outcome, result = self.host.call(self.operation.method, self.params)
        has_come = any(sign in line for line in tracer.stop() for sign in SIGNS) or outcome == "gone"
        self.tried += has_come
        return outcome, result, has_come

    def check_again(self, given):
        """Checks that a repeated call completes the operation exactly once."""
        if self.host.view() == self.done != self.before:
            return
        params = self.params if self.operation.again is None else self.operation.again(self.host)
        outcome, result = self.host.call(self.operation.method, params)
        if outcome == "done":
            given.append(result)
        # The daemon automatically completes work of a previous run.
        self.host.wait_for(self.done)

    def check_end(self, given):
        counters = [result["counter"] for result in given if "counter" in result]
        assert counters == sorted(set(counters)), "a passcode was given twice"
        if self.host.view()["configured"] and self.host.sandbox.process.is_running:
            assert self.host.client.call("device.info")["errors"] == [], "the platform does not know it any more"
        self.host.check_others()


class CourierStage(Stage):
    """Like `Stage`, with faults in the courier, which runs before the operation begins."""

    def prepare(self):
        super().prepare()
        # Another owner's request starts the courier, so that it runs before the owner's first request.
        self._carry("device.configure", geo=flows.GEO)

    def _carry(self, method, **params):
        client = users.client_of(users.BOB_UID, self.host.daemon.socket)
        try:
            client.call_patiently(method, **params)
        finally:
            client.close()

    @property
    def process(self):
        (courier,) = self.host.daemon.process.children
        return courier

    def settle(self, since):
        """Waits until the daemon has noticed the end of the courier. Sends a request if needed."""
        journal = self.host.daemon.journal
        if not any("courier ended" in line for line in list(journal)[since:]):
            with contextlib.suppress(RPCError):
                self._carry("device.info")
        journal.wait("courier ended", since)
