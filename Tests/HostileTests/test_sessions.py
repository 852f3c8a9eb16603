"""Sessions with a malicious issuer: the data that it can store here, and the effects of a refresh."""

import queue

import pytest

from harness.hostile.issuer import Issuer
from harness.programs import PATIENCE
from test_sign_on_ends import KEEPING, start


@pytest.fixture
def kept(make_stage):
    """A stage with an account and a session of its user. The access token expires at once."""
    stage = make_stage(**KEEPING)
    issuer = stage.add_issuer()
    issuer.configuration = lambda: Issuer.configuration(issuer) | {
        "userinfo_endpoint": f"{Issuer.URL}/userinfo", "revocation_endpoint": f"{Issuer.URL}/revoke",
        "end_session_endpoint": f"{Issuer.URL}/bye"}
    issuer.forge("token", lambda issuer, request: request.reply_json(tokens(issuer)))
    issuer.forge("userinfo", lambda issuer, request: request.reply_json({"sub": "user-ann"}))
    issuer.forge("revoke", lambda issuer, request: request.reply_json({}))
    issuer.forge("bye", lambda issuer, request: request.reply_json({}))
    stage.account = stage.configure().pair()
    sign_on(stage)
    return stage


def tokens(issuer, **others):
    return {"access_token": "access", "token_type": "Bearer", "expires_in": 0, "refresh_token": "refresh",
            "id_token": issuer.sign(issuer.claims())} | others


def sign_on(stage):
    return stage.client.call("login.next", login=start(stage, forceAuth=True),
                             values={"username": "ann", "password": Issuer.PASSWORD})


def test_refresh_that_completes_after_logout_does_not_restore_the_session(kept):
    held = queue.SimpleQueue()
    kept.issuer.forge("token", lambda issuer, request: held.put(request))
    number = kept.client.begin("session.userinfo", account=kept.account)
    refresh = held.get(timeout=PATIENCE)
    with kept.connect() as other:
        assert other.call("session.logout", account=kept.account) == {}
        refresh.reply_json(tokens(kept.issuer))
        reply = kept.client.receive()
        assert (reply["id"], reply["error"]["code"]) == (number, 11002)
        assert other.call("session.list") == {"sessions": []}


def test_refresh_that_completes_after_another_sign_on_changes_nothing(kept):
    held = queue.SimpleQueue()
    kept.issuer.forge("token", lambda issuer, request: held.put(request))
    number = kept.client.begin("session.userinfo", account=kept.account)
    refresh = held.get(timeout=PATIENCE)
    with kept.connect() as other:
        kept.issuer.forge("token", lambda issuer, request: request.reply_json(tokens(issuer, access_token="new")))
        other.call("login.next", login=other.call("login.start", method="signon", forceAuth=True)["login"],
                   values={"username": "ann", "password": Issuer.PASSWORD})
        sessions = other.call("session.list")
        refresh.reply_json({"error": "invalid_grant"}, 400)
        assert kept.client.receive()["id"] == number
        assert other.call("session.list") == sessions and len(sessions["sessions"]) == 1


@pytest.mark.parametrize("claims", [{"iss": "https://other.test"}, {"sub": "user-eve"}, {"aud": "another"}, {"exp": 1}])
def test_refreshed_id_token_of_another_user_or_issuer_is_rejected(kept, claims):
    kept.issuer.forge("token", lambda issuer, request: request.reply_json(
        tokens(issuer, access_token="stranger", id_token=issuer.sign(issuer.claims() | claims))))
    assert kept.client.refusal("session.userinfo", account=kept.account).code == 10003
    kept.issuer.forge("token", lambda issuer, request: request.reply_json(tokens(issuer)))
    assert kept.client.call("session.userinfo", account=kept.account)["sub"] == "user-ann"


