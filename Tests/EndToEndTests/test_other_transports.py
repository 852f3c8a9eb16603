"""notification.process: a push from another transport while the platform is unreachable."""

from harness.authctl import Authctl


def test_submitted_push_is_stored_once_and_can_be_approved(brought):
    started = brought.sandbox.authenticate("ann", {"clientContext": {"header": "Till 4"}})
    (token,) = brought.leave()
    client = brought.daemon.client()
    client.subscribe("notification")
    push = client.call("notification.process", payload={"data": {"message": token}, "from": "somebody"})["notification"]
    assert (push["state"], push["clientContext"]) == ("pending", {"header": "Till 4"})
    assert client.event("notification") == push
    assert client.call("notification.process", payload=token) == {"notification": push}
    brought.come_back()
    client.call("notification.approve", notification=push["id"])
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"


def test_authctl_submits_a_push_from_a_file(brought, directory):
    brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    authctl = Authctl(brought.daemon.socket)
    file = directory / "message"
    file.write_text(token + "\n")
    done = authctl.run("notifications", "process", file)
    (push,) = brought.daemon.client().call("notification.list")["notifications"]
    assert done.status == 0 and done.output.endswith(f"{push['id'][:8]}\n")
    again = authctl.run("--json", "notifications", "process", "-", input='{"data": {"message": "%s"}}' % token)
    assert again.json == {"notification": push}
    assert authctl.run("notifications", "process", "-", input="hello").status == 1
