"""`session.*`: sessions with `keep_session = yes` are sealed, refreshed once, and ended here and at the issuer."""

import re

import pytest

from harness import flows

pytestmark = pytest.mark.flows


@pytest.fixture
def keeping(make_daemon):
    return make_daemon(keep_session="yes", scope="openid profile email offline_access").start()


def sign_on_and_pair(client, sandbox, user="ann"):
    client.call("device.configure", geo=flows.GEO)
    pairing = flows.sign_on(client, sandbox, user)["pairing"]
    return client.call("pairing.approve", pairing=pairing["id"])["account"]


def test_no_session_is_kept_without_keep_session(client, sandbox):
    account = sign_on_and_pair(client, sandbox)
    assert client.call("session.list") == {"sessions": []}
    assert client.refusal("session.userinfo", account=account).code == 11002
    assert client.refusal("session.logout", account=account).code == 11002
    assert client.call("login.start", method="signon")["node"] == "continue", "nobody is known again"


def test_userinfo_is_cached_unless_fresh_is_requested(keeping, sandbox):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    claims = client.call("session.userinfo", account=account)
    assert claims["sub"] == sandbox.users["ann"]["id"] and claims["preferred_username"] == "ann"
    sandbox.fault(f"/{sandbox.environment}/as/userinfo", count=1, status=500)
    assert client.call("session.userinfo", account=account) == claims
    assert client.refusal("session.userinfo", account=account, fresh=True).code == 10003
    assert client.call("session.userinfo", account=account, fresh=True) == claims


def test_session_survives_a_restart(keeping, sandbox):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    sessions = client.call("session.list")["sessions"]
    assert [(each["issuer"], each["user"]) for each in sessions] == [
        (sandbox.announcement["issuer"], sandbox.users["ann"]["id"])
    ]
    keeping.stop()
    keeping.start()
    client = keeping.client()
    assert client.call("session.list")["sessions"] == sessions
    assert client.call("session.userinfo", account=account)["sub"] == sandbox.users["ann"]["id"]


def test_expired_tokens_are_refreshed_once_for_concurrent_calls(keeping, sandbox):
    sandbox.tokens(accessTokenSeconds=20)
    account = sign_on_and_pair(keeping.client(), sandbox)
    clients = [keeping.client() for _ in range(6)]
    for _ in range(3):
        # A refresh token that is used twice ends the session, so the next round would fail.
        numbers = [each.begin("session.userinfo", account=account, fresh=True) for each in clients]
        for client, number in zip(clients, numbers):
            assert client.reply(number)["sub"] == sandbox.users["ann"]["id"]


def test_session_ends_only_if_the_issuer_rejects_the_refresh(keeping, sandbox):
    sandbox.tokens(accessTokenSeconds=20, refreshTokenSeconds=600)
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    path = f"/{sandbox.environment}/as/token"
    sandbox.fault(path, dropConnection=True)
    assert client.refusal("session.userinfo", account=account, fresh=True).code == 10004
    sandbox.fault(path, status=503)
    assert client.refusal("session.userinfo", account=account, fresh=True).code == 10003
    assert client.call("session.userinfo", account=account, fresh=True)["sub"]
    sandbox.advance(3600)
    assert client.refusal("session.userinfo", account=account, fresh=True).code == 11004
    assert client.call("session.list") == {"sessions": []}


def test_logout_ends_the_session_locally_and_at_the_issuer(keeping, sandbox):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    for method in ("session.logout", "session.end"):
        session = client.call("session.list")["sessions"][0]["id"]
        assert sandbox.sessions() == [sandbox.users["ann"]["id"]]
        if method == "session.logout":
            assert client.call("session.logout", account=account) == {}
        else:
            assert client.call("session.end", session=session) == {}
        assert client.call("session.list") == {"sessions": []}
        assert sandbox.sessions() == []
        assert client.refusal("session.end", session=session).code == 11002
        ended = [entry["outcome"] for entry in client.call("audit.list")["entries"] if entry["method"] == method]
        assert "ok" in ended
        assert flows.sign_on(client, sandbox, "ann")["pairing"] is None


def test_logout_works_if_the_issuer_is_unreachable(keeping, sandbox):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    sandbox.stop()
    assert client.call("session.logout", account=account) == {}
    assert client.call("session.list") == {"sessions": []}
    assert client.refusal("session.userinfo", account=account).code == 11002


def test_kept_session_signs_on_without_credentials_until_logout(keeping, sandbox):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    keeping.stop()
    keeping.start()
    client = keeping.client()
    for method in ("signon", "davinci"):
        again = client.call("login.start", method=method)
        assert (again["node"], again["user"]["username"], again["pairing"]) == ("success", "ann", None)
        for more in ({"forceAuth": True}, {"parameters": {"login_hint": "bob"}}):
            asked = client.call("login.start", method=method, **more)
            assert asked["node"] == "continue", "somebody else may want to sign on"
            client.call("login.cancel", login=asked["login"])
    client.call("session.logout", account=account)
    for method in ("signon", "davinci"):
        assert client.call("login.start", method=method)["node"] == "continue"


def test_state_files_contain_no_plaintext_session_tokens(keeping, sandbox, directory):
    client = keeping.client()
    account = sign_on_and_pair(client, sandbox)
    client.call("session.userinfo", account=account)
    keeping.stop()
    for file in (directory / "state").iterdir():
        content = file.read_bytes()
        # Match more than `eyJ`, because these three bytes can occur by chance in sealed data.
        assert not re.search(rb"eyJ[\w-]{12}", content) and b"access_token" not in content, file.name
