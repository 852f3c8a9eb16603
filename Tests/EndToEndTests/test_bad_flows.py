"""login.* with servers that break or mean harm, as it looks on the wire: nothing goes elsewhere and nothing is told."""

import contextlib
import json
import re
import urllib.parse

import pytest

from harness import flows, pages
from harness.browser import Browser
from harness.client import RPCError
from harness.pages import answer, refusal, sign_on, start
from harness.programs import FLOWS
from harness.sandbox import Sandbox

BIG = "too-big-to-show"
FLOW = "sign-on-with-registration"
REALM = "/am/json/realms/root/realms/alpha"


@pytest.fixture
def sandbox(directory):
    """A PingOne and PingAM with all flows, and one whose page is larger when shown than when sent."""
    names = {path.stem: path.read_text() for path in FLOWS.glob("*.json")}
    options = [{"value": f"v{index}-" * 30} for index in range(70)]
    fields = [{"type": "DROPDOWN", "key": f"k{index}", "options": options} for index in range(60)]
    big = {"begin": {"kind": "form", "fields": fields, "answers": [{"then": "end"}]}, "end": {"kind": "success"}}
    names[BIG] = json.dumps({"id": BIG, "kind": "davinci", "start": "begin", "pages": big})
    (directory / "flows").mkdir()
    for name, text in names.items():
        (directory / "flows" / f"{name}.json").write_text(text)
    sandbox = Sandbox(flows=directory / "flows")
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


@pytest.fixture
def make(make_relayed, sandbox):
    """Makes a daemon that can sign on in every way, with what passes between it and its courier."""

    def make(tokens=False, sandbox=sandbox, **settings):
        realm = f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"
        return make_relayed(
            sandbox=sandbox,
            issuer=[sandbox.announcement["issuer"]] + ([realm] if tokens else []),
            journey_server=f"{sandbox.url}/am",
            journey_cookie=sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"],
            **settings,
        )

    return make


@pytest.fixture
def relayed(make):
    daemon, relay = make()
    return pages.configured(daemon), relay


def journey(client, name):
    return client.call("login.start", method="journey", journey=name)


def goes_on(client, sandbox):
    """Nothing is left behind: the daemon answers, four sign-ons can be begun, and one succeeds."""
    assert client.call("service.status")["owner"]["configured"]
    begun = [client.call("login.start", method="signon")["login"] for _ in range(4)]
    for login in begun:
        client.call("login.cancel", login=login)
    assert flows.sign_on(client, sandbox, "ann")["node"] == "success"


# Where requests go


@pytest.mark.parametrize("is_journey", [False, True], ids=["davinci", "journey"])
def test_no_hostile_flow_makes_the_daemon_ask_elsewhere_or_answer_twice(relayed, sandbox, is_journey):
    client, relay = relayed
    for path in sorted(FLOWS.glob("hostile-*.json")):
        if path.stem == "hostile-slow" or path.stem.startswith("hostile-journey") != is_journey:
            continue
        step = journey(client, path.stem) if is_journey else start(client, path.stem)
        for _ in range(2):
            if step["node"] == "continue" and "PollingWaitCallback" not in pages.types(step):
                step = answer(client, step, {each["key"]: "x" for each in step["collectors"] if each["key"] == "a"})
        if step["node"] == "failure":
            count = len(relay.sent)
            assert re.fullmatch("[A-Z_]+", step["cause"]) and step["message"], path.stem
            assert step["collectors"] == step["actions"] == [], path.stem
            assert refusal(client, step).code == 11004
            assert len(relay.sent) == count, path.stem
        elif step["node"] != "success":
            client.call("login.cancel", login=step["login"])
    assert {each.origin for each in relay.sent} == {sandbox.url}
    goes_on(client, sandbox)


def test_cookies_for_others_and_for_too_many_are_not_sent(relayed):
    client, relay = relayed
    step = answer(client, start(client, "hostile-cookie"))
    answer(client, step, {"a": "x"})
    sent = dict(each.split("=", 1) for each in relay.sent[-1].headers["cookie"].split("; "))
    assert not {"session", "wide", "broken", "long", ""} & set(sent)
    assert sent["interactionToken"] == relay.sent[-1].headers["interactiontoken"] != "other"


