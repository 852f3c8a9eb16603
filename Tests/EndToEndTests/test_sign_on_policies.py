"""`login.*`: every step of PingOne sign-on policies, against the sandbox's flows API."""

import pytest

from harness import flows

PUSH, PASSCODE = "push.own", "otp.own"


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


@pytest.fixture
def play(sandbox):
    """Returns a function that makes a policy with these steps the default."""
    return lambda *steps, **more: sandbox.request(
        "PUT", "/sandbox/signOnPolicies/Test", {"steps": list(steps), "default": True, **more}
    )


def start(client, **params):
    return client.call("login.start", method="signon", **params)


def answer(client, step, action=None, **values):
    params = {"values": values} if values else {}
    if action:
        params["action"] = action
    return client.call("login.next", login=step["login"], **params)


def password(client, sandbox, step, user="ann"):
    return answer(client, step, username=user, password=sandbox.users[user]["password"])


def approve(client, step, **values):
    """Requests approval of the push by this machine, checks the options, and consents."""
    question = answer(client, step, PUSH)
    assert list(actions(question)) == ["push.approve", "push.deny"]
    return answer(client, question, "push.approve", **values)


def keys(step):
    return [each["key"] for each in step["collectors"]]


def actions(step):
    return {each["key"]: each["kind"] for each in step["actions"]}


def account_state(sandbox, user, **state):
    sandbox.request("PUT", f"/sandbox/users/{sandbox.users[user]['id']}", state)


def last_code(sandbox):
    return sandbox.request("GET", "/sandbox/messages")["messages"][-1]["code"]


def test_identifier_first_policy_asks_for_username_then_password(configured, sandbox, play):
    play("IDENTIFIER_FIRST")
    step = start(configured)
    assert keys(step) == ["username"] and actions(step) == {"user.lookup": "submit", "password.forgot": "link"}
    step = answer(configured, step, username="ann")
    assert keys(step) == ["username", "password"] and step["collectors"][0]["value"] == "ann"
    assert answer(configured, step, password=sandbox.users["ann"]["password"])["node"] == "success"


def test_expired_password_must_be_changed_during_sign_on(configured, sandbox):
    account_state(sandbox, "ann", passwordStatus="PASSWORD_EXPIRED")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["currentPassword", "newPassword"] and "must be changed" in step["message"]
    wrong = answer(configured, step, currentPassword="not it", newPassword="Quite-Long-7")
    assert wrong["node"] == "error" and keys(wrong) == keys(step)
    old = sandbox.users["ann"]["password"]
    assert answer(configured, step, currentPassword=old, newPassword="Quite-Long-7")["node"] == "success"
    sandbox.users["ann"]["password"] = "Quite-Long-7"
    assert password(configured, sandbox, start(configured))["node"] == "success"


def test_forgotten_password_is_reset_with_a_recovery_code(configured, sandbox):
    step = answer(configured, start(configured), "password.forgot")
    assert keys(step) == ["username"] and actions(step)["password.forgot"] == "submit"
    step = answer(configured, step, username="ann")
    assert keys(step) == ["recoveryCode", "newPassword"]
    first = last_code(sandbox)
    step = answer(configured, step, "password.sendRecoveryCode")
    code = last_code(sandbox)
    assert code != first and keys(step) == ["recoveryCode", "newPassword"]
    assert answer(configured, step, recoveryCode=first, newPassword="Quite-Long-7")["node"] == "error"
    assert answer(configured, step, recoveryCode=code, newPassword="Quite-Long-7")["node"] == "success"


def test_password_recovery_skips_the_username_if_already_entered(configured, sandbox):
    step = answer(configured, start(configured), "password.forgot", username="ann")
    assert keys(step) == ["recoveryCode", "newPassword"]


def test_unverified_user_is_verified_with_a_code(configured, sandbox):
    account_state(sandbox, "ann", verified=False)
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["verificationCode"] and actions(step)["user.sendVerificationCode"] == "flow"
    answer(configured, step, "user.sendVerificationCode")
    assert answer(configured, step, verificationCode="wrong")["node"] == "error"
    assert answer(configured, step, verificationCode=last_code(sandbox))["node"] == "success"


