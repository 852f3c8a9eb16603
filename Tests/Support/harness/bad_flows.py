"""Failing or malicious servers: a sandbox with all flows, daemons for it, and their messages."""

import json

import pytest

from . import flows, pages
from .browser import Browser
from .programs import FLOWS
from .sandbox import Sandbox

BIG = "too-big-to-show"
FLOW = "sign-on-with-registration"
REALM = "/am/json/realms/root/realms/alpha"


@pytest.fixture
def sandbox(directory):
    """A PingOne and PingAM with all flows, and one with a page that grows when it is shown."""
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
    """Makes a daemon that can sign on by every method, with the messages between it and its courier."""

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
    """Checks that nothing leaks: the daemon replies, four sign-ons can start, and one succeeds."""
    assert client.call("service.status")["owner"]["configured"]
    begun = [client.call("login.start", method="signon")["login"] for _ in range(4)]
    for login in begun:
        client.call("login.cancel", login=login)
    assert flows.sign_on(client, sandbox, "ann")["node"] == "success"


def signed_on_in_browser(client, sandbox):
    step, browser = client.call("login.start", method="redirect"), Browser()
    browser.open(step["browserUrl"])
    browser.submit(username="ann", password=sandbox.users["ann"]["password"])
    return step
