"""The courier is killed or stopped at its n-th send, for each method that uses the network.

Its sends are requests to the platform and responses to the daemon; calls do not wait for all of them. A killed courier
has not sent the message; a stopped one has sent it and then does nothing. The call fails as retryable or succeeds;
repeating it completes it exactly once. Only a few cases run here; `Tests/faults` runs all.
"""

import pytest

from harness.faults import CourierStage, chosen
from harness.operations import ASKING
from harness.tracer import places

SENDING = {"sendmmsg", "sendmsg", "sendto", "write", "writev"}


def is_sent(call, line):
    return call in SENDING and "<socket:" in line.split(",", 1)[0]


def play(stage, name, signal, count):
    host = stage.host
    sends = places(stage.rehearse(), is_sent)
    assert sends, "it goes through the courier"
    for call, place in chosen(sends, f"{name} {signal}", count):
        stage.prepare()
        since = host.daemon.journal.count
        outcome, result, has_come = stage.run("-e", f"inject={call}:signal={signal}:when={place}")
        if not has_come:
            continue
        told = f"{signal} at {call} {place}: {result}"
        stage.settle(since)
        given = [result] if outcome == "done" else []
        if outcome == "done":
            host.wait_for(stage.done)
        else:
            assert outcome == "refused" and result.retry, told
        stage.check_again(given)
        stage.check_end(given)
        host.daemon.stop(expecting=["courier"])


@pytest.mark.parametrize("name", chosen(ASKING, "killed courier", 6))
def test_call_completes_once_if_the_courier_is_killed_at_any_send(stage, name):
    play(stage(name, CourierStage), name, "KILL", 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", chosen(ASKING, "held courier", 2))
def test_call_completes_once_if_the_courier_is_stopped_at_any_send(stage, name):
    play(stage(name, CourierStage), name, "STOP", 1)
