"""Clients that request too much: the daemon limits each and keeps serving the others."""

import contextlib
import itertools
import select
import socket
import time

import pytest

from attacks import SETTINGS
from attacks.clients import MEMBER, push
from attacks.requests import long_request
from harness.client import RPCError
from harness.hostile.issuer import Issuer
from harness.programs import wait_until

REQUEST = b'{"jsonrpc":"2.0","id":%d,"method":"%s"}\n'


def refused(client):
    answer = client.read_line()
    assert answer["id"] is None and answer["error"]["code"] == 11006
    assert client.line() is None


def test_connection_17_of_a_user_is_refused_and_closed(stage):
    clients = [stage.connect() for _ in range(15)]
    for client in clients:
        client.call("pairing.list")
    for _ in range(3):
        refused(stage.connect())
    # A client that leaves releases its slot. The reply to a new client proves that the daemon has noticed.
    clients[0].finish_writing()
    assert clients[0].line() is None
    assert stage.connect().call("pairing.list") == {"pairings": []}


def test_last_connections_are_reserved_for_new_users_and_two_for_root(make_stage):
    stage = make_stage(max_connections=64)
    stage.daemon.socket.chmod(0o666)
    stage.client.close()
    for uid in (31_000, 31_001):
        for client in [stage.connect(uid) for _ in range(16)]:
            client.call("pairing.list")
    # 32 slots are left, none of them for users that hold a connection.
    refused(stage.connect(31_000))
    refused(stage.connect(31_001))
    for uid in range(32_000, 32_030):
        stage.connect(uid).call("pairing.list")
    refused(stage.connect(33_000))
    for _ in range(2):
        assert stage.connect().call("service.status")["owner"]["uid"] == 0
    refused(stage.connect())


def test_all_256_connections_are_served(stage):
    stage.daemon.socket.chmod(0o666)
    stage.client.close()
    clients = [stage.connect(uid) for uid in range(34_000, 34_014) for _ in range(16)]
    assert len(clients) == 224
    clients += [stage.connect(uid) for uid in range(35_000, 35_030)]
    # The daemon knows a user when it answers. Root is known before, so root comes last.
    for roots in (0, 2):
        clients += [stage.connect() for _ in range(roots)]
        for number, client in enumerate(clients):
            client.write(REQUEST % (number, b"pairing.list"))
        for number, client in enumerate(clients):
            assert client.read_line()["id"] == number
    refused(stage.connect(36_000))
    refused(stage.connect())


def test_write_limit_allows_a_burst_of_100(configured):
    # An owner that has written nothing yet has the whole burst.
    configured.daemon.socket.chmod(0o666)
    client, request = configured.connect(36_999), '{"jsonrpc":"2.0","id":%d,"method":"pairing.ignore","params":{"pairing":"x"}}\n'
    errors, limited = [], []
    # A slow machine may process 400 requests so slowly that none is refused.
    while not limited:
        numbers = range(len(errors), len(errors) + 400)
        client.write("".join(request % number for number in numbers).encode())
        # Replies may arrive in another order.
        replies = {reply["id"]: reply for reply in (client.read_line() for _ in numbers)}
        errors += [RPCError(replies[number]["error"]) for number in numbers]
        limited = [error for error in errors if error.code == 11006]
    assert {error.code for error in errors[:100]} == {11002}
    assert all(type(error.details["retryAfter"]) is int and error.details["retryAfter"] >= 1 for error in limited)
    assert all(error.retry for error in limited)
    # Neither reads nor another owner are limited.
    assert client.call("pairing.list") == {"pairings": []}
    assert configured.connect(37_000).refusal("pairing.ignore", pairing="x").code == 11002


def test_client_that_shuts_down_writing_gets_its_replies(paired):
    held = paired.platform.hold("POST /authentication-codes/*/claim")
    client = paired.connect()
    number = client.begin("authentication.start", code="ABCD1234")
    client.write(REQUEST % (99, b"pairing.list"))
    client.finish_writing()
    assert client.read_line()["id"] == 99
    held.next().answer(404, {"code": "AUTHENTICATION_CODE_INVALID", "message": "unknown"})
    answer = client.read_line()
    assert answer["id"] == number and answer["error"]["code"] == 10011
    assert client.line() is None


