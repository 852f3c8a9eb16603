"""PingAM's enrolments and pushes, through the real programs, judged by a server that was written without them."""

import json
import threading
import time

import pyotp
import pytest

from harness.authctl import Authctl
from harness.client import RPCError
from harness.pingam import PATH, PingAM

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEH"


@pytest.fixture
def daemon(make_daemon, am):
    return make_daemon(am_origin=am.url).start()


@pytest.fixture
def enrolled(client, am):
    """A connection that hears of pushes, of a daemon that the server has enrolled."""
    client.call("account.enrol", uri=am.enrolment())
    client.subscribe("notification")
    return client


def take(client, envelope):
    return client.call("notification.process", payload=envelope)["notification"]


def answer_of(am, envelope):
    return am.answers.get(envelope["messageId"])


def test_a_device_is_enrolled_and_answers(client, am):
    account = client.call("account.enrol", uri=am.enrolment())
    assert (account["kind"], account["issuer"], account["label"]) == ("PUSH_AM", "Acme", "bob")
    assert [one["type"] for one in account["authenticators"]] == ["PUSH"]
    assert client.call("account.list")["accounts"] == [account]
    (device,) = am.devices.values()
    assert (device["deviceType"], device["communicationType"]) == ("linux", "gcm")
    for decide, state in (("approve", "approved"), ("deny", "denied")):
        sent = am.push()
        push = take(client, sent)
        assert (push["state"], push["account"], push["body"]) == ("pending", account["id"], "Login attempt from bob at Acme")
        assert client.call(f"notification.{decide}", notification=push["id"])["notification"]["state"] == state
        assert answer_of(am, sent) == state
    assert [(path, headers.get("Cookie")) for path, headers, _ in am.requests] == [
        (f"{PATH}?_action=register", "amlbcookie=01"), *[(f"{PATH}?_action=authenticate", "amlbcookie=02")] * 2]


def test_an_address_for_pushes_can_be_chosen_first(client, am):
    client.call("device.setPushToken", provider="FCM", token="address-1")
    client.call("account.enrol", uri=am.enrolment())
    (device,) = am.devices.values()
    assert device["deviceId"] == "address-1" and len(am.requests) == 1


def test_both_halves_are_enrolled_at_once(client, am):
    account = client.call("account.enrol", uri=am.enrolment(combined=SEED))
    assert [one["type"] for one in account["authenticators"]] == ["PUSH", "OTP"]
    passcode = client.call("passcode.get", account=account["id"])
    assert passcode["passcode"] == pyotp.TOTP(SEED + "======").at(passcode["validFrom"])
    sent = am.push()
    client.call("notification.approve", notification=take(client, sent)["id"])
    assert answer_of(am, sent) == "approved"


@pytest.mark.parametrize("shape", ["map", "aps", "text", "relay"])
def test_every_transport_brings_the_same_push_once(enrolled, am, shape):
    sent = am.push()
    payload = {
        "map": sent,
        "aps": {"aps": {"alert": "x", "category": "authentication", "messageId": sent["messageId"], "data": sent["message"]}},
        "text": json.dumps(sent),
        "relay": {"v": 1, **sent, "sentAt": 1},
    }[shape]
    push = take(enrolled, payload)
    assert enrolled.event("notification") == push
    assert take(enrolled, sent) == push and take(enrolled, payload) == push
    assert [one["id"] for one in enrolled.call("notification.list")["notifications"]] == [push["id"]]


def test_a_number_is_chosen(enrolled, am):
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


def test_an_older_server_does_not_tell_that_a_number_was_wrong(enrolled, am):
    am.tells_wrong_numbers = False
    sent = am.push(numbers=([13, 57, 88], 57))
    approved = enrolled.call("notification.approve", notification=take(enrolled, sent)["id"], number=13)
    assert approved["notification"]["state"] == "approved" and answer_of(am, sent) == "wrong"


def test_a_wrong_number_is_asked_for_again_on_a_terminal(enrolled, daemon, am):
    push = take(enrolled, am.push(numbers=([13, 57, 88], 57)))
    with Authctl(daemon.socket).terminal("approve", push["id"]) as terminal:
        terminal.expect("number shown where you sign on")
        terminal.sendline("88")
        terminal.expect("not the number shown")
        terminal.sendline("57")
        terminal.expect("approved")


def test_what_wants_a_person_recognized_can_only_be_denied(enrolled, am):
    sent = am.push(k="biometric")
    push = take(enrolled, sent)
    error = enrolled.refusal("notification.approve", notification=push["id"])
    assert (error.code, error.details) == (11019, {"methods": []}) and answer_of(am, sent) is None
    enrolled.call("notification.deny", notification=push["id"])
    assert answer_of(am, sent) == "denied"


