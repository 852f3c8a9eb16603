"""A redirect to the loopback interface: another local user cannot end a wait, bind the port or take a listener."""

import base64
import contextlib
import hashlib
import queue
import socket
import threading
import urllib.parse

import pytest

from harness.courier_child import CourierChild
from harness.hostile.issuer import Issuer
from harness.hostile.listeners import Listeners
from harness.jose import b64
from harness.programs import PATIENCE

OTHER_USER = 60_001


@pytest.fixture
def browsing(make_stage):
    """A stage with sign-ons that end in a browser. The real courier listens for the redirect."""
    stage = make_stage(**Issuer.SETTINGS, allow_loopback_http="yes")
    stage.add_issuer()
    stage.listeners = Listeners(stage.courier, CourierChild(stage.daemon.file))
    stage.daemon.socket.chmod(0o666)
    yield stage.configure()
    stage.listeners.end()


class SignOn:
    """One sign-on of an owner, up to the redirect of the browser to the issuer."""

    def __init__(self, stage, client=None):
        self.client = client or stage.client
        step = self.client.call("login.start", method="redirect")
        assert step["node"] == "continue", step
        self.login = step["login"]
        self.state = stage.issuer.requests["state"]
        self.address = urllib.parse.urlsplit(stage.issuer.requests["redirect_uri"])
        self.port = self.address.port

    @property
    def answer(self) -> str:
        """The query of the issuer's redirect."""
        return f"code=code-1&state={self.state}"

    def wait(self) -> int:
        return self.client.begin("login.next", login=self.login)

    def get(self, query: str, path="/callback", method="GET", host=None) -> int:
        """The HTTP status of the listener's response to a local process. 0 if the listener closes the connection."""
        host = host or f"127.0.0.1:{self.port}"
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as one:
            one.sendall(f"{method} {path}?{query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            with contextlib.suppress(ConnectionResetError), one.makefile("rb") as stream:
                return int((stream.readline() or b"HTTP/1.1 0").split()[1])
            return 0


def forgeries(state: str) -> list[str]:
    """Queries of a process that does not know the state, and malformed variants of the correct query."""
    digest = hashlib.sha256(state.encode()).digest()
    return ["code=code-1", "error=access_denied", "code=code-1&state=", "state=" + "A" * 43, f"code=code-1&state={state[:-1]}",
            f"code=code-1&state={state}A", f"code=code-1&state={state.swapcase()}", f"code=code-1&State={state}",
            f"code=code-1&state={b64(digest)}", f"code=code-1&state={digest.hex()}", f"code=code-1%26state={state}", "x" * 8000]


def doubles(state: str) -> list[str]:
    return [f"code=code-1&state={state}&state=x", f"code=code-1&state=x&state={state}"]


def test_redirect_with_wrong_or_missing_state_does_not_end_the_wait(browsing):
    sign_on = SignOn(browsing)
    waiting = sign_on.wait()
    for query in forgeries(sign_on.state) + doubles(sign_on.state):
        assert sign_on.get(query) == 200
    for others in ({"path": "/"}, {"method": "POST"}, {"method": "HEAD"}, {"host": "attacker.test"},
                   {"host": f"attacker.test:{sign_on.port}"}, {"path": "/callback/"}):
        assert sign_on.get(sign_on.answer, **others) in (400, 404, 405)
    browsing.client.call("account.list")
    assert waiting not in browsing.client.replies and "token" not in browsing.issuer.asked
    assert sign_on.get(sign_on.answer) == 200
    assert browsing.client.reply(waiting)["node"] == "success"


def test_flood_of_forged_redirects_does_not_block_the_genuine_one(browsing):
    sign_on = SignOn(browsing)
    waiting = sign_on.wait()

    def storm():
        for _ in range(200):
            with contextlib.suppress(OSError):
                sign_on.get("code=forged&state=forged")

    # Silent connections hold a slot only for the time that a browser needs.
    silent = [socket.create_connection(("127.0.0.1", sign_on.port)) for _ in range(100)]
    threads = [threading.Thread(target=storm) for _ in range(4)]
    for thread in threads:
        thread.start()
    while sign_on.get(sign_on.answer) == 0:
        pass
    assert browsing.client.reply(waiting)["node"] == "success"
    for thread in threads:
        thread.join()
    for one in silent:
        one.close()


def takes(port: int) -> list[str]:
    """The addresses and socket options with which another process can bind that port."""
    taken = []
    for address in ("127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"):
        for options in ([], ["SO_REUSEADDR"], ["SO_REUSEPORT"], ["SO_REUSEADDR", "SO_REUSEPORT"]):
            with socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET) as thief:
                for option in options:
                    thief.setsockopt(socket.SOL_SOCKET, getattr(socket, option), 1)
                with contextlib.suppress(OSError):
                    thief.bind((address, port))
                    thief.listen()
                    taken.append(f"{address} {options}")
    return taken


