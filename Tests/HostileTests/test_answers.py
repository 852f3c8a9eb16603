"""Responses that a courier has tampered with: each gives a specific error and changes no state."""


import pytest

from harness import jose
from harness.client import RPCError

ANOTHER = jose.p256()


def whole(x):
    """The honest response of the platform, before it is signed."""
    return x.claims(*x.honest())


def sealed(x):
    return x.seal(x.sign(whole(x)))


def cut(text: str, index: int, replacement: str) -> str:
    parts = text.split(".")
    parts[index] = replacement
    return ".".join(parts)


def bare(x, **header):
    """A header for signing by hand, which the platform would not write."""
    head = {"alg": "ES256", "typ": "device-answer+jwt", "kid": jose.named_jwk(x.platform.key)["kid"]} | header
    return {name: value for name, value in head.items() if value is not None}


TAMPERINGS = {
    # The envelope.
    "a bit turned in the ciphertext": lambda x: x.reply(jose.flip(sealed(x), 3)),
    "a bit turned in the tag": lambda x: x.reply(jose.flip(sealed(x), 4)),
    "a bit turned in the nonce": lambda x: x.reply(jose.flip(sealed(x), 2)),
    "a tag of four bytes": lambda x: x.reply(cut(sealed(x), 4, "AAAAAA")),
    "an empty tag": lambda x: x.reply(cut(sealed(x), 4, "")),
    "an encrypted key where none belongs": lambda x: x.reply(cut(sealed(x), 1, "AAAA")),
    "another header over the same ciphertext": lambda x: x.reply(cut(sealed(x), 0, sealed(x).split(".")[0])),
    "sealed to another key": lambda x: x.reply(x.seal(x.sign(whole(x)), jose.public_jwk(ANOTHER))),
    "sealed to the platform itself": lambda x: x.reply(x.seal(x.sign(whole(x)), jose.public_jwk(x.platform.key))),
    "sealed as a request": lambda x: x.reply(x.seal(x.sign(whole(x)), typ="device-request+jwe")),
    "sealed with another cipher": lambda x: x.reply(x.seal(x.sign(whole(x)), enc="A128GCM")),
    "sealed with a cipher of two parts": lambda x: x.reply(x.seal(x.sign(whole(x)), enc="A256CBC-HS512")),
    "sealed with a wrapped key": lambda x: x.reply(x.seal(x.sign(whole(x)), alg="ECDH-ES+A256KW")),
    "sealed and packed": lambda x: x.reply(x.seal(x.sign(whole(x)), zip="DEF")),
    "not sealed": lambda x: x.reply(x.sign(whole(x))),
    "sealed twice": lambda x: x.reply(x.seal(sealed(x))),
    "half of it": lambda x: x.reply(sealed(x)[:200]),
    "followed by a line end": lambda x: x.reply(sealed(x) + "\n"),
    # The signature.
    "signed by another key": lambda x: x.reply(x.seal(x.sign(whole(x), ANOTHER))),
    "signed by another key under the platform's name": lambda x: x.reply(x.seal(
        x.sign(whole(x), ANOTHER, kid=jose.named_jwk(x.platform.key)["kid"]))),
    "signed by a key that it brings along": lambda x: x.reply(x.seal(x.sign(whole(x), ANOTHER, jwk=jose.public_jwk(ANOTHER)))),
    "not signed": lambda x: x.reply(x.seal(jose.dump(whole(x)).decode())),
    "signed with nothing": lambda x: x.reply(x.seal(jose.compact(bare(x, alg="none"), whole(x), None, "none"))),
    "signed with a secret": lambda x: x.reply(x.seal(jose.compact(
        bare(x, alg="HS256"), whole(x), jose.unb64(jose.public_jwk(x.platform.key)["x"]), "HS256"))),
    "signed as a push": lambda x: x.reply(x.seal(x.sign(whole(x), typ="push+jwt"))),
    "signed without a type": lambda x: x.reply(x.seal(jose.compact(bare(x, typ=None), whole(x), x.platform.key, "ES256"))),
    "signed with crit": lambda x: x.reply(x.seal(x.sign(whole(x), crit=["rid"]))),
    "a bit turned under the signature": lambda x: x.reply(x.seal(jose.flip(x.sign(whole(x)), 1))),
    # The signed claims.
    "about another request": lambda x: x.reply(x.seal(x.sign(whole(x) | {"rid": "AAAAAAAAAAAAAAAAAAAAAA"}))),
    "about no request": lambda x: x.reply(x.seal(x.sign({k: v for k, v in whole(x).items() if k != "rid"}))),
    "for another device": lambda x: x.reply(x.seal(x.sign(whole(x) | {"aud": jose.thumbprint(jose.public_jwk(ANOTHER))}))),
    "for no device": lambda x: x.reply(x.seal(x.sign({k: v for k, v in whole(x).items() if k != "aud"}))),
    "for several devices": lambda x: x.reply(x.seal(x.sign(whole(x) | {"aud": [x.thumbprint]}))),
    "without a status": lambda x: x.reply(x.seal(x.sign({k: v for k, v in whole(x).items() if k != "status"}))),
    "with a status in words": lambda x: x.reply(x.seal(x.sign(whole(x) | {"status": "200"}))),
    "with a status past all": lambda x: x.reply(x.seal(x.sign(whole(x) | {"status": 2**62}))),
    "with a status of 600": lambda x: x.reply(x.seal(x.sign(whole(x) | {"status": 600}))),
    "without a time": lambda x: x.reply(x.seal(x.sign({k: v for k, v in whole(x).items() if k != "iat"}))),
    "a claim twice": lambda x: x.reply(x.seal(x.sign(jose.dump(whole(x))[:-1] + b',"status":200}'))),
    "a list": lambda x: x.reply(x.seal(x.sign([whole(x)]))),
    # Not a response of the platform.
    "plain JSON": lambda x: x.request.reply_json(x.honest()[1]),
    "the claims in the open": lambda x: x.request.reply_json(whole(x)),
    "HTML": lambda x: x.reply("<!DOCTYPE html><title>Sign in to the hotel's network</title>"),
    "nothing": lambda x: x.reply(""),
    "bytes that are no text": lambda x: x.reply(b"\xff\xfe" * 100),
    "zeros": lambda x: x.reply(b"\0" * 600_000),
    "dots": lambda x: x.reply("." * 600_000),
    "the request itself": lambda x: x.reply(x.request.body),
    **{f"HTTP status {status}": lambda x, status=status: x.reply(sealed(x), status)
       for status in (100, 204, 302, 400, 401, 403, 404, 429, 500, 502, 599)},
    "signed failure": lambda x: x.answer(500, {"code": "UNEXPECTED_ERROR"}),
    "signed failure of another kind": lambda x: x.answer(503),
    "signed refusal of the proof": lambda x: x.answer(401, {"code": "INVALID_PROOF"}),
}


