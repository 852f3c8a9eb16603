"""notification.process: a push that another transport brought, while the platform itself is out of reach."""

import pytest

from harness import flows
from harness.authctl import Authctl


SHAPES = {
    "text": lambda token: token,
    "message": lambda token: {"message": token},
    "data": lambda token: {"data": {"message": token}, "from": "somebody"},
    "aps": lambda token: {"aps": {"alert": "x", "data": token}},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_push_is_taken_as_it_came_once_and_answered(brought, shape):
    started = brought.sandbox.authenticate("ann", {"clientContext": {"header": "Till 4"}})
    (token,) = brought.leave()
    client = brought.daemon.client()
    client.subscribe("notification")
    push = client.call("notification.process", payload=SHAPES[shape](token))["notification"]
    assert (push["state"], push["clientContext"]) == ("pending", {"header": "Till 4"})
    assert client.event("notification") == push
    assert client.call("notification.process", payload=token) == {"notification": push}
    brought.come_back()
    client.call("notification.approve", notification=push["id"])
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"


def test_the_same_push_by_two_ways_is_one(brought):
    brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    client = brought.daemon.client()
    push = client.call("notification.process", payload=token)["notification"]
    brought.come_back()
    client.subscribe("notification")
    # What comes by long poll comes in order: with the second push the first has come again.
    _, second = flows.push(client, brought.sandbox)
    assert [one["id"] for one in client.call("notification.list")["notifications"]] == [second["id"], push["id"]]


def test_a_cancellation_that_comes_first_is_remembered(brought):
    started = brought.sandbox.authenticate("ann")
    brought.sandbox.check_passcode(started, brought.passcode)
    tokens = brought.leave()
    assert len(tokens) == 2
    client = brought.daemon.client()
    assert client.call("notification.process", payload=tokens[1]) == {"notification": None}
    push = client.call("notification.process", payload=tokens[0])["notification"]
    assert (push["state"], push["type"]) == ("cancelled", "authCanceled")
    assert client.refusal("notification.approve", notification=push["id"]).code == 10020


def test_a_push_that_was_changed_on_the_way_is_refused(brought):
    brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    client = brought.daemon.client()
    head, body, signature = token.split(".")
    for damaged in (f"{head}.{body[:-4]}AAAA.{signature}", f"{head}.{body}.{signature[:-8]}AAAAAAAA"):
        error = client.refusal("notification.process", payload=damaged)
        assert (error.code, error.details) == (11009, {})
    assert client.call("notification.list") == {"notifications": []}
    assert client.call("notification.process", payload=token)["notification"]["state"] == "pending"


def test_authctl_hands_in_what_a_file_holds(brought, directory):
    brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    authctl = Authctl(brought.daemon.socket)
    file = directory / "message"
    file.write_text(token + "\n")
    done = authctl.run("notifications", "process", file)
    (push,) = brought.daemon.client().call("notification.list")["notifications"]
    assert done.status == 0 and done.output.startswith(push["id"])
    again = authctl.run("--json", "notifications", "process", "-", input='{"data": {"message": "%s"}}' % token)
    assert again.json == {"notification": push}
    assert authctl.run("notifications", "process", "-", input="hello").status == 1