@pytest.mark.parametrize("settings", [{}, {"keep_session": "yes"}, {"tokens": True}], ids=str)
def test_a_session_that_no_header_can_have_is_not_kept(make, sandbox, settings):
    daemon, relay = make(**settings)
    client = pages.configured(daemon)
    last = answer(client, journey(client, "hostile-journey-session"))
    assert (last["node"], last["cause"]) == ("failure", "MALFORMED")
    assert client.call("session.list") == {"sessions": []}
    assert journey(client, "journey-core")["node"] == "continue", "nothing is in the way of the next"
    assert not any("evil" in str(each.headers).lower() for each in relay.sent)


def test_a_page_that_no_reply_can_hold_ends_the_sign_on_and_leaves_none(relayed, sandbox):
    client, _ = relayed
    for _ in range(5):
        last = start(client, BIG)
        assert (last["node"], last["cause"]) == ("failure", "TOO_LARGE")
    goes_on(client, sandbox)


# Servers that break


STEPS = {
    "davinci": ("/{environment}/davinci", lambda client: start(client, "mfa")),
    "signon": ("/{environment}/flows", lambda client: client.call("login.start", method="signon")),
    "journey": (f"{REALM}/authenticate", lambda client: journey(client, "journey-core")),
}
"""Where the steps of a method are answered, and how it begins."""

EFFECTS = [
    ({"status": 500}, "SERVER_ERROR"), ({"status": 503}, "SERVER_ERROR"), ({"garbage": True}, "NOT_JSON"),
    ({"dropConnection": True}, None),
]
"""What a server does, and the cause that the sign-on ends with, if it ends."""


def credentials(step, sandbox):
    """Name and password under the keys of a step."""
    keys = [each["key"] for each in step["collectors"]][:2]
    return dict(zip(keys, ("ann", sandbox.users["ann"]["password"])))


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("effect, cause", EFFECTS, ids=str)
def test_a_step_that_breaks_ends_the_sign_on_or_can_be_answered_again(relayed, sandbox, method, effect, cause):
    client, relay = relayed
    path, begin = STEPS[method]
    step = begin(client)
    sandbox.fault(path.format(environment=sandbox.environment), **effect)
    values = credentials(step, sandbox)
    if cause is None:
        error = refusal(client, step, values)
        assert (error.code, error.retry) == (10004, True)
        client.call("login.cancel", login=step["login"])
    else:
        last = answer(client, step, values)
        assert (last["node"], last["cause"]) == ("failure", cause)
        assert refusal(client, step, values).code == 11004
    goes_on(client, sandbox)
    assert {each.origin for each in relay.sent} == {sandbox.url}


AROUND = ["/{environment}/as/par", "/{environment}/as/authorize", "/{environment}/as/token", "/{environment}/as/jwks"]


@pytest.mark.parametrize("path", AROUND)
@pytest.mark.parametrize("effect", [each for each, _ in EFFECTS], ids=str)
def test_what_breaks_around_the_steps_leaves_no_sign_on_behind(relayed, sandbox, path, effect):
    client, _ = relayed
    for _ in range(3):
        sandbox.fault(path.format(environment=sandbox.environment), **effect)
        outcome = whole(client, sandbox)
        assert outcome in ("failure", "success", 10003, 10004), outcome
    goes_on(client, sandbox)


SECOND_HALF = {
    "davinci": lambda client, sandbox: (
        start(client, FLOW), {"values": pages.credentials(sandbox)}
    ),
    "signon": lambda client, sandbox: (
        step := client.call("login.start", method="signon"), {"values": credentials(step, sandbox)}
    ),
    "redirect": lambda client, sandbox: (signed_on_in_browser(client, sandbox), {}),
}
"""Where the last answer is all that is missing, and that answer."""


def signed_on_in_browser(client, sandbox):
    step, browser = client.call("login.start", method="redirect"), Browser()
    browser.open(step["browserUrl"])
    browser.submit(username="ann", password=sandbox.users["ann"]["password"])
    return step


