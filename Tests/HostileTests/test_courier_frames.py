"""A courier that violates its protocol: the daemon closes the connection, logs that, and opens the next one."""

import base64
import json
import struct

import pytest

from harness.client import RPCError


def frame(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def response(request, **changes) -> bytes:
    message = request.response(b"x") | changes
    return frame(json.dumps({name: value for name, value in message.items() if value is not ...}).encode())


BROKEN = {
    "no frame": lambda r: b"HTTP/1.1 200 OK\r\n\r\n", "an empty frame": lambda r: frame(b""),
    "a frame of all ones": lambda r: b"\xff" * 4, "a frame a byte too long": lambda r: struct.pack(">I", (1 << 20) + 1),
    "rubbish": lambda r: frame(b"\xff\xfe\xfd"), "a list": lambda r: frame(b"[]"), "a number": lambda r: frame(b"1"),
    "half a message": lambda r: frame(response(r)[4:-5]), "two messages in one frame": lambda r: frame(response(r)[4:] * 2),
    "a member twice": lambda r: frame(response(r)[4:-1] + b',"id":1}'), "no id": lambda r: response(r, id=...),
    "id a text": lambda r: response(r, id=str(r.id)), "id 0": lambda r: response(r, id=0), "id negative": lambda r: response(r, id=-1),
    "id past all": lambda r: response(r, id=2**63), "id with a fraction": lambda r: frame(b'{"id":1.5,"failure":"timeout"}'),
    "no status": lambda r: response(r, status=...), "status 99": lambda r: response(r, status=99),
    "status 600": lambda r: response(r, status=600), "status a text": lambda r: response(r, status="200"),
    "no headers": lambda r: response(r, headers=...), "headers an object": lambda r: response(r, headers={"a": "b"}),
    "a header of three": lambda r: response(r, headers=[["a", "b", "c"]]), "a header of a number": lambda r: response(r, headers=[["a", 1]]),
    "no body": lambda r: response(r, body=...), "body null": lambda r: response(r, body=None),
    "body no base64": lambda r: response(r, body="*"), "body unpadded": lambda r: response(r, body="eA"),
    "body with a line end": lambda r: response(r, body="eA==\n"), "body with bits left": lambda r: response(r, body="eB=="),
    "a body too large": lambda r: response(r, body=base64.b64encode(b"x" * (700 * 1024 + 1)).decode()),
    "a member too many": lambda r: response(r, trailer="x"), "both kinds of reply": lambda r: response(r, failure="timeout"),
    "an unknown failure": lambda r: frame(json.dumps({"id": r.id, "failure": "tired"}).encode()),
    "nested past all measure": lambda r: frame(b"[" * 100_000),
}


def pair_over(stage, act):
    """Pairs while the courier manipulates the request. Returns the code of the resulting error."""
    stage.platform.forge("POST /pairings", lambda x: act(x.request))
    error = stage.client.refusal("pairing.pair", pairingKey=stage.platform.make_pairing_key())
    stage.platform.be_honest()
    return error.code


def goes_on(stage):
    assert stage.client.call("account.list") == {"accounts": []}
    stage.pair()


@pytest.mark.parametrize("breach", BROKEN)
def test_protocol_violation_by_the_courier_ends_only_its_connection(configured, breach):
    assert pair_over(configured, lambda request: request.send_raw(BROKEN[breach](request))) == 10004
    configured.daemon.journal.wait("invalid reply")
    goes_on(configured)
    assert len(configured.courier.connections) == 2


def test_truncated_courier_frame_is_not_processed(configured):
    def cut(request):
        request.send_raw(response(request)[:-1])
        request.hang_up()
    assert pair_over(configured, cut) == 10004
    goes_on(configured)


def test_daemon_reconnects_after_the_courier_closes_the_connection(configured):
    for _ in range(5):
        assert pair_over(configured, lambda request: request.hang_up()) == 10004
    goes_on(configured)


def test_platform_is_reported_as_unreachable_if_the_courier_is_missing(make_stage):
    stage = make_stage().configure()
    stage.courier.leave()
    stage.courier.path.unlink()
    for _ in range(3):
        assert stage.client.refusal("pairing.pair", pairingKey="01ABCDEFGHJKMN").code == 10004
    assert stage.client.call("service.status")["platform"]["reachable"] is False


@pytest.mark.parametrize("id", [1, 999, 2**53 - 1])
def test_courier_response_with_an_unknown_id_is_ignored(configured, id):
    def act(exchange):
        request = exchange.request
        other = request.response(b"forged") | {"id": id}
        assert request.id != id
        request.send_raw(frame(json.dumps(other).encode()) * 3)
        exchange.answer_honestly()
    configured.platform.forge("POST /pairings", act)
    configured.pair()


def test_second_courier_response_to_a_request_is_ignored(configured):
    def act(exchange):
        exchange.answer_honestly()
        exchange.request.fail("timeout")
        exchange.answer_honestly()
    configured.platform.forge("POST /pairings", act)
    configured.pair()
    assert len(configured.state()["accounts"]) == 1


def test_swapped_courier_responses_are_rejected_for_both_requests(configured):
    configured.daemon.socket.chmod(0o666)
    other = configured.connect(50_001)
    other.call("device.configure", geo="NorthAmerica")
    held = configured.platform.hold("POST /pairings")
    waiting = []
    for client, name in ((configured.client, "ann"), (other, "bob")):
        waiting.append((client, client.begin("pairing.pair", pairingKey=configured.platform.make_pairing_key(name))))
    one, two = held.next(), held.next()
    one.request.id, two.request.id = two.request.id, one.request.id
    one.answer_honestly()
    two.answer_honestly()
    for client, number in waiting:
        with pytest.raises(RPCError) as caught:
            client.reply(number)
        assert caught.value.code == 10003
        assert client.call("account.list") == {"accounts": []}


def test_courier_response_in_single_bytes_is_accepted(configured):
    def act(exchange):
        request = exchange.request
        body = exchange.seal(exchange.sign(exchange.claims(*exchange.honest()))).encode()
        for byte in frame(json.dumps(request.response(body)).encode()):
            request.send_raw(bytes([byte]))
    configured.platform.forge("POST /pairings", act)
    configured.pair()


def test_largest_courier_responses_keep_memory_bounded(configured):
    before = configured.daemon.process.resident_bytes()
    for _ in range(20):
        assert pair_over(configured, lambda request: request.reply(b"x" * 700 * 1024)) == 10003
    assert configured.daemon.process.resident_bytes() - before < 32 << 20
    goes_on(configured)
