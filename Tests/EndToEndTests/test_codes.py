"""Authentication codes: claim, decision, and their status at PingOne."""

from harness.codes import REQUIRED, decide, trusting, watching


def test_claimed_code_waits_for_approval_by_its_owner(watching, sandbox):
    # The platform does not require approval; the daemon does.
    made = sandbox.code(clientContext={"header": "Till 4"}, userApproval="NOT_REQUIRED")
    claimed = watching.call("authentication.start", code=made["code"])
    ann = sandbox.users["ann"]["id"]
    assert (claimed["status"], claimed["clientContext"]) == ("CLAIMED", {"header": "Till 4"})
    assert claimed["userApproval"] == "NOT_REQUIRED"
    assert claimed["users"] == [
        {"userId": ann, "username": "ann", "email": "ann@example.com", "given": "Ann", "family": "Archer"}
    ]
    assert watching.event("authentication") == claimed
    assert watching.call("authentication.list") == {"authentications": [claimed]}
    assert sandbox.code_status(made) == "CLAIMED"
    assert decide(watching, "approve", claimed) == {"status": "COMPLETED"}
    assert sandbox.code_status(made) == "COMPLETED"
    assert watching.event("authentication") == {**claimed, "status": "COMPLETED"}


def test_denied_code_has_status_denied_at_the_platform(watching, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    assert decide(watching, "deny", claimed) == {"status": "DENIED"}
    assert sandbox.code_status(made) == "DENIED"
    assert watching.call("authentication.list")["authentications"][0]["status"] == "DENIED"


def test_code_that_requires_approval_waits_even_if_approval_is_automatic(trusting, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = trusting.call("authentication.start", code=made["code"])
    assert (claimed["status"], sandbox.code_status(made)) == ("CLAIMED", "CLAIMED")
    assert decide(trusting, "approve", claimed) == {"status": "COMPLETED"}