def test_refreshed_id_token_with_a_foreign_signature_is_rejected(kept, attacker_key):
    kept.issuer.forge("token", lambda issuer, request: request.reply_json(
        tokens(issuer, id_token=issuer.sign(issuer.claims(), attacker_key))))
    assert kept.client.refusal("session.userinfo", account=kept.account).code == 10003


def test_logout_calls_the_end_session_endpoint_after_a_failed_revocation(kept):
    kept.issuer.forge("revoke", lambda issuer, request: request.reply_json({"error": "invalid_client"}, 401))
    assert kept.client.call("session.logout", account=kept.account) == {}
    assert kept.issuer.asked[-2:] == ["revoke", "bye"]


def refusal(stage, method, **params):
    """The code of the error reply, None for a result."""
    stage.client.begin(method, **params)
    return stage.client.receive().get("error", {}).get("code")


@pytest.mark.parametrize("subject", ["user-eve", None, ["user-ann"], {"sub": "user-ann"}])
def test_userinfo_of_another_user_is_not_returned(kept, subject):
    kept.issuer.forge("userinfo", lambda issuer, request: request.reply_json({"sub": subject}))
    assert kept.client.refusal("session.userinfo", account=kept.account).code == 10003
    kept.issuer.forge("userinfo", lambda issuer, request: request.reply_json({"sub": "user-ann"}))
    assert kept.client.call("session.userinfo", account=kept.account)["sub"] == "user-ann"


def test_userinfo_larger_than_a_reply_is_not_kept(kept):
    large = {"sub": "user-ann", "x": "\x01" * 110_000}
    kept.issuer.forge("userinfo", lambda issuer, request: request.reply_json(large))
    assert refusal(kept, "session.userinfo", account=kept.account) == 10003
    kept.issuer.forge("userinfo", lambda issuer, request: request.reply_json({"sub": "user-ann"}))
    assert kept.client.call("session.userinfo", account=kept.account) == {"sub": "user-ann"}


def test_oversized_tokens_are_not_kept(kept):
    seen = kept.client.call("session.list")
    kept.issuer.forge("token", lambda issuer, request: request.reply_json(tokens(issuer, access_token="x" * 500_000)))
    login = start(kept, forceAuth=True)
    assert refusal(kept, "login.next", login=login, values={"username": "ann", "password": Issuer.PASSWORD}) == 10003
    assert kept.client.call("session.list") == seen


def test_kept_session_is_not_used_after_keep_session_is_switched_off(kept):
    kept.reload(keep_session="no")
    assert kept.client.refusal("session.userinfo", account=kept.account).code == 11002
    # The owner can still end the session, also at its issuer.
    assert kept.client.call("session.logout", account=kept.account) == {}
    assert kept.client.call("session.list") == {"sessions": []} and "revoke" in kept.issuer.asked


def test_concurrent_fresh_userinfo_calls_share_one_request_and_delay_no_decision(kept):
    asked = {step: queue.SimpleQueue() for step in ("token", "userinfo")}
    for step, questions in asked.items():
        kept.issuer.forge(step, lambda issuer, request, questions=questions: questions.put(request))
    clients = [kept.connect() for _ in range(8)]
    storms = [[client.begin("session.userinfo", account=kept.account, fresh=True) for _ in range(60)] for client in clients]
    for client in clients:
        # This reply proves that the daemon has read all earlier requests of the client.
        client.call("account.list")
    push = kept.client.call("notification.process", payload=kept.platform.sign_push(kept.platform.push_claims()))
    kept.client.call("notification.approve", notification=push["notification"]["id"])
    assert [decision["decision"] for decision in kept.platform.decisions] == ["approve"]
    asked["token"].get(timeout=PATIENCE).reply_json(tokens(kept.issuer, expires_in=3600))
    asked["userinfo"].get(timeout=PATIENCE).reply_json({"sub": "user-ann", "x": "y"})
    for client, storm in zip(clients, storms):
        assert all(client.reply(number) == {"sub": "user-ann", "x": "y"} for number in storm)
    assert all(questions.empty() for questions in asked.values())
