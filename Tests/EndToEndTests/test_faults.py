"""kill -9 at the n-th system call of each method that writes.

A successful call is stored, a refused one is not, nothing is duplicated, and other owners are unaffected. Only a few
cases run here; `Tests/faults` runs all.
"""

import pytest

from harness.contract import CONTRACT
from harness.faults import chosen
from harness.host import local
from harness.operations import NOT_PLAYED, OPERATIONS, READS
from harness.tracer import PASSIVE, Tracer, places


def test_every_method_that_writes_is_in_the_operations(hosts, directory):
    host = hosts(local)
    host.restore()
    needed = {"event.unsubscribe": {"subscription": host.client.subscribe()}}
    known = [method["name"] for method in CONTRACT.document["methods"]]
    assert sorted([*{each.method for each in OPERATIONS.values()}, *NOT_PLAYED, *READS]) == known
    watched = [option for file in host.files for option in ("-P", file)]
    for method in sorted(READS):
        tracer = Tracer(host.daemon.process.pid, directory / "trace", *watched, "-e", "trace=pwrite64,write,ftruncate")
        host.client.call(method, **needed.get(method, {}))
        assert not places(tracer.stop(), lambda *_: True), method
    host.crash()


@pytest.mark.parametrize("name", chosen(sorted(OPERATIONS), "killed daemon", 12))
def test_operation_is_complete_or_repeatable_after_a_kill_at_any_call(stage, name):
    stage = stage(name)
    host = stage.host
    calls = places(stage.rehearse(), lambda call, _: call not in PASSIVE)
    assert any(call == "pwrite64" for call, _ in calls) and len(calls) > 3
    for call, place in chosen(calls, name, 1):
        stage.prepare()
        outcome, result, was_killed = stage.run("-e", f"inject={call}:signal=KILL:when={place}")
        if not was_killed:
            continue
        host.daemon.kill()
        host.start()
        view = host.wait_for(stage.before, stage.done)
        given = []
        if outcome == "done":
            given.append(result)
            assert view == stage.done, f"killed at {call} {place}: what was answered is not there"
            assert stage.is_audited or not stage.operation.audited
        stage.check_again(given)
        stage.check_end(given)
        host.daemon.stop()
        host.check_file()
