"""login.*: the steps of a password sign-on have exactly the members of the contract's examples."""

import pytest

from harness import flows

FIELDS = [
    {"key": "username", "type": "TextCollector", "label": "Username", "required": True},
    {"key": "password", "type": "PasswordCollector", "label": "Password", "required": True, "secret": True},
]
ACTIONS = [
    {"key": "usernamePassword.check", "label": "Sign On", "kind": "submit"},
    {"key": "password.forgot", "label": "Forgot password", "kind": "link"},
]


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


def credentials(sandbox, user="ann"):
    return {"username": user, "password": sandbox.users[user]["password"]}


def test_wrong_password_repeats_the_step_and_the_right_one_offers_pairing(configured, sandbox):
    ann = {"id": sandbox.users["ann"]["id"], "username": "ann"}
    step = configured.call("login.start", method="signon")
    login = step["login"]
    assert step == {
        "login": login,
        "node": "continue",
        "method": "signon",
        "issuer": sandbox.announcement["issuer"],
        "title": "Sign On",
        "collectors": FIELDS,
        "actions": ACTIONS,
    }
    wrong = configured.call("login.next", login=login, values={"username": "ann", "password": "wrong"})
    assert {**wrong, "title": "Sign On"} == {
        "login": login,
        "node": "error",
        "method": "signon",
        "issuer": sandbox.announcement["issuer"],
        "message": "the username or password is not right",
        "title": "Sign On",
        "collectors": FIELDS,
        "actions": ACTIONS,
    }
    right = configured.call("login.next", login=login, values=credentials(sandbox))
    pairing = right["pairing"]
    assert right == {
        "login": login,
        "node": "success",
        "method": "signon",
        "issuer": sandbox.announcement["issuer"],
        "collectors": [],
        "actions": [],
        "user": right["user"],
        "pairing": pairing,
    }
    assert {name: right["user"][name] for name in ann} == ann
    assert {name: pairing["user"][name] for name in ann} == ann
    assert (pairing["environment"], pairing["geo"]) == ({"id": sandbox.environment}, flows.GEO)
    assert set(pairing) == {"id", "user", "environment", "geo", "expiresAt"}
    info = configured.call("pairing.approve", pairing=pairing["id"])
    assert {name: info["user"][name] for name in ann} == ann
    assert info["authenticators"] == [
        {"type": "PUSH", "status": "COMPLETED"},
        {"type": "OTP", "status": "COMPLETED"},
    ]


def test_invalid_answer_is_rejected_and_the_step_can_be_answered_again(configured, sandbox):
    login = configured.call("login.start", method="signon")["login"]
    for params in (
        {"values": {"username": "ann"}},
        {"values": {"username": "ann", "password": ""}},
        {"values": {"username": "ann", "password": "x", "other": "x"}},
        {"values": {"username": 1, "password": "x"}},
        {"action": "password.forgot", "values": {"username": "ann", "password": "x"}},
        {"action": "nothing"},
        {},
    ):
        assert configured.refusal("login.next", login=login, **params).code == -32602, params
    assert configured.call("login.next", login=login, values=credentials(sandbox))["node"] == "success"


def test_cancelled_sign_on_is_closed(configured, sandbox):
    login = configured.call("login.start", method="signon")["login"]
    assert configured.call("login.cancel", login=login) == {}
    assert configured.refusal("login.next", login=login, values=credentials(sandbox)).code == 11004
    assert configured.call("pairing.list") == {"pairings": []}


def test_login_start_accepts_additional_parameters(configured):
    parameters = {"login_hint": "ann", "ui_locales": "de", "x_theme": "dark"}
    assert configured.call("login.start", method="signon", parameters=parameters)["node"] == "continue"


def test_step_can_be_answered_again_after_a_connection_failure(configured, sandbox):
    login = configured.call("login.start", method="signon")["login"]
    sandbox.fault(f"/{sandbox.environment}/flows/", dropConnection=True)
    error = configured.refusal("login.next", login=login, values=credentials(sandbox))
    assert (error.code, error.retry) == (10004, True)
    assert configured.call("login.next", login=login, values=credentials(sandbox))["node"] == "success"


def test_sign_on_ends_with_the_daemon(daemon, sandbox):
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    login = client.call("login.start", method="signon")["login"]
    daemon.stop()
    daemon.start()
    error = daemon.client().refusal("login.next", login=login, values=credentials(sandbox))
    assert error.code == 11002


def test_completed_sign_on_is_closed(configured, sandbox):
    step = flows.sign_on(configured, sandbox, "ann")
    for method, more in (("login.next", {"values": credentials(sandbox)}), ("login.cancel", {})):
        error = configured.refusal(method, login=step["login"], **more)
        assert (error.code, error.reason) == (11004, "EXPIRED")
