"""Sign-ons through a courier that forges responses of the issuer: at most a prompt, no request to another origin."""

import re

import pytest

from harness import jose
from harness.hostile.issuer import Issuer
from harness.hostile.sign_on import ATTACKER, answer, answer_fails, nothing_went_elsewhere, sign_on, start

CAUSES = {"NOT_JSON", "MALFORMED", "TOO_LARGE", "SERVER_ERROR", "REDIRECTED", "FOREIGN_LINK", "STATE_MISMATCH",
          "NO_CODE", "UNSUPPORTED"}


def is_over(node, causes=CAUSES):
    """True if the sign-on ended in a failure node without collectors and actions, with one of these causes."""
    assert node["node"] == "failure" and node["cause"] in causes and node["message"]
    return node["collectors"] == node["actions"] == []


def test_honest_sign_on_creates_a_pairing_prompt(sign_on):
    first = start(sign_on)
    assert answer(sign_on, first["login"], "wrong")["node"] == "error"
    last = answer(sign_on, first["login"])
    assert last["node"] == "success" and last["pairing"]["user"]["id"] == "user-ann"
    assert sign_on.client.call("pairing.list")["pairings"] == [last["pairing"]]
    assert sign_on.issuer.asked == ["discovery", "par", "authorize", "check", "check", "resume", "token", "jwks"]
    sent = sign_on.issuer.requests
    assert sent["response_type"] == "code" and sent["code_challenge_method"] == "S256"
    assert min(len(sent[name]) for name in ("state", "nonce", "code_challenge")) >= 43
    nothing_went_elsewhere(sign_on)


DISCOVERIES = {
    "another issuer": {"issuer": ATTACKER}, "the issuer with a slash": {"issuer": Issuer.URL + "/"},
    "no issuer": {"issuer": None}, "an issuer that is a list": {"issuer": [Issuer.URL]},
    **{f"{name} elsewhere": {name: f"{ATTACKER}/x"} for name in
       ("authorization_endpoint", "token_endpoint", "jwks_uri", "pushed_authorization_request_endpoint")},
    "an endpoint over http": {"token_endpoint": "http://issuer.test/x"},
    "an endpoint on another port": {"token_endpoint": "https://issuer.test:8443/x"},
    "an endpoint of a user": {"token_endpoint": "https://issuer.test@attacker.test/x"},
    "an endpoint that only begins alike": {"token_endpoint": "https://issuer.test.attacker.test/x"},
    "an endpoint with a back slash": {"token_endpoint": "https://attacker.test\\@issuer.test/x"},
    "an endpoint that is a script": {"token_endpoint": "javascript:alert(1)"},
    "an endpoint that is a file": {"token_endpoint": "file:///etc/passwd"},
    "no authorization endpoint": {"authorization_endpoint": None},
}


@pytest.mark.parametrize("defect", DISCOVERIES)
def test_forged_discovery_document_starts_no_sign_on(sign_on, defect):
    document = {name: value for name, value in (sign_on.issuer.configuration() | DISCOVERIES[defect]).items()
                if value is not None}
    sign_on.issuer.forge("discovery", lambda issuer, request: request.reply_json(document))
    assert sign_on.client.refusal("login.start", method="signon").code == 10003
    assert set(sign_on.issuer.asked) == {"discovery"}
    nothing_went_elsewhere(sign_on)


NOISE = {"HTML": ("<html>", 200), "nothing": ("", 200), "half": ('{"status":', 200), "a list": ("[]", 200),
         "a name twice": ('{"status":"COMPLETED","status":"COMPLETED"}', 200), "a redirect": ("{}", 302),
         "a failure": ("{}", 500), "600 KiB": ("x" * 600_000, 200), "bad UTF-8": (b'{"status":"\xff"}', 200)}


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("step", ["discovery", "par", "authorize"])
def test_malformed_response_to_a_first_step_starts_no_sign_on(sign_on, step, noise):
    sign_on.issuer.forge(step, lambda issuer, request: request.reply(*NOISE[noise], [("Location", ATTACKER)]))
    if step == "authorize":
        assert is_over(start(sign_on))
    else:
        assert sign_on.client.refusal("login.start", method="signon").code == 10003
    sign_on.issuer.be_honest()
    assert start(sign_on)["node"] == "continue"
    nothing_went_elsewhere(sign_on)


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("step", ["check", "resume", "token", "jwks"])
def test_malformed_response_to_a_later_step_pairs_no_user(sign_on, step, noise):
    login = start(sign_on)["login"]
    sign_on.issuer.forge(step, lambda issuer, request: request.reply(*NOISE[noise], [("Location", ATTACKER)]))
    if step in ("check", "resume"):
        assert is_over(answer(sign_on, login))
    else:
        assert answer_fails(sign_on, login).code in (10003, 11009)
    sign_on.issuer.be_honest()
    assert sign_on.state()["pairings"] == []
    assert answer(sign_on, start(sign_on)["login"])["node"] == "success"
    nothing_went_elsewhere(sign_on)


