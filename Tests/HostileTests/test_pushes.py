"""Pushes with one defect each: none is shown, by any transport, and none delays valid pushes."""

import json
import re
import time

import pytest

from harness import jose


def changed(platform, **claims):
    """A valid push with some claims changed. None removes a claim."""
    return platform.sign_push(platform.push_claims(**claims))


def spelled(platform, member: bytes) -> str:
    return platform.sign_push(jose.dump(platform.push_claims())[:-1] + b"," + member + b"}")


def now() -> int:
    return int(time.time())


DEFECTS = {
    # The signature.
    "another's key": lambda p: p.sign_push(p.push_claims(), key=jose.p256()),
    "another's key under its own name": lambda p: foreign_push(p, jose.p256()),
    "another's key in the header": lambda p: with_jwk(p, jose.p256()),
    "an unknown kid": lambda p: p.sign_push(p.push_claims(), kid="unknown"),
    "kid a number": lambda p: p.sign_push(p.push_claims(), kid=1),
    "a bit turned in the payload": lambda p: jose.flip(changed(p), 1),
    "a bit turned in the signature": lambda p: jose.flip(changed(p), 2),
    "no signature": lambda p: changed(p).rsplit(".", 1)[0] + ".",
    "a signature of zeros": lambda p: changed(p).rsplit(".", 1)[0] + "." + jose.b64(bytes(64)),
    "RS256 by an RSA key": lambda p: p.sign_push(p.push_claims(), jose.rsa_key(), "RS256"),
    "alg RS256 over the good signature": lambda p: p.sign_push(p.push_claims(), alg="RS256"),
    "alg ES512": lambda p: p.sign_push(p.push_claims(), alg="ES512"),
    "HS256 by the platform's public key": lambda p: p.sign_push(
        p.push_claims(), jose.unb64(jose.public_jwk(p.key)["x"]), "HS256"),
    "alg none": lambda p: p.sign_push(p.push_claims(), None, "none"),
    "crit": lambda p: p.sign_push(p.push_claims(), crit=["exp"]),
    "b64": lambda p: p.sign_push(p.push_claims(), b64=True),
    "an answer to the device in place of a push": lambda p: p.sign_push(p.push_claims(), typ="device-answer+jwt"),
    # The audience, the issuer, the subject and the environment.
    "aud of another device": lambda p: changed(p, aud="device-of-another"),
    "aud a list": lambda p: changed(p, aud=[p.device_of()]),
    "aud missing": lambda p: spoilt(p, "aud"),
    "iss another": lambda p: changed(p, iss="https://attacker.test"),
    "iss with a slash": lambda p: changed(p, iss=p.URL + "/"),
    "iss missing": lambda p: changed(p, iss=None),
    "sub of nobody": lambda p: changed(p, sub="user-mallory"),
    "sub missing": lambda p: changed(p, sub=None),
    "env another": lambda p: changed(p, env="b3a1c5d2-0000-4000-8000-00000000e002"),
    "env missing": lambda p: changed(p, env=None),
    # The times.
    "over for more than a minute": lambda p: changed(p, iat=now() - 300, exp=now() - 62),
    "from the future": lambda p: changed(p, iat=now() + 90, exp=now() + 200),
    "exp missing": lambda p: changed(p, exp=None),
    "exp a text": lambda p: changed(p, exp=str(now() + 60)),
    "exp with a fraction": lambda p: changed(p, exp=now() + 60.5),
    "exp before iat": lambda p: changed(p, iat=now(), exp=now() - 1),
    "exp in a year": lambda p: changed(p, exp=now() + 31_536_000),
    "exp at the end of the numbers": lambda p: changed(p, iat=2**63 - 100, exp=2**63 - 1),
    "iat at the beginning of the numbers": lambda p: changed(p, iat=-(2**63), exp=2**63 - 1),
    "iat missing": lambda p: changed(p, iat=None),
    # The content.
    "jti missing": lambda p: changed(p, jti=None),
    "jti with a slash": lambda p: changed(p, jti="../trust"),
    "jti empty": lambda p: changed(p, jti=""),
    "jti of 65 characters": lambda p: changed(p, jti="x" * 65),
    "jti a number": lambda p: changed(p, jti=1),
    "type missing": lambda p: changed(p, type=None),
    "type unknown": lambda p: changed(p, type="approve"),
    "a cancel of nothing": lambda p: changed(p, type="cancel"),
    "an unknown kind of number": lambda p: changed(p, numberMatching={"type": "GUESS"}),
    "number matching that is no object": lambda p: changed(p, numberMatching="ENTER_MANUALLY"),
    "a claim twice": lambda p: spelled(p, b'"sub":"user-ann"'),
    "payload a list": lambda p: p.sign_push([p.push_claims()]),
    "payload with bad UTF-8": lambda p: spelled(p, b'"x":"\xff"'),
    "payload nested past all measure": lambda p: spelled(p, b'"x":' + b"[" * 100 + b"]" * 100),
}


