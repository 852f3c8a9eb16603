"""device.setPushToken with UNIFIEDPUSH: the stream at the relay is held as long as its owner wants pushes there."""

import os
import signal

from harness.push_relay import choose, client, relayed, send, topic_of


def test_what_came_while_nobody_listened_is_asked_for_and_taken_once(client, sandbox, relay):
    address = choose(client)
    relay.subscriptions(1)
    relay.break_off()
    relay.wait_closed()
    send(sandbox, address)
    push = client.event("notification", state="pending")
    first, second = relay.subscriptions(2)
    assert int(second["since"]) >= int(first["since"])
    relay.break_off()
    relay.subscriptions(3)
    # Everything since then is told again; what is new comes after it.
    send(sandbox, address)
    assert client.event("notification", state="pending")["id"] != push["id"]
    assert len(client.call("notification.list")["notifications"]) == 2


def test_a_relay_that_refuses_is_asked_again(client, sandbox, relay):
    relay.status = 429
    address = choose(client)
    relay.subscriptions(2)
    relay.status = 200
    send(sandbox, address)
    client.event("notification", state="pending")


def test_an_address_is_kept_until_another_way_is_chosen(client, relayed, relay):
    address = choose(client)
    assert choose(client) == address
    relay.subscriptions(1)
    assert client.call("device.setPushToken", provider="POLL").get("address") is None
    relay.wait_closed()
    assert choose(client) != address


def test_who_does_not_want_pushes_is_not_subscribed(client, relay):
    address = choose(client)
    relay.subscriptions(1)
    assert client.call("device.setPushAllowed", allowed=False)["pushEnabled"] is False
    relay.wait_closed()
    assert client.call("device.setPushAllowed", allowed=True)["address"] == address


def test_after_a_start_the_subscription_is_held_again(client, relayed, sandbox, relay):
    address = choose(client)
    relay.subscriptions(1)
    relayed.stop()
    relay.wait_closed()
    send(sandbox, address)
    relayed.start()
    _, stream = relay.subscriptions(2)
    assert stream["topic"] == topic_of(address)
    again = relayed.client()
    again.subscribe("notification")
    notifications = again.call("notification.list")["notifications"]
    assert notifications or again.event("notification", state="pending")


def test_a_courier_that_dies_is_followed_by_another_subscription(client, relayed, sandbox, relay):
    address = choose(client)
    relay.subscriptions(1)
    (courier,) = relayed.process.children
    os.kill(courier, signal.SIGKILL)
    relay.subscriptions(2)
    send(sandbox, address)
    client.event("notification", state="pending")


def test_a_relay_that_is_not_configured_any_more_is_left(client, relayed, relay):
    address = choose(client)
    relay.subscriptions(1)
    relayed.configure()
    relayed.process.signal(signal.SIGHUP)
    relay.wait_closed()
    relayed.configure(push_relay=relay.url)
    relayed.process.signal(signal.SIGHUP)
    assert relay.subscriptions(2)[1]["topic"] == topic_of(address)


def test_an_address_elsewhere_is_its_owners_own_affair(client, relay):
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/topic")
    assert report == {"pushEnabled": True, "errors": []}
    # One at the relay is listened to, whoever chose it.
    mine = f"{relay.url}/my-topic"
    assert client.call("device.setPushToken", provider="UNIFIEDPUSH", token=mine)["address"] == mine
    assert [stream["topic"] for stream in relay.subscriptions(1)] == ["my-topic"]
