"""login.* with failing or malicious servers, checked on the wire: nothing is sent to other origins or disclosed."""

import contextlib
import re

import pytest

from harness import pages
from harness.bad_flows import BIG, FLOW, REALM, goes_on, journey, make, relayed, sandbox, signed_on_in_browser
from harness.client import RPCError
from harness.pages import answer, refusal, start
from harness.programs import FLOWS
from harness.sandbox import Sandbox


@pytest.mark.parametrize("is_journey", [False, True], ids=["davinci", "journey"])
def test_hostile_flow_causes_no_request_to_other_origins_and_no_second_answer(relayed, sandbox, is_journey):
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


def test_cookies_of_other_domains_and_invalid_cookies_are_not_sent(relayed):
    client, relay = relayed
    step = answer(client, start(client, "hostile-cookie"))
    answer(client, step, {"a": "x"})
    sent = dict(each.split("=", 1) for each in relay.sent[-1].headers["cookie"].split("; "))
    assert not {"session", "wide", "broken", "long", ""} & set(sent)
    assert sent["interactionToken"] == relay.sent[-1].headers["interactiontoken"] != "other"


def test_session_token_invalid_in_a_header_is_not_stored(make, sandbox):
    daemon, relay = make(keep_session="yes")
    client = pages.configured(daemon)
    last = answer(client, journey(client, "hostile-journey-session"))
    assert (last["node"], last["cause"]) == ("failure", "MALFORMED")
    assert client.call("session.list") == {"sessions": []}
    assert journey(client, "journey-core")["node"] == "continue", "nothing is in the way of the next"
    assert not any("evil" in str(each.headers).lower() for each in relay.sent)


def test_page_too_large_for_a_reply_ends_the_sign_on(relayed, sandbox):
    client, _ = relayed
    for _ in range(5):
        last = start(client, BIG)
        assert (last["node"], last["cause"]) == ("failure", "TOO_LARGE")
    goes_on(client, sandbox)


# Failing servers


STEPS = {
    "davinci": ("/{environment}/davinci", lambda client: start(client, "mfa")),
    "signon": ("/{environment}/flows", lambda client: client.call("login.start", method="signon")),
    "journey": (f"{REALM}/authenticate", lambda client: journey(client, "journey-core")),
}
"""The path of the steps of each method, and a function that starts the method."""

EFFECTS = [
    ({"status": 500}, "SERVER_ERROR"), ({"status": 503}, "SERVER_ERROR"), ({"garbage": True}, "NOT_JSON"),
    ({"dropConnection": True}, None),
]
"""The fault of the server, and the cause of the failure. None: the sign-on continues."""


def credentials(step, sandbox):
    """Returns the user name and password under the keys of the step."""
    keys = [each["key"] for each in step["collectors"]][:2]
    return dict(zip(keys, ("ann", sandbox.users["ann"]["password"])))


@pytest.mark.parametrize("method", STEPS)
def test_failed_step_ends_the_sign_on_or_can_be_answered_again(relayed, sandbox, method):
    client, relay = relayed
    path, begin = STEPS[method]
    for effect, cause in EFFECTS:
        step = begin(client)
        sandbox.fault(path.format(environment=sandbox.environment), **effect)
        values = credentials(step, sandbox)
        if cause is None:
            error = refusal(client, step, values)
            assert (error.code, error.retry) == (10004, True)
            client.call("login.cancel", login=step["login"])
        else:
            last = answer(client, step, values)
            assert (last["node"], last["cause"]) == ("failure", cause), effect
            assert refusal(client, step, values).code == 11004
        goes_on(client, sandbox)
    assert {each.origin for each in relay.sent} == {sandbox.url}


AROUND = ["/{environment}/as/par", "/{environment}/as/authorize", "/{environment}/as/token", "/{environment}/as/jwks"]


@pytest.mark.parametrize("path", AROUND)
@pytest.mark.parametrize("effect", [each for each, _ in EFFECTS], ids=str)
def test_failure_outside_the_steps_leaves_no_sign_on_open(relayed, sandbox, path, effect):
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
"""The last step of each method, and its answer."""


@pytest.mark.parametrize(
    "method, path", [("davinci", "token"), ("signon", "token"), ("signon", "resume"), ("redirect", "token")]
)
def test_completed_sign_on_survives_network_failures(relayed, sandbox, method, path):
    client, _ = relayed
    for repeats_values in (True, False):
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
                params = params if repeats_values else {}
        # The HTTP library may retry as well.
        assert 2 <= refusals <= 14 and (last["node"], last["user"]["username"]) == ("success", "ann")
        goes_on(client, sandbox)


def whole(client, sandbox):
    """Plays a password sign-on, and returns the last node or the error code."""
    number = begun = client.begin("login.start", method="davinci", parameters={"acr_values": FLOW})
    try:
        step = client.reply(number)
        if step["node"] == "continue":
            number = pages.begin(client, step, pages.credentials(sandbox))
            step = client.reply(number)
        return step["node"]
    except RPCError as error:
        if number > begun:
            # The sign-on is still open, unless its tokens were invalid.
            with contextlib.suppress(RPCError):
                client.call("login.cancel", login=step["login"])
        return error.code


def test_unreachable_server_is_reported_and_the_page_can_be_answered_later(make, directory):
    sandbox = Sandbox(data=directory / "data", flows=FLOWS)
    daemon, _ = make(sandbox=sandbox)
    client = pages.configured(daemon)
    step = start(client, "mfa")
    sandbox.stop()
    for _ in range(3):
        error = refusal(client, step, pages.credentials(sandbox))
        assert (error.code, error.retry) == (10004, True)
    assert client.refusal("login.start", method="signon").code == 10004
    sandbox.start()
    # The restarted server has forgotten the flow.
    last = answer(client, step, pages.credentials(sandbox))
    assert (last["node"], last["cause"]) == ("failure", "SESSION_EXPIRED")
    assert start(client, "mfa")["node"] == "continue"
    daemon.end()
    sandbox.stop()


def test_other_requests_are_served_while_a_server_hangs(relayed, sandbox):
    client, _ = relayed
    step = start(client, "mfa")
    with sandbox.held():
        waiting = pages.begin(client, step, pages.credentials(sandbox))
        assert client.call("service.status")["owner"]["configured"]
        assert refusal(client, step, pages.credentials(sandbox)).code == 11011, "one answer at a time"
        assert client.call("login.cancel", login=step["login"]) == {}
    assert client.refused(waiting).code == 11004
    goes_on(client, sandbox)
