"""Callers of a sign-on cannot override the daemon's parameters and cannot exceed the limit of sign-ons."""

import queue

from harness.hostile.issuer import Issuer
from harness.programs import PATIENCE
from harness.hostile.sign_on import ATTACKER, sign_on, start


def test_fifth_concurrent_sign_on_of_an_owner_is_refused(sign_on):
    logins = [start(sign_on)["login"] for _ in range(4)]
    error = sign_on.client.refusal("login.start", method="signon")
    assert (error.code, error.details) == (11016, {"limit": 4})
    sign_on.client.call("login.cancel", login=logins[0])
    assert start(sign_on)["node"] == "continue"


def test_sign_ons_that_start_concurrently_count_towards_the_limit(sign_on):
    held = queue.SimpleQueue()
    sign_on.issuer.forge("discovery", lambda issuer, request: held.put(request))
    clients = [sign_on.connect() for _ in range(8)]
    numbers = [client.begin("login.start", method="signon") for client in clients]
    waiting = [held.get(timeout=PATIENCE) for _ in range(8)]
    sign_on.issuer.be_honest()
    for request in waiting:
        sign_on.issuer.discovery(request)
    outcomes = []
    for client, number in zip(clients, numbers):
        message = client.receive()
        outcomes.append(message.get("error", {}).get("code"))
        assert message["id"] == number
    assert sorted(map(str, outcomes)) == ["11016"] * 4 + ["None"] * 4


def test_caller_cannot_override_authorization_parameters_of_the_daemon(sign_on):
    for parameters in (
            {"redirect_uri": ATTACKER}, {"state": "x"}, {"nonce": "x"}, {"client_id": "x"}, {"scope": "openid admin"},
            {"code_challenge": "x"}, {"mobilePayload": "x"}, {"response_type": "token"}, {"request": "x"},
            {"request_uri": "x"}, {"response_mode": "form_post"}, {"": "x"}, {"claims": "{}"}):
        error = sign_on.client.refusal("login.start", method="signon", parameters=parameters)
        assert (error.code, error.details) == (-32602, {"parameter": "parameters"}), parameters
        assert sign_on.issuer.asked == []


def test_parameter_value_cannot_inject_another_parameter(sign_on):
    sign_on.client.call("login.start", method="signon", parameters={"login_hint": "a&redirect_uri=x&state=y\r\nX: z"})
    assert sign_on.issuer.requests["login_hint"] == "a&redirect_uri=x&state=y\r\nX: z"
    assert sign_on.issuer.requests["redirect_uri"] == "http://127.0.0.1/callback"
    assert len(sign_on.issuer.requests["state"]) >= 43


def test_locale_cannot_inject_a_header(sign_on):
    for locale in ("de\r\nX-Evil: 1", "de\nHost: x", "de\x00", "x" * 2000):
        sign_on.client.begin("login.start", method="signon", locale=locale)
        assert "error" in sign_on.client.receive(), locale
    assert not [r for r in sign_on.courier.requests if "x-evil" in r.headers or r.headers.get("host")]


def test_issuer_that_is_not_configured_gets_no_request(sign_on):
    for issuer in (ATTACKER, Issuer.URL + "/", Issuer.URL.upper(), "", "x"):
        error = sign_on.client.refusal("login.start", method="signon", issuer=issuer)
        assert (error.code, error.details) == (-32602, {"parameter": "issuer"}) and sign_on.issuer.asked == []


def test_second_concurrent_answer_to_a_step_is_refused(sign_on):
    login = start(sign_on)["login"]
    held = queue.SimpleQueue()
    sign_on.issuer.forge("check", lambda issuer, request: held.put(request))
    first = sign_on.client.begin("login.next", login=login, values={"username": "ann", "password": Issuer.PASSWORD})
    check = held.get(timeout=PATIENCE)
    with sign_on.connect() as other:
        error = other.refusal("login.next", login=login, values={"username": "ann", "password": "x"})
        assert error.code == 11011
    sign_on.issuer.be_honest()
    sign_on.issuer.check(check)
    assert sign_on.client.reply(first)["node"] == "success"
    assert held.empty()
