"""Reports for an organization's support: their contents, and secrets that they never contain."""

import json
import re

import pytest

from harness import flows
from harness.authctl import Authctl

CANARY = "canary7"


def request_logs(sandbox, user="ann"):
    """Requests the logs of a user's device, like an administrator."""
    (device,) = sandbox.devices(user)
    return sandbox.request("PUT", f"{sandbox.user_path(user)}/devices/{device['id']}/logs", {"status": "PENDING"})


def state_of_logs(sandbox, user="ann"):
    (device,) = sandbox.devices(user)
    return device["logs"]["status"]


def received(sandbox):
    """Returns the reports that PingOne received, oldest first."""
    return [report["text"] for report in sandbox.request("GET", "/sandbox/logs")["logs"]]


def test_report_contains_settings_status_and_events(paired, sandbox):
    identifier = paired.call("device.sendLogs")["supportId"]
    (report,) = received(sandbox)
    assert identifier
    for text in ("mfad=", "major=1", "require_number=no", "accounts=1", "provider=POLL", "polling=yes", " paired geo="):
        assert text in report, text
    assert len(report) <= 32 * 1024


def test_requested_logs_are_sent_at_the_next_contact(paired, daemon, sandbox):
    assert request_logs(sandbox)["logs"]["status"] == "PENDING"
    since = daemon.journal.count
    paired.call("device.info")
    daemon.journal.wait("logs were sent", since)
    assert state_of_logs(sandbox) == "RECEIVED" and len(received(sandbox)) == 1


def test_requested_logs_are_sent_at_start(make_daemon, sandbox):
    daemon = make_daemon().start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    request_logs(sandbox)
    daemon.start()
    daemon.journal.wait("logs were sent")
    assert state_of_logs(sandbox) == "RECEIVED"


def test_allow_log_requests_no_prevents_requested_logs(make_daemon, sandbox):
    daemon = make_daemon(allow_log_requests="no").start()
    client = daemon.client()
    flows.pair(client, sandbox)
    request_logs(sandbox)
    client.call("device.info")
    client.call("device.testPush")
    assert state_of_logs(sandbox) == "PENDING" and received(sandbox) == []
    # The owner can still send logs, which completes the request.
    client.call("device.sendLogs")
    assert state_of_logs(sandbox) == "RECEIVED"


def test_rejected_token_is_only_in_the_report_of_its_owner(two, sandbox):
    first, second = two
    assert first.refusal("pairing.processIdToken", idToken="e30.e30.AA").code == 11009
    for client in (first, second):
        client.call("device.sendLogs")
    mine, theirs = received(sandbox)
    assert "an ID token was rejected" in mine and "an ID token was rejected" not in theirs


def test_sending_logs_fails_before_configuration(client):
    assert client.refusal("device.sendLogs").code == 10018


def test_sending_logs_fails_if_the_platform_refuses_them(paired, sandbox):
    sandbox.fault("/device/v1/logs", count=1, status=503)
    assert paired.refusal("device.sendLogs").code == 10003
    assert paired.call("device.sendLogs")["supportId"]


def test_authctl_send_logs_prints_only_the_support_id(daemon, sandbox):
    flows.pair(daemon.client(), sandbox)
    outcome = Authctl(daemon.socket).run("send-logs")
    assert outcome.status == 0 and len(outcome.output.split()) == 1


def walk(client, sandbox):
    """Uses all main functions, with a canary in every foreign text; returns all secrets that occurred."""
    secrets = [CANARY, *(user["password"] for user in sandbox.users.values())]
    secrets += [user["id"] for user in sandbox.users.values()] + [sandbox.environment]
    key = sandbox.pairing_key("ann")
    client.call("device.configure", geo=flows.GEO)
    account = client.call("pairing.pair", pairingKey=key)["account"]
    secrets += [key, account]
    wrong = client.call("login.start", method="signon")
    client.call("login.next", login=wrong["login"], values={"username": CANARY, "password": CANARY})
    pairing = flows.sign_on(client, sandbox, "bob")["pairing"]
    bob = client.call("pairing.approve", pairing=pairing["id"])["account"]
    secrets += [bob, pairing["id"]]
    for method, params in (
        ("pairing.pair", {"pairingKey": CANARY}),
        ("pairing.processIdToken", {"idToken": f"eyJ{CANARY}.eyJ{CANARY}.x"}),
        ("notification.process", {"payload": {"data": CANARY}}),
        ("authentication.start", {"code": CANARY}),
        ("login.next", {"login": CANARY, "values": {CANARY: CANARY}}),
        (CANARY, {}),
    ):
        assert client.refusal(method, **params)
    client.call("account.rename", account=account, nickname=CANARY)
    variables = {"title": f"{CANARY} title", "body": f"{CANARY} body"}
    for answer in ("approve", "deny"):
        context = {"header": CANARY, CANARY: [CANARY]}
        _, push = flows.push(client, sandbox, template={"variables": variables}, clientContext=context)
        client.call(f"notification.{answer}", notification=push["id"])
        secrets.append(push["id"])
    made = sandbox.code()
    claimed = client.call("authentication.start", code=made["code"])
    client.call("authentication.approve", authentication=claimed["id"], userId=sandbox.users["ann"]["id"])
    secrets += [made["code"], claimed["id"]]
    for owned in (account, bob):
        secrets.append(client.call("passcode.get", account=owned)["passcode"])
    payload = client.call("payload.generate")["mobilePayload"]
    secrets += payload.split(".")
    client.call("device.setPushToken", provider="FCM", token=f"{CANARY}-token")
    client.call("device.setPushToken", provider="POLL")
    client.call("device.testPush")
    client.call("device.info")
    return secrets


@pytest.mark.slow
def test_reports_and_journal_contain_no_secrets_and_no_foreign_text(make_daemon, sandbox):
    daemon = make_daemon(log_level="debug").start()
    client = daemon.client()
    client.subscribe("notification")
    secrets = walk(client, sandbox)
    client.call("device.sendLogs")
    request_logs(sandbox)
    since = daemon.journal.count
    client.call("device.info")
    daemon.journal.wait("logs were sent", since)
    reports = received(sandbox)
    assert len(reports) == 2 and all(" paired geo=" in report for report in reports)
    secrets += [str(daemon.directory), "eyJ", json.dumps(sandbox.announcement["adminToken"])]
    for text in reports:
        for secret in [*secrets, sandbox.url, "/", "uid="]:
            assert secret not in text, secret
        assert not re.search(r"\b(ann|bob)\b", text)
    journal = str(daemon.journal)
    for secret in secrets:
        # The local journal may contain paths.
        if secret != str(daemon.directory):
            assert secret not in journal, secret
