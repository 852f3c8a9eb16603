"""Validly signed but malformed responses: they can make a call fail, but not the daemon."""

import pytest

from harness import jose

NO_TIMES = [2**63 - 1, -(2**63), 2**62, -(2**62), 253_402_300_800, -1]


def test_signed_response_with_an_impossible_time_is_rejected(configured):
    skew = {"code": "CLOCK_SKEW", "message": "off", "details": [{"code": "10015", "target": "iat"}]}
    for iat in NO_TIMES:
        for forged in (lambda x, iat=iat: x.answer(*x.honest(), iat=iat), lambda x, iat=iat: x.answer(401, skew, iat=iat)):
            configured.platform.forge("POST /pairings", forged)
            error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
            assert error.code == 10003 and configured.state()["accounts"] == [], iat
    configured.platform.be_honest()
    configured.pair()


LONG = "x" * 20_000
USER = {"id": "user-ann", "username": "ann"}
OATH = {"secret": "A" * 32, "algorithm": "SHA1", "digits": 6, "period": 30}


def pairing(**changes):
    body = {"pairingId": "p1", "user": USER, "environment": {"id": "e1"}, "oath": OATH,
            "authenticators": [{"type": "PUSH", "status": "COMPLETED"}]} | changes
    return {name: value for name, value in body.items() if value is not None}


PAIRINGS = {
    "no body": None, "an empty body": {}, "a list": [], "a text": "paired", "no id": pairing(pairingId=None),
    "an id with a slash": pairing(pairingId="../../trust"), "an id that is the parent": pairing(pairingId=".."),
    "an id of 65 characters": pairing(pairingId="x" * 65), "an id with a line end": pairing(pairingId="p1\r\nX: y"),
    "an id with a question": pairing(pairingId="p1?x=y"), "a number for an id": pairing(pairingId=7),
    "no user": pairing(user=None), "a user without id": pairing(user={"username": "ann"}),
    "a user with a path for an id": pairing(user={"id": "a/b"}), "a user that is a text": pairing(user="ann"),
    "no environment": pairing(environment=None), "an environment with a path": pairing(environment={"id": "a/b"}),
    "no algorithm that is known": pairing(oath=OATH | {"algorithm": "MD5"}),
    "no digits": pairing(oath=OATH | {"digits": 0}), "nine digits": pairing(oath=OATH | {"digits": 9}),
    "digits past all": pairing(oath=OATH | {"digits": 2**63 - 1}), "digits below all": pairing(oath=OATH | {"digits": -(2**63)}),
    "no period": pairing(oath=OATH | {"period": 0}), "a negative period": pairing(oath=OATH | {"period": -30}),
    "a period past all": pairing(oath=OATH | {"period": 2**63 - 1}), "a fraction for a period": pairing(oath=OATH | {"period": 30.5}),
    "a secret that is short": pairing(oath=OATH | {"secret": "AAAAAAAA"}), "an empty secret": pairing(oath=OATH | {"secret": ""}),
    "a secret that is no base32": pairing(oath=OATH | {"secret": "1" * 32}), "no secret": pairing(oath={"digits": 6}),
    "a secret past all": pairing(oath=OATH | {"secret": "A" * 100_000 + "1"}), "an oath that is a text": pairing(oath="x"),
}


def test_malformed_pairing_response_creates_no_account(configured):
    before = configured.state()
    for name, nonsense in PAIRINGS.items():
        configured.platform.forge("POST /pairings", lambda x, nonsense=nonsense: x.answer(201, nonsense))
        error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
        assert error.code == 10003 and configured.state() == before, name
    sent = [request for request in configured.courier.requests if request.path.count("/") > 3]
    assert not sent, "an id that is none stood in a path"
    configured.platform.be_honest()
    configured.pair()


def test_user_names_are_cleaned_of_control_characters_and_truncated(configured):
    user = {"id": "user-ann", "username": "a\u202enn\u0000" + LONG, "email": 7, "name": {"given": ["A"], "family": "\x1b[31mX"}}
    key = configured.platform.make_pairing_key(user=user)
    shown = configured.client.call("pairing.pair", pairingKey=key)["user"]
    assert shown == {"id": "user-ann", "username": ("ann" + LONG)[:200], "name": {"family": "[31mX"}}


