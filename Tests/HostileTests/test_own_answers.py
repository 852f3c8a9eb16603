"""A sign-on with an own push or passcode: the user decides exactly on the displayed data."""

import pytest

from harness.hostile.issuer import Issuer


STEP = {"id": "f1", "status": "PUSH_CONFIRMATION_REQUIRED", "_embedded": {"user": {"id": "user-ann"}},
        "_links": {"self": {"href": Issuer.FLOW}}, "resumeUrl": f"{Issuer.URL}/resume"}


@pytest.fixture
def begin(make_stage):
    """Begins a sign-on of a paired user at a step that the test defines."""
    def begin(settings={}, issuers=(), **step):
        stage = make_stage(**Issuer.SETTINGS | settings)
        stage.platform.issuers = list(issuers)
        stage.add_issuer()
        stage.account = stage.configure().pair()
        for name in ("authorize", "check"):
            stage.issuer.forge(name, lambda issuer, request: request.reply_json(STEP | step))
        stage.node = stage.client.call("login.start", method="signon")
        stage.login = stage.node["login"]
        return stage
    return begin


@pytest.fixture
def waiting(begin):
    """A sign-on of a paired user that waits for a push."""
    stage = begin()
    assert actions(stage.node) == ["push.own"]
    return stage


def actions(node):
    return [each["key"] for each in node["actions"]]


def shown(node):
    return {each["key"]: each.get("value") for each in node["collectors"]}


def answer(stage, action, **values):
    return stage.client.call("login.next", login=stage.login, action=action, **({"values": values} if values else {}))


def deliver(stage, **claims):
    """Has a push arrive and returns its id."""
    with stage.connect() as client:
        client.call("event.subscribe", topics=["notification"])
        stage.platform.deliver(stage.platform.sign_push(stage.platform.push_claims(**claims)))
        return client.event("notification", state="pending")["id"]


def state(stage, push):
    return stage.client.call("notification.get", notification=push)["notification"]["state"]


def polls(stage, count):
    """Waits until the daemon has sent COUNT further requests to the issuer."""
    for _ in range(count):
        stage.courier.wait_for(lambda request: request.url == Issuer.FLOW, len(stage.courier.requests))


def test_user_sees_the_push_and_decides_on_it(waiting):
    push = deliver(waiting, title="Payroll", body="Sign-on from 198.51.100.7", clientContext={"header": "Berlin"})
    node = answer(waiting, "push.own")
    assert (node["node"], actions(node)) == ("continue", ["push.approve", "push.deny"])
    assert [each["kind"] for each in node["actions"]] == ["flow", "flow"], "who names none would approve"
    words = shown(node)
    assert (words["title"], words["body"]) == ("Payroll", "Sign-on from 198.51.100.7")
    assert words["clientContext"] == {"header": "Berlin"} and waiting.account in words["account"]
    assert state(waiting, push) == "pending" and not waiting.platform.decisions
    client = waiting.connect()
    number = client.begin("login.next", login=waiting.login, action="push.approve")
    polls(waiting, 1)
    assert state(waiting, push) == "approved"
    # Another sign-on of the same user, without any decision.
    second = deliver(waiting)
    polls(waiting, 2)
    assert state(waiting, second) == "pending"
    waiting.client.call("login.cancel", login=waiting.login)
    assert client.receive()["id"] == number


def test_push_can_be_denied_in_the_sign_on(waiting):
    push = deliver(waiting)
    answer(waiting, "push.own")
    waiting.issuer.forge("check", lambda issuer, request: request.reply_json(STEP | {"status": "FAILED"}))
    assert answer(waiting, "push.deny")["node"] == "failure"
    assert state(waiting, push) == "denied"


def test_push_is_not_approved_before_the_user_is_asked(waiting):
    push = deliver(waiting)
    assert waiting.client.refusal("login.next", login=waiting.login, action="push.approve").code == -32602
    client = waiting.connect()
    answer(waiting, "push.own")
    client.begin("login.next", login=waiting.login)
    polls(waiting, 1)
    assert state(waiting, push) == "pending", "to wait on is no decision"


