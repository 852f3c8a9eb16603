"""How pushes come: by which provider, whether at all, and whether they arrive."""

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.programs import PATIENCE

NAMES = [
    "tokenType", "allowNotification", "token", "notificationsSetting", "backgroundSetting", "connectivity",
    "categories", "testPush", "setPushPayloadToSDK",
]  # fmt: skip


def is_enabled(sandbox, user="ann"):
    """Whether PingOne would send pushes to the only device of a user."""
    (device,) = sandbox.devices(user)
    return device["pushEnabled"]


def is_polling(client):
    return client.call("service.status")["owner"]["polling"]


def results(report):
    return {test["name"]: test["result"] for test in report["tests"]}


def test_pushes_are_enabled_when_allowed_and_fetched_or_a_token_is_there(paired, sandbox):
    assert is_enabled(sandbox) and is_polling(paired)
    steps = [
        ("device.setPushToken", {"provider": "FCM", "token": "t-1"}, True, False),
        ("device.setPushAllowed", {"allowed": False}, False, False),
        ("device.setPushToken", {"provider": "POLL"}, False, False),
        ("device.setPushAllowed", {"allowed": True}, True, True),
        ("device.setPushToken", {"provider": "APNS", "token": "t-2", "environment": "sandbox"}, True, False),
        ("device.setPushToken", {"provider": "POLL"}, True, True),
    ]
    for method, params, enabled, polling in steps:
        assert paired.call(method, **params) == {"pushEnabled": enabled, "errors": []}
        assert is_enabled(sandbox) is enabled
        assert is_polling(paired) is polling


def test_a_machine_that_wants_no_pushes_gets_none_until_it_wants_them_again(paired, sandbox):
    paired.call("device.setPushAllowed", allowed=False)
    assert sandbox.authenticate("ann")["status"] == "OTP_REQUIRED"
    paired.call("device.setPushAllowed", allowed=True)
    flows.push(paired, sandbox)


@pytest.mark.parametrize("provider", ["FCM", "APNS", "HMS", "WEBPUSH", "UNIFIEDPUSH"])
def test_a_provider_needs_its_token(paired, provider):
    for params in ({}, {"token": ""}):
        error = paired.refusal("device.setPushToken", provider=provider, **params)
        assert (error.code, error.reason) == (10001, "DEVICE_TOKEN_IS_MISSING")
    assert is_polling(paired)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"provider": "SMS"},
        {"provider": "POLL", "token": "t"},
        {"provider": "FCM", "token": 1},
        {"provider": "FCM", "token": "x" * 4097},
        {"provider": "FCM", "token": "t", "environment": "production"},
        {"provider": "APNS", "token": "t", "environment": "test"},
    ],
    ids=str,
)
def test_what_is_no_channel_changes_nothing(paired, params):
    assert paired.refusal("device.setPushToken", **params).code == -32602
    assert is_polling(paired)


def test_a_channel_that_was_chosen_before_pairing_holds(client, sandbox):
    assert client.refusal("device.setPushToken", provider="FCM", token="t").code == 10018
    client.call("device.configure", geo=flows.GEO)
    client.call("device.setPushToken", provider="FCM", token="t")
    flows.pair(client, sandbox)
    assert is_enabled(sandbox) and not is_polling(client)


def test_a_channel_outlives_the_daemon_and_what_could_not_be_told_is_told_by_itself(make_daemon, sandbox):
    daemon = make_daemon().start()
    client = daemon.client()
    flows.pair(client, sandbox)
    sandbox.fault("/device/v1/push", count=1, status=503)
    report = client.call("device.setPushAllowed", allowed=False)
    assert report["pushEnabled"] is False
    (error,) = report["errors"]
    assert (error["geo"], error["code"], error["reason"]) == (flows.GEO, 10003, "SERVER_ERROR")
    daemon.kill()
    assert is_enabled(sandbox), "nobody told it"
    daemon.start()
    daemon.journal.wait("the platform knows how pushes come")
    assert not is_enabled(sandbox)
    assert not is_polling(daemon.client())


