"""Decisions on authentication codes are retried until the platform receives them."""

import time
from datetime import datetime

from harness.codes import REQUIRED, watching


def test_decision_on_a_code_is_sent_after_a_crash(daemon, watching, sandbox):
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


def test_authctl_code_wait_ends_when_the_platform_has_the_decision(watching, sandbox, authctl):
    made = sandbox.code(**REQUIRED)
    watching.call("authentication.start", code=made["code"])
    sandbox.fault("/device/v1/authentication-codes/", dropConnection=True)
    done = authctl.run("code", made["code"], "--approve", "--wait")
    # The fault hit the claim, which does not change a code that is already claimed.
    assert done.status == 10
    done = authctl.run("code", made["code"], "--approve", "--wait")
    assert (done.status, done.output) == (0, "signed on\n")
    assert sandbox.code_status(made) == "COMPLETED"


def test_code_expires_after_the_lifetime_set_by_the_relying_party(watching, sandbox):
    for seconds, unit in ((180, "SECONDS"), (1800, "SECONDS"), (30, "MINUTES")):
        before = time.time()
        made = sandbox.code(**REQUIRED, lifeTime={"duration": seconds, "timeUnit": unit})
        claimed = watching.call("authentication.start", code=made["code"])
        taken = time.time() - before
        total = seconds * (60 if unit == "MINUTES" else 1)
        instants = [datetime.fromisoformat(one["expiresAt"]).timestamp() for one in (made, claimed)]
        # Accuracy: whole seconds, plus the duration of the requests.
        assert abs(instants[0] - instants[1]) <= 2 + taken
        assert abs(instants[1] - before - total) <= 2 + taken
