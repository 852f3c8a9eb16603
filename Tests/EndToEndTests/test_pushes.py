"""Pushes by long poll: they arrive, are answered, and PingOne hears it."""

import pytest

from harness import flows

CONTEXT = {"header": "Till 4", "amount": {"value": 12.5, "currency": "EUR"}, "lines": ["one", "zwei", "三"]}


def answer_of(client, push):
    """The push as the daemon keeps it."""
    return client.call("notification.get", notification=push["id"])["notification"]


def test_a_push_arrives_by_itself(paired, sandbox):
    (account,) = paired.call("account.list")["accounts"]
    started, push = flows.push(paired, sandbox)
    assert started["status"] == "PUSH_CONFIRMATION_REQUIRED"
    assert (push["account"], push["type"], push["state"]) == (account["id"], "authentication", "pending")
    assert push["title"] == "Sign-on request" and "ann" in push["body"]
    assert push["timeoutDuration"] == 40
    assert "clientContext" not in push and "numberMatching" not in push and "answer" not in push
    assert answer_of(paired, push) == push
    assert paired.call("notification.list") == {"notifications": [push]}
    assert paired.call("notification.list", state="pending") == {"notifications": [push]}
    assert paired.call("notification.list", state="approved") == {"notifications": []}
    owner = paired.call("service.status")["owner"]
    assert (owner["pending"], owner["polling"]) == (1, True)


