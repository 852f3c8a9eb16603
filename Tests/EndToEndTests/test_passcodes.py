"""passcode.get: judged by PingOne and by two programs of others that know the same secret."""

import os
import re
import subprocess
import time

import pyotp
import pytest

from harness import archive, clock, flows
from harness.sandbox import Refused, Sandbox
from harness.tracer import Tracer

INSTANTS = [59, 1111111109, 1234567890, 2000000000, 4102444799]
"""Seconds since 1970 at which passcodes are compared: some of RFC 6238's, and the last of the century."""


def test_a_passcode_says_how_long_it_counts(paired):
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


def test_the_next_passcode_follows_the_first(paired):
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


def test_pingone_accepts_the_next_passcode_too(paired, sandbox):
    passcode = paired.call("passcode.get", next=True)["next"]["passcode"]
    assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"


def test_with_several_accounts_one_has_to_be_named(paired, sandbox):
    ann = paired.call("account.list")["accounts"][0]["id"]
    bob = flows.pair(paired, sandbox, "bob")
    error = paired.refusal("passcode.get")
    assert (error.code, error.reason, error.details) == (11017, "AMBIGUOUS", {"accounts": [ann, bob]})
    for user, account in (("ann", ann), ("bob", bob)):
        passcode = paired.call("passcode.get", account=account)
        assert passcode["account"] == account
        assert sandbox.check_passcode(sandbox.authenticate(user), passcode["passcode"])["status"] == "COMPLETED"


def test_without_an_account_there_is_no_passcode(client):
    client.call("device.configure", geo=flows.GEO)
    assert client.refusal("passcode.get").code == 10008
    assert client.refusal("passcode.get", account="nothing").code == 11002


def oathtool(secret, instant):
    command = ["oathtool", "--totp", "--base32", "--digits=6", f"--now=@{instant}", secret]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def judged(passcode, secret):
    """Both judges agree with every passcode of an answer."""
    for window in (passcode, passcode["next"]):
        for instant in (window["validFrom"], window["validUntil"] - 1):
            assert window["passcode"] == pyotp.TOTP(secret).at(instant) == oathtool(secret, instant)


def test_others_compute_the_same_passcodes_from_the_same_secret(directory, make_daemon):
    """The platform that knows the secret is stopped and asked for it; the daemon goes on without a platform."""
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


def test_a_passcode_costs_no_request(paired, sandbox):
    sandbox.stop()
    assert re.fullmatch("[0-9]{6}", paired.call("passcode.get")["passcode"])


def test_the_secret_is_nowhere_to_be_read(directory, make_daemon):
    """Neither in base32 nor as it is, in no file of the state and no line of the journal."""
    kept = directory / "sandbox.db"
    sandbox = Sandbox(data=kept)
    daemon = make_daemon(sandbox=sandbox).start()
    flows.pair(daemon.client(), sandbox)
    sandbox.stop()
    secret = archive.passcode_secret(kept)
    forms = [secret.encode(), pyotp.TOTP(secret).byte_secret(), pyotp.TOTP(secret).byte_secret().hex().encode()]
    state = directory / "state"
    files = [path for path in state.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"mfad.db", "key"}
    assert not [path for path in files for form in forms if form in path.read_bytes()]
    assert not [form for form in forms if form in str(daemon.journal).encode()]
    assert all(os.stat(path).st_mode & 0o077 == 0 for path in [state, *state.rglob("*")])


@pytest.mark.parametrize("seconds", [30, 45, 60])
def test_a_window_is_as_long_as_the_application_says(client, sandbox, seconds):
    sandbox.change_application({"passcodeRefreshDuration": {"duration": seconds, "timeUnit": "SECONDS"}})
    flows.pair(client, sandbox)
    answer = client.call("passcode.get", next=True)
    assert answer["timeWindowSize"] == seconds == answer["validUntil"] - answer["validFrom"]
    assert answer["validFrom"] % seconds == 0 and answer["next"]["validFrom"] == answer["validUntil"]
    for passcode in (answer["passcode"], answer["next"]["passcode"]):
        assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"


@pytest.mark.parametrize("windows", [1, 10])
def test_a_clock_may_be_off_by_as_many_windows_as_the_application_says(directory, make_daemon, sandbox, windows):
    sandbox.change_application({"passcodeGracePeriod": windows})
    movable = clock.MovableClock(directory)
    client = make_daemon(clock=movable).start().client()
    flows.pair(client, sandbox)


    def check(off):
        movable.set(off * 30)
        return sandbox.check_passcode(sandbox.authenticate("ann"), client.call("passcode.get")["passcode"])

    # One less and two more than allowed, since a window may end between the question and the check. An older
    # window does not count once a newer one was used.
    for off in sorted({1 - windows, windows - 1}):
        assert check(off)["status"] == "COMPLETED"
    for off in (-windows - 2, windows + 2):
        with pytest.raises(Refused):
            check(off)


@pytest.mark.parametrize("method", ["passcode.get", "service.status"])
def test_what_is_asked_again_is_answered_without_the_disk(daemon, paired, directory, method):
    for _ in range(3):
        paired.call(method)
    # A lock of the database is the least that reading it takes; the daemon's own housekeeping may take one meanwhile.
    tracer = Tracer(daemon.process.pid, directory / "trace", "-e", "trace=fcntl,pread64,read")
    for _ in range(20):
        paired.call(method)
    assert len([line for line in tracer.stop() if "mfad.db" in line]) < 20