def test_while_it_runs_it_tells_later_too(make_daemon, sandbox):
    daemon = make_daemon().start()
    client = daemon.client()
    flows.pair(client, sandbox)
    sandbox.fault("/device/v1/push", count=1, dropConnection=True)
    since = daemon.journal.count
    assert len(client.call("device.setPushAllowed", allowed=False)["errors"]) == 1
    daemon.journal.wait("the platform knows how pushes come", since)
    assert not is_enabled(sandbox)


def test_a_test_push_comes_back(paired, sandbox):
    report = paired.call("device.testPush")
    assert [test["name"] for test in report["tests"]] == NAMES
    assert all(test["description"] for test in report["tests"])
    assert set(results(report).values()) == {"pass"} and report["result"] == "pass"
    push = paired.event("notification", type="test")
    assert push["state"] != "pending" and "answer" not in push
    assert paired.call("notification.list", state="pending") == {"notifications": []}
    assert paired.refusal("notification.approve", notification=push["id"]).code == 11003
    assert paired.call("device.testPush", geo=flows.GEO)["result"] == "pass"


def test_a_test_tells_that_nobody_listens(client, sandbox):
    flows.pair(client, sandbox)
    report = client.call("device.testPush")
    assert results(report)["notificationsSetting"] == "warning" and report["result"] == "warning"


def test_a_test_tells_what_is_wrong_and_can_be_made_again(paired, sandbox):
    sandbox.fault("/device/v1/push-test", status=503)
    report = paired.call("device.testPush")
    assert report["result"] == "fail" and results(report)["testPush"] == "fail"
    paired.call("device.setPushAllowed", allowed=False)
    report = paired.call("device.testPush")
    assert results(report)["allowNotification"] == results(report)["backgroundSetting"] == "fail"
    paired.call("device.setPushAllowed", allowed=True)
    assert paired.call("device.testPush")["result"] == "pass"


def test_there_is_one_test_at_a_time(paired, sandbox):
    with sandbox.held():
        first = paired.begin("device.testPush")
        error = paired.refusal("device.testPush")
    assert (error.code, error.reason) == (10016, "TEST_REMOTE_NOTIFICATION_ALREADY_RUNNING")
    assert paired.reply(first)["result"] == "pass"


@pytest.mark.slow
def test_a_push_that_another_program_does_not_hand_in_is_missed(paired):
    paired.call("device.setPushToken", provider="FCM", token="t")
    report = paired.call("device.testPush", 2 * PATIENCE)
    assert results(report)["setPushPayloadToSDK"] == "fail"


def test_there_is_nothing_to_test_without_a_pairing(client):
    assert client.refusal("device.testPush").code == 10018
    client.call("device.configure", geo=flows.GEO)
    assert client.refusal("device.testPush").code == 10008
    assert client.refusal("device.testPush", geo="Europe").code == 10018
    assert client.refusal("device.testPush", geo="Mars").code == -32602


def test_the_command_line_does_all_of_it(make_daemon, sandbox):
    daemon = make_daemon().start()
    client = daemon.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    authctl = Authctl(daemon.socket)
    token = authctl.run("push-token", "fcm", "-", input="token-1\n")
    assert (token.status, token.output) == (0, "pushes can come\n")
    assert not is_polling(client)
    assert authctl.run("push", "off", "--json").json == {"pushEnabled": False, "errors": []}
    assert authctl.run("push", "on").status == 0
    assert authctl.run("push-token", "POLL").status == 0
    tested = authctl.run("test-push")
    assert tested.status == 0 and len(tested.output.splitlines()) == len(NAMES)
    authctl.run("push", "off")
    failed = authctl.run("test-push", "--json")
    assert failed.status == 1 and failed.json["error"]["data"]["details"]["result"] == "fail"
