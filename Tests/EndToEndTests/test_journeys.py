"""login.* with a journey: PingAM's callbacks, session and realm tokens."""

import pytest

from harness import flows

pytestmark = pytest.mark.flows

REALM = "/am/json/realms/root/realms/alpha"


@pytest.fixture
def make_client(make_daemon, sandbox):
    """Makes a client of a daemon configured for the server, by default also for the tokens of its realm."""

    def make(tokens=True, **settings):
        own = f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"
        cookie = sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"]
        return make_daemon(
            issuer=[sandbox.announcement["issuer"]] + ([own] if tokens else []),
            journey_server=f"{sandbox.url}/am",
            journey_cookie=cookie,
            **settings,
        ).start().client()

    return make


def start(client, journey, **options):
    return client.call("login.start", method="journey", journey=journey, **options)


def answer(client, step, values=None, **more):
    return client.call("login.next", login=step["login"], values=values or {}, **more)


def credentials(sandbox, user="ann"):
    return {"IDToken1": user, "IDToken2": sandbox.users[user]["password"]}


def core(client, sandbox, **options):
    """Plays every core callback to the end."""
    step = answer(client, start(client, "journey-core", **options), credentials(sandbox))
    step = answer(client, step, {"IDToken6": "Bern", **agreed(step)})
    return answer(client, step)


def agreed(step):
    """Returns answers to the required questions and agreements."""
    keys = {each["key"]: each["type"] for each in step["collectors"]}
    answers = {}
    for key, kind in keys.items():
        if kind == "KbaCreateCallback":
            answers[key] = "Your first pet?" if key.endswith("question") else "Rex"
        if kind in ("TermsAndConditionsCallback", "ConsentMappingCallback"):
            answers[key] = True
    return answers


def collector(step, key):
    return next(each for each in step["collectors"] if each["key"] == key)


def test_every_core_callback_is_shown_and_answered(make_client, sandbox):
    client = make_client()
    step = start(client, "journey-core", locale="de")
    assert (step["node"], step["method"], step["title"]) == ("continue", "journey", "Anmelden")
    assert step["stage"] == "UsernamePassword" and "href" in step["description"]
    assert [(each["key"], each["label"]) for each in step["collectors"]] == [
        ("IDToken1", "Benutzername"), ("IDToken2", "Passwort"),
    ]
    assert collector(step, "IDToken2")["secret"]
    step = answer(client, step, credentials(sandbox))
    kinds = [each["type"] for each in step["collectors"]]
    assert kinds.count("KbaCreateCallback") == 2 and kinds.count("TextOutputCallback") == 1
    assert collector(step, "IDToken3")["value"] == "1" and collector(step, "IDToken5")["value"] == 18
    values = {"IDToken2": "Anni", "IDToken3": 2, "IDToken4": True, "IDToken5": "19", "IDToken6": "Bern"}
    step = answer(client, step, {**values, **agreed(step)})
    assert collector(step, "callback0")["value"] == "Welcome Anni, your choice is 2"
    last = answer(client, step, {"IDToken2": 0})
    assert (last["node"], last["user"]["id"], last["pairing"]) == ("success", "(usr!ann)", None)


def test_failed_policies_are_reported_at_their_field(make_client, sandbox):
    client = make_client()
    step = start(client, "journey-registration")
    assert [each["label"] for each in step["actions"]] == ["Register"]
    values = {"IDToken1": "eve", "IDToken2": "short", "IDToken3": "eve@example.com", "IDToken4": True}
    again = answer(client, step, values)
    assert again["node"] == "continue"
    assert collector(again, "IDToken2")["message"] == "must have at least 8 characters; must have at least 1 digit"
    assert "message" not in collector(again, "IDToken1")
    assert answer(client, again, {**values, "IDToken2": "long enough 1"})["node"] == "success"


def test_email_link_resumes_a_suspended_journey(make_client, sandbox):
    client = make_client()
    step = answer(client, start(client, "journey-suspended"), {"IDToken1": "ann"})
    assert [each["type"] for each in step["collectors"]] == ["SuspendedTextOutputCallback"]
    link = sandbox.request("GET", "/sandbox/messages")["messages"][-1]
    address = next(value for value in link.values() if "suspendedId" in str(value))
    address = next(word for word in address.split() if "suspendedId" in word)
    assert client.refusal("login.resume", login=step["login"], uri="https://evil.example/?suspendedId=x").code == -32602
    step = client.call("login.resume", login=step["login"], uri=address)
    assert collector(step, "callback0")["value"] == "Welcome back, ann"
    assert answer(client, step)["node"] == "success"


def test_unknown_suspension_fails_with_suspension_expired(make_client, sandbox):
    client = make_client()
    step = answer(client, start(client, "journey-suspended"), {"IDToken1": "ann"})
    uri = f"{sandbox.url}/am/XUI/?suspendedId=unknown"
    last = client.call("login.resume", login=step["login"], uri=uri)
    assert (last["node"], last["cause"]) == ("failure", "SUSPENSION_EXPIRED")


def test_stored_session_signs_on_until_it_is_ended(make_client, sandbox):
    client = make_client(keep_session="yes")
    core(client, sandbox)
    places = {each["issuer"]: each for each in client.call("session.list")["sessions"]}
    assert set(places) == {f"{sandbox.url}{REALM}/authenticate", f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"}
    last = start(client, "journey-core")
    assert (last["node"], last["user"]["id"]) == ("success", "(usr!ann)")
    assert start(client, "journey-core", forceAuth=True)["node"] == "continue"
    client.call("session.end", session=places[f"{sandbox.url}{REALM}/authenticate"]["id"])
    assert start(client, "journey-core")["node"] == "continue"


def test_journey_requires_a_configured_server(client):
    refused = client.refusal("login.start", method="journey", journey="journey-core")
    assert (refused.code, refused.message) == (10018, "the configuration names no journey_server")


def asked(client, sandbox):
    """Starts a journey that waits for a push to this machine; returns the step and the push."""
    flows.pair(client, sandbox)
    client.subscribe("notification")
    step = answer(client, start(client, "journey-polling"), credentials(sandbox))
    step = answer(client, step, {"IDToken1": 0})
    assert [each["type"] for each in step["collectors"]] == ["PollingWaitCallback", "ConfirmationCallback"]
    return step, client.event("notification", state="pending")["id"]


def test_a_push_is_approved_while_a_journey_waits(make_client, sandbox):
    client = make_client()
    step, push = asked(client, sandbox)
    client.call("notification.approve", notification=push)
    while step["node"] == "continue":
        step = answer(client, step)
    assert (step["node"], step["user"]["id"]) == ("success", "(usr!ann)")
