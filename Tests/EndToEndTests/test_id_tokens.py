"""Pairing by an ID token that an application got for itself, with a mobile payload of the daemon in its request."""

import json
import time

import jwt
import pytest
from joserfc import jws
from joserfc.jwk import ECKey

from harness import archive, flows, jose
from harness.sandbox import Sandbox
from harness.signon import Application

GEO = flows.GEO


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=GEO)
    client.subscribe()
    return client


@pytest.fixture
def application(sandbox):
    return Application(sandbox)


def token(client, application, user="ann"):
    """An ID token that offers to pair, and its nonce."""
    return application.sign_on(user, client.call("payload.generate")["mobilePayload"])



def test_a_mobile_payload_says_what_the_platform_asks_for(configured, sandbox):
    before = int(time.time())
    answer = configured.call("payload.generate")
    after = time.time()
    header, claims = jose.header(answer["mobilePayload"]), jose.claims(answer["mobilePayload"])
    assert (header["typ"], header["alg"]) == ("mobile-payload+jwt", "ES256")
    device = configured.call("device.configure", geo=GEO)["deviceId"]
    expected = {
        "iss": "mfad",
        "aud": sandbox.announcement["issuer"],
        "sub": device,
        "client_id": sandbox.announcement["clientId"],
        "os": "Linux",
        "pushEnabled": True,
    }
    assert {name: claims[name] for name in expected} == expected
    assert claims["exp"] - claims["iat"] == 120 and before - 2 <= claims["iat"] <= after + 2
    assert answer["expiresAt"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(claims["exp"]))
    other = jose.claims(configured.call("payload.generate")["mobilePayload"])
    assert other["jti"] != claims["jti"] and len(claims["jti"]) >= 16


def test_others_verify_a_mobile_payload_by_the_answer_key(directory, make_daemon):
    kept = directory / "sandbox.db"
    sandbox = Sandbox(data=kept)
    daemon = make_daemon(sandbox=sandbox).start()
    client = daemon.client()
    client.call("device.configure", geo=GEO)
    payload = client.call("payload.generate")["mobilePayload"]
    sandbox.stop()
    key, jwk = archive.answer_key(kept)
    claims = jwt.decode(payload, key, algorithms=["ES256"], audience=sandbox.announcement["issuer"])
    theirs = ECKey.import_key({"kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"]})
    assert json.loads(jws.deserialize_compact(payload, theirs).payload) == claims
    head, body, signature = payload.split(".")
    damaged = body[:-2] + ("AA" if body[-2:] != "AA" else "BB")
    with pytest.raises(jwt.InvalidSignatureError):
        jwt.decode(f"{head}.{damaged}.{signature}", key, algorithms=["ES256"], options={"verify_aud": False})


def test_an_id_token_opens_a_prompt_and_approving_it_pairs(configured, sandbox, application):
    text, nonce = token(configured, application)
    request = configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]
    ann = sandbox.users["ann"]["id"]
    assert (request["user"]["id"], request["user"]["username"], request["geo"]) == (ann, "ann", GEO)
    assert request["environment"] == {"id": sandbox.environment}
    assert configured.event("pairing") == request
    assert configured.call("pairing.list") == {"pairings": [request]}
    assert sandbox.devices("ann") == [] and configured.call("account.list") == {"accounts": []}
    info = configured.call("pairing.approve", pairing=request["id"])
    assert info["authenticators"] == [
        {"type": "PUSH", "status": "COMPLETED"},
        {"type": "OTP", "status": "COMPLETED"},
    ]
    assert configured.event("account")["id"] == info["account"]
    assert configured.call("pairing.list") == {"pairings": []}
    assert [device["status"] for device in sandbox.devices("ann")] == ["ACTIVE"]


def test_an_ignored_pairing_is_gone(configured, application, sandbox):
    text, nonce = token(configured, application)
    request = configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]
    assert configured.call("pairing.ignore", pairing=request["id"]) == {}
    assert configured.call("pairing.list") == {"pairings": []}
    for method in ("pairing.approve", "pairing.ignore"):
        assert configured.refusal(method, pairing=request["id"]).code == 11002
    assert sandbox.devices("ann") == []


def test_a_second_token_of_a_paired_user_has_nothing_to_do(configured, application):
    text, nonce = token(configured, application)
    request = configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]
    configured.call("pairing.approve", pairing=request["id"])
    text, nonce = token(configured, application)
    assert configured.call("pairing.processIdToken", idToken=text, nonce=nonce) == {"pairing": None}


