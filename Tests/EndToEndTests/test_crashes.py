"""kill -9 at any moment: answered requests are stored, and interrupted operations are completed or can be repeated."""

import os
import random
import re
import signal
import threading

import pytest

from harness import flows
from harness.client import Disconnected
from harness.courier import Courier
from harness.programs import seeds
from harness.relay import Relay
from harness.story import Story

EXCHANGES = {
    "platform keys": (r"GET /device/v1/platform-keys", 1),
    "trust": (r"POST /device/v1/trust", 1),
    "push registration": (r"PUT /device/v1/push", 1),
    "pairing": (r"POST /device/v1/pairings", 1),
    "first passcode": (r"POST /device/v1/pairings/[^/]+/otp", 1),
    "first poll": (r"GET /device/v1/notifications", 1),
    "second poll": (r"GET /device/v1/notifications", 2),
    "third poll": (r"GET /device/v1/notifications", 3),
    "approval": (r"POST /device/v1/notifications/[^/]+/answer", 1),
    "denial": (r"POST /device/v1/notifications/[^/]+/answer", 2),
    "code claimed": (r"POST /device/v1/authentication-codes/[^/]+/claim", 1),
    "code answered": (r"POST /device/v1/authentication-codes/[^/]+/answer", 1),
    "discovery": (r"GET /[^/]+/as/.well-known/openid-configuration", 1),
    "authorize": (r"POST /[^/]+/as/authorize", 1),
    "password": (r"POST /[^/]+/flows/[^/]+", 1),
    "resume": (r"GET /[^/]+/as/resume", 1),
    "token": (r"POST /[^/]+/as/token", 1),
    "token keys": (r"GET /[^/]+/as/jwks", 1),
    "second pairing": (r"POST /device/v1/pairings", 2),
    "second passcode": (r"POST /device/v1/pairings/[^/]+/otp", 2),
}
"""Each kind of exchange with the platform: a pattern of its request, and the number of the occurrence."""


@pytest.fixture
def relayed(make_daemon, directory):
    """A daemon with a relay between it and its courier, and the relay."""
    inside, outside = directory / "relay.sock", directory / "courier.sock"
    relay = Relay(inside, outside)
    daemon = make_daemon(courier_socket=inside)
    courier = Courier(daemon.file, outside, ["--socket", outside])
    yield daemon.start(), relay
    relay.close()
    courier.stop()


class Killer:
    """Kills the daemon once, at an exchange."""

    def __init__(self, daemon, pattern, place):
        self.daemon, self.pattern, self.place = daemon, re.compile(pattern), place
        self.has_killed = False
        self._seen = 0
        self._lock = threading.Lock()

    def __call__(self, exchange):
        with self._lock:
            if self.has_killed or not self.pattern.fullmatch(exchange):
                return False
            self._seen += 1
            if self._seen < self.place:
                return False
            self.has_killed = True
            self.daemon.process.signal(signal.SIGKILL)
            return True


def play(daemon, story, **options):
    """Plays the story to its end, with at most three runs of the daemon."""
    for _ in range(3):
        try:
            story.play(daemon.client(), **options)
            return story.check_end()
        except Disconnected:
            daemon.kill()
            assert "<3>" not in str(daemon.journal)
            daemon.start()
    raise AssertionError("the story did not come to its end")


@pytest.mark.parametrize("when", ["request", "answer"])
@pytest.mark.parametrize("exchange", EXCHANGES)
def test_story_completes_if_the_daemon_is_killed_at_an_exchange(relayed, sandbox, exchange, when):
    """Kills at each request before the platform gets it, and at each response before the daemon gets it."""
    daemon, relay = relayed
    killer = Killer(daemon, *EXCHANGES[exchange])
    setattr(relay, f"on_{when}", killer)
    story = Story(sandbox)
    play(daemon, story)
    assert killer.has_killed, "the exchange did not happen"


@pytest.mark.parametrize("step", [step.__name__ for step in Story(None).steps])
def test_reply_is_stored_before_it_is_sent(daemon, sandbox, step):
    """Kills the daemon as soon as it has replied."""
    killed = []

    def after_step(name):
        if name == step and not killed:
            killed.append(name)
            os.kill(daemon.process.pid, signal.SIGKILL)
            raise Disconnected

    story = Story(sandbox)
    play(daemon, story, after_step=after_step)
    assert killed == [step] and set(story.answered) == {step.__name__ for step in story.steps}


@pytest.mark.parametrize("seed", seeds(12))
def test_story_completes_after_kills_at_random_moments(make_daemon, sandbox, seed):
    chance = random.Random(seed)
    daemon = make_daemon().start()
    story = Story(sandbox)
    for _ in range(3):
        timer = threading.Timer(chance.uniform(0, 0.2), daemon.process.signal, [signal.SIGKILL])
        timer.start()
        try:
            story.play(daemon.client())
            daemon.client().read_line()
        except Disconnected:
            pass
        timer.join()
        daemon.kill()
        daemon.start()
    play(daemon, story)


def interrupt(relayed, exchange, when, begin):
    """Kills the daemon at an exchange of the operation, and returns a client of the restarted daemon."""
    daemon, relay = relayed
    setattr(relay, f"on_{when}", Killer(daemon, *EXCHANGES[exchange]))
    client = daemon.client()
    with pytest.raises(Disconnected):
        client.reply(begin(client))
    daemon.kill()
    daemon.start()
    client = daemon.client()
    client.subscribe()
    return client


@pytest.mark.parametrize("when", ["request", "answer"])
@pytest.mark.parametrize("exchange", ["pairing", "first passcode"])
def test_interrupted_pairing_is_completed_automatically(relayed, sandbox, exchange, when):
    relayed[0].client().call("device.configure", geo=flows.GEO)
    key = sandbox.pairing_key("ann")
    client = interrupt(relayed, exchange, when, lambda client: client.begin("pairing.pair", pairingKey=key))
    accounts = client.call("account.list")["accounts"] or [client.event("account")]
    assert [account["user"]["username"] for account in accounts] == ["ann"]
    assert [device["status"] for device in sandbox.devices("ann")] == ["ACTIVE"]
    passcode = client.call("passcode.get")["passcode"]
    assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"


@pytest.mark.parametrize("when", ["request", "answer"])
@pytest.mark.parametrize("verb, state, status", [("approve", "approved", "COMPLETED"), ("deny", "denied", "FAILED")])
def test_interrupted_decision_is_sent_automatically(relayed, sandbox, verb, state, status, when):
    watcher = relayed[0].client()
    flows.pair(watcher, sandbox)
    watcher.subscribe("notification")
    started, push = flows.push(watcher, sandbox)
    client = interrupt(
        relayed, "approval", when, lambda client: client.begin(f"notification.{verb}", notification=push["id"])
    )
    kept = client.call("notification.get", notification=push["id"])["notification"]
    if kept["state"] == "sending":
        kept = client.event("notification", id=push["id"], state=state)
    assert (kept["state"], kept["answer"]["decision"]) == (state, verb)
    assert sandbox.authentication(started)["status"] == status
