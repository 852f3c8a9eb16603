"""Authentication codes: claimed, decided, and with the right word at PingOne."""

import pytest

from harness import clock, flows
from harness.codes import NOT_REQUIRED, REQUIRED, decide, trusting, watching


@pytest.mark.parametrize("approval", [REQUIRED, NOT_REQUIRED], ids=["required", "not required"])
def test_a_code_waits_for_its_owner_who_approves(watching, sandbox, approval):
    made = sandbox.code(clientContext={"header": "Till 4"}, **approval)
    claimed = watching.call("authentication.start", code=made["code"])
    ann = sandbox.users["ann"]["id"]
    assert (claimed["status"], claimed["clientContext"]) == ("CLAIMED", {"header": "Till 4"})
    assert claimed["userApproval"] == approval["userApproval"]
    assert [(user["userId"], user["username"]) for user in claimed["users"]] == [(ann, "ann")]
    assert watching.event("authentication") == claimed
    assert watching.call("authentication.list") == {"authentications": [claimed]}
    assert sandbox.code_status(made) == "CLAIMED"
    assert decide(watching, "approve", claimed) == {"status": "COMPLETED"}
    assert sandbox.code_status(made) == "COMPLETED"
    assert watching.event("authentication") == {**claimed, "status": "COMPLETED"}


@pytest.mark.parametrize("approval", [REQUIRED, NOT_REQUIRED], ids=["required", "not required"])
def test_a_denied_code_is_denied(watching, sandbox, approval):
    made = sandbox.code(**approval)
    claimed = watching.call("authentication.start", code=made["code"])
    assert decide(watching, "deny", claimed) == {"status": "DENIED"}
    assert sandbox.code_status(made) == "DENIED"
    assert watching.call("authentication.list")["authentications"][0]["status"] == "DENIED"


def test_by_configuration_a_code_that_needs_no_approval_is_done_at_once(trusting, sandbox):
    made = sandbox.code(**NOT_REQUIRED)
    claimed = trusting.call("authentication.start", code=made["code"])
    assert (claimed["status"], claimed["userApproval"]) == ("COMPLETED", "NOT_REQUIRED")
    assert sandbox.code_status(made) == "COMPLETED"
    error = trusting.refusal("authentication.approve", authentication=claimed["id"])
    assert (error.code, error.details) == (11003, {"state": "COMPLETED"})


def test_a_code_that_needs_approval_waits_whatever_is_configured(trusting, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = trusting.call("authentication.start", code=made["code"])
    assert (claimed["status"], sandbox.code_status(made)) == ("CLAIMED", "CLAIMED")
    assert decide(trusting, "approve", claimed) == {"status": "COMPLETED"}


def test_with_two_users_one_has_to_be_chosen(trusting, sandbox):
    flows.pair(trusting, sandbox, "bob")
    users = {name: user["id"] for name, user in sandbox.users.items()}
    made = sandbox.code(**NOT_REQUIRED)
    claimed = trusting.call("authentication.start", code=made["code"])
    assert claimed["status"] == "CLAIMED"
    assert {user["username"]: user["userId"] for user in claimed["users"]} == users
    for wrong in ({}, {"userId": "nobody"}):
        error = trusting.refusal("authentication.approve", authentication=claimed["id"], **wrong)
        assert (error.code, error.details) == (-32602, {"parameter": "userId"})
    assert decide(trusting, "approve", claimed, userId=users["bob"]) == {"status": "COMPLETED"}
    completed = sandbox.request("GET", f"/{sandbox.environment}/authenticationCodes/{made['id']}")
    assert (completed["status"], completed["user"]["id"]) == ("COMPLETED", users["bob"])


def test_who_can_be_signed_on_is_named_in_full(watching, sandbox):
    (user,) = watching.call("authentication.start", code=sandbox.code(**REQUIRED)["code"])["users"]
    assert user == {
        "userId": sandbox.users["ann"]["id"], "username": "ann", "email": "ann@example.com", "given": "Ann",
        "family": "Archer",
    }


def test_with_two_users_denying_needs_no_choice(watching, sandbox):
    flows.pair(watching, sandbox, "bob")
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    assert decide(watching, "deny", claimed) == {"status": "DENIED"}


@pytest.mark.parametrize(
    "form",
    [
        "https://example.com/pingonesdk?authentication_code={}",
        "pingonesdk?authentication_code={}",
        "mfad://code?a=b&authentication_code={}&c=d#e",
        " {}\n",
    ],
)
@pytest.mark.parametrize("case", [str.upper, str.lower], ids=["upper case", "lower case"])
def test_a_code_may_come_as(watching, sandbox, form, case):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=form.format(case(made["code"])))
    assert claimed["status"] == "CLAIMED"