def test_incomplete_profile_must_be_completed_during_sign_on(configured, sandbox, play):
    play("LOGIN", "PROFILE")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["email", "name.given", "name.family"]
    assert configured.refusal("login.next", login=step["login"], values={"name.given": "Ann"}).code == -32602
    wrong = answer(configured, step, email="no address")
    assert wrong["node"] == "error" and wrong["collectors"][0]["message"]
    last = answer(configured, step, email="ann@example.test", **{"name.given": "Ann", "name.family": "Lee"})
    assert last["node"] == "success"


def test_sign_on_is_denied_unless_terms_are_accepted(configured, sandbox, play):
    for kind in ("AGREEMENT", "CONSENT"):
        for accept in (False, True, "true"):
            play("LOGIN", kind)
            step = password(configured, sandbox, start(configured, forceAuth=True))
            assert keys(step) == ["accept"] and step["description"]
            last = answer(configured, step, accept=accept)
            assert (last["node"], last.get("cause")) == (("success", None) if accept else ("failure", "DENIED"))


def test_policy_step_that_needs_a_browser_fails_as_unsupported(configured, sandbox, play):
    for steps in (["EXTERNAL"], ["LOGIN", "ASSERTION"]):
        play(*steps)
        last = start(configured)
        if last["node"] == "continue":
            last = password(configured, sandbox, last)
        assert (last["node"], last["cause"]) == ("failure", "UNSUPPORTED") and "browser" in last["message"]


# Steps that this machine can answer itself


def paired_daemon(client, sandbox, play, user="ann"):
    flows.pair(client, sandbox, user)
    play("LOGIN", "MFA")


