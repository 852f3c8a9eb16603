"""The keys of an issuer: what a key set may hold, and what a token may make of it."""

import hashlib

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from harness import jose
from harness.hostile.id_tokens import Draft


def process(stage, token):
    return stage.client.call("pairing.processIdToken", idToken=token)["pairing"]


def refused(stage, token):
    before, error = stage.state(), stage.client.refusal("pairing.processIdToken", idToken=token)
    assert (error.code, error.details) == (11009, {}) and stage.state() == before


def key_set(stage, *keys):
    stage.publish(jose.public_jwk(stage.issuer_key, kid="k1"), *keys)


def test_a_token_without_kid_passes_with_one_key_and_not_with_several(configured):
    draft = Draft(configured)
    del draft.header["kid"]
    key_set(configured, jose.public_jwk(jose.rsa_key(), kid="k2"))
    refused(configured, draft.text)
    key_set(configured)
    assert process(configured, draft.text)["user"]["id"] == "user-ann"


def test_two_keys_of_one_name_are_no_choice(configured, attacker_key):
    key_set(configured, jose.public_jwk(attacker_key, kid="k1"))
    draft = Draft(configured)
    refused(configured, draft.text)
    refused(configured, draft.signed_by(attacker_key, "RS256").text)


def test_a_key_for_encryption_signs_nothing(configured, attacker_key):
    key_set(configured, jose.public_jwk(attacker_key, kid="k2", use="enc"))
    draft = Draft(configured)
    good = draft.text
    refused(configured, draft.with_header(kid="k2").signed_by(attacker_key, "RS256").text)
    assert process(configured, good)


def test_a_key_for_another_algorithm_signs_nothing(configured, attacker_key):
    key_set(configured, jose.public_jwk(attacker_key, kid="k2", alg="RS512"))
    refused(configured, Draft(configured).with_header(kid="k2").signed_by(attacker_key, "RS256").text)


def test_an_rsa_key_of_1024_bits_signs_nothing_and_spoils_no_other(configured):
    weak = jose.rsa_key(1024)
    key_set(configured, jose.public_jwk(weak, kid="k2"))
    draft = Draft(configured)
    good = draft.text
    refused(configured, draft.with_header(kid="k2").signed_by(weak, "RS256").text)
    assert process(configured, good)


def padded_digest(text: str, size: int) -> bytes:
    """What an RSA signature with SHA-256 is before the key is applied, RFC 8017 section 9.2."""
    info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(text.encode()).digest()
    return b"\0\1" + b"\xff" * (size - len(info) - 3) + b"\0" + info


def test_with_the_exponent_one_everybody_could_sign(configured):
    key_set(configured, jose.public_jwk(configured.issuer_key, kid="k2") | {"e": "AQ"})
    draft = Draft(configured)
    good = draft.text
    text = draft.with_header(kid="k2").text.rsplit(".", 1)[0]
    refused(configured, f"{text}.{jose.b64(padded_digest(text, 256))}")
    assert process(configured, good)


def integer_root(number: int) -> int:
    low, high = 0, 1 << (number.bit_length() // 3 + 2)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**3 <= number else (low, middle - 1)
    return low


def test_with_the_exponent_three_a_forged_cube_root_is_no_signature(configured):
    key_set(configured, jose.public_jwk(jose.rsa_key(2048, 3), kid="k2"))
    draft = Draft(configured)
    good = draft.text
    text = draft.with_header(kid="k2").text.rsplit(".", 1)[0]
    info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(text.encode()).digest()
    wanted = b"\0\1" + b"\xff" * 8 + b"\0" + info
    ceiling = int.from_bytes(wanted + b"\xff" * (256 - len(wanted)), "big")
    root = integer_root(ceiling)
    # Plain arithmetic gives a number whose cube begins as a signature must and ends as it likes.
    assert (root**3).to_bytes(256, "big").startswith(wanted)
    refused(configured, f"{text}.{jose.b64(root.to_bytes(256, 'big'))}")
    assert process(configured, good)


@pytest.mark.parametrize("exponent", ["AA", "Ag", "AQAA", "", "AQAAAAAAAAAAAAAAAQ"])
def test_an_exponent_that_nobody_honest_has_signs_nothing(configured, exponent):
    key_set(configured, jose.public_jwk(configured.issuer_key, kid="k2") | {"e": exponent})
    draft = Draft(configured)
    good = draft.text
    refused(configured, draft.with_header(kid="k2").text)
    assert process(configured, good)


def test_a_symmetric_key_among_the_issuers_signs_nothing(configured):
    secret = b"s" * 64
    key_set(configured, {"kty": "oct", "kid": "k2", "k": jose.b64(secret)})
    draft = Draft(configured)
    good = draft.text
    for algorithm in ("HS256", "HS512"):
        refused(configured, draft.with_header(kid="k2").signed_by(secret, algorithm).text)
    draft.key = configured.issuer_key
    assert process(configured, good)


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"keys":7}', b'{"keys":[]}', b"\xff", b'{"keys":[],"keys":[]}'])
def test_a_key_file_that_is_none_refuses_all_and_harms_nothing_else(configured, text):
    good = Draft(configured).text
    written = configured.key_file.read_bytes()
    configured.key_file.write_bytes(text)
    error = configured.client.refusal("pairing.processIdToken", idToken=good)
    assert error.code in (10000, 11009)
    configured.key_file.write_bytes(written)
    assert process(configured, good)


