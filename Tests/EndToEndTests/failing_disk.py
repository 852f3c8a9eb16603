"""A full disk or a failing one at the n-th system call on a file of the state, of each call that writes.

What was answered is so, what was refused is not or comes to its end, nothing is there twice. `Tests/faults` plays every
one; not all of them hold yet, so they are not among the tests of every day.
"""

import pytest

from harness.faults import chosen
from harness.host import local
from harness.operations import OPERATIONS
from harness.tracer import places

ERRORS = ["ENOSPC", "EIO", "EMFILE", "ENOMEM"]
FAILING = {"fallocate", "fcntl", "fdatasync", "fsync", "ftruncate", "mmap", "openat", "pread64", "pwrite64", "unlink"}
"""Calls on files that a disk, or a kernel without room, lets fail."""

REFUSALS = {"STORAGE", "KEY_UNAVAILABLE", "NO_CONNECTIVITY"}
"""What is answered to who wanted something stored that cannot be; what cannot be stored is not sent either."""


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_an_error_at_any_call(stage, name):
    stage = stage(name)
    host = stage.host
    watched = [option for file in host.files for option in ("-P", file)]
    calls = places(stage.rehearse(*watched), lambda call, _: call in FAILING)
    cases = [(call, place, error) for call, place in calls for error in ERRORS]
    assert len(cases) > 8
    is_ready, given = False, []
    for call, place, error in chosen(cases, name, 2):
        told = f"{error} at {call} {place}"
        if not is_ready:
            stage.prepare()
            is_ready, given = True, []
        outcome, result, _ = stage.run(*watched, "-e", f"inject={call}:error={error}:when={place}")
        assert host.daemon.process.is_running and outcome != "gone", f"{told}: {host.daemon.journal}"
        if outcome == "refused":
            assert result.reason in REFUSALS and result.retry, f"{told}: {result}"
            is_as_before = host.view() == stage.before
            if is_as_before and stage.before != stage.done:
                continue
            # What has left for the platform is answered there, whatever can be stored of that here.
            assert is_as_before or stage.operation.before is not local, f"{told}: what was refused is done"
        else:
            given.append(result)
            assert host.view() == stage.done, f"{told}: what was answered is not so"
        stage.check_again(given)
        stage.check_end(given)
        host.daemon.kill()
        host.start()
        assert host.view() == stage.done, f"{told}: what was answered did not last"
        host.daemon.stop()
        host.check_file()
        is_ready = False
    if is_ready:
        stage.check_again(given)
        stage.check_end(given)
        host.daemon.stop(expecting=[""])
        host.check_file()