def test_list_of_tamperings_has_its_minimum_length():
    assert len(TAMPERINGS) >= 55


def serves(stage):
    """Asserts that the daemon answers a call that needs no other process."""
    assert stage.client.call("service.status")["owner"]["uid"] == 0


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampered_pairing_response_fails_and_creates_no_account(configured, tampering):
    key, before = configured.platform.make_pairing_key(), configured.state()
    configured.platform.forge("POST /pairings", TAMPERINGS[tampering])
    error = configured.client.refusal("pairing.pair", pairingKey=key)
    assert (error.code, error.reason) == (10003, "SERVER_ERROR")
    assert error.cause in ({"http"} if "status" in error.details else {"malformed", "not-platform"})
    assert set(error.details) - {"origin"} <= {"status"}
    assert error.details.get("origin", "https://platform.test") == "https://platform.test"
    assert error.retry
    assert configured.state() == before
    serves(configured)
    configured.platform.be_honest()
    assert configured.client.call("pairing.pair", pairingKey=key)["user"]["id"] == "user-ann"


@pytest.mark.parametrize("tampering", TAMPERINGS)
def test_tampered_trust_response_configures_no_device_and_leaves_no_key(stage, tampering):
    stage.platform.forge("POST /trust", TAMPERINGS[tampering])
    assert stage.client.refusal("device.configure", geo="NorthAmerica").code == 10003
    assert stage.client.call("service.status")["owner"]["configured"] is False
    assert stage.client.refusal("payload.generate").code == 10018
    # A key that came with such a response was not kept, so another platform is accepted as the first one.
    stage.platform.be_honest()
    stage.platform.key = jose.p256()
    assert stage.client.call("device.configure", geo="NorthAmerica")["deviceId"]


SOME = ["a bit turned in the ciphertext", "sealed to another key", "signed by another key", "about another request",
        "for another device", "plain JSON", "HTML", "HTTP status 302", "signed failure"]