@pytest.mark.parametrize(
    "code",
    [
        "",
        "ABCD123",
        "ABCD12345",
        "ABCD-123",
        "ABCDÉFGH",
        "../trust",
        "ABCD1234",
        "x?authentication_code=ABC",
        "x?xauthentication_code=ABCD1234",
        "٠١٢٣٤٥٦٧",
    ],
)
def test_a_code_that_nobody_made_is_refused(watching, code):
    error = watching.refusal("authentication.start", code=code)
    assert (error.code, error.reason) == (10011, "AUTHENTICATION_CODE_INVALID")
    assert watching.call("authentication.list") == {"authentications": []}


def test_an_expired_code_is_refused(watching, sandbox):
    made = sandbox.code(**REQUIRED)
    sandbox.advance(61)
    assert watching.refusal("authentication.start", code=made["code"]).code == 10011


def test_a_code_that_expires_before_its_owner_decides_has_no_effect(watching, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    sandbox.advance(61)
    assert decide(watching, "approve", claimed) == {"status": "EXPIRED"}
    assert sandbox.code_status(made) == "EXPIRED"
    error = watching.refusal("authentication.approve", authentication=claimed["id"])
    assert (error.code, error.reason) == (11004, "EXPIRED")


@pytest.mark.slow
def test_a_claimed_code_ends_with_its_time_by_the_clock_that_nobody_can_set(directory, make_daemon, sandbox):
    movable = clock.MovableClock(directory)
    client = make_daemon(clock=movable).start().client()
    flows.pair(client, sandbox)
    client.subscribe("authentication")
    shortest = {"lifeTime": {"duration": 10, "timeUnit": "SECONDS"}}
    claimed = client.call("authentication.start", code=sandbox.code(**REQUIRED, **shortest)["code"])
    client.event("authentication", status="CLAIMED")
    movable.set(3600)
    assert client.call("authentication.list")["authentications"] == [claimed]
    assert client.event("authentication", 20) == {**claimed, "status": "EXPIRED"}
    for method in ("authentication.approve", "authentication.deny"):
        error = client.refusal(method, authentication=claimed["id"])
        assert (error.code, error.reason) == (11004, "EXPIRED")


def test_without_a_pairing_there_is_nobody_to_sign_on(client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    error = client.refusal("authentication.start", code=sandbox.code()["code"])
    assert (error.code, error.reason) == (10008, "DEVICE_IS_NOT_PAIRED")


def test_a_code_that_is_claimed_twice_is_one(watching, sandbox):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    assert watching.call("authentication.start", code=made["code"].lower()) == claimed
    assert len(watching.call("authentication.list")["authentications"]) == 1


@pytest.mark.parametrize("first, state", [("approve", "COMPLETED"), ("deny", "DENIED")])
@pytest.mark.parametrize("second", ["approve", "deny"])
def test_a_code_is_decided_once(watching, sandbox, first, state, second):
    made = sandbox.code(**REQUIRED)
    claimed = watching.call("authentication.start", code=made["code"])
    decide(watching, first, claimed)
    error = watching.refusal(f"authentication.{second}", authentication=claimed["id"])
    assert (error.code, error.details) == (11003, {"state": state})
    assert sandbox.code_status(made) == state


@pytest.mark.parametrize("decision", ["approve", "deny"])
def test_an_unknown_code_is_not_found(watching, decision):
    assert watching.refusal(f"authentication.{decision}", authentication="nothing").code == 11002


@pytest.mark.parametrize("step", ["claim", "answer"])
def test_a_step_that_did_not_reach_the_platform_can_be_repeated(watching, sandbox, step):
    made = sandbox.code(**REQUIRED)
    if step == "claim":
        sandbox.fault("/device/v1/authentication-codes/", dropConnection=True)
        assert watching.refusal("authentication.start", code=made["code"]).code == 10004
    claimed = watching.call("authentication.start", code=made["code"])
    if step == "answer":
        sandbox.fault("/device/v1/authentication-codes/", dropConnection=True)
        error = watching.refusal("authentication.approve", authentication=claimed["id"])
        assert (error.code, error.retry) == (10004, True)
        assert watching.refusal("authentication.deny", authentication=claimed["id"]).code == 11003
    assert decide(watching, "approve", claimed) == {"status": "COMPLETED"}
    assert sandbox.code_status(made) == "COMPLETED"
