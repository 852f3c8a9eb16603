"""notification.act submits a push and answers it by one of its buttons. notification.categories lists the buttons."""

from harness import flows


def act(client, action, token, **params):
    return client.call("notification.act", action=action, payload={"message": token}, **params)["notification"]


def test_categories_list_the_buttons_of_each_pingone_category(client):
    categories = client.call("notification.categories")["categories"]
    buttons = {category["id"]: [action["id"] for action in category["actions"]] for category in categories}
    assert len(buttons) == len(categories)
    for pingone, native, actions in (
        ("BANNER_BUTTONS", "auth", ["approve", "deny"]),
        ("WITHOUT_BANNER_BUTTONS", "none", []),
        ("APPROVE_AND_OPEN_APP", "auth_open", ["approve", "deny", "open"]),
    ):
        assert buttons[pingone] == buttons[native] == actions
    for category in categories:
        for action in category["actions"]:
            assert action["title"] and action["requiresAuthentication"] == (action["id"] == "approve")


def test_category_of_a_push_is_a_listed_category(paired, sandbox):
    known = [category["id"] for category in paired.call("notification.categories")["categories"]]
    assert flows.push(paired, sandbox)[1]["category"] in known


def test_notification_act_approves_a_submitted_push(brought):
    started = brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    client = brought.daemon.client()
    # Submitted before the platform is reachable; otherwise the daemon would fetch the push itself.
    act(client, "open", token)
    brought.come_back()
    done = act(client, "approve", token, authenticationMethod="user")
    assert done["state"] == "approved" and done["answer"]["decision"] == "approve"
    assert done["answer"]["authenticationMethod"] == "user"
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"
    assert act(client, "approve", token) == done
    error = client.refusal("notification.act", action="deny", payload=token)
    assert (error.code, error.details) == (11003, {"state": "approved"})


def test_notification_act_is_sent_later_if_the_platform_is_unreachable(brought):
    started = brought.sandbox.authenticate("ann")
    (token,) = brought.leave()
    client = brought.daemon.client()
    client.subscribe("notification")
    error = client.refusal("notification.act", action="approve", payload=token)
    assert (error.code, error.retry) == (10004, True)
    brought.come_back()
    client.event("notification", state="approved")
    assert brought.sandbox.authentication(started)["status"] == "COMPLETED"
