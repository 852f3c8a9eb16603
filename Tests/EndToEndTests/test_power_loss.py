"""Simulated power loss: it loses a random part of the unflushed data, but no acknowledged change.

strace records the daemon's file operations and its replies to clients. The disk images are built from this recording.
"""

import dataclasses
import json
import os
import random
import shutil
import time

import pyotp
import pytest

from harness import stored, users
from harness.client import RPCError
from harness.disk import OPTIONS, Recording
from harness.host import SECRET, uri
from harness.programs import PATIENCE, seeds
from harness.tracer import Tracer

CASES = 150 if os.environ.get("MFAD_TEST_FAULTS") == "all" else 6
ROUNDS = 12


def contents(directory):
    return {str(path): path.read_bytes() for path in directory.iterdir() if path.is_file()}


class Life:
    """A daemon with repeated changes by one user, and the erasure of another user's data."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.client = daemon.client()

    def enrol(self):
        for label, kind, more in (("ann", "totp", {}), ("counted", "hotp", {"counter": 0})):
            self.client.call("account.enrol", uri=uri(kind, label, **more))
        other = users.client_of(users.BOB_UID, self.daemon.socket)
        other.call("account.enrol", uri=uri(label="bob"))
        other.finish()
        self.erased_key = stored.owner_key(self.daemon.directory / "state", users.BOB_UID)

    def play(self):
        """Sets numbered nicknames, gets HOTP passcodes, and erases an owner, which truncates the WAL."""
        accounts = {each["label"]: each["id"] for each in self.client.call("account.list")["accounts"]}
        for number in range(ROUNDS):
            self.client.call("account.rename", account=accounts["ann"], nickname=f"name {number}")
            self.client.call("passcode.get", account=accounts["counted"])
            if number == ROUNDS // 2:
                self.client.call("owner.erase", uid=users.BOB_UID, confirm=True)
        # strace does not record a system call during which the process is killed, so make one more request.
        self.client.call("account.list")


@dataclasses.dataclass
class Heard:
    """Acknowledged changes: last nickname number and last counter (-1 if none), number of accounts, erasure."""

    name: int = -1
    count: int = -1
    enrolled: int = 0
    is_erased: bool = False


def heard(said):
    found = Heard()
    for text in said:
        for line in text.splitlines():
            message = json.loads(line) if line.startswith(b"{") and line.endswith(b"}") else {}
            result = message.get("result", {})
            if "counter" in result:
                found.count = result["counter"]
            if result.get("nickname"):
                found.name = int(result["nickname"].split()[1])
            found.enrolled += result.get("label") in ("ann", "counted") and "nickname" not in result
            # Only an erasure has an empty result.
            found.is_erased |= message.get("result") == {}
    return found


def check(daemon, heard, erased_key):
    """Checks that a daemon on the remaining files has all acknowledged changes and no data of an erased owner."""
    if heard.is_erased:
        for path, content in contents(daemon.directory / "state").items():
            assert erased_key not in content, f"{path} holds the key of who was erased"
    daemon.start()
    client = daemon.client()
    owners = [owner["uid"] for owner in client.call("owner.list")["owners"]]
    assert not heard.is_erased or users.BOB_UID not in owners, "who was erased is back"
    accounts = {each["label"]: each for each in client.call("account.list")["accounts"]}
    assert len(accounts) >= heard.enrolled, "an account that was answered is gone"
    if heard.name >= 0:
        is_kept = heard.name <= int(accounts["ann"]["nickname"].split()[1]) <= heard.name + 1
        assert is_kept, "a name that was answered is gone"
    if "counted" in accounts:
        passcode = client.call("passcode.get", account=accounts["counted"]["id"])
        assert heard.count < passcode["counter"] <= heard.count + 2, "a passcode is given twice"
        assert passcode["passcode"] == pyotp.HOTP(SECRET).at(passcode["counter"])
    if "ann" in accounts:
        assert client.call("passcode.get", account=accounts["ann"]["id"])["passcode"]
    assert client.call("audit.verify")["ok"] is True
    client.call("passcode.import", uri=uri(label="after"))
    daemon.stop()


def put(directory, files):
    shutil.rmtree(directory, ignore_errors=True)
    if files:
        directory.mkdir(mode=0o700)
    for name, data in files.items():
        with open(name, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(data)


def record_from_the_start(daemon, report):
    """Records a daemon from its first start. Returns initial state and rollback counter, trace lines, erased key."""
    daemon.wrapper = ["strace", "-D", "-o", report, *OPTIONS]
    daemon.start()
    life = Life(daemon)
    life.enrol()
    life.play()
    daemon.kill()
    daemon.wrapper = []
    deadline = time.monotonic() + PATIENCE
    while "killed by" not in (text := report.read_text(errors="replace")):
        assert time.monotonic() < deadline, "strace does not see the end"
        time.sleep(0.01)
    return {}, {}, text.splitlines(), life.erased_key


def record_later(daemon, report):
    """Records a daemon that already has a state. Returns the same as `record_from_the_start`."""
    daemon.start()
    life = Life(daemon)
    life.enrol()
    start, count = contents(daemon.directory / "state"), contents(daemon.directory / "state-rollback")
    tracer = Tracer(daemon.process.pid, report, *OPTIONS)
    life.play()
    lines = tracer.stop()
    daemon.kill()
    return start, count, lines, life.erased_key


@pytest.mark.parametrize("record, enrolled_before", [(record_from_the_start, 0), (record_later, 2)])
@pytest.mark.parametrize("seed", seeds(1))
def test_acknowledged_changes_survive_power_loss(shared, directory, record_property, record, enrolled_before, seed):
    state, (daemon, _) = directory / "state", shared
    daemon.stop()
    for path in (state, directory / "state-rollback"):
        shutil.rmtree(path, ignore_errors=True)
    start, changes, lines, erased_key = record(daemon, directory / "trace")
    recording = Recording(lines, state)
    end = heard(recording.said_before(len(recording.events)))
    everything = Heard(ROUNDS - 1, ROUNDS - 1, 2 - enrolled_before, True)
    assert end == everything, "the recording does not hold what was said"
    chance = random.Random(f"{record.__name__} {seed}")
    places = range(1, len(recording.events) + 1)
    # Always include the moment right after the reply to the erasure.
    erasure = next(place for place in places if heard(recording.said_before(place)).is_erased)
    for place in [erasure, *chance.choices(places, k=CASES)]:
        put(state, recording.image(start, place, chance))
        # The rollback counter is flushed only when the daemon stops, so it has its initial value.
        put(directory / "state-rollback", changes)
        answered = heard(recording.said_before(place))
        answered.enrolled += enrolled_before
        try:
            check(daemon, answered, erased_key)
        except BaseException:
            print(f"the power went at event {place} of {len(recording.events)}")
            raise
    record_property("faults", 1 + CASES)


PIN, WRONG, MOST = "280491", "999998", 10


class Never:
    """A random source that loses all unflushed data."""

    def random(self):
        return 1.0


def tries_heard(said):
    """Returns the number of replies that reported a wrong PIN."""
    return sum(text.count(b'"PIN_WRONG"') for text in said)


@pytest.mark.parametrize("seed", seeds(1))
def test_failed_pin_tries_survive_power_loss_and_state_rollback(
    make_daemon, directory, record_property, seed
):
    state, beside, daemon = directory / "state", directory / "state-rollback", make_daemon()
    daemon.start().client().call("lock.set", pin=PIN)
    daemon.stop()
    older, before = contents(state), contents(beside)
    daemon.start()
    client, tracer = daemon.client(), Tracer(daemon.process.pid, directory / "trace", *OPTIONS)
    for _ in range(4):
        with pytest.raises(RPCError):
            client.call("lock.unlock", pin=WRONG)
    # A reply is recorded when the next one is sent, so make one more request.
    client.call("account.list")
    recording = Recording(tracer.stop(), beside)
    daemon.kill()
    end = len(recording.events)
    assert tries_heard(recording.said_before(end)) == 4, "the recording does not hold what was said"
    chance = random.Random(f"tries {seed}")
    places = [(end, Never()), *((chance.randrange(1, end), luck) for _ in range(CASES // 2) for luck in (Never(), chance))]
    for place, luck in places:
        put(state, older)
        put(beside, recording.image(before, place, luck))
        heard_before = tries_heard(recording.said_before(place))
        error = daemon.start().client().refusal("lock.unlock", pin=WRONG)
        assert error.code == 11012, error
        assert heard_before < MOST - error.details["triesLeft"] <= heard_before + 2, f"at event {place} of {end}"
        daemon.stop()
    record_property("faults", len(places))
