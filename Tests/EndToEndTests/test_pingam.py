"""PingAM enrolments with the real programs and an independently written PingAM server."""

import json
import threading

import pyotp
import pytest

from harness.am_accounts import SEED, answer_of, daemon, take
from harness.authctl import Authctl
from harness.pingam import PATH, PingAM
from harness.programs import wait_until

pytestmark = pytest.mark.flows


def test_pingam_device_is_enrolled_and_answers_pushes(client, am):
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


def test_push_token_set_before_enrolment_is_registered(client, am):
    client.call("device.setPushToken", provider="FCM", token="address-1")
    client.call("account.enrol", uri=am.enrolment())
    (device,) = am.devices.values()
    assert device["deviceId"] == "address-1" and len(am.requests) == 1


def test_combined_enrolment_adds_push_and_passcode(client, am):
    account = client.call("account.enrol", uri=am.enrolment(combined=SEED))
    assert [one["type"] for one in account["authenticators"]] == ["PUSH", "OTP"]
    passcode = client.call("passcode.get", account=account["id"])
    assert passcode["passcode"] == pyotp.TOTP(SEED + "======").at(passcode["validFrom"])
    sent = am.push()
    client.call("notification.approve", notification=take(client, sent)["id"])
    assert answer_of(am, sent) == "approved"


def test_enrolment_uri_works_once(client, am):
    uri = am.enrolment(account="first")
    client.call("account.enrol", uri=uri)
    assert client.refusal("account.enrol", uri=uri).code == 11011
    account = client.call("account.list")["accounts"][0]["id"]
    assert client.refusal("account.remove", account=account).details == {"policy": "sign-on-needed"}
    assert client.call("account.remove", account=account, localOnly=True) == {"remainsOnServer": True}
    assert client.refusal("account.enrol", uri=uri).code == 11009
    assert client.call("account.list") == {"accounts": []}


def test_unacceptable_enrolment_is_refused_without_a_server_request(client, am):
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


def test_enrolment_interrupted_by_a_crash_is_removed_and_logged(daemon, client, am):
    am.held = threading.Event()
    client.begin("account.enrol", uri=am.enrolment())
    wait_until(lambda: am.requests)
    daemon.kill()
    am.held.set()
    am.held = None
    client = daemon.start().client()
    daemon.journal.wait("an enrolment was interrupted")
    assert client.call("account.list") == {"accounts": []}
    client.call("account.enrol", uri=am.enrolment())


def test_pingam_accounts_of_two_owners_are_separate(shared, am):
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


def test_authctl_enrols_at_pingam_and_approves_a_push(daemon, am):
    authctl = Authctl(daemon.socket)
    made = authctl.run("enrol", "-", input=am.enrolment() + "\n")
    assert made.status == 0 and "Acme  bob  pushes" in made.output, made.errors
    sent = am.push()
    taken = authctl.run("notifications", "process", "-", input=json.dumps(sent))
    assert taken.status == 0, taken.errors
    assert authctl.run("approve", "--yes").status == 0
    assert answer_of(am, sent) == "approved"
    refused = authctl.run("enrol", "-", input=am.enrolment(account="x").replace("pushauth", "mfauth") + "\n")
    assert refused.status != 0 and "must be totp or hotp" in refused.errors


def test_account_is_locked_while_its_tampering_policy_is_violated(daemon, client, am, directory):
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


def test_journey_enrols_this_machine_after_user_consent(make_daemon, am):
    client = make_daemon(journey_server=am.url + "/am", issuer=None).start().client()
    step = client.call("login.start", method="journey", journey="Enrol")
    assert [(each["key"], each["kind"]) for each in step["actions"]] == [("enrol", "flow")]
    # The user has not consented yet, so the journey does not advance.
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


def test_enrolment_creates_no_account_if_pingam_fails(client, am):
    am.fails = 1
    assert client.refusal("account.enrol", uri=am.enrolment(combined=SEED)).code == 10003
    am.has_push_service = False
    assert client.refusal("account.enrol", uri=am.enrolment()).details == {"origin": am.url, "status": 404}
    assert client.call("account.list") == {"accounts": []}
