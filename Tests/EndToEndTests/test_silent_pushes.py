"""Automatic device authorization: the device answers a silent push without user presence."""

import pytest


@pytest.fixture(autouse=True)
def restrictive(sandbox):
    """The sandbox denies the sign-on if the device does not answer."""
    sandbox.authorize_devices("restrictive")


def test_silent_push_is_approved_automatically(paired, sandbox):
    started = sandbox.stand_in("ann", paired.call("payload.generate")["mobilePayload"])
    assert started["status"] == "PUSH_CONFIRMATION_REQUIRED"
    done = paired.event("notification", state="approved")
    assert (done["type"], done["answer"]["decision"], done["answer"]["authenticationMethod"]) == (
        "done", "approve", "swk",
    )
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_silent_push_answer_interrupted_by_a_crash_is_sent_after_restart(daemon, paired, sandbox):
    proof = paired.call("payload.generate")["mobilePayload"]
    sandbox.fault("/device/v1/notifications/", status=503)
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
