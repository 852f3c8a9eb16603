"""A disk error at the n-th system call on a state file, for each method that writes.

A successful call is stored permanently. A call refused with STORAGE has no effect, also after a restart. Exceptions are
calls that may have reached the platform and calls with several commits: they may be partly done, and repeating the call
completes them. If the effect is not visible, only a repetition shows it. Nothing is duplicated, and other owners are
unaffected. Only a few cases run here; `Tests/faults` runs all.
"""

import json

import pytest

from harness.faults import ERRORS, chosen
from harness.operations import OPERATIONS
from harness.tracer import Tracer, places

REFUSALS = {"STORAGE", "KEY_UNAVAILABLE"}
"""Error reasons of calls that cannot be stored. Such calls are not sent to the platform either."""


@pytest.mark.parametrize("name", chosen(sorted(OPERATIONS), "failing disk", 12))
def test_disk_error_at_any_call_is_refused_or_harmless(stage, name):
    player = Player(stage(name))
    calls = player.places(lambda call, _: call in ERRORS)
    assert len(calls) > 2 and any(call == "pwrite64" for call, _ in calls)
    cases = [(call, place, error) for call, place in calls for error in ERRORS[call]]
    player.play(chosen(cases, name, 2))


@pytest.mark.parametrize("name", ["account.enrol", "authentication.approve", "device.configure", "session.logout"])
def test_failed_fdatasync_is_refused_and_has_no_effect_after_a_restart(stage, name):
    player = Player(stage(name))
    player.play([(*place, "EIO") for place in player.places(lambda call, _: call == "fdatasync")])


def test_subscription_refused_with_its_batch_gets_no_events(stage):
    stage = stage("passcode.import")
    stage.prepare()
    daemon = stage.host.daemon
    bring = {"jsonrpc": "2.0", "id": 1, "method": "passcode.import", "params": stage.params}
    subscribe = {"jsonrpc": "2.0", "id": 2, "method": "event.subscribe"}
    client = daemon.client()
    tracer = Tracer(daemon.process.pid, stage.report, "-e", "inject=fdatasync:error=EIO")
    refusals = [reply["error"]["data"]["reason"] for reply in client.exchange(json.dumps([bring, subscribe]))]
    tracer.stop()
    assert refusals == ["STORAGE", "STORAGE"]
    watcher = daemon.client()
    watcher.subscribe("account")
    stage.host.client.call("passcode.import", **stage.params)
    watcher.event("account")
    reply = client.exchange(json.dumps({"jsonrpc": "2.0", "id": 3, "method": "service.status"}))
    assert reply.get("id") == 3, "nothing before the reply"


def test_failed_unlock_does_not_block_later_calls(stage):
    player = Player(stage("account.rename"))
    player.play([(*place, "EIO") for place in player.places(lambda call, line: call == "fcntl" and "F_UNLCK" in line)])


class Player:
    """Tries cases on one host, and restores the host after a case that changed it."""

    def __init__(self, stage):
        self._stage, self._host = stage, stage.host
        self._watched = [option for file in stage.host.files for option in ("-P", file)]
        self._is_ready = False

    def places(self, wanted):
        places_wanted = places(self._stage.rehearse(*self._watched), wanted)
        assert places_wanted
        return places_wanted

    def play(self, cases):
        """Tries all cases, then raises all failures together."""
        failures = []
        for call, place, error in cases:
            told = f"{error} at {call} {place}"
            if not self._is_ready:
                self._stage.prepare()
            try:
                self._is_ready = self._try(told, f"inject={call}:error={error}:when={place}")
            except Exception as failure:
                failure.add_note(f"{told}: {self._host.daemon.journal}")
                failures.append(failure)
                self._is_ready = False
        if self._is_ready:
            self._end([], "after all")
        if failures:
            raise ExceptionGroup("an error at a call", failures)

    def _try(self, told, fault):
        """Tries one case; returns True if the state is unchanged."""
        stage, host, given = self._stage, self._host, []
        outcome, result, _ = stage.run(*self._watched, "-e", fault)
        assert host.daemon.process.is_running and outcome != "gone", told
        if outcome == "refused":
            assert result.reason in REFUSALS and result.retry, f"{told}: {result}"
            self._restart()
            is_as_before = host.view() == stage.before
            assert is_as_before or not stage.operation.is_whole, f"{told}: what was refused is done"
            # A call that may have reached the platform is completed first, even if its effect is not visible.
            if stage.operation.is_whole and stage.before != stage.done and stage.operation.again is None:
                return True
        else:
            given.append(result)
            assert host.view() == stage.done, f"{told}: what was answered is not so"
        self._end(given, told)
        return False

    def _end(self, given, told):
        """Repeats the call, and checks that its result is permanent."""
        stage, host = self._stage, self._host
        stage.check_again(given)
        stage.check_end(given)
        self._restart()
        assert host.view() == stage.done, f"{told}: it did not last"
        host.daemon.stop()
        host.check_file()

    def _restart(self):
        self._host.daemon.kill()
        self._host.start()
