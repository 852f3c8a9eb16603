"""Push settings: provider, permission, and the push test."""

from harness import flows
from harness.authctl import Authctl

NAMES = [
    "tokenType", "allowNotification", "token", "notificationsSetting", "backgroundSetting", "connectivity",
    "categories", "testPush", "setPushPayloadToSDK",
]  # fmt: skip


def is_enabled(sandbox, user="ann"):
    """Returns true if PingOne would send pushes to the user's only device."""
    (device,) = sandbox.devices(user)
    return device["pushEnabled"]


def is_polling(client):
    return client.call("service.status")["owner"]["polling"]


def results(report):
    return {test["name"]: test["result"] for test in report["tests"]}


def test_pushes_are_enabled_if_allowed_and_polling_or_a_token_is_set(paired, sandbox):
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


def test_unsent_push_setting_is_sent_after_a_restart(make_daemon, sandbox):
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
    daemon.journal.wait("the platform knows the push channel")
    assert not is_enabled(sandbox)
    assert not is_polling(daemon.client())


def test_test_push_arrives(paired, sandbox):
    report = paired.call("device.testPush")
    assert [test["name"] for test in report["tests"]] == NAMES
    assert all(test["description"] for test in report["tests"])
    assert set(results(report).values()) == {"pass"} and report["result"] == "pass"
    push = paired.event("notification", type="test")
    assert push["state"] != "pending" and "answer" not in push
    assert paired.call("notification.list", state="pending") == {"notifications": []}
    assert paired.refusal("notification.approve", notification=push["id"]).code == 11003
    assert paired.call("device.testPush", geo=flows.GEO)["result"] == "pass"


def test_push_test_warns_if_no_client_is_subscribed(client, sandbox):
    flows.pair(client, sandbox)
    report = client.call("device.testPush")
    assert results(report)["notificationsSetting"] == "warning" and report["result"] == "warning"


def test_authctl_configures_and_tests_the_push_channel(make_daemon, sandbox):
    daemon = make_daemon().start()
    client = daemon.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    authctl = Authctl(daemon.socket)
    token = authctl.run("push-token", "fcm", "-", input="token-1\n")
    assert (token.status, token.output) == (0, "pushes can arrive\n")
    assert not is_polling(client)
    assert authctl.run("push", "off", "--json").json == {"pushEnabled": False, "errors": []}
    assert authctl.run("push", "on").status == 0
    assert authctl.run("push-token", "POLL").status == 0
    tested = authctl.run("test-push")
    assert tested.status == 0 and len(tested.output.splitlines()) == len(NAMES)
    authctl.run("push", "off")
    failed = authctl.run("test-push", "--json")
    assert failed.status == 1 and failed.json["error"]["data"]["details"]["result"] == "fail"


def test_push_test_reports_the_failed_check_and_can_be_repeated(paired, sandbox):
    sandbox.fault("/device/v1/push-test", status=503)
    report = paired.call("device.testPush")
    assert report["result"] == "fail" and results(report)["testPush"] == "fail"
    paired.call("device.setPushAllowed", allowed=False)
    report = paired.call("device.testPush")
    assert results(report)["allowNotification"] == results(report)["backgroundSetting"] == "fail"
    paired.call("device.setPushAllowed", allowed=True)
    assert paired.call("device.testPush")["result"] == "pass"
