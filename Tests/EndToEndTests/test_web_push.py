"""`device.setPushToken` with WEBPUSH: pushes encrypted by pywebpush, which the relay cannot read."""

import base64
import contextlib
import json
import secrets
import sqlite3
import time
import urllib.request

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from pywebpush import webpush

from harness import flows
from harness.authctl import Authctl
from harness.jose import b64
from harness.programs import PATIENCE


@pytest.fixture
def enrolled(make_daemon, am, relay):
    """A daemon without a platform, enrolled as the device of a PingAM user."""
    daemon = make_daemon(am_origin=am.url, push_relay=relay.url, platform=None, platform_key=None).start()
    daemon.client().call("account.enrol", uri=am.enrolment())
    return daemon


@pytest.fixture
def client(enrolled):
    client = enrolled.client()
    client.subscribe("notification")
    return client


def choose(client):
    """Chooses Web Push and returns the daemon's subscription."""
    report = client.call("device.setPushToken", provider="WEBPUSH")
    assert report["pushEnabled"] and report["errors"] == [] and "address" not in report
    return report["subscription"]


def send(subscription, push):
    """Sends a push like a delegate in PingAM."""
    webpush(subscription, json.dumps(push), timeout=PATIENCE)


def told(am):
    """Waits until PingAM has a subscription for its only device, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        (device,) = am.devices.values()
        if device["deviceId"].startswith("{"):
            return json.loads(device["deviceId"])
        assert time.monotonic() < deadline, device
        time.sleep(0.02)


def rows(daemon):
    with contextlib.closing(sqlite3.connect(daemon.directory / "state" / "mfad.db")) as database:
        return database.execute("SELECT * FROM web_push").fetchall()


def other_key():
    point = ec.generate_private_key(ec.SECP256R1()).public_key()
    return b64(point.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint))


def test_pingam_push_encrypted_by_pywebpush_is_approved(client, enrolled, am, relay):
    subscription = choose(client)
    assert subscription["endpoint"].startswith(relay.url + "/up")
    assert told(am) == subscription
    relay.subscriptions(1)
    sent = am.push()
    send(told(am), sent)
    push = client.event("notification", state="pending")
    assert [each["id"] for each in client.call("notification.list")["notifications"]] == [push["id"]]
    client.call("notification.approve", notification=push["id"])
    assert am.answers[sent["messageId"]] == "approved"
    (kept,) = relay.messages
    assert kept["encoding"] == "base64" and b"message" not in base64.b64decode(kept["message"])
    text = str(enrolled.journal)
    assert subscription["keys"]["auth"] not in text and subscription["keys"]["p256dh"] not in text
    # A new enrolment registers the subscription at once.
    client.call("account.enrol", uri=am.enrolment("eve"))
    assert {each["deviceId"] for each in am.devices.values() if each["user"] == "eve"} == {json.dumps(subscription, separators=(",", ":"))}


def test_pingone_push_encrypted_by_pywebpush_is_approved(make_daemon, sandbox, relay):
    client = make_daemon(push_relay=relay.url).start().client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    subscription = choose(client)
    relay.subscriptions(1)
    started = sandbox.authenticate("ann")
    carried = sandbox.request("GET", "/sandbox/transport")["carried"][-1]
    assert (carried["provider"], json.loads(carried["token"])) == ("WEBPUSH", subscription)
    webpush(subscription, carried["push"], timeout=PATIENCE)
    client.call("notification.approve", notification=client.event("notification", state="pending")["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def cases(subscription, push):
    """Returns functions that send an invalid message, each with the reason that the daemon logs."""
    keys = subscription["keys"]
    stranger = {**subscription, "keys": {**keys, "p256dh": other_key()}}
    guesser = {**subscription, "keys": {**keys, "auth": b64(secrets.token_bytes(16))}}
    plain = json.dumps(push).encode()
    return [
        (lambda: send(stranger, push), "notOurs"),
        (lambda: send(guesser, push), "notOurs"),
        (lambda: post(subscription, plain), "senderKey"),
        (lambda: post(subscription, b"\xff" * 90), "length"),
        (lambda: post(subscription, b"\xff" * 33_000), "length"),
        (lambda: post(subscription, b"\xff" * 200), "senderKey"),
        # Correctly encrypted, but not a push.
        (lambda: webpush(subscription, "hello", timeout=PATIENCE), "UNRECOGNIZED"),
        (lambda: webpush(subscription, b"\xff\xfe", timeout=PATIENCE), "is not UTF-8 text"),
    ]


def post(subscription, body):
    request = urllib.request.Request(subscription["endpoint"], data=body)
    urllib.request.urlopen(request, timeout=PATIENCE).close()


def test_invalid_web_push_is_refused_and_the_next_valid_one_arrives(client, enrolled, am, relay):
    subscription = choose(client)
    relay.subscriptions(1)
    push = am.push()
    for leave, reason in cases(subscription, push):
        since = enrolled.journal.count
        leave()
        line = enrolled.journal.wait("a push from a relay", since)
        assert line.startswith("<4>") and reason in line, line
    assert client.call("notification.list")["notifications"] == []
    send(subscription, push)
    client.event("notification", state="pending")
    assert len(relay.streams) == 1


def test_web_push_subscription_and_keys_survive_a_crash(client, enrolled, am, relay):
    subscription = choose(client)
    (stored,) = rows(enrolled)
    relay.subscriptions(1)
    enrolled.kill()
    relay.wait_closed()
    send(subscription, am.push())
    enrolled.start()
    again = enrolled.client()
    again.subscribe("notification")
    assert again.call("notification.list")["notifications"] or again.event("notification", state="pending")
    assert choose(again) == subscription and rows(enrolled) == [stored]


def test_web_push_keys_are_erased_if_another_provider_is_chosen(client, enrolled, am, relay):
    first = choose(client)
    assert choose(client) == first
    for other in ({"provider": "UNIFIEDPUSH"}, {"provider": "WEBPUSH", "token": json.dumps(first)}, {"provider": "POLL"}):
        report = client.call("device.setPushToken", **other)
        assert "subscription" not in report and rows(enrolled) == []
    second = choose(client)
    assert second["endpoint"] != first["endpoint"]
    assert not set(second["keys"].values()) & set(first["keys"].values())


def test_erasing_an_owner_erases_its_web_push_keys_and_subscription(client, enrolled, am, relay):
    subscription = choose(client)
    relay.subscriptions(1)
    uid = client.call("service.status")["owner"]["uid"]
    (stored,) = rows(enrolled)
    client.call("owner.erase", uid=uid, confirm=True)
    relay.wait_closed()
    assert rows(enrolled) == []
    for path in (enrolled.directory / "state").iterdir():
        content = path.read_bytes()
        assert not [value for value in stored if isinstance(value, bytes) and value in content], path.name
        assert subscription["keys"]["auth"].encode() not in content, path.name


def test_web_push_subscription_is_kept_while_pushes_are_disallowed(client, relay):
    subscription = choose(client)
    relay.subscriptions(1)
    assert client.call("device.setPushAllowed", allowed=False) == {"pushEnabled": False, "errors": []}
    relay.wait_closed()
    assert client.call("device.setPushAllowed", allowed=True)["subscription"] == subscription
    assert relay.subscriptions(2)[1]["topic"] in subscription["endpoint"]


def test_web_push_subscription_is_refused_without_a_relay(make_daemon, am):
    client = make_daemon(am_origin=am.url, platform=None, platform_key=None).start().client()
    client.call("account.enrol", uri=am.enrolment())
    assert client.refusal("device.setPushToken", provider="WEBPUSH").code == 10001


def test_authctl_prints_the_web_push_subscription(client, enrolled):
    shown = Authctl(enrolled.socket).run("push-token", "WEBPUSH", "--relay")
    first, second, subscription = shown.output.splitlines()
    assert first == "pushes can arrive" and "Web Push library" in second
    assert json.loads(subscription) == choose(client)