ELSEWHERE = [f"{ATTACKER}/flows", "http://issuer.test/flows", "https://issuer.test:444/f", "https://x@attacker.test/",
             "//attacker.test/x", "ftp://issuer.test/x", "https://issuer.test\u3002attacker.test/", "https://ISSUER.test.attacker.test/"]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_password_is_not_sent_if_a_link_leads_to_another_origin(sign_on, address):
    for change in ({"_links": {"usernamePassword.check": {"href": address}}}, {"resumeUrl": address},
                   {"_links": {"self": {"href": address}, "usernamePassword.check": {"href": Issuer.FLOW}}}):
        sign_on.issuer.forge("authorize", lambda issuer, request: request.reply_json(issuer.flow() | change))
        assert is_over(start(sign_on), {"FOREIGN_LINK"})
    nothing_went_elsewhere(sign_on)


def test_resume_url_of_another_origin_is_not_requested(sign_on):
    login = start(sign_on)["login"]
    sign_on.issuer.forge("check", lambda issuer, request: request.reply_json(
        {"status": "COMPLETED", "resumeUrl": f"{ATTACKER}/resume"}))
    assert is_over(answer(sign_on, login), {"FOREIGN_LINK"})
    assert answer_fails(sign_on, login).code == 11004
    nothing_went_elsewhere(sign_on)


RESPONSES = {"state of another": {"state": "x" * 43}, "state missing": {"state": None}, "state a beginning": "cut",
             "state a list": {"state": ["x"]}, "code missing": {"code": None}, "code a number": {"code": 7},
             "iss of another": {"iss": ATTACKER}, "iss a list": {"iss": [Issuer.URL]}}


@pytest.mark.parametrize("defect", RESPONSES)
def test_authorization_response_with_wrong_state_code_or_issuer_gets_no_token(sign_on, defect):
    login = start(sign_on)["login"]
    change = RESPONSES[defect]
    change = {"state": sign_on.issuer.requests["state"][:-1]} if change == "cut" else change
    response = {name: value for name, value in (sign_on.issuer.response() | change).items() if value is not None}
    sign_on.issuer.forge("resume", lambda issuer, request: request.reply_json({"authorizeResponse": response}))
    assert is_over(answer(sign_on, login), {"STATE_MISMATCH", "NO_CODE"})
    assert "token" not in sign_on.issuer.asked and sign_on.state()["pairings"] == []
    assert answer_fails(sign_on, login).code == 11004


TOKENS = {"nonce of another": ({"nonce": "x" * 43}, None), "nonce missing": ({"nonce": None}, None),
          "aud another": ({"aud": "other"}, "audience"), "iss another": ({"iss": ATTACKER}, "issuer-mismatch"),
          "over": ({"exp": 1}, None), "old": ({"iat": 1000, "exp": 1300}, "clock-skew"), "sub missing": ({"sub": None}, None)}
"""The changed claims of each defect, and the cause of the error."""


@pytest.mark.parametrize("defect", TOKENS)
def test_defective_id_token_ends_the_sign_on(sign_on, defect):
    login = start(sign_on)["login"]
    change, cause = TOKENS[defect]

    def token(issuer, request):
        claims = {name: value for name, value in (issuer.claims() | change).items() if value is not None}
        request.reply_json({"access_token": "access", "id_token": issuer.sign(claims)})

    sign_on.issuer.forge("token", token)
    error = answer_fails(sign_on, login)
    assert (error.code, error.cause) == (11009, cause)
    assert sign_on.state()["pairings"] == []


@pytest.mark.parametrize(("key", "cause"), [("k9", "unknown-key"), (None, "signature")])
def test_id_token_with_another_key_ends_the_sign_on(sign_on, attacker_key, key, cause):
    login = start(sign_on)["login"]

    def token(issuer, request):
        header = {"alg": "RS256", "kid": key or "k1"}
        request.reply_json({"access_token": "access", "id_token": jose.compact(header, issuer.claims(), attacker_key, "RS256")})

    sign_on.issuer.forge("token", token)
    error = answer_fails(sign_on, login)
    assert (error.code, error.cause) == (11009, cause)