def test_pending_push_is_approved_by_this_machine_after_user_consent(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    step = password(configured, sandbox, start(configured))
    assert step["collectors"][-1]["type"] == "PollingCollector" and actions(step)[PUSH] == "flow"
    question = answer(configured, step, PUSH)
    (push,) = configured.call("notification.list")["notifications"]
    assert push["state"] == "pending"
    words = {each["key"]: each["value"] for each in question["collectors"]}
    assert (words.get("title"), words.get("body")) == (push.get("title"), push.get("body"))
    last = answer(configured, question, "push.approve")
    assert (last["node"], last["pairing"]) == ("success", None)
    (push,) = configured.call("notification.list")["notifications"]
    assert push["state"] == "approved"
    assert "notification.approve" in [each["method"] for each in configured.call("audit.list")["entries"]]


def test_gateway_error_during_the_wait_does_not_end_the_sign_on(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    question = answer(configured, password(configured, sandbox, start(configured)), PUSH)
    sandbox.fault(f"/{sandbox.environment}/flows", status=504)
    assert answer(configured, question, "push.approve")["node"] == "success"


def test_cancelled_sign_on_denies_no_push(configured, sandbox, play):
    """The daemon cannot distinguish its push from that of another application, which may be the only pending one."""
    paired_daemon(configured, sandbox, play)
    configured.subscribe("notification")
    step = password(configured, sandbox, start(configured))
    own = configured.event("notification", state="pending")
    configured.call("login.cancel", login=step["login"])
    assert configured.call("notification.approve", notification=own["id"])["notification"]["state"] == "approved"
    step = password(configured, sandbox, start(configured))
    own = configured.event("notification", state="pending")
    configured.call("notification.deny", notification=own["id"])
    _, other = flows.push(configured, sandbox)
    configured.call("login.cancel", login=step["login"])
    assert configured.call("notification.approve", notification=other["id"])["notification"]["state"] == "approved"


def test_sign_on_succeeds_if_another_client_approves_the_push(configured, daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    other = daemon.client()
    other.subscribe("notification")
    step = password(configured, sandbox, start(configured))
    waiting = configured.begin("login.next", login=step["login"])
    push = other.event("notification", state="pending")
    other.call("notification.approve", notification=push["id"])
    assert configured.reply(waiting)["node"] == "success"


def test_sign_on_fails_if_the_push_is_denied(configured, daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    other = daemon.client()
    other.subscribe("notification")
    step = password(configured, sandbox, start(configured))
    push = other.event("notification", state="pending")
    other.call("notification.deny", notification=push["id"])
    last = answer(configured, step)
    assert (last["node"], last["cause"]) == ("failure", "DENIED")


def test_push_approval_in_a_sign_on_requires_the_shown_number(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    sandbox.match_numbers("ENTER_MANUALLY")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["number", "push"] and step["collectors"][0]["value"].isdigit()
    number = int(step["collectors"][0]["value"])
    question = answer(configured, step, PUSH)
    assert keys(question)[-1] == "number" and "value" not in question["collectors"][-1]
    wrong = answer(configured, question, "push.approve", number=str(10 + (number - 9) % 90))
    assert wrong["node"] == "error" and keys(wrong) == keys(question) and "number" in wrong["message"]
    assert answer(configured, wrong, "push.approve", number=str(number))["node"] == "success"


def test_expired_push_leads_to_device_selection(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    step = password(configured, sandbox, start(configured))
    sandbox.advance(600)
    step = answer(configured, step)
    assert keys(step) == ["device"] and "not answered in time" in step["message"]
    step = answer(configured, step, device=step["collectors"][0]["options"][0]["value"])
    assert approve(configured, step)["node"] == "success"


def test_passcode_can_replace_a_push(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    step = password(configured, sandbox, start(configured))
    step = answer(configured, step, "otp.check")
    assert keys(step) == ["otp"] and actions(step)["otp.check"] == "submit"
    assert answer(configured, step, otp="000")["node"] == "error"
    passcode = configured.call("passcode.get")["passcode"]
    assert answer(configured, step, otp=passcode)["node"] == "success"


def test_passcode_of_this_machine_is_released_after_user_consent(configured, sandbox, play):
    flows.pair(configured, sandbox)
    sandbox.change_policy({"push": {"enabled": False}})
    play("LOGIN", "MFA")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["otp"] and actions(step)[PASSCODE] == "flow"
    question = answer(configured, step, PASSCODE)
    words = {each["key"]: each["value"] for each in question["collectors"]}
    assert words["issuer"] == sandbox.announcement["issuer"] and "ann" in words["account"]
    assert answer(configured, question, "passcode.keep") == step
    answer(configured, step, PASSCODE)
    assert answer(configured, step, "passcode.release")["node"] == "success"


def test_account_of_another_user_is_not_offered_for_approval(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    account = configured.call("account.list")["accounts"][0]["id"]
    configured.call("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert PUSH in actions(password(configured, sandbox, start(configured)))
    configured.call("account.remove", account=account, localOnly=True)
    step = password(configured, sandbox, start(configured))
    assert step["collectors"][-1]["type"] == "PollingCollector" and PUSH not in actions(step)
    assert configured.refusal("login.next", login=step["login"], action=PUSH).code == -32602


def test_sign_on_continues_after_a_device_selection_prompt(configured, make_daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    sandbox.change_settings(policy={"authentication": {"deviceSelection": "PROMPT_TO_SELECT"}})
    configured.call("device.rotateKeys")
    step = password(configured, sandbox, start(configured))
    if keys(step) == ["device"]:
        (option,) = step["collectors"][0]["options"]
        assert configured.refusal("login.next", login=step["login"], values={"device": "x"}).code == -32602
        step = answer(configured, step, device=option["value"])
    assert approve(configured, step)["node"] == "success"


def test_user_without_a_device_is_refused_unless_the_policy_bypasses_mfa(configured, sandbox, play):
    play("LOGIN", "MFA")
    assert password(configured, sandbox, start(configured))["cause"] == "REFUSED"
    play("LOGIN", "MFA", noDeviceMode="BYPASS")
    assert password(configured, sandbox, start(configured))["node"] == "success"
