"""PingAM pushes through the real programs, checked by an independent server."""

import json
import threading

from harness.am_accounts import SEED, answer_of, daemon, enrolled, take
from harness.authctl import Authctl
from harness.programs import wait_until


def test_push_submitted_in_every_format_is_stored_once(enrolled, am):
    sent = am.push()
    push = take(enrolled, {"v": 1, **sent, "sentAt": 1})
    assert enrolled.event("notification") == push
    for payload in (
        sent,
        {"aps": {"alert": "x", "category": "authentication", "messageId": sent["messageId"], "data": sent["message"]}},
        json.dumps(sent),
        {"v": 1, **sent, "sentAt": 1},
    ):
        assert take(enrolled, payload) == push
    assert [one["id"] for one in enrolled.call("notification.list")["notifications"]] == [push["id"]]


def test_approval_requires_the_right_number_of_the_offered_ones(enrolled, am):
    sent = am.push(numbers=([13, 57, 88], 57))
    push = take(enrolled, sent)
    assert push["numberMatching"] == {"type": "SELECT_NUMBER", "options": [13, 57, 88]}
    assert enrolled.refusal("notification.approve", notification=push["id"]).code == 11007
    assert enrolled.refusal("notification.approve", notification=push["id"], number=14).code == 11008
    assert len(am.requests) == 1
    assert enrolled.refusal("notification.approve", notification=push["id"], number=13).code == 11008
    assert enrolled.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"
    enrolled.call("notification.approve", notification=push["id"], number=57)
    assert answer_of(am, sent) == "approved"
    other = am.push(numbers=([13, 57, 88], 57))
    enrolled.call("notification.deny", notification=take(enrolled, other)["id"])
    assert answer_of(am, other) == "denied"


def test_older_server_accepts_a_wrong_number_without_reporting_it(enrolled, am):
    am.tells_wrong_numbers = False
    sent = am.push(numbers=([13, 57, 88], 57))
    approved = enrolled.call("notification.approve", notification=take(enrolled, sent)["id"], number=13)
    assert approved["notification"]["state"] == "approved" and answer_of(am, sent) == "wrong"


def test_authctl_approve_asks_again_after_a_wrong_number(enrolled, daemon, am):
    push = take(enrolled, am.push(numbers=([13, 57, 88], 57)))
    with Authctl(daemon.socket).terminal("approve", push["id"]) as terminal:
        terminal.expect("number shown where you sign on")
        terminal.sendline("88")
        terminal.expect("does not match the sign-on page")
        terminal.sendline("57")
        terminal.expect("approved")


def test_approval_fails_and_stays_pending_if_the_server_forgot_the_push(enrolled, am):
    sent = am.push()
    am.forget(sent)
    push = take(enrolled, sent)
    error = enrolled.refusal("notification.approve", notification=push["id"])
    assert (error.code, error.cause, error.details) == (10003, "http", {"origin": am.url, "status": 400})
    assert enrolled.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"


def test_pending_push_survives_a_crash(daemon, client, am):
    client.call("account.enrol", uri=am.enrolment(combined=SEED))
    sent = am.push()
    push = take(client, sent)
    daemon.kill()
    client = daemon.start().client()
    assert take(client, sent)["id"] == push["id"]
    client.call("notification.approve", notification=push["id"])
    assert answer_of(am, sent) == "approved"


def test_decision_in_flight_is_sent_again_after_a_crash(daemon, client, am):
    """The server does not report the state of a push. Repeating a decision is harmless while the push is pending."""
    client.call("account.enrol", uri=am.enrolment())
    for is_forgotten, state in ((False, "denied"), (True, "expired")):
        sent = am.push()
        push = take(client, sent)
        count, am.held = len(am.requests), threading.Event()
        client.begin("notification.deny", notification=push["id"])
        wait_until(lambda: len(am.requests) > count)
        daemon.kill()
        held, am.held = am.held, None
        held.set()
        wait_until(lambda: answer_of(am, sent) == "denied")
        if is_forgotten:
            am.forget(sent)
        client = daemon.start().client()
        wait_until(lambda: client.call("notification.get", notification=push["id"])["notification"]["state"] == state)


def test_13_journal_contains_no_secrets(daemon, client, am):
    uri = am.enrolment(combined=SEED)
    client.call("account.enrol", uri=uri)
    sent = am.push()
    push = take(client, sent)
    client.refusal("notification.process", payload={**sent, "message": sent["message"][:-4] + "AAAA"})
    client.call("notification.approve", notification=push["id"])
    client.refusal("account.enrol", uri=uri + "&c=twice")
    (device,) = am.devices.values()
    journal = str(daemon.journal)
    for secret in (SEED, "pushauth:", "mfauth:", sent["message"], sent["messageId"], device["mechanismUid"], "amlbcookie", "bob"):
        assert secret not in journal
    for part in uri.split("?")[1].split("&"):
        value = part.split("=", 1)[1]
        assert len(value) < 8 or value not in journal


def test_new_push_address_is_sent_to_all_servers(make_daemon, am):
    """Works without a platform. After a restart, the daemon retries servers that were unreachable."""
    daemon = make_daemon(am_origin=am.url, platform=None, platform_key=None).start()
    client = daemon.client()
    for user in ("ann", "bob"):
        client.call("account.enrol", uri=am.enrolment(user))
    assert {each["deviceId"] for each in am.devices.values()} == set(am.devices)
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/1")
    assert report == {"pushEnabled": True, "errors": []}
    wait_until(lambda: {each["deviceId"] for each in am.devices.values()} == {"https://push.example/1"})
    am.fails = 1000
    client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/2")
    daemon.kill()
    am.fails = 0
    daemon.start()
    wait_until(lambda: {each["deviceId"] for each in am.devices.values()} == {"https://push.example/2"})
    daemon.client().call("account.enrol", uri=am.enrolment("eve"))
    assert {each["deviceId"] for each in am.devices.values()} == {"https://push.example/2"}
