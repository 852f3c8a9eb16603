"""Requests and decisions in the database, changed by an attacker with write access but without the key."""

import contextlib
import sqlite3

import pytest

from harness.tampering import change


def push(stage):
    payload = stage.platform.sign_push(stage.platform.push_claims())
    return stage.client.call("notification.process", payload=payload)["notification"]["id"]


def change_live(stage, *statements):
    with contextlib.closing(sqlite3.connect(stage.daemon.state / "mfad.db", isolation_level=None)) as database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0, statement


def assert_reported(stage, request):
    stage.daemon.journal.wait("a sealed value does not open")
    entries = stage.client.call("audit.list")["entries"]
    assert [entry["target"] for entry in entries if entry["method"] == "daemon.noticeDamage"] == [request]
    database = next(check for check in stage.client.call("service.doctor")["checks"] if check["name"] == "database")
    assert database["result"] == "fail" and database["cause"] == "changed"


CHANGES = {
    "server's id": "UPDATE approval SET foreign_id = 'another'",
    "account": "UPDATE approval SET account = NULL",
    "kind": "UPDATE approval SET kind = 'silent'",
    "approver": "UPDATE approval SET approver = 'am'",
    "source": "UPDATE approval SET source = 'another'",
    "timeout": "UPDATE approval SET timeout = timeout + 1000",
    "receipt": "UPDATE approval SET received_at = received_at + 1000",
    "end": "UPDATE approval SET expires_at = expires_at + 1000000",
    "content": "UPDATE approval SET content = zeroblob(length(content))",
    "decision": "UPDATE approval SET state = 'sending', decision = zeroblob(100)",
}


@pytest.mark.parametrize("way", [change, change_live], ids=["stopped", "running"])
@pytest.mark.parametrize("name", CHANGES)
def test_changed_request_is_not_used_and_is_reported(paired, name, way):
    request = push(paired)
    way(paired, CHANGES[name])
    assert paired.client.call("notification.list")["notifications"] == []
    assert paired.client.refusal("notification.approve", notification=request).reason == "NOT_FOUND"
    assert_reported(paired, request)
    assert paired.platform.decisions == []
    # A later request is decided as before.
    later = push(paired)
    assert paired.client.call("notification.approve", notification=later)["notification"]["state"] == "approved"


def test_state_without_a_decision_is_not_submitted(paired):
    push(paired)
    change(paired, "UPDATE approval SET state = 'sending'")
    paired.client.call("notification.approve", notification=push(paired))
    assert len(paired.platform.decisions) == 1


def test_decision_of_another_request_is_not_submitted(paired):
    approved = push(paired)
    paired.client.call("notification.approve", notification=approved)
    request = push(paired)
    change(
        paired,
        "UPDATE approval SET state = 'sending', decision = (SELECT decision FROM approval WHERE state = 'approved'),"
        " data_key = (SELECT data_key FROM approval WHERE state = 'approved') WHERE state = 'pending'",
    )
    assert [each["id"] for each in paired.client.call("notification.list")["notifications"]] == [approved]
    assert_reported(paired, request)
    assert len(paired.platform.decisions) == 1


def test_expired_request_cannot_be_given_the_id_of_a_new_one(paired):
    old = push(paired)
    paired.client.call("notification.deny", notification=old)
    claims = paired.platform.push_claims()
    change_live(paired, f"UPDATE approval SET foreign_id = '{claims['jti']}', state = 'pending'")
    new = paired.client.call("notification.process", payload=paired.platform.sign_push(claims))["notification"]
    assert new["id"] != old and new["state"] == "pending"
    assert paired.client.call("notification.approve", notification=new["id"])["notification"]["state"] == "approved"
