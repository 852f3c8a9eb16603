"""`device.setPushToken` with UNIFIEDPUSH: the subscription at the relay lasts while its owner allows pushes."""

import os
import signal

from harness.push_relay import choose, client, relayed, send, topic_of


def test_pushes_missed_while_disconnected_are_taken_once(client, sandbox, relay):
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
    # The relay repeats all messages since then, followed by the new one.
    send(sandbox, address)
    assert client.event("notification", state="pending")["id"] != push["id"]
    assert len(client.call("notification.list")["notifications"]) == 2


def test_subscription_is_retried_if_the_relay_refuses(client, sandbox, relay):
    relay.status = 429
    address = choose(client)
    relay.subscriptions(2)
    relay.status = 200
    send(sandbox, address)
    client.event("notification", state="pending")


def test_push_address_is_kept_until_another_provider_is_chosen(client, relayed, relay):
    address = choose(client)
    assert choose(client) == address
    relay.subscriptions(1)
    assert client.call("device.setPushToken", provider="POLL").get("address") is None
    relay.wait_closed()
    assert choose(client) != address


def test_subscription_ends_if_pushes_are_disallowed(client, relay):
    address = choose(client)
    relay.subscriptions(1)
    assert client.call("device.setPushAllowed", allowed=False)["pushEnabled"] is False
    relay.wait_closed()
    assert client.call("device.setPushAllowed", allowed=True)["address"] == address


def test_subscription_is_resumed_after_a_restart(client, relayed, sandbox, relay):
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


def test_subscription_is_resumed_if_the_courier_dies(client, relayed, sandbox, relay):
    address = choose(client)
    relay.subscriptions(1)
    (courier,) = relayed.process.children
    os.kill(courier, signal.SIGKILL)
    relay.subscriptions(2)
    send(sandbox, address)
    client.event("notification", state="pending")


def test_subscription_ends_if_the_relay_is_removed_from_the_configuration(client, relayed, relay):
    address = choose(client)
    relay.subscriptions(1)
    relayed.configure()
    relayed.process.signal(signal.SIGHUP)
    relay.wait_closed()
    relayed.configure(push_relay=relay.url)
    relayed.process.signal(signal.SIGHUP)
    assert relay.subscriptions(2)[1]["topic"] == topic_of(address)


def test_only_addresses_at_the_configured_relay_are_subscribed(client, relay):
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/topic")
    assert report == {"pushEnabled": True, "errors": []}
    # An address at the relay is subscribed even if the owner chose it.
    mine = f"{relay.url}/my-topic"
    assert client.call("device.setPushToken", provider="UNIFIEDPUSH", token=mine)["address"] == mine
    assert [stream["topic"] for stream in relay.subscriptions(1)] == ["my-topic"]
