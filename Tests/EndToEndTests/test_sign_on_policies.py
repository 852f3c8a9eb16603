"""login.*: every step of PingOne's sign-on policies, against the sandbox's flows interface."""

import pytest

from harness import flows

PUSH, PASSCODE = "push.own", "otp.own"


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


@pytest.fixture
def play(sandbox):
    """Plays the standard policy with other steps."""
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
    """Asks this machine for its word on the push, reads what it says, and gives the word."""
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


def test_a_policy_that_asks_for_the_name_first(configured, sandbox, play):
    play("IDENTIFIER_FIRST")
    step = start(configured)
    assert keys(step) == ["username"] and actions(step) == {"user.lookup": "submit", "password.forgot": "link"}
    step = answer(configured, step, username="ann")
    assert keys(step) == ["username", "password"] and step["collectors"][0]["value"] == "ann"
    assert answer(configured, step, password=sandbox.users["ann"]["password"])["node"] == "success"


def test_a_password_that_has_to_be_changed(configured, sandbox):
    account_state(sandbox, "ann", passwordStatus="PASSWORD_EXPIRED")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["currentPassword", "newPassword"] and "must be changed" in step["message"]
    wrong = answer(configured, step, currentPassword="not it", newPassword="Quite-Long-7")
    assert wrong["node"] == "error" and keys(wrong) == keys(step)
    old = sandbox.users["ann"]["password"]
    assert answer(configured, step, currentPassword=old, newPassword="Quite-Long-7")["node"] == "success"
    sandbox.users["ann"]["password"] = "Quite-Long-7"
    assert password(configured, sandbox, start(configured))["node"] == "success"


def test_a_forgotten_password(configured, sandbox):
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


def test_the_forgotten_password_of_a_name_that_was_typed_already(configured, sandbox):
    step = answer(configured, start(configured), "password.forgot", username="ann")
    assert keys(step) == ["recoveryCode", "newPassword"]


def test_an_account_that_has_to_be_verified(configured, sandbox):
    account_state(sandbox, "ann", verified=False)
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["verificationCode"] and actions(step)["user.sendVerificationCode"] == "flow"
    answer(configured, step, "user.sendVerificationCode")
    assert answer(configured, step, verificationCode="wrong")["node"] == "error"
    assert answer(configured, step, verificationCode=last_code(sandbox))["node"] == "success"


def test_a_profile_that_is_incomplete(configured, sandbox, play):
    play("LOGIN", "PROFILE")
    step = password(configured, sandbox, start(configured))
    assert keys(step) == ["email", "name.given", "name.family"]
    assert configured.refusal("login.next", login=step["login"], values={"name.given": "Ann"}).code == -32602
    wrong = answer(configured, step, email="no address")
    assert wrong["node"] == "error" and wrong["collectors"][0]["message"]
    last = answer(configured, step, email="ann@example.test", **{"name.given": "Ann", "name.family": "Lee"})
    assert last["node"] == "success"


def test_terms_are_accepted_or_not(configured, sandbox, play):
    for kind in ("AGREEMENT", "CONSENT"):
        for accept in (False, True, "true"):
            play("LOGIN", kind)
            step = password(configured, sandbox, start(configured, forceAuth=True))
            assert keys(step) == ["accept"] and step["description"]
            last = answer(configured, step, accept=accept)
            assert (last["node"], last.get("cause")) == (("success", None) if accept else ("failure", "DENIED"))


def test_what_needs_a_browser_is_said(configured, sandbox, play):
    for steps in (["EXTERNAL"], ["LOGIN", "ASSERTION"]):
        play(*steps)
        last = start(configured)
        if last["node"] == "continue":
            last = password(configured, sandbox, last)
        assert (last["node"], last["cause"]) == ("failure", "UNSUPPORTED") and "browser" in last["message"]


# What this machine can answer itself


def paired_daemon(client, sandbox, play, user="ann"):
    flows.pair(client, sandbox, user)
    play("LOGIN", "MFA")


def test_a_push_that_waits_is_approved_by_this_machine_when_the_person_says_so(configured, sandbox, play):
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


def test_a_sign_on_that_is_given_up_denies_nothing(configured, sandbox, play):
    """Nothing tells its request from another application's, which may be the only one that waits here."""
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


def test_a_push_that_waits_is_approved_elsewhere(configured, daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    other = daemon.client()
    other.subscribe("notification")
    step = password(configured, sandbox, start(configured))
    waiting = configured.begin("login.next", login=step["login"])
    push = other.event("notification", state="pending")
    other.call("notification.approve", notification=push["id"])
    assert configured.reply(waiting)["node"] == "success"


def test_a_push_that_is_denied_ends_it(configured, daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    other = daemon.client()
    other.subscribe("notification")
    step = password(configured, sandbox, start(configured))
    push = other.event("notification", state="pending")
    other.call("notification.deny", notification=push["id"])
    last = answer(configured, step)
    assert (last["node"], last["cause"]) == ("failure", "DENIED")


def test_a_number_is_shown_and_told_to_this_machine_by_the_person(configured, sandbox, play):
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


def test_a_push_that_is_over_leads_to_the_choice_of_a_device(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    step = password(configured, sandbox, start(configured))
    sandbox.advance(600)
    step = answer(configured, step)
    assert keys(step) == ["device"] and "not answered in time" in step["message"]
    step = answer(configured, step, device=step["collectors"][0]["options"][0]["value"])
    assert approve(configured, step)["node"] == "success"


def test_a_passcode_in_place_of_a_push(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    step = password(configured, sandbox, start(configured))
    step = answer(configured, step, "otp.check")
    assert keys(step) == ["otp"] and actions(step)["otp.check"] == "submit"
    assert answer(configured, step, otp="000")["node"] == "error"
    passcode = configured.call("passcode.get")["passcode"]
    assert answer(configured, step, otp=passcode)["node"] == "success"


def test_the_passcode_of_this_machine_when_the_person_says_so(configured, sandbox, play):
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


def test_the_account_of_somebody_else_does_not_answer(configured, sandbox, play):
    paired_daemon(configured, sandbox, play)
    account = configured.call("account.list")["accounts"][0]["id"]
    configured.call("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert PUSH in actions(password(configured, sandbox, start(configured)))
    configured.call("account.remove", account=account, localOnly=True)
    step = password(configured, sandbox, start(configured))
    assert step["collectors"][-1]["type"] == "PollingCollector" and PUSH not in actions(step)
    assert configured.refusal("login.next", login=step["login"], action=PUSH).code == -32602


def test_several_devices_are_a_choice(configured, make_daemon, sandbox, play):
    paired_daemon(configured, sandbox, play)
    sandbox.change_settings(policy={"authentication": {"deviceSelection": "PROMPT_TO_SELECT"}})
    configured.call("device.rotateKeys")
    step = password(configured, sandbox, start(configured))
    if keys(step) == ["device"]:
        (option,) = step["collectors"][0]["options"]
        assert configured.refusal("login.next", login=step["login"], values={"device": "x"}).code == -32602
        step = answer(configured, step, device=option["value"])
    assert approve(configured, step)["node"] == "success"


def test_an_account_without_a_device_cannot_go_on_or_need_not(configured, sandbox, play):
    play("LOGIN", "MFA")
    assert password(configured, sandbox, start(configured))["cause"] == "REFUSED"
    play("LOGIN", "MFA", noDeviceMode="BYPASS")
    assert password(configured, sandbox, start(configured))["node"] == "success"
