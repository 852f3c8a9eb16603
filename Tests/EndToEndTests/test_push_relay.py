"""`device.setPushToken` with UNIFIEDPUSH: pushes through a relay to which the courier keeps a stream open."""

import contextlib
import json
import sqlite3
import time

import pytest

from harness import flows, users
from harness.authctl import Authctl
from harness.pingam import PingAM
from harness.programs import PATIENCE
from harness.push_relay import carried, choose, client, leave, relayed, send, topic_of

PIN = "280491"


@pytest.fixture
def shared_relayed(make_daemon, sandbox, relay):
    """Connections of two users, paired with ann and bob, and their push addresses."""
    with users.open_directory() as path:
        daemon = make_daemon(
            socket=path / "control" / "mfad.sock", socket_group=users.GROUP, push_relay=relay.url
        )
        daemon.start()
        clients = [users.client_of(uid, daemon.socket) for uid in (users.ANN_UID, users.BOB_UID)]
        for each, user in zip(clients, ("ann", "bob"), strict=True):
            flows.pair(each, sandbox, user)
            each.subscribe("notification")
        yield clients, [choose(each) for each in clients]
        for each in clients:
            each.close()
        daemon.end()


def test_push_left_at_the_relay_arrives_and_is_approved(client, sandbox, relay):
    address = choose(client)
    assert address.startswith(relay.url + "/up") and len(topic_of(address)) == 24
    (stream,) = relay.subscriptions(1)
    assert (stream["topic"], stream["kind"]) == (topic_of(address), "json")
    started = send(sandbox, address)
    push = client.event("notification", state="pending")
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    assert (carried(sandbox)["provider"], carried(sandbox)["token"]) == ("UNIFIEDPUSH", address)


@pytest.mark.parametrize(
    "shape",
    [
        lambda relay, topic, push: relay.message(topic, push, encoding="base64"),
        lambda relay, topic, push: relay.message(topic, ""),
        lambda relay, topic, push: relay.message(topic, "{" * 1000),
        lambda relay, topic, push: relay.message(topic, push[:-4] + "AAAA"),
        lambda relay, topic, push: {**relay.message(topic, push), "id": 7},
        lambda relay, topic, push: {**relay.message(topic, push), "event": "message_delete"},
        lambda relay, topic, push: {**relay.message(topic, push), "time": -1},
    ],
)
def test_invalid_relay_message_does_not_block_the_next_push(client, sandbox, relay, shape):
    address = choose(client)
    relay.subscriptions(1)
    sandbox.authenticate("ann")
    relay.tell(shape(relay, topic_of(address), carried(sandbox)["push"]))
    relay.raw(b"")
    relay.raw(b"\xff not JSON")
    send(sandbox, address)
    client.event("notification", state="pending")
    assert len(client.call("notification.list")["notifications"]) == 1


@pytest.mark.parametrize("count", [64 * 1024 + 1, 200_000])
def test_overlong_relay_line_is_skipped(client, sandbox, relay, count):
    address = choose(client)
    relay.subscriptions(1)
    relay.raw(b"x" * count)
    send(sandbox, address)
    client.event("notification", state="pending")
    assert len(relay.streams) == 1


def test_push_arrives_after_a_flood_at_the_relay(client, sandbox, relay):
    """The flood exceeds the messages accepted at once. The subscription restarts at the last accepted message."""
    address = choose(client)
    relay.subscriptions(1)
    relay.break_off()
    relay.wait_closed()
    flood = [relay.message(topic_of(address), "x" * 100) for _ in range(650)]
    for message in flood:
        relay.tell(message)
    send(sandbox, address)
    client.event("notification", state="pending")
    asked = [stream["since"] for stream in relay.streams[2:]]
    assert asked and set(asked) <= {message["id"] for message in flood}


def test_each_owner_gets_its_own_push_address(shared_relayed, sandbox, relay):
    clients, addresses = shared_relayed
    assert len(set(addresses)) == 2
    leave(addresses[1], "nothing that anybody wants")
    send(sandbox, addresses[0], "ann")
    clients[0].event("notification", state="pending")
    assert clients[1].call("notification.list")["notifications"] == []


def test_push_address_is_refused_without_a_relay(daemon, sandbox):
    client = daemon.client()
    flows.pair(client, sandbox)
    assert client.refusal("device.setPushToken", provider="UNIFIEDPUSH").code == 10001


def test_pingam_gets_the_push_address_and_its_pushes_arrive(make_daemon, relay):
    am = PingAM()
    try:
        none = {"platform": None, "platform_key": None}
        client = make_daemon(am_origin=am.url, push_relay=relay.url, **none).start().client()
        client.call("account.enrol", uri=am.enrolment())
        client.subscribe("notification")
        address = choose(client)
        relay.subscriptions(1)
        sent = am.push()
        leave(address, json.dumps(sent))
        push = client.event("notification", state="pending")
        leave(address, json.dumps(sent))
        client.call("notification.approve", notification=push["id"])
        assert am.answers[sent["messageId"]] == "approved"
        # A new enrolment registers the address at once.
        client.call("account.enrol", uri=am.enrolment("eve"))
        assert address in {each["deviceId"] for each in am.devices.values()}
        assert len(client.call("notification.list")["notifications"]) == 1
    finally:
        am.close()


def unread(daemon):
    """Returns the number of stored messages that could not be read yet."""
    with contextlib.closing(sqlite3.connect(f"file:{daemon.directory}/state/mfad.db?mode=ro", uri=True)) as database:
        return database.execute("SELECT count(*) FROM am_unread").fetchone()[0]


def test_pingam_push_received_while_locked_is_read_after_unlock(make_daemon, relay):
    am = PingAM()
    try:
        none = {"platform": None, "platform_key": None}
        daemon = make_daemon(am_origin=am.url, push_relay=relay.url, **none).start()
        client = daemon.client()
        client.call("account.enrol", uri=am.enrolment())
        address = choose(client)
        relay.subscriptions(1)
        client.call("lock.set", pin=PIN)
        sent = am.push(lifetime=600)
        leave(address, json.dumps(sent))
        deadline = time.monotonic() + PATIENCE
        while unread(daemon) == 0:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert client.call("notification.list")["notifications"] == []
        daemon.kill()
        client = daemon.start().client()
        client.subscribe("notification")
        client.call("lock.unlock", pin=PIN)
        push = client.event("notification", state="pending")
        assert push["body"] and unread(daemon) == 0
        client.call("lock.now")
        assert client.refusal("notification.deny", notification=push["id"]).code == 11005
        given = {"method": "pin", "pin": PIN}
        client.call("notification.approve", notification=push["id"], presence=given)
        assert am.answers[sent["messageId"]] == "approved"
    finally:
        am.close()


def test_authctl_prints_the_push_address(client, relayed, relay):
    run = Authctl(relayed.socket).run
    shown = run("push-token", "UNIFIEDPUSH", "--relay")
    assert shown.output.splitlines() == ["pushes can arrive", f"give this address to the sender: {choose(client)}"]
    for wrong in (["FCM", "--relay"], ["UNIFIEDPUSH", "-", "--relay"]):
        assert run("push-token", *wrong).status == 2