def spoilt(platform, name):
    claims = platform.push_claims()
    del claims[name]
    return platform.sign_push(claims)


def foreign_push(platform, key):
    return platform.sign_push(platform.push_claims(), key=key, kid=jose.named_jwk(key)["kid"])


def with_jwk(platform, key):
    return platform.sign_push(platform.push_claims(), key=key, jwk=jose.public_jwk(key))


def test_list_of_defects_has_its_minimum_length():
    assert len(DEFECTS) >= 45


@pytest.mark.parametrize("defect", DEFECTS)
def test_defective_push_is_rejected_if_submitted_and_skipped_in_a_poll(paired, defect):
    bad = DEFECTS[defect](paired.platform)
    before, lines = paired.state(), paired.daemon.journal.count
    error = paired.client.refusal("notification.process", payload=bad)
    # A payload without the type of a push is not from PingOne. A payload of that type with a defect is rejected.
    assert (error.code, error.details) == ((10002 if defect in NO_PUSHES else 11009), {})
    assert paired.state() == before

    good = [changed(paired.platform, title=title) for title in ("first", "last")]
    paired.client.call("event.subscribe", topics=["notification"])
    polls = len(paired.courier.requests)
    paired.platform.deliver(good[0], bad, good[1])
    for title in ("first", "last"):
        assert paired.client.event("notification")["title"] == title
    # The next poll continues after this batch, so the bad push is not delivered again.
    paired.courier.wait_for(lambda request: request.query.get("after") == "c1", polls)
    assert len(paired.state()["notifications"]) == 2
    if defect not in NO_PUSHES:
        assert re.search(r"a push was rejected reason=\S", paired.daemon.journal.wait("a push was rejected", lines))
    assert not [line for line in paired.daemon.journal if max(bad.split("."), key=len) in line]


NO_PUSHES = {"an answer to the device in place of a push", "crit", "b64", "kid a number"}


def test_payload_must_be_an_object_or_a_string_of_limited_length(paired):
    for payload in (None, True, 7, [], ["x"], "x" * 65_537):
        error = paired.client.refusal("notification.process", payload=payload)
        assert (error.code, error.details) == (-32602, {"parameter": "payload"})


NOT_PUSHES = [
    "", "hello", {}, {"message": None}, {"aps": {}}, {"data": {"data": {"data": {}}}}, "a.b.c",
    {"aps": {"alert": "Hello"}}, {"message": "eyJhbGciOiJub25lIn0.e30."}, "{", '{"message":', "[" * 1000,
    {"message": "x" * 100_000},
]


def test_payload_without_a_push_is_reported_as_not_from_pingone(paired):
    before = paired.state()
    for payload in NOT_PUSHES:
        assert paired.client.refusal("notification.process", payload=payload).code == 10002, json.dumps(payload)[:30]
        assert paired.state() == before


FORMS = {
    "bare": lambda push: push,
    "message": lambda push: {"message": push},
    "data": lambda push: {"data": {"message": push}},
    "aps": lambda push: {"aps": {"alert": "Hello", "data": push}},
    "aps with an object": lambda push: {"aps": {"content-available": 1, "data": {"message": push}}},
    "an object as text": lambda push: json.dumps({"message": push}),
    "data with more": lambda push: {"from": "sender", "data": {"message": push, "other": "x"}, "ttl": 7},
}


def test_push_is_accepted_in_each_transport_form_as_the_same_push(paired):
    for number, (name, form) in enumerate(FORMS.items(), 1):
        push = changed(paired.platform)
        shown = paired.client.call("notification.process", payload=form(push))["notification"]
        assert shown["state"] == "pending", name
        for other in FORMS.values():
            assert paired.client.call("notification.process", payload=other(push))["notification"] == shown, name
        assert len(paired.state()["notifications"]) == number


def test_push_nested_too_deeply_in_a_payload_is_not_found(paired):
    payload = changed(paired.platform)
    for _ in range(20):
        payload = {"data": payload}
    assert paired.client.refusal("notification.process", payload=payload).code == 10002
