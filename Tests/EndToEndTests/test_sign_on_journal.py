"""The journal of a sign-on contains no secret from its requests and responses."""

import json
import urllib.parse

import pytest

from harness import flows, pages
from harness.bad_flows import journey, make, sandbox, signed_on_in_browser
from harness.browser import Browser
from harness.pages import answer, sign_on, start

SECRET = {
    "password", "user.password", "code", "code_verifier", "state", "nonce", "mobilePayload", "access_token", "id_token",
    "refresh_token", "interactionToken", "sessionToken", "pairingKey", "otp", "request_uri", "tokenId", "authId",
    "continueToken", "device_code", "user_code", "token", "id_token_hint", "IDToken1", "IDToken2",
}
"""Names of secret members in requests and responses."""


def secrets(value, name=""):
    """Returns the secret texts in a document."""
    if isinstance(value, dict):
        return set().union(*(secrets(it, each) for each, it in value.items()), set())
    if isinstance(value, list):
        return set().union(*(secrets(it, name) for it in value), set())
    return {value} if name in SECRET and isinstance(value, str) and len(value) >= 6 else set()


def document(text):
    """Returns the content of a JSON or form body."""
    try:
        return json.loads(text)
    except ValueError:
        return dict(urllib.parse.parse_qsl(text))


def canaries(relay):
    """Returns all secrets that passed through the relay."""
    found = set()
    for sent in relay.sent:
        found |= secrets(document(sent.body.decode())) | {urllib.parse.urlsplit(sent.url).query}
        found |= {sent.headers.get(name, "") for name in ("authorization", "cookie", "interactiontoken")}
        found |= {each.split("=", 1)[1] for each in sent.headers.get("cookie", "").split("; ") if "=" in each}
    for received in relay.received:
        found |= secrets(document(received.body))
        for name, value in received.headers:
            if name.lower() == "set-cookie":
                found.add(value.split(";")[0].split("=", 1)[1])
            if name.lower() == "location":
                found.add(urllib.parse.urlsplit(value).query)
    return {each for each in found if len(each) >= 6}


def by_second_factor(client, sandbox):
    flows.pair(client, sandbox)
    step = sign_on(client, sandbox, "mfa")
    step = answer(client, step, {"device": pages.collector(step, "device")["options"][0]["value"]})
    step = answer(client, step, action="passcode")
    answer(client, step, {"otp": "000000"})
    return answer(client, step, {"otp": client.call("passcode.get")["passcode"]})


def by_pairing(client, sandbox):
    return answer(client, sign_on(client, sandbox, "mobile-pairing"), action="mobilePairing")


def by_another_provider(client, sandbox):
    phone = {"countryCode": "GB", "phoneNumber": "7700900123"}
    step = answer(client, start(client, "all-collectors"), {**pages.credentials(sandbox), "terms": True, "phone": phone})
    step = answer(client, answer(client, answer(client, step, {"newDevice": "EMAIL"})), action="google")
    browser = Browser(stops_at="http://127.0.0.1/")
    browser.open(step["browserUrl"])
    step = client.call("login.resume", login=step["login"], uri=browser.address)
    for _ in range(3):
        step = answer(client, step)
    return step


def by_journey(client, sandbox):
    step = journey(client, "journey-polling")
    step = answer(client, step, {"IDToken1": "ann", "IDToken2": sandbox.users["ann"]["password"]})
    step = answer(client, step, {"IDToken1": 2})
    while step["node"] == "continue":
        step = answer(client, step)
    return step


def by_policy(client, sandbox):
    step = client.call("login.start", method="signon")
    answer(client, step, {"username": "ann", "password": "wrong-but-secret"})
    return answer(client, step, {"username": "ann", "password": sandbox.users["ann"]["password"]})


def by_browser(client, sandbox):
    return answer(client, signed_on_in_browser(client, sandbox))


def by_device(client, sandbox):
    step, browser = client.call("login.start", method="device"), Browser()
    browser.open(step["browserUrl"])
    code = pages.collector(step, "user_code")["value"]
    browser.submit(
        user_code=code, username="ann", password=sandbox.users["ann"]["password"], decision="approve"
    )
    while step["node"] == "continue":
        step = answer(client, step)
    return step


@pytest.mark.parametrize(
    "way",
    [by_second_factor, by_pairing, by_another_provider, by_journey, by_policy, by_browser, by_device],
    ids=lambda way: way.__name__,
)
def test_journal_of_a_sign_on_contains_no_secret(make, sandbox, way):
    daemon, relay = make(tokens=True, keep_session="yes", scope="openid profile email offline_access", log_level="debug")
    client = pages.configured(daemon)
    last = way(client, sandbox)
    assert last["node"] == "success", last
    for account in client.call("account.list")["accounts"][:1]:
        client.call("session.userinfo", account=account["id"], fresh=True)
        client.call("session.logout", account=account["id"])
    found = canaries(relay)
    assert len(found) > 3, "secrets have passed"
    text = str(daemon.journal)
    assert not [each for each in found if each in text]
    assert "http" not in text and "Bearer" not in text
