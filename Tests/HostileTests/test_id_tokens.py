"""ID tokens with one defect each: the daemon rejects them without a reason, logs them, and changes no state."""

import itertools
import json
import re
import time

import pytest
from cryptography.hazmat.primitives import serialization

from harness import jose
from harness.hostile.id_tokens import Draft


OWNERS = itertools.count(20_000)


@pytest.fixture
def configured(shared_stage):
    """The shared stage with a new owner for each test, so that the write limit of another owner does not apply."""
    shared_stage.client = shared_stage.connect(next(OWNERS))
    yield shared_stage.configure()
    shared_stage.client.close()


def pem(key) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def der(key) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def modulus(key) -> bytes:
    return jose.unb64(jose.public_jwk(key)["n"])


def now() -> int:
    return int(time.time())


def part(token: str, index: int, change) -> str:
    parts = token.split(".")
    parts[index] = change(parts[index])
    return ".".join(parts)


def last_bit(text: str) -> str:
    """Another base64url text for the same bytes: the unused bits of its last character differ."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    assert len(text) % 4 in (2, 3)
    return text[:-1] + alphabet[alphabet.index(text[-1]) + 1]


def padded_to_a_rest(draft: Draft) -> Draft:
    """Pads the payload so that its last base64url character has unused bits."""
    while len(jose.dump(draft.claims)) % 3 == 0:
        draft.claims["filler"] = draft.claims.get("filler", "") + "x"
    return draft


def jwe_instead(draft: Draft) -> str:
    return jose.seal(draft.text.encode(), jose.public_jwk(jose.p256()), cty="JWT", kid="k1")


def secret(draft, key: bytes, algorithm="HS256"):
    return draft.signed_by(key, algorithm).text


def duplicate(draft, member: bytes) -> str:
    return draft.spelled(payload=jose.dump(draft.claims)[:-1] + b"," + member + b"}")


# Manipulations of the valid token. Each function takes the draft and the attacker's key.
DEFECTS = {
    # The algorithm.
    **{f"alg {name!r} and no signature": lambda d, k, name=name: jose.compact(d.header | {"alg": name}, d.claims, None, "none")
       for name in ("none", "None", "NONE", "nOnE", "", "NonE ")},
    "alg none with the good signature": lambda d, k: part(d.text, 0, lambda _: jose.b64(jose.dump(d.header | {"alg": "none"}))),
    "alg missing": lambda d, k: (d.header.pop("alg"), d.text)[1],
    "alg null": lambda d, k: d.spelled(header={"alg": None, "kid": "k1"}),
    "alg a list": lambda d, k: d.spelled(header={"alg": ["RS256"], "kid": "k1"}),
    "alg in lower case": lambda d, k: d.with_header(alg="rs256").text,
    "HS256 by the public key as PEM": lambda d, k: secret(d, pem(d.key)),
    "HS256 by the public key as DER": lambda d, k: secret(d, der(d.key)),
    "HS256 by the modulus": lambda d, k: secret(d, modulus(d.key)),
    "HS256 by the modulus as text": lambda d, k: secret(d, jose.public_jwk(d.key)["n"].encode()),
    "HS256 by nothing": lambda d, k: secret(d, b""),
    "HS384 by the public key": lambda d, k: secret(d, pem(d.key), "HS384"),
    "HS512 by the public key": lambda d, k: secret(d, pem(d.key), "HS512"),
    "RS384, which is not on the list": lambda d, k: d.signed_by(d.key, "RS384").text,
    "RS512, which is not on the list": lambda d, k: d.signed_by(d.key, "RS512").text,
    "PS256, which is not on the list": lambda d, k: d.signed_by(d.key, "PS256").text,
    "ES256, which is not on the list": lambda d, k: d.signed_by(jose.p256(), "ES256").text,
    "PS256 signature called RS256": lambda d, k: (setattr(d, "algorithm", "PS256"), d.text)[1],
    # The key.
    "another key of that name": lambda d, k: d.signed_by(k, "RS256").text,
    "an unknown kid": lambda d, k: d.with_header(kid="k9").text,
    "kid a path": lambda d, k: d.with_header(kid="../../../../dev/null").signed_by(k, "RS256").text,
    "kid in other case": lambda d, k: d.with_header(kid="K1").text,
    "kid a number": lambda d, k: d.with_header(kid=1).text,
    "jwk with the attacker's key": lambda d, k: d.with_header(jwk=jose.public_jwk(k, kid="k1")).signed_by(k, "RS256").text,
    "jku to the attacker": lambda d, k: d.with_header(jku="https://attacker.test/jwks").signed_by(k, "RS256").text,
    "x5u to the attacker": lambda d, k: d.with_header(x5u="https://attacker.test/cert").signed_by(k, "RS256").text,
    "x5c by the attacker": lambda d, k: d.with_header(x5c=[jose.b64(der(k))]).signed_by(k, "RS256").text,
    # The header.
    "typ of an access token": lambda d, k: d.with_header(typ="at+jwt").text,
    "typ of an access token in full": lambda d, k: d.with_header(typ="application/at+jwt").text,
    "typ of a logout token": lambda d, k: d.with_header(typ="logout+jwt").text,
    "typ of a push": lambda d, k: d.with_header(typ="push+jwt").text,
    "crit with an extension": lambda d, k: d.with_header(crit=["urn:unknown"], **{"urn:unknown": 1}).text,
    "crit empty": lambda d, k: d.with_header(crit=[]).text,
    "b64 false": lambda d, k: d.with_header(b64=False, crit=["b64"]).text,
    "b64 true": lambda d, k: d.with_header(b64=True).text,
    "zip": lambda d, k: d.with_header(zip="DEF").text,
    "alg twice, the second none": lambda d, k: d.spelled(header=b'{"alg":"RS256","kid":"k1","alg":"none"}'),
    "kid twice, spelled differently": lambda d, k: d.spelled(header=b'{"alg":"RS256","kid":"k9","\\u006bid":"k1"}'),
    "header a list": lambda d, k: d.spelled(header=b'["RS256"]'),
    "header with bad UTF-8": lambda d, k: d.spelled(header=b'{"alg":"RS256","kid":"k1","x":"\xff"}'),
    # The form.
    "two segments": lambda d, k: d.text.rsplit(".", 1)[0],
    "four segments": lambda d, k: d.text + "." + d.text.split(".")[2],
    "five segments": lambda d, k: d.text + ".x.y",
    "empty text": lambda d, k: "",
    "only dots": lambda d, k: "..",
    "padding after the signature": lambda d, k: d.text + "==",
    "padding after the payload": lambda d, k: part(padded_to_a_rest(d).text, 1, lambda text: text + "="),
    "payload spelled otherwise in base64url": lambda d, k: part(padded_to_a_rest(d).text, 1, last_bit),
    "signature spelled otherwise in base64url": lambda d, k: part(d.text, 2, last_bit),
    "base64 in place of base64url": lambda d, k: part(
        d.with_claims(filler="~~~" * 9).text, 1, lambda text: text.replace("-", "+").replace("_", "/")),
    "white space before": lambda d, k: " " + d.text,
    "a line end after": lambda d, k: d.text + "\n",
    "white space within": lambda d, k: d.text.replace(".", ". ", 1),
    "a byte of zero within": lambda d, k: part(d.text, 2, lambda text: text + "\0"),
    "a JWE": lambda d, k: jwe_instead(d),
    "the general JSON form": lambda d, k: json.dumps({"payload": d.text.split(".")[1], "signatures": [
        {"protected": d.text.split(".")[0], "signature": d.text.split(".")[2]}]}),
    "a quoted token": lambda d, k: f'"{d.text}"',
    # The signature.
    "signature empty": lambda d, k: part(d.text, 2, lambda _: ""),
    "signature a byte short": lambda d, k: part(d.text, 2, lambda t: jose.b64(jose.unb64(t)[:-1])),
    "signature a byte long": lambda d, k: part(d.text, 2, lambda t: jose.b64(jose.unb64(t) + b"\0")),
    "signature with zeros before": lambda d, k: part(d.text, 2, lambda t: jose.b64(b"\0" + jose.unb64(t))),
    "signature of zeros": lambda d, k: part(d.text, 2, lambda t: jose.b64(bytes(256))),
    "signature with a bit turned": lambda d, k: jose.flip(d.text, 2),
    "payload with a bit turned": lambda d, k: jose.flip(d.text, 1),
    "signature of other claims": lambda d, k: ".".join(
        d.text.split(".")[:2] + [d.with_claims(sub="user-bob").text.split(".")[2]]),
    # The issuer, the audience and the subject.
    "iss another": lambda d, k: d.with_claims(iss="https://attacker.test/env/as").text,
    "iss with a slash more": lambda d, k: d.with_claims(iss=d.stage.ISSUER + "/").text,
    "iss in upper case": lambda d, k: d.with_claims(iss=d.stage.ISSUER.upper()).text,
    "iss with its port": lambda d, k: d.with_claims(iss="https://issuer.test:443/env/as").text,
    "iss a list": lambda d, k: d.with_claims(iss=[d.stage.ISSUER]).text,
    "iss missing": lambda d, k: d.without("iss").text,
    "aud missing": lambda d, k: d.without("aud").text,
    "aud another": lambda d, k: d.with_claims(aud="another-client").text,
    "aud a beginning of ours": lambda d, k: d.with_claims(aud=d.stage.CLIENT[:-1]).text,
    "aud without us": lambda d, k: d.with_claims(aud=["one", "two"]).text,
    "aud empty": lambda d, k: d.with_claims(aud=[]).text,
    "aud an object": lambda d, k: d.with_claims(aud={"0": d.stage.CLIENT}).text,
    "aud with a number": lambda d, k: d.with_claims(aud=[d.stage.CLIENT, 7], azp=d.stage.CLIENT).text,
    "several in aud and no azp": lambda d, k: d.with_claims(aud=[d.stage.CLIENT, "other"]).text,
    "several in aud and another's azp": lambda d, k: d.with_claims(aud=[d.stage.CLIENT, "other"], azp="other").text,
    "azp another's": lambda d, k: d.with_claims(azp="other").text,
    "azp null": lambda d, k: d.with_claims(azp=None).text,
    "sub missing": lambda d, k: d.without("sub").text,
    "sub empty": lambda d, k: d.with_claims(sub="").text,
    "sub of 256 characters": lambda d, k: d.with_claims(sub="a" * 256).text,
    "sub a number": lambda d, k: d.with_claims(sub=7).text,
    # The times.
    "exp a minute and a bit ago": lambda d, k: d.with_claims(iat=now() - 600, exp=now() - 62).text,
    "exp long ago": lambda d, k: d.with_claims(iat=1, exp=2).text,
    "exp missing": lambda d, k: d.without("exp").text,
    "exp a text": lambda d, k: d.with_claims(exp=str(now() + 300)).text,
    "exp a minute and a bit ago, with a fraction": lambda d, k: d.with_claims(iat=now() - 600, exp=now() - 62.5).text,
    "exp with an exponent past all integers": lambda d, k: d.spelled(
        payload=jose.dump(d.without("exp").claims)[:-1] + b',"exp":4e99}'),
    "exp past all integers": lambda d, k: d.with_claims(exp=10**30).text,
    "exp negative": lambda d, k: d.with_claims(exp=-(2**63)).text,
    "exp null": lambda d, k: d.with_claims(exp=None).text,
    "exp true": lambda d, k: d.with_claims(exp=True).text,
    "nbf in two minutes": lambda d, k: d.with_claims(nbf=now() + 120).text,
    "nbf a text": lambda d, k: d.with_claims(nbf="0").text,
    "nbf at the end of time": lambda d, k: d.with_claims(nbf=2**63 - 1).text,
    "iat in two minutes": lambda d, k: d.with_claims(iat=now() + 120).text,
    "iat missing": lambda d, k: d.without("iat").text,
    "iat after exp": lambda d, k: d.with_claims(iat=now() + 50, exp=now() + 40).text,
    "iat a text": lambda d, k: d.with_claims(iat="0").text,
    # The nonce, which the caller demands.
    "nonce missing": lambda d, k: d.without("nonce").text,
    "nonce another": lambda d, k: d.with_claims(nonce="nonce-of-another").text,
    "nonce a beginning": lambda d, k: d.with_claims(nonce="nonce-of-the-tes").text,
    "nonce empty": lambda d, k: d.with_claims(nonce="").text,
    "nonce a list": lambda d, k: d.with_claims(nonce=["nonce-of-the-test"]).text,
    # The payload.
    "a claim twice": lambda d, k: duplicate(d, b'"sub":"user-bob"'),
    "a claim twice, spelled differently": lambda d, k: duplicate(d, b'"\\u0073ub":"user-bob"'),
    "a claim twice, deep within": lambda d, k: duplicate(d, b'"act":{"sub":1,"sub":2}'),
    "payload a list": lambda d, k: d.spelled(payload=[d.claims]),
    "payload a text": lambda d, k: d.spelled(payload=json.dumps(d.claims)),
    "payload empty": lambda d, k: d.spelled(payload=b" "),
    "payload with a comma too many": lambda d, k: d.spelled(payload=jose.dump(d.claims)[:-1] + b",}"),
    "payload followed by more": lambda d, k: d.spelled(payload=jose.dump(d.claims) + b"{}"),
    "payload with a byte order mark": lambda d, k: d.spelled(payload=b"\xef\xbb\xbf" + jose.dump(d.claims)),
    "payload in UTF-16": lambda d, k: d.spelled(payload=json.dumps(d.claims).encode("utf-16")),
    "payload nested past all measure": lambda d, k: duplicate(d, b'"x":' + b"[" * 5000 + b"]" * 5000),
    "payload with a lone surrogate": lambda d, k: duplicate(d, b'"x":"\\ud800"'),
    # The claim `mfa_pairing`.
    "mfa_pairing a text": lambda d, k: d.with_claims(mfa_pairing="pair").text,
    "mfa_pairing null": lambda d, k: d.with_claims(mfa_pairing=None).text,
    "mfa_pairing a list": lambda d, k: d.with_claims(mfa_pairing=[d.claims["mfa_pairing"]]).text,
    "mfa_pairing empty": lambda d, k: d.with_claims(mfa_pairing={}).text,
    "mfa_pairing for another device": lambda d, k: d.with_pairing(device="device-of-another").text,
    "mfa_pairing without device": lambda d, k: (d.claims["mfa_pairing"].pop("device"), d.text)[1],
    "mfa_pairing with an unknown payload": lambda d, k: d.with_pairing(payload="never-made").text,
    "mfa_pairing without payload": lambda d, k: (d.claims["mfa_pairing"].pop("payload"), d.text)[1],
    "mfa_pairing with a payload of another type": lambda d, k: d.with_pairing(payload=7).text,
    "mfa_pairing that is over": lambda d, k: d.with_pairing(expiresAt="2020-01-01T00:00:00Z").text,
    "mfa_pairing with a day that never was": lambda d, k: d.with_pairing(expiresAt="2099-02-30T00:00:00Z").text,
    "mfa_pairing without an end": lambda d, k: (d.claims["mfa_pairing"].pop("expiresAt"), d.text)[1],
    "mfa_pairing with a key of bad characters": lambda d, k: d.with_pairing(key="01../../trust").text,
    "mfa_pairing with an empty key": lambda d, k: d.with_pairing(key="").text,
    "mfa_pairing with a key of another type": lambda d, k: d.with_pairing(key={"k": 1}).text,
    "mfa_pairing with an endless key": lambda d, k: d.with_pairing(key="A" * 9000).text,
}


@pytest.mark.parametrize("subject", [
    "(usr!bjensen)", "ann@example.com", "user/ann", "..", "a" * 255, "user-\u0661", "\u202eann\n\x00", "é", "e\u0301"])
def test_any_valid_subject_is_accepted_and_not_logged(configured, subject):
    token = Draft(configured).with_claims(sub=subject).text
    asked = configured.client.call("pairing.processIdToken", idToken=token, nonce="nonce-of-the-test")["pairing"]
    assert asked["user"]["id"] == subject and configured.client.call("pairing.list")["pairings"] == [asked]
    assert len(str(configured.daemon.journal).split(subject)) == 1 or subject == ".."


@pytest.mark.parametrize("spell", [
    lambda d: d.with_claims(exp=now() + 300.5).text, lambda d: d.with_claims(iat=now() - 0.25).text,
    lambda d: d.spelled(payload=jose.dump(d.without("exp").claims)[:-1] + b',"exp":4e9}'),
    lambda d: d.with_header(typ="jwt").text, lambda d: d.with_header(typ="application/JWT").text])
def test_id_token_variants_that_the_standards_allow_are_accepted(configured, spell):
    token = spell(Draft(configured))
    assert configured.client.call("pairing.processIdToken", idToken=token, nonce="nonce-of-the-test")["pairing"]


def test_list_of_defects_has_its_minimum_length():
    assert len(DEFECTS) >= 120


@pytest.mark.parametrize("defect", DEFECTS)
def test_defective_id_token_is_rejected_and_changes_nothing(configured, attacker_key, defect):
    draft, client = Draft(configured), configured.client
    before = configured.state()
    good = draft.text
    bad = DEFECTS[defect](draft, attacker_key)
    assert bad != good
    lines = configured.daemon.journal.count
    requests = len(configured.courier.requests)

    error = client.refusal("pairing.processIdToken", idToken=bad, nonce="nonce-of-the-test")
    assert (error.code, error.reason, error.details) == (11009, "TOKEN_REJECTED", {})
    assert error.message == "the token was rejected"
    assert configured.state() == before
    assert re.search(r"reason=\S", configured.daemon.journal.wait("ID token was rejected", lines))
    assert len(configured.courier.requests) == requests, "the token made the daemon send something"

    # The valid token is accepted after the bad one, so the bad one used up nothing, not even the payload.
    asked = client.call("pairing.processIdToken", idToken=good, nonce="nonce-of-the-test")["pairing"]
    assert asked["user"]["id"] == "user-ann" and client.call("pairing.list")["pairings"] == [asked]
    for token in (good, bad):
        for segment in filter(lambda text: len(text) > 12, token.split(".")):
            assert segment not in str(configured.daemon.journal)
