"""The courier's view of the device service: valid proofs, and no usable secret."""

import base64
import re

import jwt

from harness import jose

CONTEXT = "canary-context-of-the-push"


def everything(stage):
    """Causes one of each request of the daemon to its platform. Returns the secrets in them."""
    client, platform = stage.client, stage.platform
    key = platform.make_pairing_key()
    client.call("pairing.pair", pairingKey=key)
    secret = next(iter(platform.pairings.values()))["secret"]
    passcode = client.call("passcode.get")["passcode"]
    for number in (None, 27):
        push = platform.push_claims(title="canary-title", clientContext={"x": CONTEXT},
                                    numberMatching={"type": "ENTER_MANUALLY"} if number else None)
        shown = client.call("notification.process", payload=platform.sign_push(push))["notification"]
        client.call("notification.approve", notification=shown["id"], **({"number": number} if number else {}))
    shown = client.call("notification.process", payload=platform.sign_push(platform.push_claims()))["notification"]
    client.call("notification.deny", notification=shown["id"], reason="REPORT_FRAUD")
    platform.codes["ABCD1234"] = {}
    client.call("authentication.approve", authentication=client.call("authentication.start", code="ABCD1234")["id"])
    return [key, secret, passcode, "canary-title", CONTEXT, "REPORT_FRAUD", "approve", "pairingKey", "authenticationMethod"]


def decoded(data: bytes) -> bytes:
    """The bytes, followed by the decoded base64 parts in them, up to four levels deep."""
    layers, pending = [], [data]
    for _ in range(4):
        following = []
        for layer in pending:
            for piece in re.findall(rb"[A-Za-z0-9+/_-]{8,}", layer):
                text = piece.replace(b"+", b"-").replace(b"/", b"_").decode()
                opened = jose.unb64(text[:len(text) - (len(text) % 4 == 1)])
                following.append(opened)
        layers += following
        pending = following
    return b"\0".join([data, *layers])


def test_courier_requests_contain_no_secret(configured):
    secrets = everything(configured)
    seen = decoded(b"\n".join(configured.courier.frames))
    # Control: the search finds data that is not secret.
    assert b"device-proof+jwt" in seen and configured.device.encode() in seen
    for secret in secrets:
        # This includes decisions such as "approve", which occur in no path of the device service.
        assert secret.encode() not in seen, secret
    # Base64 may contain these four letters by chance, but hardly as a word.
    assert not re.search(rb"\bdeny\b", seen)
    assert b'"d"' not in seen


def test_every_device_proof_is_unique_and_verifies_with_another_library(configured):
    everything(configured)
    proofs = []
    for request in configured.courier.requests:
        if "device-proof" not in request.headers:
            assert request.path == "/device/v1/platform-keys"
            continue
        token = request.headers["device-proof"]
        header = jwt.get_unverified_header(token)
        key = header.get("jwk") or configured.platform.device_keys[header["kid"]]
        proofs.append((header, jwt.decode(token, jwt.PyJWK(key | {"alg": "ES256"}), algorithms=["ES256"])))
    assert len(proofs) >= 10
    first, *others = proofs
    assert "jwk" in first[0] and "kid" not in first[0] and "sub" not in first[1]
    for header, claims in others:
        assert header.keys() == {"typ", "alg", "kid"} and claims["sub"] == configured.device
        assert jose.unb64(header["kid"])
    assert len({claims["jti"] for _, claims in proofs}) == len(proofs)
    assert all(len(jose.unb64(claims["jti"])) >= 16 for _, claims in proofs)
    # The test platform checks htm, htu, bh, ak, the freshness of answer keys and more in each request.
    assert configured.platform.violations == []


def test_two_requests_with_equal_content_have_different_ciphertexts(configured):
    for _ in range(2):
        configured.client.refusal("pairing.pair", pairingKey="01ABCDEFGHJKMN")
    one, other = (r for r in configured.courier.requests if r.path.endswith("/pairings"))
    assert one.body != other.body
    headers = [jose.header(request.body.decode()) for request in (one, other)]
    assert headers[0]["epk"] != headers[1]["epk"]
    assert one.body.split(b".")[2] != other.body.split(b".")[2]


def test_owners_share_no_key(configured):
    configured.daemon.socket.chmod(0o666)
    configured.connect(60_001).call("device.configure", geo="NorthAmerica")
    keys = [key["x"] for key in [*configured.platform.device_keys.values(), *configured.platform.decision_keys.values()]]
    assert len(keys) == 4 == len(set(keys))


def test_decision_key_differs_from_the_device_key_and_signs_decisions(configured):
    everything(configured)
    decisions = configured.platform.decisions
    assert [d["decision"] for d in decisions] == ["approve", "approve", "deny", "approve"]
    assert decisions[1]["number"] == 27 and decisions[2]["reason"] == "REPORT_FRAUD"
    assert decisions[3]["requestId"] == "request-ABCD1234" and decisions[3]["userId"] == "user-ann"
    assert len({d["notification"] for d in decisions[:3]}) == 3


def test_courier_request_contains_only_allowed_members_and_headers(configured):
    everything(configured)
    for request in configured.courier.requests:
        assert request.origin == configured.platform.URL
        assert not request.headers.keys() & {"host", "cookie", "authorization", "content-length", "connection", "user-agent"}
        assert request.message.keys() == {"id", "method", "url", "headers", "body", "timeout"}
        assert 0 < request.message["timeout"] <= 40_000
        assert base64.b64encode(request.body).decode() == request.message["body"]