def test_a_button_of_what_cannot_be_read_wants_the_pin(enrolled, am):
    enrolled.call("lock.set", pin="280491")
    sent = am.push()
    for _ in range(2):
        assert enrolled.refusal("notification.act", action="deny", payload=sent).code == 11005
    enrolled.call("lock.unlock", pin="280491")
    (push,) = enrolled.call("notification.list")["notifications"]
    assert push["state"] == "pending" and answer_of(am, sent) is None
    assert enrolled.call("notification.act", action="deny", payload=sent)["notification"]["state"] == "denied"
    assert answer_of(am, sent) == "denied"


def test_pushes_of_nobody_are_refused(enrolled, am):
    sent = am.push()
    head, body, signature = sent["message"].split(".")
    other = am.push()["message"].split(".")
    for text in (f"{head}.{body}.{other[2]}", f"{head}.{other[1]}.{signature}", f"{head}.{body}.", f"{head}.{body}.AAAA"):
        assert enrolled.refusal("notification.process", payload={**sent, "message": text}).code == 11009
    for payload in ("hello", {"message": sent["message"]}, {**sent, "message": "non-jwt"}, {**sent, "messageId": "a b"}):
        assert enrolled.refusal("notification.process", payload=payload).code == 10002
    assert enrolled.call("notification.list") == {"notifications": []}


def test_a_push_that_came_too_late_is_over(enrolled, am):
    push = take(enrolled, am.push(age=200))
    assert push["state"] == "expired"
    assert enrolled.refusal("notification.approve", notification=push["id"]).code == 10009
    assert take(enrolled, am.push(lifetime=30))["timeoutDuration"] == 30


def test_a_server_that_waits_no_longer_refuses(enrolled, am):
    sent = am.push()
    am.forget(sent)
    push = take(enrolled, sent)
    error = enrolled.refusal("notification.approve", notification=push["id"])
    assert (error.code, error.cause, error.details) == (10003, "http", {"origin": am.url, "status": 400})
    assert enrolled.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"


def test_an_enrolment_works_once(client, am):
    uri = am.enrolment(account="first")
    client.call("account.enrol", uri=uri)
    assert client.refusal("account.enrol", uri=uri).code == 11011
    account = client.call("account.list")["accounts"][0]["id"]
    assert client.refusal("account.remove", account=account).details == {"policy": "sign-on-needed"}
    assert client.call("account.remove", account=account, localOnly=True) == {"remainsOnServer": True}
    assert client.refusal("account.enrol", uri=uri).code == 11009
    assert client.call("account.list") == {"accounts": []}


def test_what_the_server_need_not_be_asked_for(client, am):
    elsewhere = PingAM()
    try:
        error = client.refusal("account.enrol", uri=elsewhere.enrolment())
        assert (error.code, error.details) == (11023, {"key": "am_origin"}) and not elsewhere.requests
    finally:
        elsewhere.close()
    error = client.refusal("account.enrol", uri=am.enrolment(policies={"biometricAvailable": {}, "another": {}}))
    assert (error.code, error.details) == (11022, {"policy": "biometricAvailable"})
    assert client.refusal("account.enrol", uri=am.enrolment(combined="A")).code == -32602
    assert not am.requests and client.call("account.list") == {"accounts": []}
    client.call("account.enrol", uri=am.enrolment(policies={"another": {}}))


def test_a_server_that_fails_enrols_nothing(client, am):
    am.fails = 1
    assert client.refusal("account.enrol", uri=am.enrolment(combined=SEED)).code == 10003
    am.has_push_service = False
    assert client.refusal("account.enrol", uri=am.enrolment()).details == {"origin": am.url, "status": 404}
    assert client.call("account.list") == {"accounts": []}


def test_what_waits_outlives_the_program(daemon, client, am):
    client.call("account.enrol", uri=am.enrolment(combined=SEED))
    sent = am.push()
    push = take(client, sent)
    daemon.kill()
    client = daemon.start().client()
    assert take(client, sent)["id"] == push["id"]
    client.call("notification.approve", notification=push["id"])
    assert answer_of(am, sent) == "approved"


def test_a_decision_on_its_way_is_sent_again_after_a_crash(daemon, client, am):
    """A server cannot be asked where a push stands: to one that still waits, the same once more is the same."""
    client.call("account.enrol", uri=am.enrolment())
    for is_forgotten, state in ((False, "denied"), (True, "expired")):
        sent = am.push()
        push = take(client, sent)
        count, am.held = len(am.requests), threading.Event()
        client.begin("notification.deny", notification=push["id"])
        wait(lambda: len(am.requests) > count)
        daemon.kill()
        held, am.held = am.held, None
        held.set()
        wait(lambda: answer_of(am, sent) == "denied")
        if is_forgotten:
            am.forget(sent)
        client = daemon.start().client()
        wait(lambda: client.call("notification.get", notification=push["id"])["notification"]["state"] == state)


def test_an_enrolment_that_a_crash_broke_off_is_gone_and_told(daemon, client, am):
    am.held = threading.Event()
    client.begin("account.enrol", uri=am.enrolment())
    wait(lambda: am.requests)
    daemon.kill()
    am.held.set()
    am.held = None
    client = daemon.start().client()
    daemon.journal.wait("an enrolment was broken off")
    assert client.call("account.list") == {"accounts": []}
    client.call("account.enrol", uri=am.enrolment())


