"""login.*: a browser is redirected to this machine, or the user submits its address."""

import concurrent.futures
import urllib.parse

import pytest

from harness import flows
from harness.browser import Browser


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


def start(client, **params):
    step = client.call("login.start", method="redirect", **params)
    assert (step["node"], step["method"]) == ("continue", "redirect")
    return step


def wait(client, step):
    return client.call("login.next", login=step["login"])


def sign_on(browser, step, sandbox, user="ann"):
    """Signs on in the browser, and returns the last page."""
    browser.open(step["browserUrl"])
    return browser.submit(username=user, password=sandbox.users[user]["password"])


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


def test_browser_url_contains_only_the_client_id_and_a_request_uri(configured, sandbox):
    step = start(configured)
    assert step["browserUrl"].startswith(f"{sandbox.announcement['issuer']}/authorize?")
    assert set(query(step["browserUrl"])) == {"client_id", "request_uri"}
    assert [each["type"] for each in step["collectors"]] == ["PollingCollector"]


def test_browser_sign_on_is_redirected_back_and_allows_pairing(configured, sandbox):
    step, browser = start(configured), Browser()
    page = sign_on(browser, step, sandbox)
    assert browser.status == 200 and "code=" not in page and query(browser.address)["state"] not in page
    last = wait(configured, step)
    assert (last["node"], last["user"]["username"]) == ("success", "ann")
    account = configured.call("pairing.approve", pairing=last["pairing"]["id"])["account"]
    assert configured.call("passcode.get", account=account)["passcode"]


def test_pending_login_next_returns_when_the_browser_is_redirected(configured, sandbox):
    step = start(configured)
    waiting = configured.begin("login.next", login=step["login"])
    sign_on(Browser(), step, sandbox)
    assert configured.reply(waiting)["node"] == "success"


def test_login_resume_accepts_the_address_of_a_browser_on_another_machine(configured, sandbox):
    step, browser = start(configured), Browser(stops_at="http://127.0.0.1:")
    sign_on(browser, step, sandbox)
    last = configured.call("login.resume", login=step["login"], uri=browser.address)
    assert (last["node"], last["pairing"]["user"]["username"]) == ("success", "ann")


def test_login_resume_rejects_addresses_of_other_sign_ons(configured, sandbox):
    step, browser = start(configured), Browser(stops_at="http://127.0.0.1:")
    sign_on(browser, step, sandbox)
    for address in ("x", "http://127.0.0.1/callback", "http://evil.test/callback?code=x&state=y",
                    "http://127.0.0.1/other?code=x", "http://127.0.0.1/callback?a=1&a=2", "file:///callback?code=x"):
        error = configured.refusal("login.resume", login=step["login"], uri=address)
        assert (error.code, error.details) == (-32602, {"parameter": "uri"}), address
    foreign = configured.call("login.resume", login=step["login"], uri="http://127.0.0.1/callback?code=x&state=y")
    assert foreign["node"] == "continue" and "not of this sign-on" in foreign["message"]
    forged = browser.address + "&iss=http%3A%2F%2Fevil.test"
    assert configured.refusal("login.resume", login=step["login"], uri=forged).code == -32602
    assert configured.call("login.resume", login=step["login"], uri=browser.address)["node"] == "success"


def test_cancelling_in_the_browser_ends_the_sign_on_as_denied(configured, sandbox):
    step, browser = start(configured), Browser()
    browser.open(step["browserUrl"])
    browser.submit(decision="cancel")
    last = wait(configured, step)
    assert (last["node"], last["cause"]) == ("failure", "DENIED")


def test_concurrent_browser_sign_ons_do_not_mix(daemon, sandbox):
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    steps = {user: start(client) for user in ("ann", "bob")}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(lambda user: sign_on(Browser(), steps[user], sandbox, user), steps))
    for user, step in steps.items():
        assert wait(client, step)["user"]["username"] == user


def test_login_resume_works_for_a_redirect_uri_without_a_listener(make_daemon, sandbox):
    client = make_daemon(redirect_uri="http://[::1]/callback").start().client()
    client.call("device.configure", geo=flows.GEO)
    step, browser = start(client), Browser(stops_at="http://[::1]/")
    sign_on(browser, step, sandbox)
    assert client.call("login.resume", login=step["login"], uri=browser.address)["node"] == "success"


def test_browser_session_skips_the_page_unless_force_auth_is_set(configured, sandbox):
    browser = Browser()
    sign_on(browser, start(configured), sandbox)
    again = start(configured)
    browser.open(again["browserUrl"])
    assert wait(configured, again)["user"]["username"] == "ann"
    anew = start(configured, forceAuth=True)
    assert "<form" in browser.open(anew["browserUrl"])
    browser.submit(username="bob", password=sandbox.users["bob"]["password"])
    assert wait(configured, anew)["user"]["username"] == "bob"
