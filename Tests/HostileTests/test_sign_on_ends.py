"""Sign-ons that end while a request to their issuer is in flight: late responses change nothing."""

import queue

import pytest

from harness.hostile.issuer import Issuer
from harness.programs import PATIENCE

KEEPING = Issuer.SETTINGS | {"keep_session": "yes"}


@pytest.fixture
def sign_on(make_stage):
    stage = make_stage(**KEEPING)
    stage.add_issuer()
    return stage.configure()


def start(stage, **options):
    return stage.client.call("login.start", method="signon", **options)["login"]


def answer_until(stage, step):
    """Answers a new sign-on. Returns its ID, the number of the caller's request, and the daemon's held request."""
    held = queue.SimpleQueue()
    login = start(stage)
    stage.issuer.forge(step, lambda issuer, request: held.put(request))
    number = stage.client.begin("login.next", login=login, values={"username": "ann", "password": Issuer.PASSWORD})
    return login, number, held.get(timeout=PATIENCE)


def go_on(stage, step, request):
    stage.issuer.be_honest()
    getattr(stage.issuer, step)(request)


STEPS = ["check", "resume", "token", "jwks"]


@pytest.mark.parametrize("step", STEPS)
def test_cancelled_sign_on_leaves_no_session_and_no_prompt(sign_on, step):
    login, number, request = answer_until(sign_on, step)
    with sign_on.connect() as other:
        assert other.call("login.cancel", login=login) == {}
    asked = list(sign_on.issuer.asked)
    go_on(sign_on, step, request)
    reply = sign_on.client.receive()
    assert (reply["id"], reply["error"]["code"]) == (number, 11004)
    assert sign_on.client.call("session.list") == {"sessions": []}
    assert sign_on.client.call("pairing.list") == {"pairings": []}
    # The issuer gets no further request: a code that was not exchanged is useless.
    assert sign_on.issuer.asked == asked


@pytest.mark.parametrize("step", STEPS)
def test_sign_on_of_an_erased_owner_leaves_no_session_and_no_prompt(sign_on, step):
    _, number, request = answer_until(sign_on, step)
    with sign_on.connect() as other:
        other.call("device.removeLocalData", confirm=True)
        go_on(sign_on, step, request)
        reply = sign_on.client.receive()
        assert (reply["id"], reply["error"]["code"]) == (number, 11004)
        assert other.call("session.list") == {"sessions": []}
        assert other.call("pairing.list") == {"pairings": []}


def test_sign_on_fails_if_its_issuer_is_removed_from_the_configuration(sign_on):
    # The issuer's keys are known, so no request is needed to verify its signatures.
    sign_on.client.call("login.next", login=start(sign_on), values={"username": "ann", "password": Issuer.PASSWORD})
    sessions, pairings = sign_on.client.call("session.list"), sign_on.client.call("pairing.list")
    sign_on.issuer.asked.clear()
    _, number, request = answer_until(sign_on, "token")
    sign_on.reload(issuer="https://other.test/as")
    go_on(sign_on, "token", request)
    reply = sign_on.client.receive()
    assert (reply["id"], reply.get("error", {}).get("code")) == (number, 11009)
    assert sign_on.client.call("session.list") == sessions
    assert sign_on.client.call("pairing.list") == pairings


def test_sign_on_leaves_no_session_if_keep_session_is_switched_off(sign_on):
    _, number, request = answer_until(sign_on, "token")
    sign_on.reload(keep_session="no")
    go_on(sign_on, "token", request)
    assert sign_on.client.reply(number)["node"] == "success"
    assert sign_on.client.call("session.list") == {"sessions": []}


def test_cancelled_sign_ons_release_their_memory(sign_on):
    parameters = {f"p{number}": "x" * 2000 for number in range(110)}

    def begin(count):
        for _ in range(count):
            sign_on.client.call("login.cancel", login=start(sign_on, parameters=parameters))
        return sign_on.daemon.process.resident_bytes()

    # One copy of the parameters for each sign-on would be eight megabytes.
    first = begin(10)
    assert begin(36) - first < 4 << 20
