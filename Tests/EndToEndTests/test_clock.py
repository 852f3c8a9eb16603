"""A clock of this machine that is wrong, or is put right while the daemon runs."""

import contextlib
import math
import time

import pytest

from harness import flows
from harness.clock import MovableClock

MINUTE = 60


@pytest.fixture
def moved(directory, make_daemon):
    """A client of a daemon, and the clock that it goes by."""
    movable = MovableClock(directory)
    return make_daemon(clock=movable).start().client(), movable


@contextlib.contextmanager
def stopwatch():
    """Gives how far two clocks of whole seconds can be apart that were read within this."""
    begin = time.monotonic()
    end = None
    yield lambda: math.ceil(end - begin)
    end = time.monotonic()


@pytest.mark.parametrize("seconds", [-10 * MINUTE, -2 * MINUTE, 2 * MINUTE, 10 * MINUTE])
def test_a_clock_that_is_some_minutes_off_is_corrected_for_what_is_said_to_the_platform(moved, sandbox, seconds):
    client, clock = moved
    clock.set(seconds)
    with stopwatch() as longest:
        assert client.call("device.configure", geo=flows.GEO)["deviceId"]
    offset = client.call("service.status")["clock"]["offset"]
    assert abs(offset + seconds) <= longest()


def test_a_clock_that_is_an_hour_off_is_said(moved):
    client, clock = moved
    clock.set(60 * MINUTE)
    with stopwatch() as longest:
        error = client.refusal("device.configure", geo=flows.GEO)
    assert (error.code, error.reason) == (11015, "CLOCK_SKEW"), error
    assert abs(error.details["offset"] + 60 * MINUTE) <= longest()
    clock.set(0)
    assert client.call("device.configure", geo=flows.GEO)["deviceId"]


def test_passcodes_of_a_wrong_clock_fail_at_pairing_and_say_why(moved, sandbox):
    client, clock = moved
    client.call("device.configure", geo=flows.GEO)
    clock.set(10 * MINUTE)
    info = client.call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))
    otp = next(one for one in info["authenticators"] if one["type"] == "OTP")
    assert (otp["status"], otp["errorCode"]) == ("FAILED", "UnSynchronizedClock") and otp["errorMessage"]


def test_a_pairing_that_nobody_approved_for_ten_minutes_is_over(moved, sandbox):
    client, clock = moved
    client.call("device.configure", geo=flows.GEO)
    pairing = flows.sign_on(client, sandbox, "ann")["pairing"]
    clock.set(601)
    assert client.call("pairing.list") == {"pairings": []}
    error = client.refusal("pairing.approve", pairing=pairing["id"])
    assert (error.code, error.reason) == (11004, "EXPIRED")
    assert sandbox.devices("ann") == []


def test_putting_the_clock_back_or_forward_does_not_change_how_long_a_push_can_be_answered(moved, sandbox):
    client, clock = moved
    flows.pair(client, sandbox)
    client.subscribe("notification")
    for seconds in (60 * MINUTE, -60 * MINUTE):
        started, push = flows.push(client, sandbox)
        clock.set(seconds)
        assert client.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"
        clock.set(0)
        client.call("notification.approve", notification=push["id"])
        assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_passcodes_follow_the_clock(moved, sandbox):
    client, clock = moved
    flows.pair(client, sandbox)
    now = client.call("passcode.get", next=True)
    clock.set(30)
    later = client.call("passcode.get")
    # The window may have changed between the two questions.
    assert later["validFrom"] - now["validFrom"] in (30, 60)
    if later["validFrom"] == now["next"]["validFrom"]:
        assert later["passcode"] == now["next"]["passcode"]
    clock.set(90 * 24 * 60 * MINUTE)
    assert client.call("passcode.get")["validFrom"] - now["validFrom"] >= 90 * 24 * 60 * MINUTE