def test_authenticator_errors_in_a_pairing_response_are_truncated(configured):
    many = [{"type": "PUSH", "status": "FAILED", "errorCode": LONG, "errorMessage": "\u202e" + LONG}] * 500
    configured.platform.forge("POST /pairings", lambda x: x.answer(201, x.honest()[1] | {"authenticators": many[:3]}))
    answer = configured.client.call("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert all(len(a.get("errorMessage", "")) <= 200 and len(a.get("errorCode", "")) <= 200 for a in answer["authenticators"])


def trust(**changes):
    return {"deviceId": "d1", "platformKeys": {"keys": []}, "issuers": [], "serverTime": "2026-11-21T09:00:00Z"} | changes


def test_malformed_trust_response_does_not_configure_a_device(stage):
    for body in (None, {}, [], trust(deviceId=None), trust(deviceId=""), trust(deviceId="a/b"), trust(deviceId=".."),
                 trust(deviceId="x" * 65), trust(deviceId="d\r\nX: y"), trust(deviceId=7), trust(deviceId=["d1"])):
        stage.platform.forge("POST /trust", lambda x, body=body: x.answer(200, body))
        assert stage.client.refusal("device.configure", geo="NorthAmerica").code == 10003, body
    stage.platform.be_honest()
    stage.configure()


@pytest.mark.parametrize("issuers", [
    7, "https://platform.test/as", [7, None, {}], ["javascript:alert(1)"], ["https://attacker.test/as"],
    ["https://platform.test.attacker.test/as"], ["https://platform.test@attacker.test/as"],
    ["http://platform.test/as"], ["https://platform.test:8443/as"], ["https://x.test/" + LONG]], ids=lambda value: str(value)[:40])
def test_issuer_announced_for_another_origin_is_not_accepted(make_stage, issuers):
    stage = make_stage(client_id="client", redirect_uri="http://127.0.0.1/callback")
    stage.platform.issuers = issuers
    stage.configure()
    before = len(stage.courier.requests)
    token = jose.compact({"alg": "RS256", "kid": "k1"}, {"iss": "https://attacker.test/as"}, stage.issuer_key, "RS256")
    assert stage.client.refusal("pairing.processIdToken", idToken=token).code == 11009
    assert stage.client.refusal("login.start", method="signon").code == 10018
    assert len(stage.courier.requests) == before


@pytest.mark.parametrize("body", [
    {}, {"notifications": "x", "cursor": "c"}, {"notifications": [], "cursor": 7}, {"notifications": []},
    {"notifications": [], "cursor": "c" * 257}, {"notifications": ["x"] * 51, "cursor": "c"}, []], ids=lambda b: str(b)[:40])
def test_malformed_poll_response_does_not_move_the_cursor(paired, body):
    paired.courier.wait_for(lambda request: request.path.endswith("/notifications"))

    def forge(x):
        x.answer(200, body)
        paired.platform.be_honest()

    paired.platform.forge("GET /notifications", forge)
    seen = len(paired.courier.requests)
    paired.platform.deliver(None)
    second = paired.courier.wait_for(lambda request: request.path.endswith("/notifications"), seen)
    third = paired.courier.wait_for(
        lambda request: request.path.endswith("/notifications"), paired.courier.requests.index(second) + 1)
    assert third.query == {"after": "c1", "wait": "25"}


@pytest.fixture
def polls(paired):
    """The long polls; from now on the test answers them."""
    held = paired.platform.hold("GET /notifications")
    paired.platform.deliver(None)
    return held


@pytest.mark.parametrize("cursor", ["c d", "c&wait=0", "\u00e4?#", "%00", "\r\n", "../x", "c" * 256])
def test_poll_cursor_is_returned_to_the_platform_unchanged(polls, cursor):
    polls.next().answer(200, {"notifications": [], "cursor": cursor, "more": False})
    assert polls.next().request.query == {"after": cursor, "wait": "25"}


def test_poll_restarts_without_a_cursor_if_the_cursor_is_unknown(polls):
    polls.next().answer(200, {"notifications": [], "cursor": "one", "more": False})
    polls.next().answer(410, {"code": "CURSOR_UNKNOWN"})
    assert polls.next().request.query == {"wait": "25"}


def test_malformed_claim_response_creates_no_authentication(paired):
    for body in ({"status": None}, {"requestId": "../x"}, {"status": "APPROVED"}, {"userApproval": "MAYBE"}, {"expiresAt": 7},
                 {"expiresAt": "tomorrow"}, {"requestId": None}):
        paired.platform.codes["ABCD1234"] = body
        assert paired.client.refusal("authentication.start", code="ABCD1234").code == 10003, body
        assert paired.client.call("authentication.list") == {"authentications": []}, body


def test_claimed_code_limits_its_users_names_and_context(paired):
    users = [{"id": f"u{number}", "username": "\u202e" + LONG[:500]} for number in range(500)]
    paired.platform.codes["ABCD1234"] = {"users": users, "clientContext": {"x": LONG}}
    claimed = paired.client.call("authentication.start", code="ABCD1234")
    assert "clientContext" not in claimed and len(claimed["users"]) <= 64
    assert all(user["username"] == "x" * 200 for user in claimed["users"])


def test_malformed_authentication_code_is_not_sent_to_the_platform(paired):
    for code in ("", "ABCD123", "ABCD12345", "ABCD-123", "abcd123ä", "ABCD12\r\n", "../../..", "ABCD123\u0000",
                 "https://x.test/?authentication_code=", "https://x.test/?authentication_code=AB/../12"):
        assert paired.client.refusal("authentication.start", code=code).code == 10011, code
        assert [r for r in paired.courier.requests if "codes" in r.path] == [], code


def test_malformed_pairing_key_is_not_sent_to_the_platform(configured):
    before = len(configured.courier.requests)
    for key in ("", "01ABC", "01ABCDEFGHIJKLMNOPQRST", "01ABCDEFGHIJ/\u0661", "01ABCDEFGHI.JK", "01ABCDEFGHIJK\u00df"):
        assert configured.client.refusal("pairing.pair", pairingKey=key).code == 10005, key
        assert len(configured.courier.requests) == before, key


def test_account_is_shown_as_revoked_if_the_platform_does_not_know_the_device(paired):
    unknown = 401, {"code": "DEVICE_UNKNOWN", "message": "who?"}
    paired.platform.forge("GET /notifications", lambda x: x.answer(*unknown))
    paired.platform.deliver(None)
    paired.daemon.journal.wait("does not know this device")
    (account,) = paired.client.call("account.list")["accounts"]
    assert account["state"] == "revoked"
    assert paired.client.refusal("passcode.get", account=account["id"]).code == 10008
    assert paired.client.refusal("passcode.get").code == 10008
