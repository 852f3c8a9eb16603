"""`passcode.get`, checked with PingOne and with two independent implementations, pyotp and oathtool."""

import re
import subprocess
import time

import pyotp
import pytest

from harness import archive, clock, flows
from harness.sandbox import Refused, Sandbox
from harness.tracer import Tracer

INSTANTS = [59, 1111111109, 1234567890, 2000000000, 4102444799]
"""Unix times at which passcodes are compared: some of the test vectors of RFC 6238, and the end of 2099."""


def test_passcode_reports_its_validity_period(paired):
    before = time.time()
    passcode = paired.call("passcode.get")
    after = time.time()
    (account,) = paired.call("account.list")["accounts"]
    assert set(passcode) == {"account", "passcode", "validFrom", "validUntil", "timeWindowSize", "remaining"}
    assert passcode["account"] == account["id"]
    assert re.fullmatch("[0-9]{6}", passcode["passcode"])
    assert passcode["timeWindowSize"] == 30 and passcode["validFrom"] % 30 == 0
    assert passcode["validUntil"] == passcode["validFrom"] + 30
    assert passcode["validFrom"] <= after and before < passcode["validUntil"]
    seconds = range(passcode["validUntil"] - int(after), passcode["validUntil"] - int(before) + 1)
    assert passcode["remaining"] in seconds and 1 <= passcode["remaining"] <= 30


def test_next_passcode_starts_when_the_current_one_ends(paired):
    passcode = paired.call("passcode.get", next=True)
    assert set(passcode["next"]) == {"passcode", "validFrom", "validUntil"}
    assert passcode["next"]["validFrom"] == passcode["validUntil"]
    assert passcode["next"]["validUntil"] == passcode["validUntil"] + 30


def test_pingone_accepts_a_passcode_once(paired, sandbox):
    passcode = paired.call("passcode.get")["passcode"]
    started = sandbox.authenticate("ann")
    assert sandbox.check_passcode(started, passcode)["status"] == "COMPLETED"
    again = sandbox.authenticate("ann")
    with pytest.raises(Refused) as refused:
        sandbox.check_passcode(again, passcode)
    assert refused.value.detail == "INVALID_OTP"
    assert sandbox.authentication(again)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def oathtool(secret, instant):
    command = ["oathtool", "--totp", "--base32", "--digits=6", f"--now=@{instant}", secret]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def judged(passcode, secret):
    """Asserts that pyotp and oathtool compute both passcodes of a reply, at both ends of their windows."""
    for window in (passcode, passcode["next"]):
        for instant in (window["validFrom"], window["validUntil"] - 1):
            assert window["passcode"] == pyotp.TOTP(secret).at(instant) == oathtool(secret, instant)


def test_pyotp_and_oathtool_compute_the_same_passcodes(directory, make_daemon):
    """Stops the platform, reads the secret from its database, and continues without a platform."""
    kept = directory / "sandbox.db"
    sandbox = Sandbox(data=kept)
    daemon = make_daemon(sandbox=sandbox).start()
    flows.pair(daemon.client(), sandbox)
    sandbox.stop()
    secret = archive.passcode_secret(kept)
    judged(daemon.client().call("passcode.get", next=True), secret)
    daemon.stop()
    for instant in INSTANTS:
        daemon.clock = clock.starting_at(instant)
        daemon.start()
        passcode = daemon.client().call("passcode.get", next=True)
        assert instant - 30 < passcode["validFrom"] <= instant + 30
        judged(passcode, secret)
        daemon.stop()


def test_passcode_needs_no_platform_request(paired, sandbox):
    sandbox.stop()
    assert re.fullmatch("[0-9]{6}", paired.call("passcode.get")["passcode"])


def test_passcode_period_follows_the_application_setting(client, sandbox):
    seconds = 45
    sandbox.change_application({"passcodeRefreshDuration": {"duration": seconds, "timeUnit": "SECONDS"}})
    flows.pair(client, sandbox)
    answer = client.call("passcode.get", next=True)
    assert answer["timeWindowSize"] == seconds == answer["validUntil"] - answer["validFrom"]
    assert answer["validFrom"] % seconds == 0 and answer["next"]["validFrom"] == answer["validUntil"]
    for passcode in (answer["passcode"], answer["next"]["passcode"]):
        assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"


@pytest.mark.parametrize("method", ["passcode.get", "service.status"])
def test_repeated_calls_do_not_read_the_database(daemon, paired, directory, method):
    for _ in range(3):
        paired.call(method)
    # Each read of the database takes at least a lock. The daemon's housekeeping may also take one meanwhile.
    tracer = Tracer(daemon.process.pid, directory / "trace", "-e", "trace=fcntl,pread64,read")
    for _ in range(20):
        paired.call(method)
    assert len([line for line in tracer.stop() if "mfad.db" in line]) < 20
