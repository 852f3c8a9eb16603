"""Refusals and extended responses of the platform to a decision: each gives its error, and no data is lost."""

import time

import pytest

PUSH, CODE, CLAIM = "POST /notifications/*/answer", "POST /authentication-codes/*/answer", "POST /authentication-codes/*/claim"


def refusal(code, **members):
    return {"id": "x", "code": code, "message": "no"} | members


def in_seconds(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


def receive(stage, **claims):
    push = stage.platform.sign_push(stage.platform.push_claims(**claims))
    return stage.client.call("notification.process", payload=push)["notification"]


def get(stage, id):
    return stage.client.call("notification.get", notification=id)["notification"]


def claim(stage, code="ABCD1234", **members):
    stage.platform.codes[code] = members
    return stage.client.call("authentication.start", code=code)


def code_of(stage, id):
    return next(code for code in stage.client.call("authentication.list")["authentications"] if code["id"] == id)


TAKEN_BACK = {
    "a policy": (403, refusal("FAILED_POLICY_REQUIREMENTS"), 10012, "FAILED_POLICY_REQUIREMENTS"),
    "another device": (403, refusal("DEVICE_MISMATCH"), 10023, "DEVICE_MISMATCH"),
    "requirements": (403, refusal("FAILED_DEVICE_REQUIREMENTS_EVALUATION"), 10024, "FAILED_DEVICE_REQUIREMENTS_EVALUATION"),
    "nobody paired": (400, refusal("DEVICE_IS_NOT_PAIRED"), 10008, "DEVICE_IS_NOT_PAIRED"),
    "in its details": (400, refusal("INVALID_DATA", details=[{"code": "DEVICE_MISMATCH"}]), 10023, "DEVICE_MISMATCH"),
    "an unknown reason": (400, refusal("WHATEVER"), 10003, "SERVER_ERROR"),
    "no reason": (404, {}, 10003, "SERVER_ERROR"),
}


def test_decision_on_a_push_is_reverted_if_the_platform_refuses_it(paired):
    for why, (status, body, code, reason) in TAKEN_BACK.items():
        shown = receive(paired)
        paired.platform.forge(PUSH, lambda x, answer=(status, body): x.answer(*answer))
        error = paired.client.refusal("notification.approve", notification=shown["id"])
        assert (error.code, error.reason) == (code, reason), why
        assert get(paired, shown["id"]) == shown, why
        paired.platform.be_honest()
        assert paired.client.call("notification.deny", notification=shown["id"])["notification"]["state"] == "denied"


def test_pending_push_is_cancelled_if_the_platform_does_not_know_the_device(paired):
    shown, claimed = receive(paired), claim(paired)
    paired.platform.forge(CODE, lambda x: x.answer(401, refusal("DEVICE_UNKNOWN")))
    assert paired.client.refusal("authentication.approve", authentication=claimed["id"]).code == 10008
    assert get(paired, shown["id"])["state"] == "cancelled"
    assert paired.client.refusal("notification.approve", notification=shown["id"]).code == 10020
    assert code_of(paired, claimed["id"])["status"] == "CLAIMED"
    before = len(paired.courier.requests)
    assert paired.client.refusal("authentication.deny", authentication=claimed["id"]).code == 10008
    assert not [request for request in paired.courier.requests[before:] if "codes" in request.path]


SETTLED = {
    "expired": (410, refusal("PUSH_CONFIRMATION_TIMEOUT", status="expired"), 10009, "expired"),
    "cancelled": (409, refusal("ALREADY_ANSWERED", status="cancelled", answeredBy="platform"), 10020, "cancelled"),
    "approved elsewhere": (409, refusal("ALREADY_ANSWERED", status="approved", answeredBy="other"), 11003, "approved"),
    "denied elsewhere": (409, refusal("ALREADY_ANSWERED", status="denied", answeredBy="passcode"), 11003, "denied"),
}


@pytest.mark.parametrize("how", SETTLED)
def test_outcome_of_a_push_at_the_platform_ends_it_locally(paired, how):
    status, body, code, state = SETTLED[how]
    shown = receive(paired)
    paired.platform.forge(PUSH, lambda x: x.answer(status, body))
    paired.client.call("event.subscribe", topics=["notification"])
    error = paired.client.refusal("notification.approve", notification=shown["id"])
    assert error.code == code
    assert error.details == ({"state": state} if code == 11003 else {})
    assert get(paired, shown["id"])["state"] == state
    paired.client.event("notification", state=state)
    paired.restart()
    assert get(paired, shown["id"])["state"] == state


# Numbers


@pytest.mark.parametrize("kind, left", [("SELECT_NUMBER", [0]), ("ENTER_MANUALLY", [2, 1, 0])])
def test_push_is_denied_after_the_last_try_that_the_platform_allows(paired, kind, left):
    shown = receive(paired, numberMatching={"type": kind, "options": [11, 22, 33]})
    tries = iter(left)
    paired.platform.forge(PUSH, lambda x: x.answer(422, refusal("NUMBER_MISMATCH", triesLeft=next(tries))))
    for expected in left:
        error = paired.client.refusal("notification.approve", notification=shown["id"], number=44)
        assert (error.code, error.reason, error.details) == (11008, "NUMBER_MISMATCH", {"triesLeft": expected})
    assert get(paired, shown["id"])["state"] == "denied"
    error = paired.client.refusal("notification.approve", notification=shown["id"], number=11)
    assert (error.code, error.details) == (11003, {"state": "denied"})


def test_push_stays_pending_if_the_platform_requires_an_unannounced_number(paired):
    shown = receive(paired)
    paired.platform.forge(PUSH, lambda x: x.answer(422, refusal("NUMBER_REQUIRED", triesLeft=3)))
    error = paired.client.refusal("notification.approve", notification=shown["id"])
    assert (error.code, error.reason) == (11007, "NUMBER_REQUIRED")
    assert get(paired, shown["id"])["state"] == "pending"


def test_number_choices_out_of_range_are_omitted(paired):
    options = [7, -1, 1_000_000_000, 999_999_999, 2**63 - 1, 0]
    assert receive(paired, numberMatching={"type": "SELECT_NUMBER", "options": options})["numberMatching"] == {
        "type": "SELECT_NUMBER", "options": [7, 999_999_999, 0]}
    shown = receive(paired, numberMatching={"type": "ENTER_MANUALLY", "options": options})
    assert shown["numberMatching"] == {"type": "ENTER_MANUALLY"}


# Additional data in responses


def test_confirmation_info_is_returned_verbatim(paired):
    for info in ({"a": [1, {"b": "\u202e"}], "n": 1.50}, "text", 7, [None]):
        shown = receive(paired)
        paired.platform.forge(PUSH, lambda x, info=info: x.answer(200, {"status": "approved", "confirmationInfo": info}))
        assert paired.client.call("notification.approve", notification=shown["id"])["confirmationInfo"] == info


def test_confirmation_info_above_8_kib_is_omitted(paired):
    fits, long = ({"k": "x" * (size - len('{"k":""}'))} for size in (8192, 8193))
    for info, expected in ((fits, fits), (long, None)):
        shown = receive(paired)
        paired.platform.forge(PUSH, lambda x, info=info: x.answer(200, {"status": "approved", "confirmationInfo": info}))
        assert paired.client.call("notification.approve", notification=shown["id"]).get("confirmationInfo") == expected


@pytest.mark.parametrize("method", ["face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pwd", "rba",
                                    "retina", "sc", "sms", "swk", "tel", "user", "vbm", "wia"])
def test_unverified_rfc_8176_method_is_not_sent_to_the_platform(shared_stage, method):
    stage = shared_stage
    if not stage.client.call("account.list")["accounts"]:
        stage.configure().pair()
    shown = receive(stage)
    before = len(stage.platform.decisions)
    if method != "user":
        error = stage.client.refusal("notification.approve", notification=shown["id"], authenticationMethod=method)
        assert error.code == 11019 and len(stage.platform.decisions) == before
    stage.client.call("notification.approve", notification=shown["id"])
    assert stage.platform.decisions[-1]["authenticationMethod"] == "user"


# Codes


CLAIMS = {
    "unknown": (404, refusal("AUTHENTICATION_CODE_INVALID"), 10011),
    "another application's": (404, refusal("INVALID_DATA", details=[{"code": "AUTHENTICATION_CODE_INVALID"}]), 10011),
    "nobody paired": (400, refusal("DEVICE_IS_NOT_PAIRED"), 10008),
    "a policy": (403, refusal("FAILED_POLICY_REQUIREMENTS"), 10012),
    "another device's": (403, refusal("DEVICE_MISMATCH"), 10023),
}


def test_refused_claim_creates_no_authentication(paired):
    for why, (status, body, code) in CLAIMS.items():
        paired.platform.forge(CLAIM, lambda x, answer=(status, body): x.answer(*answer))
        assert paired.client.refusal("authentication.start", code="ABCD1234").code == code, why
        assert paired.client.call("authentication.list") == {"authentications": []}, why
    paired.platform.be_honest()
    assert claim(paired)["status"] == "CLAIMED"


def test_decision_on_a_code_is_reverted_if_the_platform_refuses_it(paired):
    for number, (why, (status, body, code, reason)) in enumerate(TAKEN_BACK.items()):
        claimed = claim(paired, f"ABCD123{number}")
        paired.platform.forge(CODE, lambda x, answer=(status, body): x.answer(*answer))
        error = paired.client.refusal("authentication.approve", authentication=claimed["id"])
        assert (error.code, error.reason) == (code, reason), why
        assert code_of(paired, claimed["id"])["status"] == "CLAIMED", why
        paired.platform.be_honest()
        assert paired.client.call("authentication.deny", authentication=claimed["id"]) == {"status": "DENIED"}


@pytest.mark.parametrize("status, code", [("COMPLETED", 11003), ("DENIED", 11003)])
def test_code_takes_the_status_that_the_platform_already_recorded(paired, status, code):
    claimed = claim(paired)
    decision = "deny" if status == "COMPLETED" else "approve"
    paired.platform.forge(CODE, lambda x: x.answer(409, refusal("ALREADY_ANSWERED", status=status)))
    error = paired.client.refusal(f"authentication.{decision}", authentication=claimed["id"])
    assert (error.code, error.details) == (code, {"state": status})
    assert code_of(paired, claimed["id"])["status"] == status


def test_code_that_expired_at_the_platform_expires_locally(paired):
    claimed = claim(paired)
    paired.platform.forge(CODE, lambda x: x.answer(410, refusal("AUTHENTICATION_CODE_INVALID", status="EXPIRED")))
    assert paired.client.call("authentication.approve", authentication=claimed["id"]) == {"status": "EXPIRED"}
    assert code_of(paired, claimed["id"])["status"] == "EXPIRED"
    assert paired.client.refusal("authentication.deny", authentication=claimed["id"]).code == 11004


def test_code_expires_by_the_clock_of_the_platform(paired):
    """A machine with a fast clock has as much time as any other."""
    paired.platform.lead = -50
    claimed = claim(paired, expiresAt=in_seconds(-20))
    assert claimed["status"] == "CLAIMED"
    assert paired.client.call("authentication.approve", authentication=claimed["id"]) == {"status": "COMPLETED"}


@pytest.mark.parametrize("status", ["COMPLETED", "DENIED", "EXPIRED"])
def test_claim_of_an_ended_code_returns_its_final_status(paired, status):
    claimed = claim(paired, status=status)
    assert claimed["status"] == status
    error = paired.client.refusal("authentication.approve", authentication=claimed["id"])
    assert error.code == (11004 if status == "EXPIRED" else 11003)
    assert paired.platform.decisions == []


@pytest.mark.parametrize("nonsense", [{"status": "CLAIMED"}, {"status": "PERHAPS"}, {}, [], None], ids=str)
def test_decision_on_a_code_is_sent_again_after_an_inconclusive_response(paired, nonsense):
    claimed = claim(paired)
    paired.platform.forge(CODE, lambda x: x.answer(200, nonsense))
    paired.client.call("event.subscribe", topics=["authentication"])
    error = paired.client.refusal("authentication.approve", authentication=claimed["id"])
    assert error.code == 10003
    assert paired.client.refusal("authentication.deny", authentication=claimed["id"]).details == {"state": "CLAIMED"}
    paired.platform.be_honest()
    while (ended := paired.client.event("authentication"))["status"] == "CLAIMED":
        pass
    assert ended["status"] == "COMPLETED"
    assert [decision["decision"] for decision in paired.platform.decisions] == ["approve"]
