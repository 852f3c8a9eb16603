"""An operation that faults are tried on, as often as there are faults."""

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
"""How calls on files fail where a disk does, or a kernel without room."""


def chosen(cases, name, count):
    """All cases when all are wanted, else some that chance chose, others for each seed."""
    if os.environ.get("MFAD_TEST_FAULTS") == "all":
        return cases
    picked = [random.Random(f"{name} {seed}").sample(cases, min(count, len(cases))) for seed in seeds(1)]
    return sorted(set(itertools.chain(*picked)))


SIGNS = ("INJECTED", "killed by", "stopped by")
"""What strace says of a fault that came."""


class Stage:
    """One operation on a host that is put back again and again."""

    def __init__(self, host, operation, report):
        self.host, self.operation, self.report = host, operation, report
        self.tried = 0
        self.params = self.before = self.done = self._entries = None
        self._options = ["-f"] if operation.has_threads else []

    def prepare(self):
        """Everything is as before the operation."""
        self.host.restore()
        self.params = self.operation.begin(self.host)
        self.before = self.host.view()
        self._entries = self._count_entries()

    @property
    def is_audited(self):
        """Whether the audit tells of it since everything was ready."""
        return self._count_entries() > self._entries

    def _count_entries(self):
        entries = self.host.client.call("audit.list")["entries"]
        return [entry["method"] for entry in entries].count(self.operation.method)

    @property
    def process(self):
        """The id of the process that faults befall."""
        return self.host.daemon.process.pid

    def rehearse(self, *options):
        """What is called when nothing goes wrong, and what there is afterwards."""
        self.prepare()
        tracer = Tracer(self.process, self.report, *self._options, *options)
        outcome, result = self.host.call(self.operation.method, self.params)
        lines = tracer.stop()
        assert outcome == "done", result
        self.done = self.host.view()
        return lines

    def run(self, *options):
        """The operation with a fault: what came of it, and whether the fault did come."""
        tracer = Tracer(self.process, self.report, *self._options, *options)
        outcome, result = self.host.call(self.operation.method, self.params)
        has_come = any(sign in line for line in tracer.stop() for sign in SIGNS) or outcome == "gone"
        self.tried += has_come
        return outcome, result, has_come

    def check_again(self, given):
        """Asked again, it is done, and only once."""
        if self.host.view() == self.done != self.before:
            return
        params = self.params if self.operation.again is None else self.operation.again(self.host)
        outcome, result = self.host.call(self.operation.method, params)
        if outcome == "done":
            given.append(result)
        # What an earlier life began, it goes on with by itself.
        self.host.wait_for(self.done)

    def check_end(self, given):
        counters = [result["counter"] for result in given if "counter" in result]
        assert counters == sorted(set(counters)), "a passcode was given twice"
        if self.host.view()["configured"] and self.host.sandbox.process.is_running:
            assert self.host.client.call("device.info")["errors"] == [], "the platform does not know it any more"
        self.host.check_others()


class CourierStage(Stage):
    """The same where the courier has the faults, which runs before the operation begins."""

    def prepare(self):
        super().prepare()
        # Somebody else has it carry something, so that it is there also for an owner's first word to the platform.
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
        """Until the daemon has buried that courier, since a place in the journal; asking finds one that is held."""
        journal = self.host.daemon.journal
        if not any("courier ended" in line for line in list(journal)[since:]):
            with contextlib.suppress(RPCError):
                self._carry("device.info")
        journal.wait("courier ended", since)
