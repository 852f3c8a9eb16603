"""A sign-on that this machine answers itself: one word of the person approves one push, and the right one."""

import pytest

from harness.issuer import Issuer


@pytest.fixture
def waiting(make_stage, issuer_key):
    """A sign-on of a paired user that waits for a push."""
    stage = make_stage(f"issuer = {Issuer.URL}", "client_id = client-1", "redirect_uri = http://127.0.0.1/callback")
    stage.issuer = Issuer(issuer_key, "client-1", stage.platform)
    stage.courier.origins[Issuer.ORIGIN] = stage.issuer
    stage.configure().pair()
    step = {"id": "f1", "status": "PUSH_CONFIRMATION_REQUIRED", "_embedded": {"user": {"id": "user-ann"}},
            "_links": {"self": {"href": Issuer.FLOW}}, "resumeUrl": f"{Issuer.URL}/resume"}
    for name in ("authorize", "check"):
        stage.issuer.forge(name, lambda issuer, request: request.reply_json(step))
    node = stage.client.call("login.start", method="signon")
    assert [each["key"] for each in node["actions"]] == ["push.own"]
    stage.login = node["login"]
    return stage


def deliver(stage):
    """Has a push arrive and returns its id."""
    with stage.connect() as client:
        client.call("event.subscribe", topics=["notification"])
        stage.platform.deliver(stage.platform.sign_push(stage.platform.push_claims()))
        return client.event("notification", lambda payload: payload["state"] == "pending")["payload"]["id"]


def state(stage, push):
    return stage.client.call("notification.get", notification=push)["notification"]["state"]


def polls(stage, count):
    """Waits until the issuer was asked that often from now on."""
    for _ in range(count):
        stage.courier.wait_for(lambda request: request.url == Issuer.FLOW, len(stage.courier.requests))


def test_one_word_approves_one_push(waiting):
    first = deliver(waiting)
    client = waiting.connect()
    number = client.send("login.next", login=waiting.login, action="push.own")
    polls(waiting, 1)
    assert state(waiting, first) == "approved"
    # Somebody else signs on as the same user, and nobody said a word to that.
    second = deliver(waiting)
    polls(waiting, 2)
    assert state(waiting, second) == "pending"
    waiting.client.call("login.cancel", login=waiting.login)
    assert client.receive()["id"] == number


def test_of_several_pushes_none_is_chosen(waiting):
    pushes = [deliver(waiting), deliver(waiting)]
    node = waiting.client.call("login.next", login=waiting.login, action="push.own")
    assert node["node"] == "continue" and "several" in node["message"]
    assert [state(waiting, push) for push in pushes] == ["pending", "pending"]
    # The person says which.
    waiting.client.call("notification.approve", notification=pushes[0])
    assert state(waiting, pushes[1]) == "pending"


def test_what_was_cancelled_approves_nothing(waiting):
    held = []
    client = waiting.connect()
    waiting.issuer.forge("check", lambda issuer, request: held.append(request))
    number = client.send("login.next", login=waiting.login, action="push.own")
    polls(waiting, 1)
    waiting.client.call("login.cancel", login=waiting.login)
    push = deliver(waiting)
    held[0].reply_json({"status": "PUSH_CONFIRMATION_REQUIRED"})
    reply = client.receive()
    assert (reply["id"], reply["error"]["code"]) == (number, 11004)
    assert state(waiting, push) == "pending"
