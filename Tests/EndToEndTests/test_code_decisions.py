"""Decisions on authentication codes: handed in until they are heard, and worth nothing where they do not belong."""

import time
from datetime import datetime

import pytest

from harness import flows
from harness.codes import REQUIRED, watching
from harness.daemon import Daemon

FAULTS = [{"dropConnection": True}, {"status": 500}, {"garbage": True}]


@pytest.mark.parametrize("decision, status", [("approve", "COMPLETED"), ("deny", "DENIED")])
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_decision_that_was_not_heard_is_handed_in_again(watching, sandbox, fault, decision, status):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    sandbox.fault("/device/v1/authentication-codes/", **fault)
    error = watching.refusal(f"authentication.{decision}", authentication=claimed["id"])
    assert error.code in (10003, 10004) and error.retry
    assert watching.event("authentication", status=status) == {**claimed, "status": status}
    assert sandbox.code_status(made) == status


def test_a_decision_goes_on_in_another_life(daemon, watching, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    sandbox.fault("/device/v1/authentication-codes/", count=3, dropConnection=True)
    assert watching.refusal("authentication.approve", authentication=claimed["id"]).code == 10004
    daemon.kill()
    daemon.start()
    client = daemon.client()
    client.subscribe("authentication")
    (code,) = client.call("authentication.list")["authentications"]
    if code["status"] == "CLAIMED":
        code = client.event("authentication", id=claimed["id"])
    assert code == {**claimed, "status": "COMPLETED"}
    assert sandbox.code_status(made) == "COMPLETED"
    error = client.refusal("authentication.deny", authentication=claimed["id"])
    assert (error.code, error.details) == (11003, {"state": "COMPLETED"})


@pytest.mark.slow
def test_a_decision_that_nobody_hears_ends_with_the_code(watching, sandbox):
    made = sandbox.code(**REQUIRED, lifeTime={"duration": 10, "timeUnit": "SECONDS"})
    claimed = watching.call("authentication.start", code=made["code"])
    sandbox.fault("/device/v1/authentication-codes/", count=100, dropConnection=True)
    assert watching.refusal("authentication.approve", authentication=claimed["id"]).code == 10004
    assert watching.event("authentication", id=claimed["id"], status="EXPIRED") == {**claimed, "status": "EXPIRED"}
    assert watching.refusal("authentication.approve", authentication=claimed["id"]).code == 11004


def test_authctl_waits_until_a_decision_was_heard(watching, sandbox, authctl):
    made = sandbox.code(**REQUIRED)
    watching.call("authentication.start", code=made["code"])
    sandbox.fault("/device/v1/authentication-codes/", dropConnection=True)
    done = authctl.run("code", made["code"], "--approve", "--wait")
    # The fault was for the claim, which has no effect on a code that is claimed already.
    assert done.status == 10
    done = authctl.run("code", made["code"], "--approve", "--wait")
    assert (done.status, done.output) == (0, "signed on\n")
    assert sandbox.code_status(made) == "COMPLETED"


@pytest.mark.parametrize("seconds, unit", [(10, "SECONDS"), (1800, "SECONDS"), (30, "MINUTES")])
def test_a_code_lives_as_long_as_the_relying_party_says(watching, sandbox, seconds, unit):
    before = time.time()
    made = sandbox.code(**REQUIRED, lifeTime={"duration": seconds, "timeUnit": unit})
    claimed = watching.call("authentication.start", code=made["code"])
    taken = time.time() - before
    total = seconds * (60 if unit == "MINUTES" else 1)
    instants = [datetime.fromisoformat(one["expiresAt"]).timestamp() for one in (made, claimed)]
    # As exactly as both sides can know it: to the second, and to the time that the questions took.
    assert abs(instants[0] - instants[1]) <= 2 + taken
    assert abs(instants[1] - before - total) <= 2 + taken


def test_a_code_of_another_application_is_refused(watching, sandbox):
    path = f"/v1/environments/{sandbox.environment}/applications"
    mobile = {"bundleId": "com.example.other"}
    other = sandbox.request("POST", path, {"name": "other", "type": "NATIVE_APP", "mobile": mobile})
    made = sandbox.code(**REQUIRED, application={"id": other["id"]})
    assert watching.refusal("authentication.start", code=made["code"]).code == 10011
    assert sandbox.code_status(made) == "UNCLAIMED"


def test_a_code_that_another_device_claimed_is_not_known_here(watching, sandbox, directory):
    made = sandbox.code(**REQUIRED)
    watching.call("authentication.start", code=made["code"])
    elsewhere = directory / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    other = Daemon(elsewhere, sandbox).start()
    try:
        client = other.client()
        flows.pair(client, sandbox, "bob")
        assert client.refusal("authentication.start", code=made["code"]).code == 10011
        assert client.call("authentication.list") == {"authentications": []}
    finally:
        other.end()
    assert sandbox.code_status(made) == "CLAIMED"
