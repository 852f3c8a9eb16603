"""Honest calls with the helpers of the attacks. If these failed, a failing attack would prove nothing."""


def test_device_pairs_and_answers_a_push_through_the_test_courier(paired):
    with paired.connect() as watcher:
        watcher.call("event.subscribe", topics=["notification"])
        paired.platform.deliver(paired.platform.sign_push(paired.platform.push_claims()))
        pushed = watcher.event("notification")
    assert pushed["state"] == "pending" and pushed["title"] == "Sign-on request"
    answer = paired.client.call("notification.approve", notification=pushed["id"])
    assert answer["notification"]["state"] == "approved"
    assert [decision["decision"] for decision in paired.platform.decisions] == ["approve"]


def test_push_submitted_by_notification_process_becomes_pending(paired):
    token = paired.platform.sign_push(paired.platform.push_claims())
    assert paired.client.call("notification.process", payload=token)["notification"]["state"] == "pending"


def test_a_code_is_claimed_and_approved(paired):
    paired.platform.codes["ABCD1234"] = {}
    claimed = paired.client.call("authentication.start", code="abcd1234")
    assert claimed["status"] == "CLAIMED"
    assert paired.client.call("authentication.approve", authentication=claimed["id"]) == {"status": "COMPLETED"}


def test_state_survives_a_restart(paired):
    before = paired.state()
    paired.restart()
    assert paired.state() == before and before["accounts"]