def test_disconnecting_client_does_not_cancel_its_request(configured):
    held = configured.platform.hold("POST /pairings")
    key = configured.platform.make_pairing_key()
    client = configured.connect()
    client.begin("pairing.pair", pairingKey=key)
    pairing = held.next()
    client.close()
    configured.client.call("event.subscribe", topics=["account"])
    pairing.answer_honestly()
    assert configured.client.event("account")["user"]["id"] == "user-ann"


def test_connection_has_at_most_64_requests_in_flight(paired):
    held = paired.platform.hold("POST /authentication-codes/*/claim")
    client = paired.connect()
    # The courier carries 16 requests of an owner at a time; the others wait. A list request follows them.
    for number in range(64):
        client.write(b'{"jsonrpc":"2.0","id":%d,"method":"authentication.start","params":{"code":"ABCD%04d"}}\n' % (number, number))
    client.write(REQUEST % (777, b"pairing.list"))
    unknown = 404, {"code": "AUTHENTICATION_CODE_INVALID", "message": "unknown"}
    claims = [held.next() for _ in range(16)]
    # Another connection is served. Its reply follows a loop iteration in which the 65th could have been answered.
    assert paired.client.call("pairing.list") == {"pairings": []}
    assert not select.select([client.socket], [], [], 0)[0], "the 65th request was carried out"
    claims.pop().answer(*unknown)
    first = {client.read_line()["id"] for _ in "12"} - {777}
    assert len(first) == 1
    for claim in claims:
        claim.answer(*unknown)
    for _ in range(48):
        held.next().answer(*unknown)
    assert {client.read_line()["id"] for _ in range(63)} == set(range(64)) - first


def test_daemon_stops_reading_from_a_client_that_does_not_read(stage):
    client = stage.connect()
    client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.socket.setblocking(False)
    sent = itertools.count()
    written, before = 0, stage.daemon.process.resident_bytes()
    line = REQUEST % (1, b"rpc.discover")
    rest = b""
    # Each reply has 60 KiB: a daemon that went on reading would have to hold gigabytes.
    while written < 8 << 20:
        rest = rest or line * 200
        if not select.select([], [client.socket], [], 2)[1]:
            break
        try:
            count = client.socket.send(rest)
        except BlockingIOError:
            continue
        written, rest = written + count, rest[count:]
        next(sent)
    assert written < 4 << 20, "the daemon reads on although nobody takes its answers"
    assert stage.daemon.process.resident_bytes() - before < 16 << 20
    assert stage.client.call("pairing.list") == {"pairings": []}
    # The pending replies arrive in whole lines when the client reads.
    client.socket.setblocking(True)
    for _ in range(200):
        assert client.read_line()["id"] == 1


@pytest.fixture
def crowd(paired):
    """Pushes with a large context, so many that a client that does not read loses events about some."""
    context = {"text": "x" * 8000}
    return [paired.platform.sign_push(paired.platform.push_claims(clientContext=context)) for _ in range(200)]


