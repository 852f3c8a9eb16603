"""Pairing by the ID token of an application that sent the daemon's mobile payload in its request."""

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
    """Returns an ID token with a pairing offer, and its nonce."""
    return application.sign_on(user, client.call("payload.generate")["mobilePayload"])


def test_mobile_payload_contains_the_required_claims(configured, sandbox):
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


def test_mobile_payload_is_verified_by_independent_jwt_libraries(directory, make_daemon):
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


def test_id_token_creates_a_pairing_request_and_approval_pairs(configured, sandbox, application):
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
