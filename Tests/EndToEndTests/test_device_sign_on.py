"""login.*: the device authorization grant, RFC 8628, with a browser on any machine."""

import pytest

from harness import flows
from harness.browser import Browser


@pytest.fixture
def configured(client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    sandbox.tokens(deviceInterval=1)
    return client


def start(client):
    return client.call("login.start", method="device")


def wait(client, step):
    return client.call("login.next", login=step["login"])


def collector(step, kind):
    return next(each for each in step["collectors"] if each["type"] == kind)


def answer(step, sandbox, user="ann", decision="approve"):
    browser = Browser()
    browser.open(step["browserUrl"])
    return browser.submit(
        user_code=collector(step, "LabelCollector")["value"],
        username=user,
        password=sandbox.users[user]["password"],
        decision=decision,
    )


def test_first_step_shows_the_url_and_code_and_says_that_it_cannot_pair(configured, sandbox):
    step = start(configured)
    assert (step["node"], step["method"], step["actions"]) == ("continue", "device", [])
    assert step["browserUrl"].startswith(f"{sandbox.url}/{sandbox.environment}/device?user_code=")
    assert collector(step, "LabelCollector")["value"] in step["browserUrl"]
    assert collector(step, "PollingCollector")["key"] == "device"
    assert "cannot pair" in step["message"]


def test_approval_in_a_browser_signs_on_without_pairing(configured, sandbox):
    step = start(configured)
    answer(step, sandbox)
    last = wait(configured, step)
    assert (last["node"], last["user"]["id"], last["pairing"]) == ("success", sandbox.users["ann"]["id"], None)
    assert configured.call("pairing.list") == {"pairings": []}


def test_gateway_error_during_the_wait_does_not_end_the_sign_on(configured, sandbox):
    step = start(configured)
    sandbox.fault(f"/{sandbox.environment}/as/token", status=502)
    answer(step, sandbox)
    assert wait(configured, step)["node"] == "success"


def test_denial_in_the_browser_ends_the_sign_on(configured, sandbox):
    step = start(configured)
    answer(step, sandbox, decision="deny")
    last = wait(configured, step)
    assert (last["node"], last["cause"], last["message"]) == ("failure", "DENIED", "the user denied the request")
    assert configured.refusal("login.next", login=step["login"]).code == 11004


def test_expired_device_code_ends_the_sign_on(configured, sandbox):
    step = start(configured)
    sandbox.advance(3600)
    assert wait(configured, step)["cause"] == "EXPIRED"


def test_second_login_next_replaces_the_pending_one(configured, daemon, sandbox):
    step = start(configured)
    other = daemon.client()
    first = configured.begin("login.next", login=step["login"])
    configured.call("service.status")
    second = other.begin("login.next", login=step["login"])
    assert configured.reply(first)["node"] == "continue"
    answer(step, sandbox)
    assert other.reply(second)["node"] == "success"


@pytest.mark.slow
def test_poll_interval_longer_than_a_reply_continues_with_the_next_call(configured, sandbox):
    sandbox.tokens(deviceInterval=30)
    step = start(configured)
    answer(step, sandbox)
    first = configured.begin("login.next", login=step["login"])
    assert configured.reply(first)["node"] == "continue"
    # Polling too early would lengthen the interval (slow_down), and this call would not complete.
    assert wait(configured, step)["node"] == "success"


def test_pending_login_next_fails_when_the_sign_on_is_cancelled(configured, daemon):
    step = start(configured)
    first = configured.begin("login.next", login=step["login"])
    daemon.client().call("login.cancel", login=step["login"])
    assert configured.refused(first).code == 11004


def test_device_step_rejects_values_and_actions(configured):
    step = start(configured)
    for name, value in (("values", {"user_code": "x"}), ("action", "x")):
        refusal = configured.refusal("login.next", login=step["login"], **{name: value})
        assert (refusal.code, refusal.details["parameter"]) == (-32602, name)
    assert configured.refusal("login.resume", login=step["login"], uri="http://127.0.0.1/callback?x").code == 11011


def test_issuer_without_the_device_grant_fails_with_refused(make_daemon, sandbox):
    client = make_daemon(client_id="another").start().client()
    client.call("device.configure", geo=flows.GEO)
    step = start(client)
    assert (step["node"], step["cause"]) == ("failure", "REFUSED")