@pytest.mark.parametrize("tampering", SOME)
def test_tampered_response_does_not_complete_a_decision(paired, tampering):
    push = paired.platform.sign_push(paired.platform.push_claims())
    shown = paired.client.call("notification.process", payload=push)["notification"]
    paired.platform.forge("POST /notifications/*/answer", TAMPERINGS[tampering])
    assert paired.client.refusal("notification.approve", notification=shown["id"]).code == 10003
    # The decision is in flight: it is neither reported as approved nor can it be changed.
    waiting = paired.client.call("notification.get", notification=shown["id"])["notification"]
    assert (waiting["state"], waiting["answer"]["decision"]) == ("sending", "approve")
    assert paired.client.refusal("notification.deny", notification=shown["id"]).code == 11003
    paired.client.call("event.subscribe", topics=["notification"])
    paired.platform.be_honest()
    # The daemon repeats the decision automatically.
    paired.client.event("notification", state="approved")
    assert {decision["decision"] for decision in paired.platform.decisions} == {"approve"}


@pytest.mark.parametrize("tampering", SOME)
def test_tampered_claim_response_creates_no_authentication(paired, tampering):
    paired.platform.codes["ABCD1234"] = {}
    paired.platform.forge("POST /authentication-codes/*/claim", TAMPERINGS[tampering])
    assert paired.client.refusal("authentication.start", code="ABCD1234").code == 10003
    assert paired.client.call("authentication.list") == {"authentications": []}
    paired.platform.be_honest()
    assert paired.client.call("authentication.start", code="ABCD1234")["status"] == "CLAIMED"


@pytest.mark.parametrize("tampering", SOME)
def test_tampered_poll_response_delivers_no_push_and_the_poll_recovers(paired, tampering):
    push = paired.platform.sign_push(paired.platform.push_claims())
    batch = 200, {"notifications": [push], "cursor": "forged", "more": False}
    paired.courier.wait_for(lambda request: request.path.endswith("/notifications"))

    def forge(x):
        x.honest = lambda: batch
        TAMPERINGS[tampering](x)
        paired.platform.be_honest()

    paired.platform.forge("GET /notifications", forge)
    seen = len(paired.courier.requests)
    paired.platform.deliver(None)
    second = paired.courier.wait_for(lambda request: request.path.endswith("/notifications"), seen)
    third = paired.courier.wait_for(
        lambda request: request.path.endswith("/notifications"), paired.courier.requests.index(second) + 1)
    # The poll continues from the cursor of the last valid response.
    assert third.query["after"] == "c1"
    assert paired.state()["notifications"] == []


def test_replayed_response_is_rejected_for_another_request(configured):
    earlier = []

    def keep(x):
        token = x.sign(whole(x))
        earlier.append((token, x.seal(token)))
        x.reply(earlier[0][1])

    configured.platform.forge("POST /pairings", keep)
    configured.pair("ann")
    # Replays the ciphertext, then the signed response of the earlier request, sealed to the key of this one.
    for replay in (lambda x: x.reply(earlier[0][1]), lambda x: x.reply(x.seal(earlier[0][0]))):
        configured.platform.forge("POST /pairings", replay)
        key = configured.platform.make_pairing_key("bob")
        assert configured.client.refusal("pairing.pair", pairingKey=key).code == 10003
    assert [account["user"]["id"] for account in configured.state()["accounts"]] == ["user-ann"]


FAILURES = {
    "refused-origin": (10004, "not-allowed"), "refused-address": (10004, "not-allowed"), "unresolved": (10004, "dns"),
    "refused": (10004, "refused"), "unreachable": (10004, "broken-off"), "timeout": (10004, "timeout"),
    "tls": (10004, "tls"), "too-large": (10003, "malformed"), "malformed": (10003, "malformed"),
    "cancelled": (10004, "courier-unavailable"), "busy": (10004, "courier-unavailable"),
    "misconfigured": (10004, "courier-unavailable"), "courier-gone": (10004, "courier-unavailable"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_each_courier_failure_is_reported_with_its_error_and_cause(configured, failure):
    configured.platform.forge("POST /pairings", lambda x: x.request.fail(failure))
    before = configured.state()
    error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert (error.code, error.cause) == FAILURES[failure] and configured.state() == before
    assert configured.client.call("service.status")["platform"]["reachable"] is False
    configured.platform.be_honest()
    configured.pair()
    assert configured.client.call("service.status")["platform"]["reachable"] is True


def test_other_calls_are_served_while_the_platform_does_not_respond(configured):
    held = configured.platform.hold("POST /pairings")
    other = configured.connect()
    number = other.begin("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    exchange = held.next()
    serves(configured)
    assert configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key()).code == 10013
    assert configured.client.call("payload.generate")["mobilePayload"]
    exchange.request.hang_up()
    with pytest.raises(RPCError) as caught:
        other.reply(number)
    assert caught.value.code == 10004
    configured.platform.be_honest()
    configured.pair()