def test_number_is_taken_from_the_user_and_never_from_the_page(begin):
    stage = begin({"require_number": "yes"}, numberMatching={"number": 42})
    push = deliver(stage, numberMatching={"type": "SELECT_NUMBER", "options": [42, 7, 13]})
    node = answer(stage, "push.own")
    (number,) = [each for each in node["collectors"] if each["key"] == "number"]
    assert number.keys().isdisjoint({"value", "options"})
    for missing in ({}, {"number": ""}):
        again = answer(stage, "push.approve", **missing)
        assert again["node"] == "error" and again["collectors"] == node["collectors"] and "number" in again["message"]
    for wrong in ("many", "-1", 4.5, {"passcode": ""}):
        refused = stage.client.refusal("login.next", login=stage.login, action="push.approve", values={"number": wrong})
        assert refused.code == -32602, wrong
    assert state(stage, push) == "pending" and not stage.platform.decisions
    client = stage.connect()
    client.begin("login.next", login=stage.login, action="push.approve", values={"number": "7"})
    polls(stage, 1)
    assert [each["number"] for each in stage.platform.decisions] == [7]


def test_push_without_the_required_number_is_not_approved(begin):
    stage = begin({"require_number": "yes"}, numberMatching={"number": 42})
    push = deliver(stage)
    answer(stage, "push.own")
    for values in ({}, {"number": "42"}):
        assert answer(stage, "push.approve", **values)["node"] == "error"
    assert state(stage, push) == "pending" and not stage.platform.decisions


def test_passcode_is_offered_only_to_the_issuer_of_its_account(begin):
    # The page claims a user of another issuer's environment.
    stage = begin(status="OTP_REQUIRED", _links={"otp.check": {"href": Issuer.FLOW}})
    assert "otp.own" not in actions(stage.node)
    assert stage.client.refusal("login.next", login=stage.login, action="otp.own").code == -32602


def test_passcode_is_sent_only_after_the_user_confirms_account_and_issuer(begin):
    stage = begin(issuers=[Issuer.URL], status="OTP_REQUIRED", _links={"otp.check": {"href": Issuer.FLOW}})
    sent = []
    stage.issuer.forge("check", lambda issuer, request: (sent.append(request.body), request.reply_json(STEP)))
    for _ in range(2):
        node = answer(stage, "otp.own")
        assert actions(node) == ["passcode.release", "passcode.keep"]
        assert [each["kind"] for each in node["actions"]] == ["flow", "flow"]
        words = shown(node)
        assert stage.account in words["account"] and "ann" in words["account"] and words["issuer"] == Issuer.URL
        assert stage.client.call("login.next", login=stage.login) == node, "who says nothing is asked again"
        assert answer(stage, "passcode.keep") == stage.node
    assert sent == []
    assert stage.client.refusal("login.next", login=stage.login, action="passcode.release").code == -32602
    answer(stage, "otp.own")
    passcode = stage.client.call("passcode.get", account=stage.account)["passcode"]
    answer(stage, "passcode.release")
    assert len(sent) == 1 and len(passcode) == 6 and b'"otp":"' in sent[0]


def test_no_push_is_chosen_if_several_are_pending(waiting):
    pushes = [deliver(waiting), deliver(waiting)]
    node = waiting.client.call("login.next", login=waiting.login, action="push.own")
    assert node["node"] == "continue" and "several" in node["message"]
    assert [state(waiting, push) for push in pushes] == ["pending", "pending"]
    # The user chooses one.
    waiting.client.call("notification.approve", notification=pushes[0])
    assert state(waiting, pushes[1]) == "pending"


def test_cancelled_sign_on_approves_no_push(waiting):
    held = []
    client = waiting.connect()
    waiting.issuer.forge("check", lambda issuer, request: held.append(request))
    number = client.begin("login.next", login=waiting.login, action="push.own")
    polls(waiting, 1)
    waiting.client.call("login.cancel", login=waiting.login)
    push = deliver(waiting)
    held[0].reply_json({"status": "PUSH_CONFIRMATION_REQUIRED"})
    reply = client.receive()
    assert (reply["id"], reply["error"]["code"]) == (number, 11004)
    assert state(waiting, push) == "pending"