def test_13_nothing_secret_is_in_the_journal(daemon, client, am):
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


def test_accounts_of_two_owners_do_not_meet(shared, am):
    daemon, connect = shared
    from harness import users

    daemon.configure(socket=daemon.socket, socket_group=users.GROUP, am_origin=am.url)
    daemon.stop()
    daemon.start()
    ann, bob = connect(users.ANN_UID), connect(users.BOB_UID)
    ann.call("account.enrol", uri=am.enrolment("ann"))
    bob.call("account.enrol", uri=am.enrolment("bob"))
    assert bob.refusal("notification.process", payload=am.push("ann")).code == 11009
    assert take(bob, am.push("bob"))["state"] == "pending"


def test_authctl_enrols_and_approves(daemon, am):
    authctl = Authctl(daemon.socket)
    made = authctl.run("enrol", "-", input=am.enrolment() + "\n")
    assert made.status == 0 and "PUSH_AM" in made.output, made.errors
    sent = am.push()
    taken = authctl.run("notifications", "process", "-", input=json.dumps(sent))
    assert taken.status == 0, taken.errors
    assert authctl.run("approve", "--yes").status == 0
    assert answer_of(am, sent) == "approved"
    refused = authctl.run("enrol", "-", input=am.enrolment(account="x").replace("pushauth", "mfauth") + "\n")
    assert refused.status != 0 and "must be totp or hotp" in refused.errors


def test_a_policy_closes_an_account_while_the_machine_does_not_meet_it(daemon, client, am, directory):
    policies = {"deviceTampering": {"score": 1.0}}
    account = client.call("account.enrol", uri=am.enrolment(combined=SEED, policies=policies))["id"]
    push = take(client, am.push())["id"]
    state = directory / "state"
    daemon.kill()
    state.chmod(0o777)
    client = daemon.start().client()
    (listed,) = client.call("account.list")["accounts"]
    assert (listed["locked"], listed["lock"]) == (True, {"policy": "deviceTampering"})
    for method, params in (
        ("passcode.get", {"account": account}), ("account.rename", {"account": account, "nickname": "x"}),
        ("notification.approve", {"notification": push}), ("notification.deny", {"notification": push}),
    ):
        error = client.refusal(method, **params)
        assert (error.code, error.details) == (11014, {"policy": "deviceTampering"}), method
    assert client.refusal("account.enrol", uri=am.enrolment("ann", policies=policies)).details == {"policy": "deviceTampering"}
    daemon.kill()
    state.chmod(0o700)
    client = daemon.start().client()
    assert not client.call("account.list")["accounts"][0]["locked"]
    client.call("notification.deny", notification=push)


def test_a_journey_enrols_this_machine_when_its_person_says_so(make_daemon, am):
    client = make_daemon(journey_server=am.url + "/am", issuer=None).start().client()
    step = client.call("login.start", method="journey", journey="Enrol")
    assert [(each["key"], each["kind"]) for each in step["actions"]] == [("enrol", "flow")]
    # Nobody has said it yet: the journey waits.
    step = client.call("login.next", login=step["login"])
    assert step["node"] == "continue" and not am.devices
    step = client.call("login.next", login=step["login"], action="enrol")
    assert step["node"] == "continue" and not step.get("actions")
    assert [each["user"] for each in am.devices.values()] == ["bob"]
    (account,) = client.call("account.list")["accounts"]
    assert (account["kind"], account["label"]) == ("PUSH_AM", "bob")
    assert client.call("login.next", login=step["login"])["node"] == "success"
    assert client.call("audit.list")["entries"][0]["method"] != "account.enrol"
    assert "account.enrol" in [entry["method"] for entry in client.call("audit.list")["entries"]]


def test_servers_hear_of_another_transport(make_daemon, am):
    """Also without any platform, and after a start if they could not be reached before."""
    daemon = make_daemon(am_origin=am.url, platform=None, platform_key=None).start()
    client = daemon.client()
    for user in ("ann", "bob"):
        client.call("account.enrol", uri=am.enrolment(user))
    assert {each["deviceId"] for each in am.devices.values()} == set(am.devices)
    report = client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/1")
    assert report == {"pushEnabled": True, "errors": []}
    wait(lambda: {each["deviceId"] for each in am.devices.values()} == {"https://push.example/1"})
    am.fails = 1000
    client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/2")
    daemon.kill()
    am.fails = 0
    daemon.start()
    wait(lambda: {each["deviceId"] for each in am.devices.values()} == {"https://push.example/2"})
    daemon.client().call("account.enrol", uri=am.enrolment("eve"))
    assert {each["deviceId"] for each in am.devices.values()} == {"https://push.example/2"}


def wait(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to be"
        time.sleep(0.02)
