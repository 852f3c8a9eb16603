"""Sandbox journeys for device binding and signing, and the reasons that they report on failure."""

import pytest

from harness.authctl import Authctl
from harness.journeys import actions, shown

pytestmark = pytest.mark.flows


@pytest.fixture
def signed_on(make_daemon, sandbox):
    """A daemon configured for the sandbox's PingAM."""
    cookie = sandbox.request("GET", "/am/json/realms/root/realms/alpha/serverinfo/*")["cookieName"]
    return make_daemon(issuer=None, journey_server=f"{sandbox.url}/am", journey_realm="alpha", journey_cookie=cookie).start()


def begin(client, sandbox, choice=0):
    step = client.call("login.start", method="journey", journey="am-binding", forceAuth=True)
    values = {"IDToken1": "ann", "IDToken2": sandbox.users["ann"]["password"], "IDToken3": choice}
    return client.call("login.next", login=step["login"], values=values)


def begin_signing(client, sandbox, choice=0):
    step = client.call("login.start", method="journey", journey="am-signing", forceAuth=True)
    step = client.call("login.next", login=step["login"], values={"IDToken1": choice})
    if choice < 2:
        values = {"IDToken1": "ann", "IDToken2": sandbox.users["ann"]["password"]}
        step = client.call("login.next", login=step["login"], values=values)
    return step


def test_sandbox_journeys_bind_this_machine_and_let_it_sign(signed_on, sandbox):
    client = signed_on.client()

    def told(step):
        """Cancels a journey and returns the message of its last page."""
        client.call("login.cancel", login=step["login"])
        return shown(step)[-1]

    assert told(begin_signing(client, sandbox)) == "The device has not signed: noDeviceRegistered"
    for choice, reason in ((1, "fingerprint"), (2, "attestation")):
        step = begin(client, sandbox, choice)
        assert reason in shown(step)[-1]
        assert told(client.call("login.next", login=step["login"])) == "The device is not bound: Unsupported"
    step = begin(client, sandbox)
    assert told(client.call("login.next", login=step["login"], action="decline")) == "The device is not bound: Abort"
    step = begin(client, sandbox)
    assert client.call("login.next", login=step["login"], action="bind")["node"] == "success"
    for choice in range(3):
        step = begin_signing(client, sandbox, choice)
        assert actions(step) == ["sign", "decline"]
        assert ("Pay 12.50 EUR to Eve" in shown(step)[-1]) == (choice == 1)
        assert client.call("login.next", login=step["login"], action="sign")["node"] == "success"
    step = begin(client, sandbox)
    assert client.call("login.next", login=step["login"], action="bind")["node"] == "success"
    assert told(begin(client, sandbox)) == "The device is not bound: exceedDeviceLimit"


def test_authctl_binds_this_machine_at_the_sandbox(signed_on, sandbox):
    with Authctl(signed_on.socket).terminal("login", "--journey", "am-binding", "--username", "ann") as terminal:
        terminal.expect_exact(f"Password for {sandbox.url}: ")
        terminal.sendline(sandbox.users["ann"]["password"])
        terminal.expect_exact("[1]: ")
        terminal.sendline("")
        terminal.expect_exact("that \"ann\" signs on.")
        terminal.expect_exact("choose: ")
        terminal.sendline("1")
        terminal.expect_exact("signed on as")