def test_a_sign_on_of_a_paired_user_has_nothing_to_pair(configured, sandbox):
    step = flows.sign_on(configured, sandbox, "ann")
    configured.call("pairing.approve", pairing=step["pairing"]["id"])
    assert flows.sign_on(configured, sandbox, "ann")["pairing"] is None


def test_the_nonce_may_be_left_out_but_not_be_another(configured, application):
    text, _ = token(configured, application)
    assert configured.refusal("pairing.processIdToken", idToken=text, nonce="another").code == 11009
    assert configured.call("pairing.processIdToken", idToken=text)["pairing"]["id"]


def test_a_token_is_taken_once(configured, application):
    text, nonce = token(configured, application)
    configured.call("pairing.processIdToken", idToken=text, nonce=nonce)
    error = configured.refusal("pairing.processIdToken", idToken=text, nonce=nonce)
    assert (error.code, error.reason, error.details) == (11009, "TOKEN_REJECTED", {})
    assert len(configured.call("pairing.list")["pairings"]) == 1


def test_a_token_for_the_payload_of_another_device_is_refused(configured, application, directory, make_daemon):
    other_directory = directory / "other"
    other_directory.mkdir(mode=0o700)
    other = type(make_daemon())(other_directory, application.sandbox).start()
    stranger = other.client()
    stranger.call("device.configure", geo=GEO)
    text, nonce = token(stranger, application)
    assert configured.refusal("pairing.processIdToken", idToken=text, nonce=nonce).code == 11009
    assert stranger.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]["user"]["username"] == "ann"
    other.stop()


def damage(text, how):
    head, body, signature = text.split(".")
    header, claims = jose.header(text), jose.claims(text)

    def encode(value):
        return jose.b64(json.dumps(value).encode())

    return {
        "another signature": f"{head}.{body}.{signature[:-4]}{'AAAA' if signature[-4:] != 'AAAA' else 'BBBB'}",
        "another user": f"{head}.{encode({**claims, 'sub': 'bob'})}.{signature}",
        "no algorithm": f"{encode({**header, 'alg': 'none'})}.{body}.",
        "a shared secret": jwt.encode(claims, "mfad" * 8, algorithm="HS256", headers={"kid": header["kid"]}),
        "two parts": f"{head}.{body}",
        "nothing": "",
        "an access token": f"{encode({**header, 'typ': 'at+jwt'})}.{body}.{signature}",
    }[how]


@pytest.mark.parametrize(
    "how",
    ["another signature", "another user", "no algorithm", "a shared secret", "two parts", "nothing", "an access token"],
)
def test_a_forged_token_is_refused_without_a_reason_and_the_right_one_still_works(configured, application, how):
    text, nonce = token(configured, application)
    error = configured.refusal("pairing.processIdToken", idToken=damage(text, how), nonce=nonce)
    assert (error.code, error.details) == (11009, {})
    assert configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]["id"]


def test_a_pairing_of_which_the_key_is_over_ends_with_the_platforms_word(configured, sandbox, application):
    text, nonce = token(configured, application)
    request = configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]
    sandbox.advance(49 * 3600)
    assert configured.refusal("pairing.approve", pairing=request["id"]).code == 10005
    assert configured.call("pairing.list") == {"pairings": []}


def test_an_approval_that_does_not_reach_the_platform_leaves_the_pairing_to_be_approved_again(
    configured, sandbox, application
):
    text, nonce = token(configured, application)
    request = configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]
    sandbox.fault("/device/v1/pairings", dropConnection=True)
    assert configured.refusal("pairing.approve", pairing=request["id"]).code == 10004
    assert configured.call("pairing.list") == {"pairings": [request]}
    assert configured.call("pairing.approve", pairing=request["id"])["user"]["username"] == "ann"


def test_at_most_eight_pairings_wait(configured, application):
    for _ in range(8):
        text, nonce = token(configured, application)
        configured.call("pairing.processIdToken", idToken=text, nonce=nonce)
    text, nonce = token(configured, application)
    error = configured.refusal("pairing.processIdToken", idToken=text, nonce=nonce)
    assert (error.code, error.details) == (11016, {"limit": 8})
    first = configured.call("pairing.list")["pairings"][0]
    configured.call("pairing.ignore", pairing=first["id"])
    text, nonce = token(configured, application)
    assert configured.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]["id"]


def test_without_a_client_id_id_tokens_are_refused(make_daemon, sandbox):
    client = make_daemon(client_id=None).start().client()
    client.call("device.configure", geo=GEO)
    assert client.refusal("pairing.processIdToken", idToken="a.b.c").code == 10018
    assert client.refusal("login.start", method="signon").code == 10018
