"""The keys of an issuer: valid key sets, and the use of their keys by a token."""

import pytest
from cryptography.hazmat.primitives.asymmetric import ed25519

from harness import jose
from harness.hostile.id_tokens import Draft


def process(stage, token):
    return stage.client.call("pairing.processIdToken", idToken=token)["pairing"]


def refused(stage, token):
    before, error = stage.state(), stage.client.refusal("pairing.processIdToken", idToken=token)
    assert (error.code, error.details) == (11009, {}) and stage.state() == before


def key_set(stage, *keys):
    stage.publish(jose.public_jwk(stage.issuer_key, kid="k1"), *keys)


def test_malformed_key_file_rejects_all_id_tokens_until_it_is_fixed(configured):
    good = Draft(configured).text
    written = configured.key_file.read_bytes()
    for text in (b"", b"[]", b"{}", b'{"keys":7}', b'{"keys":[]}', b"\xff", b'{"keys":[],"keys":[]}'):
        configured.key_file.write_bytes(text)
        error = configured.client.refusal("pairing.processIdToken", idToken=good)
        assert error.code in (10000, 11009), text
    configured.key_file.write_bytes(written)
    assert process(configured, good)


@pytest.fixture
def stage_for(make_stage, issuer_key):
    """Creates stages with an issuer that may sign with one algorithm only, by a given key or by the issuer's key."""
    def make(algorithm: str, key=issuer_key):
        stage = make_stage(start=False)
        stage.settings["id_token_algorithm"] = algorithm
        stage.publish(jose.public_jwk(key, kid="k1"))
        stage.start()
        return stage.configure()
    return make


def test_rs256_signature_is_rejected_if_the_algorithm_is_not_configured(stage_for, issuer_key):
    stage = stage_for("PS256")
    draft = Draft(stage)
    refused(stage, draft.text)
    assert process(stage, draft.signed_by(issuer_key, "PS256").text)


def test_ed25519_signature_is_accepted_only_if_the_algorithm_is_configured(stage_for, configured):
    key = ed25519.Ed25519PrivateKey.generate()
    key_set(configured, jose.public_jwk(key, kid="k2"))
    refused(configured, Draft(configured).with_header(kid="k2").signed_by(key, "EdDSA").text)
    stage = stage_for("EdDSA", key)
    draft = Draft(stage).signed_by(key, "EdDSA")
    good = draft.text
    refused(stage, jose.flip(good, 2))
    refused(stage, draft.signed_by(ed25519.Ed25519PrivateKey.generate(), "EdDSA").text)
    assert process(stage, good)