def test_prompt_based_on_forged_issuer_keys_is_refused_by_the_platform(sign_on, attacker_key):
    sign_on.issuer.key = attacker_key
    sign_on.issuer.forge("token", lambda issuer, request: request.reply_json({"access_token": "access", "id_token": issuer.sign(
        issuer.claims() | {"mfa_pairing": issuer.claims()["mfa_pairing"] | {"key": "01FORGEDKEY234"}})}))
    prompt = answer(sign_on, start(sign_on)["login"])["pairing"]
    assert sign_on.client.refusal("pairing.approve", pairing=prompt["id"]).code == 10005
    assert sign_on.state()["accounts"] == [] and sign_on.state()["pairings"] == []


def test_unknown_key_id_refetches_the_keys_at_most_once_per_minute(sign_on, attacker_key):
    for _ in range(5):
        token = jose.compact({"alg": "RS256", "kid": "k9"}, {}, attacker_key, "RS256")
        assert sign_on.client.refusal("pairing.processIdToken", idToken=token).code == 11009
    assert sign_on.issuer.asked.count("jwks") == 2


def test_cookies_are_sent_only_to_the_origin_that_set_them(sign_on):
    cookies = ["own=1; Path=/", "parent=2; Domain=test", "other=3; Domain=attacker.test", "alike=4; Domain=xissuer.test",
               "own2=5; Domain=.issuer.test; Path=/", "suffix=6; Domain=uer.test", "gone=7; Max-Age=0", "=nameless", "empty="]
    sign_on.issuer.forge("authorize", lambda issuer, request: request.reply_json(
        issuer.flow(), headers=[("Set-Cookie", cookie) for cookie in cookies]))
    answer(sign_on, start(sign_on)["login"])
    check = sign_on.courier.wait_for(lambda request: request.url == Issuer.FLOW)
    names = set(re.findall(r"(\w+)=", check.headers["cookie"]))
    assert {"own", "own2"} <= names and not names & {"parent", "other", "alike", "suffix", "gone"}
    assert not [r for r in sign_on.courier.requests if r.origin == sign_on.platform.URL and "cookie" in r.headers]


def test_cookies_of_one_sign_on_are_not_sent_by_another(sign_on):
    start(sign_on)
    seen = len(sign_on.courier.requests)
    start(sign_on)
    assert not [r for r in sign_on.courier.requests[seen:] if "cookie" in r.headers]


def test_daemon_survives_too_many_and_too_large_cookies(sign_on):
    many = [("Set-Cookie", f"c{number}={'x' * 3000}") for number in range(60)] + [("Set-Cookie", f"long={'x' * 5000}")]
    sign_on.issuer.forge("authorize", lambda issuer, request: request.reply_json(issuer.flow(), headers=many))
    login = start(sign_on)["login"]
    sign_on.client.begin("login.next", login=login, values={"username": "ann", "password": "wrong"})
    assert sign_on.client.receive()
    assert sign_on.client.call("pairing.list") == {"pairings": []}


def step(status, action, **links):
    """A step of a sign-on policy with one action and optional further links."""
    return {"id": "f1", "status": status, "resumeUrl": f"{Issuer.URL}/resume",
            "_links": {action: {"href": Issuer.FLOW}} | {name: {"href": href} for name, href in links.items()}}


def completes_with(stage, body):
    """Has the issuer accept exactly that body."""
    def check(issuer, request):
        assert request.json == body, request.body
        request.reply_json({"id": "f1", "status": "COMPLETED", "resumeUrl": f"{Issuer.URL}/resume"})
    stage.issuer.forge("check", check)


@pytest.mark.parametrize("status, action, values", [
    ("PASSWORD_REQUIRED", "usernamePassword.check", {"password": "x"}),
    ("DAG_CONSENT_REQUIRED", "deviceAuthGrant.consent", {"accept": True})])
def test_step_asks_only_for_values_that_its_action_requires(sign_on, status, action, values):
    sign_on.issuer.forge("authorize", lambda issuer, request: request.reply_json(step(status, action)))
    completes_with(sign_on, values)
    first = start(sign_on)
    assert [one["key"] for one in first["collectors"]] == list(values)
    last = sign_on.client.call("login.next", login=first["login"], values=values)
    assert last["node"] == "success"


def test_unused_link_to_another_origin_does_not_end_the_sign_on(sign_on):
    page = step("USERNAME_PASSWORD_REQUIRED", "usernamePassword.check", **{"registration.external": ATTACKER})
    sign_on.issuer.forge("authorize", lambda issuer, request: request.reply_json(page))
    first = start(sign_on)
    assert [one["key"] for one in first["actions"]] == ["usernamePassword.check"]
    assert answer(sign_on, first["login"])["node"] == "success"
    nothing_went_elsewhere(sign_on)
