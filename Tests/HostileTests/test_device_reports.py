"""Device reports of the platform: each is applied as a whole or not at all."""

import pytest

from harness.hostile.platform import Platform

NONSENSE = [0, True, "", "x" * 10_000, [], [[]], {}, {"a": {}}, "../..", "a/b"]


def user(identifier="user-ann", device=None, **others):
    device = {"id": "device-there", "pushEnabled": True} | (device or {})
    return {"id": identifier, "username": "ann", "environment": {"id": Platform.ENVIRONMENT}, "device": device} | others


def ask(stage, body):
    stage.platform.forge("GET /info", lambda x: x.answer(200, body))
    return stage.client.call("device.info")


def closed(stage):
    ask(stage, {"users": [user(device={"lock": {"policy": "DEVICE_BLOCKED"}})]})
    (account,) = stage.client.call("account.list")["accounts"]
    assert account["locked"] is True
    return account


REPORTS = {
    "no users": {}, "users of another type": {"users": {"user-ann": user()}}, "null": {"users": None}, "a list": [user()],
    "too many": {"users": [user(f"user-{number}") for number in range(257)]},
    "10,000 of them": {"users": [{"id": f"user-{number}"} for number in range(10_000)]},
    **{f"{member} {str(value)[:9]}": {"users": [user("user-bob"), user() | {member: value}]}
       for member in ("id", "environment", "device") for value in NONSENSE},
    **{f"lock {str(lock)[:36]}": {"users": [user(device={"lock": lock})]}
       for lock in [*NONSENSE, {"policy": 7}, *({"policy": "P", "expiresAt": end} for end in [5, None, "", "tomorrow"])]},
}


def test_malformed_device_report_is_rejected_and_changes_nothing(paired):
    before = closed(paired)
    for name, report in REPORTS.items():
        answer = ask(paired, report)
        assert answer["geos"] == {} and [error["code"] for error in answer["errors"]] == [10003], name
        assert paired.client.call("account.list")["accounts"] == [before], name


def test_account_is_unlocked_if_the_report_contains_no_lock(paired):
    for device in ({}, {"lock": None}):
        closed(paired)
        ask(paired, {"users": [user(device=device)]})
        assert paired.client.call("account.list")["accounts"][0]["locked"] is False


@pytest.mark.parametrize("end", ["0000-01-01T00:00:00Z", "1969-12-31T23:59:59Z", "9999-12-31T23:59:59.999999999Z"])
def test_lock_with_an_extreme_expiry_is_accepted_and_survives_a_restart(paired, end):
    ask(paired, {"users": [user(device={"lock": {"policy": "P", "expiresAt": end}})]})
    (account,) = paired.client.call("account.list")["accounts"]
    assert account["locked"] is end.startswith("9")
    paired.restart()
    assert paired.client.call("account.list")["accounts"] == [account]


def test_duplicate_or_unknown_users_in_a_report_change_nothing(paired):
    before = paired.state()
    answer = ask(paired, {"users": [user(), user("stranger"), user(), user(environment={"id": "elsewhere"})]})
    assert len(answer["geos"]["NorthAmerica"]["users"]) == 4
    assert paired.state() == before


def begin(client, method, **params):
    """Sends a request, and returns when the daemon has started to process it."""
    number = client.begin(method, **params)
    client.call("account.list")
    return client, number


def test_concurrent_removals_send_one_request_and_one_event(paired):
    held = paired.platform.hold("DELETE /users/*")
    paired.client.call("event.subscribe", topics=["account"])
    asked = [begin(paired.connect(), "account.remove", account=paired.account) for _ in range(2)]
    held.next().answer(204)
    assert [client.reply(number) for client, number in asked] == [{"remainsOnServer": False}] * 2
    assert paired.client.call("account.list") == {"accounts": []} and held.empty()
    assert [event["payload"]["state"] for event in paired.client.events] == ["removed"]
