"""A device that stands in for its user is asked by a silent push, and answers it with nobody there."""

import time

import pytest

from harness import flows
from harness.programs import PATIENCE

STRICTNESSES = ["permissive", "restrictive"]
ANSWERS = "/device/v1/notifications/"


@pytest.fixture(params=STRICTNESSES)
def strictness(request, sandbox):
    """What it means when the device says nothing."""
    sandbox.authorize_devices(request.param)
    return request.param


def payload(client):
    return client.call("payload.generate")["mobilePayload"]


def stand_in(client, sandbox):
    """An attempt that waits for the device; the daemon is asked for the payload."""
    started = sandbox.stand_in("ann", payload(client))
    assert started["status"] == "PUSH_CONFIRMATION_REQUIRED"
    return started


def outcome_of(client, push):
    """How the audit says that a push was answered without anybody; its entry follows the answer."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        for entry in client.call("audit.list")["entries"]:
            if (entry["method"], entry.get("target")) == ("daemon.answerSilently", push):
                return entry["outcome"]
    raise AssertionError("there is no entry of it")


def test_without_extra_verification_nobody_is_asked(paired, sandbox):
    sandbox.authorize_devices(None)
    assert sandbox.stand_in("ann", payload(paired))["status"] == "COMPLETED"
    assert paired.call("notification.list") == {"notifications": []}


def test_the_device_answers_by_itself(paired, sandbox, strictness):
    started = stand_in(paired, sandbox)
    done = paired.event("notification", state="approved")
    assert (done["type"], done["answer"]["decision"], done["answer"]["authenticationMethod"]) == (
        "done", "approve", "swk",
    )
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_nobody_ever_sees_it_wait(daemon, paired, authctl, sandbox, strictness):
    sandbox.fault(ANSWERS, delayMs=300)
    started = sandbox.stand_in("ann", payload(paired))
    seen = paired.event("notification")
    assert (seen["type"], seen["state"]) == ("done", "sending")
    assert daemon.client().call("service.status")["owner"]["pending"] == 0
    assert paired.call("notification.list", state="pending") == {"notifications": []}
    outcome = authctl.run("notifications", "--json")
    assert (outcome.status, outcome.json["notifications"]) == (0, [])
    assert paired.event("notification")["state"] == "approved"
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_push_for_a_person_waits_beside_it(paired, sandbox, strictness):
    waiting, push = flows.push(paired, sandbox)
    started = stand_in(paired, sandbox)
    paired.event("notification", type="done", state="approved")
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    assert paired.call("notification.list", state="pending") == {"notifications": [push]}
    paired.call("notification.deny", notification=push["id"])
    assert sandbox.authentication(waiting)["status"] == "FAILED"


@pytest.mark.parametrize("fault", [{"dropConnection": True}, {"status": 503}, {"garbage": True}], ids=str)
def test_an_answer_that_was_not_heard_is_handed_in_again(paired, sandbox, fault, strictness):
    proof = payload(paired)
    sandbox.fault(ANSWERS, **fault)
    started = sandbox.stand_in("ann", proof)
    paired.event("notification", type="done", state="approved")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_the_silence_of_a_device_means_what_the_policy_says(daemon, paired, sandbox, strictness):
    proof = payload(paired)
    daemon.stop()
    started = sandbox.stand_in("ann", proof)
    sandbox.advance(39)
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    sandbox.advance(2)
    ended = sandbox.authentication(started)
    assert ended["status"] == {"permissive": "COMPLETED", "restrictive": "FAILED"}[strictness]
    if strictness == "restrictive":
        assert ended["error"]["code"] == "EXTRA_VERIFICATION_FAILED"
    daemon.start()
    assert daemon.client().call("notification.list") == {"notifications": []}


def test_an_answer_that_a_crash_interrupted_is_given_by_the_next_life(daemon, paired, sandbox, strictness):
    proof = payload(paired)
    sandbox.fault(ANSWERS, status=503)
    started = sandbox.stand_in("ann", proof)
    paired.event("notification", type="done", state="sending")
    daemon.kill()
    daemon.start()
    client = daemon.client()
    client.subscribe("notification")
    (push,) = client.call("notification.list")["notifications"]
    if push["state"] != "approved":
        assert push["state"] == "sending"
        client.event("notification", id=push["id"], state="approved")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_machine_that_is_not_sound_does_not_stand_in(daemon, sandbox, directory, strictness):
    flows.pair(daemon.client(), sandbox)
    sandbox.check_integrity("restrictive")
    daemon.stop()
    (directory / "state" / "mfad.db").chmod(0o666)
    daemon.start()
    client = daemon.client()
    client.subscribe("notification")
    started = stand_in(client, sandbox)
    push = client.event("notification", type="done", state="expired")["id"]
    # It did answer, so that its silence is not what counts.
    assert sandbox.authentication(started)["status"] == "FAILED"
    assert outcome_of(client, push) == "FAILED_POLICY_REQUIREMENTS"


def test_what_was_answered_without_anybody_can_be_looked_up(paired, sandbox, strictness):
    stand_in(paired, sandbox)
    assert outcome_of(paired, paired.event("notification", state="approved")["id"]) == "ok"
