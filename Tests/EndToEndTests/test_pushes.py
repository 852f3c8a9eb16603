"""Pushes by long poll: delivery, answers, and the results at PingOne."""

from harness import flows

CONTEXT = {"header": "Till 4", "amount": {"value": 12.5, "currency": "EUR"}, "lines": ["one", "zwei", "三"]}


def answer_of(client, push):
    """Returns the push as the daemon stores it."""
    return client.call("notification.get", notification=push["id"])["notification"]


def test_push_arrives_by_long_poll(paired, sandbox):
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


def test_unverified_authentication_method_is_refused(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    for method in ("pin", "fpt", "face", "hwk", "swk", "mfa"):
        error = paired.refusal("notification.approve", notification=push["id"], authenticationMethod=method)
        assert (error.code, error.reason, error.details) == (11019, "PRESENCE_REQUIRED", {"methods": []}), method
    assert answer_of(paired, push) == push
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_a_denied_push_fails_the_sign_on(paired, sandbox):
    for reason in (None, "NONE", "REPORT_FRAUD", "BIOMETRICS_REJECTED"):
        started, push = flows.push(paired, sandbox)
        params = {} if reason is None else {"reason": reason}
        denied = paired.call("notification.deny", notification=push["id"], **params)["notification"]
        assert denied["state"] == "denied"
        assert (denied["answer"]["decision"], denied["answer"]["reason"]) == ("deny", reason or "NONE")
        failed = sandbox.authentication(started)
        assert (failed["status"], failed["error"]["code"]) == ("FAILED", "PUSH_DENIED")


def test_push_contains_client_context_and_texts_unchanged(paired, sandbox):
    variables = {"title": "Pay 12.50 EUR?", "body": "To: Ümläut & Söhne <3"}
    _, push = flows.push(paired, sandbox, clientContext=CONTEXT, template={"variables": variables})
    assert push["clientContext"] == CONTEXT
    assert (push["title"], push["body"]) == (variables["title"], variables["body"])


def test_push_contains_the_application_context(paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert push["applicationContext"]["id"] == sandbox.announcement["application"]
    assert push["applicationContext"]["name"]


def test_push_arrives_at_the_account_of_its_user(paired, sandbox):
    bob = flows.pair(paired, sandbox, "bob")
    started, push = flows.push(paired, sandbox, "bob")
    assert push["account"] == bob
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_push_is_cancelled_if_the_sign_on_completes_with_a_passcode(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    passcode = paired.call("passcode.get")["passcode"]
    assert sandbox.check_passcode(started, passcode)["status"] == "COMPLETED"
    cancelled = paired.event("notification", id=push["id"], state="cancelled")
    assert cancelled["type"] == "authCanceled"
    for method in ("approve", "deny"):
        error = paired.refusal(f"notification.{method}", notification=push["id"])
        assert (error.code, error.reason) == (10020, "AUTH_CANCEL")
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_pushes_resume_after_a_platform_failure(paired, sandbox):
    """The faults affect the polls between the first push and the second."""
    sandbox.fault("/device/v1/notifications", dropConnection=True)
    sandbox.fault("/device/v1/notifications", status=503)
    first, push = flows.push(paired, sandbox)
    second, other = flows.push(paired, sandbox)
    for one in (push, other):
        paired.call("notification.approve", notification=one["id"])
    assert [sandbox.authentication(one)["status"] for one in (first, second)] == ["COMPLETED"] * 2


def test_push_sent_while_the_daemon_is_stopped_arrives_after_the_start(daemon, sandbox):
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


def test_push_timeout_follows_the_policy(paired, sandbox):
    for seconds in (40, 90, 150):
        sandbox.wait_for_answers(seconds)
        _, push = flows.push(paired, sandbox)
        assert push["timeoutDuration"] == seconds


def test_push_after_a_flood_of_pushes_is_approved(paired, sandbox):
    flood = [sandbox.authenticate("ann") for _ in range(60)]
    genuine = sandbox.authenticate("ann", {"template": {"variables": {"title": "genuine"}}})
    push = paired.event("notification", title="genuine", state="pending")
    assert paired.call("service.status")["owner"]["pending"] == 20
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(genuine)["status"] == "COMPLETED"
    assert {sandbox.authentication(one)["status"] for one in flood} == {"PUSH_CONFIRMATION_REQUIRED"}


def test_sign_on_error_contains_the_denial_reason(paired, sandbox, authctl):
    for option, reason in (
        (None, "The user denied the request."),
        ("--report-fraud", "The user reported the request as fraud."),
        ("--biometrics-rejected", "The device rejected the user's biometrics."),
    ):
        started, push = flows.push(paired, sandbox)
        assert authctl.run("deny", push["id"], *([option] if option else [])).status == 0
        assert sandbox.authentication(started)["error"] == {"code": "PUSH_DENIED", "message": reason}