@pytest.mark.parametrize(
    "method, path", [("davinci", "token"), ("signon", "token"), ("signon", "resume"), ("redirect", "token")]
)
@pytest.mark.parametrize("repeat", ["the same", "nothing"])
def test_who_has_signed_on_need_not_do_so_again_because_of_the_network(relayed, sandbox, method, path, repeat):
    client, _ = relayed
    step, params = SECOND_HALF[method](client, sandbox)
    sandbox.fault(f"/{sandbox.environment}/as/{path}", count=14, dropConnection=True)
    refusals = 0
    while True:
        try:
            last = client.call("login.next", login=step["login"], **params)
            break
        except RPCError as error:
            assert (error.code, error.retry) == (10004, True)
            refusals += 1
            params = params if repeat == "the same" else {}
    # A library may try some more times itself.
    assert 2 <= refusals <= 14 and (last["node"], last["user"]["username"]) == ("success", "ann")
    goes_on(client, sandbox)


def whole(client, sandbox):
    """How a sign-on by name and password ends: the last node, or the code of an error."""
    number = begun = client.begin("login.start", method="davinci", parameters={"acr_values": FLOW})
    try:
        step = client.reply(number)
        if step["node"] == "continue":
            number = pages.begin(client, step, pages.credentials(sandbox))
            step = client.reply(number)
        return step["node"]
    except RPCError as error:
        if number > begun:
            # It is still there to be answered, unless its tokens were no good.
            with contextlib.suppress(RPCError):
                client.call("login.cancel", login=step["login"])
        return error.code


def test_a_server_that_is_gone_is_said_and_when_it_is_back_the_page_is_answered(make, directory):
    sandbox = Sandbox(data=directory / "data", flows=FLOWS)
    port = urllib.parse.urlsplit(sandbox.url).port
    daemon, _ = make(sandbox=sandbox)
    client = pages.configured(daemon)
    step = start(client, "mfa")
    sandbox.stop()
    for _ in range(3):
        error = refusal(client, step, pages.credentials(sandbox))
        assert (error.code, error.retry) == (10004, True)
    assert client.refusal("login.start", method="signon").code == 10004
    again = Sandbox(data=directory / "data", port=port, flows=FLOWS)
    # The flow was under way in a server that has forgotten it.
    last = answer(client, step, pages.credentials(sandbox))
    assert (last["node"], last["cause"]) == ("failure", "SESSION_EXPIRED")
    assert start(client, "mfa")["node"] == "continue"
    daemon.end()
    again.stop()


def test_while_a_server_hangs_others_are_served(relayed, sandbox):
    client, _ = relayed
    step = start(client, "mfa")
    with sandbox.held():
        waiting = pages.begin(client, step, pages.credentials(sandbox))
        assert client.call("service.status")["owner"]["configured"]
        assert refusal(client, step, pages.credentials(sandbox)).code == 11011, "one answer at a time"
        assert client.call("login.cancel", login=step["login"]) == {}
    assert client.refused(waiting).code == 11004
    goes_on(client, sandbox)


# The journal


SECRET = {
    "password", "user.password", "code", "code_verifier", "state", "nonce", "mobilePayload", "access_token", "id_token",
    "refresh_token", "interactionToken", "sessionToken", "pairingKey", "otp", "request_uri", "tokenId", "authId",
    "continueToken", "device_code", "user_code", "token", "id_token_hint", "IDToken1", "IDToken2",
}
"""Members of requests and answers that nobody else may read."""


def secrets(value, name=""):
    """The secret texts in a document."""
    if isinstance(value, dict):
        return set().union(*(secrets(it, each) for each, it in value.items()), set())
    if isinstance(value, list):
        return set().union(*(secrets(it, name) for it in value), set())
    return {value} if name in SECRET and isinstance(value, str) and len(value) >= 6 else set()


def document(text):
    """What a body says, be it JSON or a form."""
    try:
        return json.loads(text)
    except ValueError:
        return dict(urllib.parse.parse_qsl(text))


def canaries(relay):
    """Everything secret that passed."""
    found = set()
    for sent in relay.sent:
        found |= secrets(document(sent.body)) | {sent.query}
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
def test_the_journal_of_a_whole_sign_on_holds_nothing_secret(make, sandbox, way):
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