def test_more_keys_than_anybody_publishes_are_no_key_set(configured):
    many = [jose.public_jwk(configured.issuer_key, kid=f"k{number}") for number in range(1, 66)]
    good = Draft(configured).text
    configured.publish(*many)
    assert configured.client.refusal("pairing.processIdToken", idToken=good).code in (10000, 11009)
    configured.publish(*many[:64])
    assert process(configured, good)


@pytest.fixture
def stage_for(make_stage, issuer_key):
    """Makes stages whose issuer may sign with one algorithm, by a key of its own or by the issuer's."""
    def make(algorithm: str, key=issuer_key):
        stage = make_stage(start=False)
        stage.settings["id_token_algorithm"] = algorithm
        stage.publish(jose.public_jwk(key, kid="k1"))
        stage.start()
        return stage.configure()
    return make


def test_a_list_without_rs256_takes_no_rs256(stage_for, issuer_key):
    stage = stage_for("PS256")
    draft = Draft(stage)
    refused(stage, draft.text)
    assert process(stage, draft.signed_by(issuer_key, "PS256").text)


def test_another_signature_of_the_same_content_is_the_same_token(stage_for, issuer_key):
    stage = stage_for("PS256")
    draft = Draft(stage).signed_by(issuer_key, "PS256")
    one, other = draft.text, draft.text
    assert one != other and one.rsplit(".", 1)[0] == other.rsplit(".", 1)[0]
    assert process(stage, one)
    refused(stage, other)


def test_a_signature_by_ed25519_counts_where_it_is_named(stage_for, configured):
    key = ed25519.Ed25519PrivateKey.generate()
    key_set(configured, jose.public_jwk(key, kid="k2"))
    refused(configured, Draft(configured).with_header(kid="k2").signed_by(key, "EdDSA").text)
    stage = stage_for("EdDSA", key)
    draft = Draft(stage).signed_by(key, "EdDSA")
    good = draft.text
    refused(stage, jose.flip(good, 2))
    refused(stage, draft.signed_by(ed25519.Ed25519PrivateKey.generate(), "EdDSA").text)
    assert process(stage, good)


def test_an_ed25519_key_by_which_anybody_could_sign_is_none(stage_for):
    key = ed25519.Ed25519PrivateKey.generate()
    stage = stage_for("EdDSA", key)
    draft = Draft(stage).signed_by(key, "EdDSA").with_header(kid="k2")
    neutral = b"\1" + bytes(31)
    stage.publish(jose.public_jwk(key, kid="k1"), {"kty": "OKP", "crv": "Ed25519", "x": jose.b64(neutral), "kid": "k2"})
    # With the neutral point as the key this is a signature of everything.
    refused(stage, f"{draft.text.rsplit('.', 1)[0]}.{jose.b64(neutral + bytes(32))}")


def test_an_elliptic_signature_in_asn1_is_none(stage_for):
    key = jose.p256()
    stage = stage_for("ES256", key)
    draft = Draft(stage).signed_by(key, "ES256")
    good = draft.text
    text = good.rsplit(".", 1)[0]
    refused(stage, f"{text}.{jose.b64(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))}")
    # The "psychic" signature: zeros, which broken verifiers take for any content.
    refused(stage, f"{text}.{jose.b64(bytes(64))}")
    order = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
    refused(stage, f"{text}.{jose.b64(order.to_bytes(32, 'big') * 2)}")
    assert process(stage, good)
