"""Malicious or failing servers: every sign-on ends with its cause, and the daemon keeps serving."""

import json
import time
import unicodedata

import pytest

from harness import flows
from harness.client import RPCError
from harness.programs import FLOWS

pytestmark = pytest.mark.flows

ENDS = {
    "array": "NOT_JSON",
    "connector": "REFUSED",
    "deep": "NOT_JSON",
    "empty": "MALFORMED",
    "failed": "DENIED",
    "failed-small": "REFUSED",
    "foreign-link": "FOREIGN_LINK",
    "foreign-port": "FOREIGN_LINK",
    "foreign-self": "FOREIGN_LINK",
    "half": "NOT_JSON",
    "html": "NOT_JSON",
    "large": "TOO_LARGE",
    "many-fields": "TOO_LARGE",
    "no-code": "NO_CODE",
    "odd-link": "FOREIGN_LINK",
    "redirect": "REDIRECTED",
    "start-html": "NOT_JSON",
    "start-redirect": "REDIRECTED",
    "state": "STATE_MISMATCH",
    "timed-out": "SESSION_EXPIRED",
    "unauthorized": "SESSION_EXPIRED",
    "unauthorized-text": "SESSION_EXPIRED",
    "unavailable": "SERVER_ERROR",
    "journey-empty": "MALFORMED",
    "journey-half": "NOT_JSON",
    "journey-html": "NOT_JSON",
    "journey-large": "TOO_LARGE",
    "journey-redirect": "REDIRECTED",
    "journey-session": "MALFORMED",
    "journey-timed-out": "SESSION_EXPIRED",
    "journey-unavailable": "SERVER_ERROR",
}
"""The cause of failure of each flow that ends at once."""

LIVES = {
    "cookie", "endless", "fields", "incompatible", "pairing-key", "polling", "short", "slow", "texts", "journey-callbacks",
    "journey-endless", "journey-wait-time", "journey-waiting",
}
"""Flows that do not end at once. Their tests are below, in test_bad_flows.py or in Swift."""


@pytest.fixture
def client(make_daemon, sandbox):
    daemon = make_daemon(
        issuer=[sandbox.announcement["issuer"], f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"],
        journey_server=f"{sandbox.url}/am",
        journey_cookie=sandbox.request("GET", "/am/json/serverinfo/*")["cookieName"],
    )
    client = daemon.start().client()
    client.call("device.configure", geo=flows.GEO)
    return client


def start(client, name):
    flow = f"hostile-{name}"
    if name.startswith("journey-"):
        return client.call("login.start", method="journey", journey=flow)
    return client.call("login.start", method="davinci", parameters={"acr_values": flow})


def answer(client, step, **more):
    """Answers a step, and retries after RATE_LIMITED."""
    while True:
        try:
            return client.call("login.next", login=step["login"], **{"values": {}, **more})
        except RPCError as error:
            if error.reason != "RATE_LIMITED":
                raise
            time.sleep(error.details["retryAfter"])


def second(client, name):
    """Returns the hostile page: the second one, or the first if it already failed."""
    step = start(client, name)
    return step if step["node"] == "failure" else answer(client, step)


def test_every_hostile_flow_is_listed():
    names = {path.stem.removeprefix("hostile-") for path in FLOWS.glob("hostile-*.json")}
    assert names == set(ENDS) | LIVES


def test_hostile_flow_ends_the_sign_on_with_its_cause(client, sandbox):
    for name, cause in ENDS.items():
        step = second(client, name)
        assert (name, step["node"], step["cause"]) == (name, "failure", cause)
        assert step["message"] and "evil" not in json.dumps(step)
    # The daemon still works.
    assert flows.sign_on(client, sandbox, "ann")["node"] == "success"


def test_expired_page_ends_the_sign_on(client, sandbox):
    step = second(client, "short")
    sandbox.request("POST", "/sandbox/clock", {"advance": 2})
    step = answer(client, step, values={"a": "x"})
    assert (step["node"], step["cause"]) == ("failure", "SESSION_EXPIRED")


def shown(step):
    """Returns the texts that a client shows to the user."""
    return [
        step.get("title", ""), step.get("description", ""), step.get("message", ""),
        *(each.get(name, "") for each in step["collectors"] for name in ("label", "value", "message")),
        *(option["label"] for each in step["collectors"] for option in each.get("options", [])),
        *(each["label"] for each in step["actions"]),
    ]


def is_plain(text):
    return not any(unicodedata.category(letter) in ("Cc", "Cf") and letter != "\n" for letter in text)


def test_texts_contain_no_control_characters(client):
    for name in ("texts", "fields", "journey-callbacks"):
        step = second(client, name)
        assert step["node"] == "continue" and all(is_plain(str(text)) for text in shown(step)), name
        if name == "texts":
            step = answer(client, step, values={"b": "a" * 40 + "!"})
            assert step["node"] == "error" and all(is_plain(str(text)) for text in shown(step))


def test_polling_with_invalid_numbers_ends(client):
    step = second(client, "polling")
    for _ in range(10):
        if step["node"] != "continue":
            break
        step = answer(client, step)
    assert step["node"] == "success"


def test_polling_with_an_invalid_wait_time_can_be_interrupted(client):
    step = second(client, "journey-wait-time")
    assert step["collectors"][0]["type"] == "PollingWaitCallback"
    # The wait lasts at most as long as other waits, and a second call ends it.
    waiting = client.begin("login.next", login=step["login"], values={})
    client.begin("login.next", login=step["login"], values={})
    assert client.reply(waiting)["collectors"][0]["label"] == "Long"
    client.call("login.cancel", login=step["login"])


@pytest.mark.slow
def test_slow_server_is_reported_as_retryable(client):
    step = start(client, "slow")
    error = client.refusal("login.next", 60, login=step["login"], values={})
    assert (error.reason, error.retry) == ("NO_CONNECTIVITY", True)
    client.call("login.cancel", login=step["login"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["endless", "journey-endless"])
def test_endless_pages_end_with_too_many_steps(client, name):
    step = second(client, name)
    count = 1
    while step["node"] == "continue":
        step = answer(client, step, values={step["collectors"][0]["key"]: "x"})
        count += 1
        assert count < 1000
    assert (step["node"], step["cause"]) == ("failure", "TOO_MANY_STEPS")
