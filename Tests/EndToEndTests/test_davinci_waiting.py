"""login.* with DaVinci flows: a second factor, and polling pages."""

import pytest

from harness import flows, pages
from harness.davinci import configured, form, relayed, sandbox
from harness.pages import answer, begin, collector, messages, sign_on, start


@pytest.fixture
def paired_daemon(daemon, sandbox):
    """Two connections to a daemon that is paired with ann; the second is subscribed to notifications."""
    client, other = pages.configured(daemon), daemon.client()
    flows.pair(client, sandbox)
    other.subscribe("notification")
    return client, other


def test_push_of_a_flow_is_approved_by_the_same_daemon(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    device = collector(step, "device")
    assert device["type"] == "DeviceAuthenticationCollector"
    step = answer(client, step, {"device": device["options"][0]["value"]})
    assert pages.types(step) == ["LabelCollector", "PollingCollector"]
    waiting = begin(client, step)
    other.call("notification.approve", notification=other.event("notification", state="pending")["id"])
    last = client.reply(waiting)
    assert (last["node"], last["pairing"]) == ("success", None)


def test_denied_push_ends_the_flow(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    other.call("notification.deny", notification=other.event("notification", state="pending")["id"])
    last = answer(client, step)
    assert (last["node"], last["cause"]) == ("failure", "DENIED")
    assert last["message"] == "The user denied the request."


def test_another_connection_can_choose_another_method_during_a_wait(paired_daemon, sandbox):
    client, other = paired_daemon
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": collector(step, "device")["options"][0]["value"]})
    waiting = begin(client, step)
    chosen = answer(other, step, action="passcode")
    assert chosen["title"] == "Passcode"
    assert client.reply(waiting)["node"] == "continue"
    wrong = answer(client, step, {"otp": "12"})
    assert messages(wrong) == {"otp": "The passcode is wrong or was used before"}
    wrong = answer(client, step, {"otp": "000000"})
    assert wrong["node"] == "error" and "wrong" in messages(wrong)["otp"]
    last = answer(client, wrong, {"otp": client.call("passcode.get")["passcode"]})
    assert (last["node"], last["pairing"]) == ("success", None)


def wait(client, step, rounds=20):
    """Polls until the step is no longer a polling page."""
    for _ in range(rounds):
        step = answer(client, step)
        if step["node"] != "continue" or "PollingCollector" not in pages.types(step):
            return step
    raise AssertionError("it waits on")


def test_both_kinds_of_polling_complete(configured):
    for way in ("challenge", "continue"):
        step = answer(configured, start(configured, "polling"), action=way)
        assert pages.types(step) == ["PollingCollector"] and step["actions"] == []
        assert wait(configured, step)["node"] == "success"


def test_outcome_of_a_challenge_is_reported_to_the_flow(relayed):
    client, requests = relayed
    for way, outcome in (("denied", "denied"), ("expired", "expired"), ("never", "timedOut"), ("broken", "error")):
        before = len(requests)
        step = wait(client, answer(client, start(client, "polling"), action=way))
        assert step["collectors"][0]["value"] == f"It ended as {outcome}"
        assert form(requests[-1]) == ("polling", None, {"polling": outcome})
        asked = [each for each in requests[before:] if "/challenge/" in each.path]
        assert {each.path.rsplit("/davinci/")[1] for each in asked} == {
            "user/credentials/challenge/sandbox-challenge/status"
        }
        assert {each.body for each in asked} == {b"{}"} and all(each.headers["interactionid"] for each in asked)
        assert len(asked) == {"never": 5, "broken": 1}.get(way, 2)
        assert answer(client, step)["title"] == "How shall it go?"
