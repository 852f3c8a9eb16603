"""Device binding and signing in journeys, checked by an independent server."""

import json
import platform
import threading

import pytest

from harness.authctl import Authctl
from harness.journeys import actions, play, shown, start
from harness.keys_am import KeysAM, universal

pytestmark = pytest.mark.flows

BOB = universal("bob")


@pytest.fixture
def am():
    server = KeysAM()
    yield server
    server.close()


@pytest.fixture
def daemon(make_daemon, am):
    return make_daemon(journey_server=am.url, journey_realm="alpha", issuer=None, app_id="mfad").start()


@pytest.fixture
def bound(client):
    """A connection to a daemon with a key bound to bob."""
    assert play(client, "Bind-bob", "bind")["node"] == "success"
    return client


def audited(client):
    entries = client.call("audit.list")["entries"]
    return [(each["method"], each.get("target"), each["outcome"]) for each in reversed(entries) if each["method"].startswith("journey.")]


def test_bound_key_signs(client, am):
    step = start(client, "Bind-bob")
    assert actions(step) == ["bind", "decline"] and not am.told
    assert shown(step)[-1].startswith(f"A new key of this machine will prove to {am.url.removesuffix('/am')} that \"bob\" signs on.")
    assert client.refusal("login.next", login=step["login"]).code == -32602
    assert client.call("login.next", login=step["login"], action="bind")["node"] == "success"
    ((kid, device),) = am.devices[BOB].items()
    assert (device["deviceName"], bool(device["deviceId"])) == (platform.node(), True)
    assert set(am.header) == {"typ", "alg", "kid", "jwk"} and (am.header["typ"], am.header["alg"]) == ("JWS", "ES256")
    assert {name: am.header["jwk"][name] for name in ("kty", "crv", "use", "alg", "kid")} == {
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": kid}
    assert set(am.header["jwk"]) == {"kty", "crv", "use", "alg", "kid", "x", "y"}
    assert set(am.claims) == {"sub", "iss", "challenge", "iat", "nbf", "exp", "platform"}
    assert (am.claims["sub"], am.claims["iss"], am.claims["platform"]) == (BOB, "mfad", "linux")
    assert am.claims["exp"] - am.claims["iat"] == 60 and am.claims["nbf"] == am.claims["iat"]
    step = start(client, "Sign-bob")
    assert actions(step) == ["sign", "decline"]
    assert client.call("login.next", login=step["login"], action="sign")["node"] == "success"
    assert am.header == {"typ": "JWS", "alg": "ES256", "kid": kid}
    assert am.outcomes == ["success", "success"]
    assert audited(client) == [("journey.bind", kid, "ok"), ("journey.sign", kid, "ok")]


def test_declining_sends_abort_and_no_signature(bound, am):
    for journey in ("Bind-ann", "Sign-bob"):
        step = start(bound, journey)
        assert bound.call("login.next", login=step["login"], action="decline")["node"] == "failure"
    assert am.outcomes[1:] == ["Abort", "Abort"] and all(not each[0]["jws"] for each in am.told[1:])
    assert audited(bound)[1:] == [("journey.bind", None, "DENIED"), ("journey.sign", None, "DENIED")]


def test_user_chooses_the_key_if_the_journey_names_no_user(client, am):
    step = start(client, "Sign")
    assert actions(step) == ["submit"]
    client.call("login.next", login=step["login"])
    assert am.outcomes == ["ClientNotRegistered"]
    play(client, "Bind-bob", "bind")
    assert play(client, "Sign", "sign")["node"] == "success" and am.claims["sub"] == BOB
    play(client, "Bind-ann", "bind")
    step = start(client, "Sign")
    choice = next(each["key"] for each in step["actions"] if each["label"].startswith("Sign as bob, "))
    assert len(step["actions"]) == 3
    assert client.call("login.next", login=step["login"], action=choice)["node"] == "success" and am.claims["sub"] == BOB


PIN, WRONG = "280491", "999998"
GIVEN = {"method": "pin", "pin": PIN}


def required(error):
    return (error.code, error.details) == (11019, {"methods": ["pin"]})


@pytest.mark.parametrize("kind", ["APPLICATION_PIN", "BIOMETRIC_ALLOW_FALLBACK"])
def test_key_with_user_verification_requires_the_pin_for_each_use(client, daemon, am, kind):
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    am.change(authenticationType=kind)
    step = start(client, "Bind-bob")
    assert actions(step) == ["bind", "decline"] and "Each use of it will require your PIN" in shown(step)[-1]
    # Being unlocked does not prove presence.
    assert required(client.refusal("login.next", login=step["login"], action="bind"))
    assert not am.told and not am.devices
    assert client.call("login.next", login=step["login"], action="bind", presence=GIVEN)["node"] == "success"
    assert set(am.claims) == {"sub", "iss", "challenge", "iat", "nbf", "exp", "platform"}
    daemon.kill()
    client = daemon.start().client()
    client.call("lock.unlock", pin=PIN)
    step = start(client, "Sign-bob")
    assert required(client.refusal("login.next", login=step["login"], action="sign"))
    error = client.refusal("login.next", login=step["login"], action="sign", presence={"method": "pin", "pin": WRONG})
    assert (error.code, error.details["triesLeft"]) == (11020, 9)
    assert am.outcomes == ["success"]
    assert client.call("login.next", login=step["login"], action="sign", presence=GIVEN)["node"] == "success"
    assert am.outcomes == ["success", "success"]
    # Without a PIN, presence cannot be verified.
    client.call("lock.clear", current=PIN)
    step = start(client, "Sign-bob")
    error = client.refusal("login.next", login=step["login"], action="sign")
    assert (error.code, error.details) == (11019, {"methods": []})


def test_biometric_only_binding_is_unsupported(client, am):
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    am.change(authenticationType="BIOMETRIC_ONLY")
    step = start(client, "Bind-bob")
    assert actions(step) == ["submit"] and step["collectors"][0]["message"]
    client.call("login.next", login=step["login"])
    assert am.outcomes == ["Unsupported"] and not am.devices


def test_every_key_requires_the_pin_if_presence_is_required(client, am):
    client.call("presence.set", require="all")
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    step = start(client, "Bind-bob")
    assert required(client.refusal("login.next", login=step["login"], action="bind"))
    assert client.call("login.next", login=step["login"], action="bind", presence=GIVEN)["node"] == "success"
    step = start(client, "Sign-bob")
    client.call("lock.now")
    assert client.refusal("login.next", login=step["login"], action="sign").code == 11005
    assert client.call("login.next", login=step["login"], action="sign", presence=GIVEN)["node"] == "success"
    assert client.call("service.status")["protection"]["pin"] == "locked"


def test_two_binding_callbacks_in_one_step_bind_one_key(client, am):
    am.change(copies=2)
    assert play(client, "Bind-bob", "bind")["node"] == "success"
    (first, second), = am.told
    assert first["jws"] and not second["jws"] and second["clientError"] == "Unsupported"
    assert [len(each) for each in am.devices.values()] == [1]


def test_key_does_not_sign_for_another_user_or_realm(make_daemon, daemon, bound, am):
    am.change(userId=universal("eve"))
    step = start(bound, "Sign-bob")
    assert actions(step) == ["submit"]
    bound.call("login.next", login=step["login"])
    # Another realm of the same server requests the same user.
    am.change(userId=BOB)
    daemon.kill()
    client = make_daemon(journey_server=am.url, journey_realm="bravo", issuer=None).start().client()
    for journey in ("Sign-bob", "Sign"):
        step = start(client, journey)
        assert actions(step) == ["submit"]
        client.call("login.next", login=step["login"])
    assert am.outcomes[1:] == ["ClientNotRegistered"] * 3


def test_server_rejects_a_binding_of_an_unknown_application_id(client, am):
    am.application_ids = {"org.example.other"}
    assert play(client, "Bind-bob", "bind")["node"] == "failure"
    assert am.outcomes == ["failure"] and audited(client)[0][2] == "LOGIN_FAILED"
    am.application_ids.add("mfad")
    assert play(client, "Bind-bob", "bind")["node"] == "success"
    # Only the server knows which of the two keys is registered; the newer one is listed first.
    step = start(client, "Sign-bob")
    older, newer = step["actions"][1]["key"], step["actions"][0]["key"]
    assert client.call("login.next", login=step["login"], action=older)["node"] == "failure"
    assert play(client, "Sign-bob", newer)["node"] == "success"
    assert am.outcomes[1:] == ["success", "keyNotFound", "success"]
    am.limit = 1
    assert start(client, "Bind-bob")["node"] == "failure" and am.outcomes[-1] == "exceedDeviceLimit"


def test_key_survives_a_crash_after_the_server_registered_it(daemon, client, am):
    step = start(client, "Bind-bob")
    am.held = threading.Event()
    client.begin("login.next", login=step["login"], action="bind")
    assert am.came.wait(60) and am.outcomes == ["success"]
    daemon.kill()
    am.held.set()
    am.held = None
    client = daemon.start().client()
    assert play(client, "Sign-bob", "sign")["node"] == "success"
    assert am.outcomes == ["success", "success"]


def test_journal_contains_no_key_data(daemon, bound, am):
    play(bound, "Sign-bob", "sign")
    journal = str(daemon.journal)
    for secret in (BOB, "id=bob", am.told[0][0]["jws"][:40], am.told[1][0]["jws"][:40], am.claims["challenge"], am.told[0][0]["deviceId"]):
        assert secret not in journal


def test_keys_are_separate_per_owner_and_erased_with_the_owner(shared, am):
    daemon, connect = shared
    from harness import users

    daemon.configure(socket=daemon.socket, socket_group=users.GROUP, journey_server=am.url, journey_realm="alpha", app_id="mfad")
    daemon.stop()
    daemon.start()
    ann, bob = connect(users.ANN_UID), connect(users.BOB_UID)
    play(ann, "Bind-bob", "bind")
    assert actions(start(bob, "Sign-bob")) == ["submit"]
    play(bob, "Bind-bob", "bind")
    first, second = (each[0]["deviceId"] for each in am.told)
    assert first != second
    connect(0).call("owner.erase", uid=users.ANN_UID, confirm=True)
    assert actions(start(ann, "Sign-bob")) == ["submit"]
    assert play(bob, "Sign-bob", "sign")["node"] == "success"
    for path in (daemon.directory / "state").iterdir():
        assert b"id=bob" not in path.read_bytes()


def test_authctl_shows_the_text_before_it_binds_or_signs(daemon, am):
    authctl = Authctl(daemon.socket)
    with authctl.terminal("login", "--journey", "Bind-bob") as terminal:
        terminal.expect_exact("Authentication required")
        terminal.expect_exact("that \"bob\" signs on. It signs a random number of the server's:")
        terminal.expect_exact("> ")
        terminal.expect_exact("1  Bind this machine")
        terminal.expect_exact("2  Decline")
        terminal.expect_exact("choose: ")
        assert not am.told
        terminal.sendline("1")
        terminal.expect_exact("signed on as")
    am.change(challenge="Pay <b>12.50</b> EUR\nto Eve")
    with authctl.terminal("login", "--journey", "Sign-bob") as terminal:
        terminal.expect_exact("It signs this text:")
        terminal.expect_exact("> Pay <b>12.50</b> EUR")
        terminal.expect_exact("> to Eve")
        terminal.expect_exact("1  Sign as bob")
        terminal.expect_exact("choose: ")
        terminal.sendline("2")
        terminal.expect_exact("Login failure")
    assert am.outcomes == ["success", "Abort"]
    unanswered = authctl.run("login", "--journey", "Sign-bob", input="")
    assert unanswered.status != 0 and am.outcomes == ["success", "Abort"]
    done = authctl.run("login", "--journey", "Sign-bob", input=json.dumps({"action": "sign"}) + "\n")
    assert done.status == 0, done.errors
    assert am.claims["challenge"] == "Pay <b>12.50</b> EUR\nto Eve"