def test_no_other_process_can_bind_the_callback_port_before_the_sign_on_ends(browsing):
    sign_on, held = SignOn(browsing), queue.SimpleQueue()
    browsing.issuer.forge("token", lambda issuer, request: held.put(request))
    assert takes(sign_on.port) == []
    sign_on.get("code=forged&state=forged")
    assert takes(sign_on.port) == []
    waiting = sign_on.wait()
    sign_on.get(sign_on.answer)
    exchange = held.get(timeout=PATIENCE)
    # The code is in flight. A second request of the browser still reaches the listener.
    assert takes(sign_on.port) == []
    assert sign_on.get(sign_on.answer) == 200
    browsing.issuer.token(exchange)
    assert browsing.client.reply(waiting)["node"] == "success" and held.empty()


def test_owner_can_open_at_most_four_redirect_listeners(browsing):
    held = queue.SimpleQueue()
    browsing.issuer.forge("par", lambda issuer, request: held.put(request))
    clients = [browsing.connect() for _ in range(5)]
    for client in clients:
        client.begin("login.start", method="redirect")
        # Four requests to the issuer are in flight, each with the port of an open listener.
        if client is not clients[-1]:
            held.get(timeout=PATIENCE)
    refusal = clients[-1].receive()["error"]
    assert (refusal["code"], refusal["data"]["details"]) == (11016, {"limit": 4})
    assert held.empty() and len(browsing.listeners.orders) == 4
    browsing.issuer.be_honest()
    other = browsing.connect(OTHER_USER)
    other.call("device.configure", geo="NorthAmerica")
    sign_on = SignOn(browsing, other)
    waiting = sign_on.wait()
    assert sign_on.get(sign_on.answer) == 200
    assert other.reply(waiting)["node"] == "success"


def test_listeners_of_ended_sign_ons_are_released_for_other_owners(browsing):
    *owners, other = [browsing.connect(uid) for uid in range(41_000, 41_005)]
    for owner in [*owners, other]:
        owner.call("device.configure", geo="NorthAmerica")
    # More listeners than a courier can open.
    for owner in owners:
        for _ in range(18):
            owner.call("login.cancel", login=SignOn(browsing, owner).login)
    sign_on = SignOn(browsing, other)
    waiting = sign_on.wait()
    assert sign_on.get(sign_on.answer) == 200
    assert other.reply(waiting)["node"] == "success"


# A courier that forges redirects


@pytest.fixture
def lied_to(make_stage):
    """A stage with a scripted courier: orders to listen wait for the test."""
    stage = make_stage(**Issuer.SETTINGS)
    stage.add_issuer()
    stage.orders = queue.SimpleQueue()
    stage.courier.listen = lambda connection, order: stage.orders.put((connection, order))
    return stage.configure()


@pytest.mark.parametrize("number", range(len(forgeries("x"))))
def test_redirect_forged_by_the_courier_gets_no_token(lied_to, number):
    begun = lied_to.client.begin("login.start", method="redirect")
    connection, order = lied_to.orders.get(timeout=PATIENCE)
    reply = {"id": order["listen"]}
    # A query before the listener is open is ignored.
    lied_to.courier.say(connection, reply | {"query": "code=code-1&state=x"})
    lied_to.courier.say(connection, reply | {"listening": 4711})
    login = lied_to.client.reply(begun)["login"]
    state = lied_to.issuer.requests["state"]
    assert order == {"listen": order["listen"], "path": "/callback", "timeout": order["timeout"],
                     "state": base64.b64encode(hashlib.sha256(state.encode()).digest()).decode()}
    lied_to.courier.say(connection, reply | {"query": forgeries(state)[number]})
    waiting = lied_to.client.call("login.next", login=login)
    assert waiting["node"] == "continue" and "not of this sign-on" in waiting["message"]
    assert "token" not in lied_to.issuer.asked
    # The user still has the genuine redirect.
    address = f"http://127.0.0.1:4711/callback?code=code-1&state={state}"
    assert lied_to.client.call("login.resume", login=login, uri=address)["node"] == "success"
