"""The effect of a valid ID token: one prompt, once, for the owner of the device that requested it."""

import time

from harness import jose
from harness.hostile.id_tokens import Draft

OTHER = 4711


def process(stage, token, client=None):
    return (client or stage.client).call("pairing.processIdToken", idToken=token)["pairing"]


def refused(stage, token, client=None):
    before, error = stage.state(), (client or stage.client).refusal("pairing.processIdToken", idToken=token)
    assert (error.code, error.details) == (11009, {}) and stage.state() == before


def test_id_tokens_are_refused_if_no_client_id_is_configured(make_stage):
    stage = make_stage(issuer="https://issuer.test/env/as").configure()
    draft = Draft(stage)
    assert stage.client.refusal("pairing.processIdToken", idToken=draft.text).code == 10018


def test_id_token_above_the_length_limit_is_an_invalid_parameter(configured):
    token = Draft(configured).with_claims(filler="x" * 70_000).text
    error = configured.client.refusal("pairing.processIdToken", idToken=token)
    assert (error.code, error.details) == (-32602, {"parameter": "idToken"})


def test_id_token_just_below_the_length_limit_is_accepted(configured):
    assert process(configured, Draft(configured).with_claims(filler="x" * 47_000).text)


def test_extreme_times_in_an_id_token_are_tolerated(configured):
    for claims in ({"exp": 2**63 - 1}, {"exp": 2**62}, {"exp": 10**15, "iat": -(2**63)}, {"iat": 0}, {"nbf": -(2**63)}):
        pairing = process(configured, Draft(configured).with_claims(**claims).text)
        assert pairing["expiresAt"] < "2100", claims


def test_pairing_prompt_expires_within_ten_minutes(configured):
    for end in (2**63 - 1, 2**62, "9999-12-31T23:59:59Z"):
        pairing = process(configured, Draft(configured).with_pairing(expiresAt=end).text)
        limit = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 601))
        assert pairing["expiresAt"] <= limit, end


def test_names_in_an_id_token_are_cleaned_and_truncated(configured):
    draft = Draft(configured).with_claims(
        preferred_username="ann\u202etxt\x1b[31m" + "x" * 500, email="a\u2066b\u0000@example.com",
        given_name="\u200fAnn\n", family_name=["Archer"])
    user = process(configured, draft.text)["user"]
    assert user["username"] == ("anntxt[31m" + "x" * 500)[:200]
    assert user["email"] == "ab@example.com" and user["name"] == {"given": "Ann"}


def test_mobile_payload_of_another_owner_is_rejected(configured):
    configured.daemon.socket.chmod(0o666)
    other = configured.connect(OTHER)
    device = other.call("device.configure", geo="NorthAmerica")["deviceId"]
    assert device != configured.device
    theirs = jose.claims(other.call("payload.generate")["mobilePayload"])["jti"]
    refused(configured, Draft(configured).with_pairing(payload=theirs).text)
    # The same payload is valid for the other owner, with the device of that owner.
    token = Draft(configured).with_pairing(payload=theirs, device=device).text
    refused(configured, token)
    asked = process(configured, token, other)
    assert asked and configured.state()["pairings"] == []
    # An owner cannot answer a prompt of another owner.
    for verb in ("approve", "ignore"):
        assert configured.client.refusal(f"pairing.{verb}", pairing=asked["id"]).code == 11002


def test_unreachable_issuer_does_not_block_another_issuer(make_stage):
    stage = make_stage(start=False)
    stage.settings["issuer"] = ["https://gone.test/as", stage.ISSUER]
    stage.start()
    stage.configure()
    stage.courier.origins["https://gone.test"] = lambda request: request.fail("unreachable")
    assert process(stage, Draft(stage).text)["user"]["id"] == "user-ann"
    # A token of an unknown issuer is not accepted. The daemon cannot know whether the unreachable issuer signed it.
    assert stage.client.refusal("pairing.processIdToken", idToken=Draft(stage).with_claims(iss="x").text).code in (
        10004, 11009)