def test_slow_subscriber_loses_the_oldest_events_and_gets_their_count(paired, crowd):
    slow = paired.connect()
    slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    slow.call("event.subscribe", topics=["notification"])
    before = paired.daemon.process.resident_bytes()
    polls = len(paired.courier.requests)
    # Each batch fits into a response of the courier.
    paired.platform.batch = 25
    paired.platform.deliver(*crowd)
    read = time.monotonic()

    def is_taken_in():
        nonlocal read
        # The daemon closes a connection if its client reads nothing for 30 s, even on a slow machine.
        if time.monotonic() - read > 20:
            read = time.monotonic()
            for _ in range(30):
                if slow.has_line:
                    slow.receive()
        # The poll after the last batch proves that the daemon has processed the whole batch.
        return any(request.query.get("after") == "c8" for request in paired.courier.requests[polls:])

    wait_until(is_taken_in)
    assert paired.daemon.process.resident_bytes() - before < 64 << 20
    events = list(slow.events)
    slow.events.clear()
    last = paired.client.call("notification.list", limit=1)["notifications"][0]["id"]
    while not events or events[-1]["topic"] == "lost" or events[-1]["payload"]["id"] != last:
        slow.receive()
        events += slow.events
        slow.events.clear()
    marks = [event for event in events if event["topic"] == "lost"]
    assert marks and all(mark["payload"].keys() == {"count"} for mark in marks)
    lost = sum(mark["payload"]["count"] for mark in marks)
    delivered = len(events) - len(marks)
    assert delivered >= 256
    # Each push causes one event when it arrives, and all but twenty another when later pushes displace them.
    assert delivered + lost == 200 + 180


def test_list_larger_than_a_line_is_refused_and_available_in_pages(paired):
    context = {"text": "x" * 8000}
    pushes = [paired.platform.sign_push(paired.platform.push_claims(clientContext=context, applicationContext=context))
              for _ in range(70)]
    for payload in pushes:
        paired.client.call("notification.process", payload=payload)
    error = paired.client.refusal("notification.list", limit=200)
    assert (error.code, error.reason) == (-32603, "RESULT_TOO_LARGE")
    seen, before = [], {}
    while page := paired.client.call("notification.list", **before)["notifications"]:
        seen += [one["id"] for one in page]
        before = {"before": seen[-1]}
    assert len(seen) == len(set(seen)) == 70


def take_a_little(client):
    """Reads most of the socket's buffer, so that the daemon can write again."""
    client.socket.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        for _ in range(4):
            client.socket.recv(1 << 16)


def test_request_without_free_memory_is_refused_and_other_users_are_served(stage):
    stage.daemon.socket.chmod(0o666)
    *greedy, late, unfinished = [stage.connect(31_000) for _ in range(10)]
    # One unread reply at a time until no memory is left. No request of these clients waits for memory, because its
    # refusal would change the memory that they hold.
    taken = time.monotonic()
    with pytest.raises(RPCError) as raised:
        for client in itertools.cycle(greedy):
            client.write(REQUEST % (1, b"rpc.discover"))
            assert late.call("pairing.list") == {"pairings": []}
            # The daemon closes a connection if its client reads nothing for 30 s, even on a slow machine.
            if time.monotonic() - taken > 10:
                taken = time.monotonic()
                for other in greedy:
                    take_a_little(other)
    refusal = raised.value
    assert (refusal.code, refusal.reason) == (11006, "RATE_LIMITED") and refusal.details["retryAfter"] >= 1
    # Longer than the refused request, so there is no memory for it either.
    unfinished.write(b'{"jsonrpc":"2.0",' + b" " * (32 << 10))
    refusal = unfinished.read_line()
    assert refusal["id"] is None and refusal["error"]["code"] == 11006
    assert stage.connect(31_001).call("pairing.list") == {"pairings": []}
    # With free memory the next request is answered. The rest of the refused line is not a request.
    for client in greedy:
        client.close()
    unfinished.write(b'"id":1,"method":"pairing.list"}\n')
    assert unfinished.call("pairing.list") == late.call("pairing.list") == {"pairings": []}


def test_key_derivation_ends_no_request_of_clients_that_hold_memory(make_stage):
    stage = make_stage(**SETTINGS)
    stage.daemon.socket.chmod(0o666)
    stage.courier.origins[Issuer.ORIGIN] = lambda request: None
    *greedy, other = [stage.connect(MEMBER + number) for number in range(7)]
    for client in greedy:
        client.call("device.configure", geo="NorthAmerica")
        push([client], b"".join(long_request(number) for number in range(4)))
    other.call("lock.set", pin="correct horse")
    assert not select.select([client.socket for client in greedy], [], [], 0)[0]