def test_an_approved_push_completes_the_sign_on(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    result = paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    approved = result["notification"]
    assert approved["state"] == "approved"
    assert (approved["answer"]["decision"], approved["answer"]["authenticationMethod"]) == ("approve", "user")
    assert "reason" not in approved["answer"]
    assert paired.event("notification", id=push["id"], state="sending")["answer"]["decision"] == "approve"
    assert paired.event("notification", id=push["id"], state="approved") == approved
    assert answer_of(paired, push) == approved
    assert paired.call("service.status")["owner"]["pending"] == 0


@pytest.mark.parametrize("method", ["pin", "fpt", "face", "hwk", "swk", "mfa"])
def test_what_nobody_verified_is_not_claimed(paired, sandbox, method):
    started, push = flows.push(paired, sandbox)
    error = paired.refusal("notification.approve", notification=push["id"], authenticationMethod=method)
    assert (error.code, error.reason, error.details) == (11019, "PRESENCE_REQUIRED", {"methods": []})
    assert answer_of(paired, push) == push
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


@pytest.mark.parametrize("method", ["", "password1", "USER"])
def test_what_is_no_authentication_method_leaves_the_push_open(paired, sandbox, method):
    started, push = flows.push(paired, sandbox)
    error = paired.refusal("notification.approve", notification=push["id"], authenticationMethod=method)
    assert error.code == -32602
    assert answer_of(paired, push) == push
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


@pytest.mark.parametrize("reason", [None, "NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"])
def test_a_denied_push_fails_the_sign_on(paired, sandbox, reason):
    started, push = flows.push(paired, sandbox)
    params = {} if reason is None else {"reason": reason}
    denied = paired.call("notification.deny", notification=push["id"], **params)["notification"]
    assert denied["state"] == "denied"
    assert (denied["answer"]["decision"], denied["answer"]["reason"]) == ("deny", reason or "NONE")
    failed = sandbox.authentication(started)
    assert (failed["status"], failed["error"]["code"]) == ("FAILED", "PUSH_DENIED")


def test_what_the_relying_party_adds_comes_as_it_is(paired, sandbox):
    variables = {"title": "Pay 12.50 EUR?", "body": "To: Ümläut & Söhne <3"}
    _, push = flows.push(paired, sandbox, clientContext=CONTEXT, template={"variables": variables})
    assert push["clientContext"] == CONTEXT
    assert (push["title"], push["body"]) == (variables["title"], variables["body"])


def test_what_the_application_adds_comes_as_it_is(paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert push["applicationContext"]["id"] == sandbox.announcement["application"]
    assert push["applicationContext"]["name"]


def test_control_and_direction_characters_do_not_reach_a_person(paired, sandbox):
    title = "Pay\u001b[31m 1\u202e0\u2066 EUR\n\u0000now"
    _, push = flows.push(paired, sandbox, template={"variables": {"title": title, "body": "a\u0007b"}})
    assert (push["title"], push["body"]) == ("Pay[31m 10 EURnow", "ab")


def test_pushes_of_two_users_come_to_their_accounts(paired, sandbox):
    bob = flows.pair(paired, sandbox, "bob")
    started, push = flows.push(paired, sandbox, "bob")
    assert push["account"] == bob
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_lists_are_newest_first_and_come_in_pages(paired, sandbox):
    pushes = [flows.push(paired, sandbox)[1] for _ in range(5)][::-1]
    assert paired.call("notification.list")["notifications"] == pushes
    assert paired.call("notification.list", limit=2)["notifications"] == pushes[:2]
    assert paired.call("notification.list", limit=2, before=pushes[1]["id"])["notifications"] == pushes[2:4]
    assert paired.call("notification.list", before=pushes[-1]["id"]) == {"notifications": []}
    for params in ({"limit": 0}, {"limit": 201}, {"limit": "2"}, {"state": "open"}, {"more": 1}):
        assert paired.refusal("notification.list", **params).code == -32602
    assert paired.refusal("notification.list", before="nothing").code == 11002


def test_of_too_many_pushes_the_oldest_is_given_up(paired, sandbox):
    pushes = [flows.push(paired, sandbox)[1] for _ in range(20)]
    sandbox.authenticate("ann")
    paired.event("notification", id=pushes[0]["id"], state="expired")
    paired.event("notification", state="pending")
    assert answer_of(paired, pushes[0])["state"] == "expired"
    assert answer_of(paired, pushes[1])["state"] == "pending"
    assert paired.call("service.status")["owner"]["pending"] == 20


@pytest.mark.parametrize("method", ["notification.get", "notification.approve", "notification.deny"])
def test_an_unknown_push_is_not_found(paired, method):
    error = paired.refusal(method, notification="nothing")
    assert (error.code, error.reason) == (11002, "NOT_FOUND")


@pytest.mark.parametrize("first", ["approve", "deny"])
@pytest.mark.parametrize("second", ["approve", "deny"])
def test_a_push_is_answered_once(paired, sandbox, first, second):
    started, push = flows.push(paired, sandbox)
    paired.call(f"notification.{first}", notification=push["id"])
    state = {"approve": "approved", "deny": "denied"}[first]
    error = paired.refusal(f"notification.{second}", notification=push["id"])
    assert (error.code, error.reason, error.details) == (11003, "ALREADY_ANSWERED", {"state": state})
    assert answer_of(paired, push)["state"] == state
    assert sandbox.authentication(started)["status"] == {"approve": "COMPLETED", "deny": "FAILED"}[first]


def test_of_two_answers_at_once_one_counts(daemon, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    other = daemon.client()
    with sandbox.held():
        approving = paired.begin("notification.approve", notification=push["id"])
        paired.event("notification", id=push["id"], state="sending")
        error = other.refusal("notification.deny", notification=push["id"])
    assert (error.code, error.details) == (11003, {"state": "sending"})
    assert paired.reply(approving)["notification"]["state"] == "approved"
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_passcode_meanwhile_cancels_the_push(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    passcode = paired.call("passcode.get")["passcode"]
    assert sandbox.check_passcode(started, passcode)["status"] == "COMPLETED"
    cancelled = paired.event("notification", id=push["id"], state="cancelled")
    assert cancelled["type"] == "authCanceled"
    for method in ("approve", "deny"):
        error = paired.refusal(f"notification.{method}", notification=push["id"])
        assert (error.code, error.reason) == (10020, "AUTH_CANCEL")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_a_relying_party_that_changes_its_mind_cancels_the_push(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    sandbox.act(started, "cancel.push.authentication", {"reason": "CHANGE_DEVICE"})
    paired.event("notification", id=push["id"], state="cancelled")
    assert paired.refusal("notification.approve", notification=push["id"]).code == 10020


def test_an_answer_after_the_platforms_time_has_no_effect(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    sandbox.advance(41)
    error = paired.refusal("notification.approve", notification=push["id"])
    assert (error.code, error.reason) == (10009, "PUSH_CONFIRMATION_TIMEOUT")
    assert answer_of(paired, push)["state"] == "expired"
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_TIMED_OUT"


@pytest.mark.slow
def test_a_push_that_nobody_answers_expires_by_itself(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    paired.event("notification", 60, id=push["id"], state="expired")
    for method in ("approve", "deny"):
        assert paired.refusal(f"notification.{method}", notification=push["id"]).code == 10009
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_TIMED_OUT"


@pytest.mark.parametrize("fault", [{"dropConnection": True}, {"status": 500}, {"garbage": True}], ids=str)
def test_a_decision_that_was_not_heard_is_handed_in_again(paired, sandbox, fault):
    started, push = flows.push(paired, sandbox)
    sandbox.fault("/device/v1/notifications/", **fault)
    error = paired.refusal("notification.approve", notification=push["id"])
    assert error.code in (10003, 10004) and error.retry
    assert answer_of(paired, push)["state"] == "sending"
    error = paired.refusal("notification.deny", notification=push["id"])
    assert (error.code, error.details) == (11003, {"state": "sending"})
    paired.event("notification", id=push["id"], state="approved")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_pushes_go_on_after_the_platform_was_away(paired, sandbox):
    """The faults are for the requests between the one that brings the first push and the one that brings the other."""
    sandbox.fault("/device/v1/notifications", dropConnection=True)
    sandbox.fault("/device/v1/notifications", status=503)
    first, push = flows.push(paired, sandbox)
    second, other = flows.push(paired, sandbox)
    for one in (push, other):
        paired.call("notification.approve", notification=one["id"])
    assert [sandbox.authentication(one)["status"] for one in (first, second)] == ["COMPLETED"] * 2


def test_a_push_that_came_while_the_daemon_was_away_is_there_afterwards(daemon, sandbox):
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    started = sandbox.authenticate("ann")
    daemon.start()
    client = daemon.client()
    client.subscribe("notification")
    listed = client.call("notification.list")["notifications"]
    push = listed[0] if listed else client.event("notification", state="pending")
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    assert len(client.call("notification.list")["notifications"]) == 1


@pytest.mark.parametrize("payload", [{}, "", "hello", {"message": "hello"}, {"data": {"x": 1}}], ids=str)
def test_a_message_of_somebody_else_is_no_push(paired, payload):
    error = paired.refusal("notification.process", payload=payload)
    assert (error.code, error.reason) == (10002, "UNRECOGNIZED_REMOTE_NOTIFICATION")


@pytest.mark.parametrize("payload", [[], 7, None, True], ids=str)
def test_what_is_neither_object_nor_text_is_a_wrong_parameter(paired, payload):
    error = paired.refusal("notification.process", payload=payload)
    assert (error.code, error.details) == (-32602, {"parameter": "payload"})


@pytest.mark.parametrize("seconds", [40, 90, 150])
def test_a_push_can_be_answered_for_as_long_as_the_policy_says(paired, sandbox, seconds):
    sandbox.wait_for_answers(seconds)
    _, push = flows.push(paired, sandbox)
    assert push["timeoutDuration"] == seconds


def test_after_a_flood_a_genuine_push_is_answered(paired, sandbox):
    flood = [sandbox.authenticate("ann") for _ in range(60)]
    genuine = sandbox.authenticate("ann", {"template": {"variables": {"title": "genuine"}}})
    push = paired.event("notification", title="genuine", state="pending")
    assert paired.call("service.status")["owner"]["pending"] == 20
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(genuine)["status"] == "COMPLETED"
    assert {sandbox.authentication(one)["status"] for one in flood} == {"PUSH_CONFIRMATION_REQUIRED"}


def test_a_flood_for_one_account_leaves_another_account_alone(paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    genuine, push = flows.push(paired, sandbox, "bob")
    for _ in range(30):
        flows.push(paired, sandbox)
    assert paired.call("service.status")["owner"]["pending"] == 20
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(genuine)["status"] == "COMPLETED"


def test_what_the_relying_party_confirms_comes_with_the_approval(paired, sandbox):
    confirmation = {"receipt": [1, {"total": 12.5}]}
    _, push = flows.push(paired, sandbox, confirmationInfo=confirmation)
    assert paired.call("notification.approve", notification=push["id"])["confirmationInfo"] == confirmation


@pytest.mark.parametrize(
    "option, action",
    [
        ("--report-fraud", "AUTHENTICATION.FRAUD_REPORTED"),
        ("--biometrics-rejected", "AUTHENTICATION.BIOMETRICS_REJECTED"),
        (None, None),
    ],
)
def test_why_a_push_was_denied_stands_in_pingones_audit(paired, sandbox, authctl, option, action):
    _, push = flows.push(paired, sandbox)
    assert authctl.run("deny", push["id"], *([option] if option else [])).status == 0
    told = {one for one in sandbox.activities() if one.startswith("AUTHENTICATION.")}
    assert told == ({action} if action else set())
