"""login.* with DaVinci flows: sign-on by stored session cookies."""

import pytest

from harness import flows, pages, users
from harness.davinci import relayed, sandbox
from harness.pages import answer, sign_on, start


@pytest.fixture
def keeping(make_relayed):
    daemon, relay = make_relayed(keep_session="yes")
    return daemon, pages.configured(daemon), relay.sent


FLOW = "sign-on-with-registration"


def signed_on(client, sandbox, **options):
    last = sign_on(client, sandbox, FLOW, **options)
    assert last["node"] == "success"
    return last


def test_stored_cookies_sign_on_without_a_page(keeping, sandbox):
    daemon, client, requests = keeping
    first = signed_on(client, sandbox)
    last = start(client, FLOW)
    assert (last["node"], last["method"], last["user"]) == ("success", "davinci", first["user"])
    begun = [each for each in requests if each.path.endswith("/as/authorize")][-1]
    names = {each.split("=")[0] for each in begun.headers["cookie"].split("; ")}
    assert names == {"ST", "ST-NO-SS"}, "what belonged to one sign-on is not sent with another"
    daemon.stop()
    daemon.start()
    assert start(daemon.client(), FLOW)["node"] == "success"


def test_force_auth_shows_the_page_and_sends_no_cookies(keeping, sandbox):
    _, client, requests = keeping
    signed_on(client, sandbox)
    step = start(client, FLOW, forceAuth=True)
    assert step["node"] == "continue"
    begun = [each for each in requests if each.path.endswith(("/as/par", "/as/authorize"))][-2:]
    assert begun[0].form["prompt"] == "login" and not any("cookie" in each.headers for each in begun)
    assert answer(client, step, pages.credentials(sandbox, "bob"))["user"]["username"] == "bob"
    assert start(client, FLOW)["user"]["username"] == "bob"


def test_cookies_are_not_stored_without_keep_session(relayed, sandbox):
    client, requests = relayed
    signed_on(client, sandbox)
    assert start(client, FLOW)["node"] == "continue"
    assert "cookie" not in requests[-1].headers


def test_no_session_stores_no_cookies(keeping, sandbox):
    _, client, _ = keeping
    signed_on(client, sandbox, noSession=True)
    assert start(client, FLOW)["node"] == "continue"


def test_logout_deletes_the_cookies(keeping, sandbox):
    _, client, _ = keeping
    pairing = signed_on(client, sandbox)["pairing"]
    account = client.call("pairing.approve", pairing=pairing["id"])["account"]
    client.call("session.logout", account=account)
    assert start(client, FLOW)["node"] == "continue" and sandbox.sessions() == []


def test_cookies_of_one_owner_do_not_sign_on_another(shared, sandbox):
    daemon, connect = shared
    daemon.stop()
    daemon.configure(socket=daemon.socket, socket_group=users.GROUP, keep_session="yes")
    daemon.start()
    first, second = connect(users.ANN_UID), connect(users.BOB_UID)
    for client in (first, second):
        client.call("device.configure", geo=flows.GEO)
    signed_on(first, sandbox)
    assert start(first, FLOW)["node"] == "success"
    assert start(second, FLOW)["node"] == "continue"
