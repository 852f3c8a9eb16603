"""`data.cause`: why the platform or an issuer did not do what it was asked, as it happens."""

import json
import os
import signal
import threading

import pytest

from harness import flows
from harness.programs import PATIENCE
from harness.servers import answering, deserted, self_signed


def refusal(make_daemon, method="device.configure", params=None, **settings):
    """What a call ends with, of a daemon with these settings; the sentence of an error tells its cause too."""
    client = make_daemon(**settings).start().client()
    if method != "device.configure":
        client.call("device.configure", geo=flows.GEO)
    error = client.refusal(method, **({"geo": flows.GEO} if params is None else params))
    assert error.cause and ": " in error.message, error
    return error.code, error.cause, error.details


def answered(make_daemon, answer, **more):
    """The same, of a platform that gives an answer."""
    with answering(answer, **more) as url:
        return refusal(make_daemon, platform=url)


def test_a_host_that_nobody_knows(make_daemon):
    assert refusal(make_daemon, platform="https://mfad.invalid") == (10004, "dns", {})


def test_a_host_that_takes_no_connection(make_daemon):
    with deserted() as url:
        assert refusal(make_daemon, platform=url) == (10004, "refused", {})


def test_a_host_that_breaks_off(make_daemon):
    assert answered(make_daemon, lambda _: None) == (10004, "broken-off", {})


def test_a_certificate_that_nobody_vouches_for(make_daemon, directory):
    told = answered(make_daemon, lambda _: (200, b""), context=self_signed(directory))
    assert told == (10004, "tls", {})


@pytest.mark.parametrize("status", [302, 404, 503])
def test_an_answer_that_is_an_error(make_daemon, status):
    assert answered(make_daemon, lambda _: (status, b"")) == (10003, "http", {"status": status})


@pytest.mark.parametrize("body", [b"", b"<html>Welcome to our hotel</html>", b"a.b.c", b"\xff"])
def test_an_answer_that_cannot_be_read(make_daemon, body):
    assert answered(make_daemon, lambda _: (200, body)) == (10003, "malformed", {})


@pytest.mark.slow
def test_a_platform_that_does_not_answer_in_time(client, sandbox):
    with sandbox.held():
        error = client.refusal("device.configure", geo=flows.GEO)
    assert (error.code, error.cause) == (10004, "timeout")


def test_a_key_that_the_configuration_does_not_name(make_daemon):
    assert refusal(make_daemon, platform_key="A" * 43) == (10017, "not-pinned", {})


def test_a_geography_without_a_platform(make_daemon, sandbox):
    told = refusal(make_daemon, params={"geo": "Europe"}, platform=f"{flows.GEO}={sandbox.url}")
    assert told == (10017, "no-platform", {})


def test_a_platform_that_fails_within_its_protection(paired, sandbox):
    sandbox.fault("/device/v1/pairings", status=503)
    error = paired.refusal("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert (error.code, error.cause, error.details) == (10003, "http", {"status": 503})


def test_a_courier_that_is_gone(make_daemon):
    arrived, ended = threading.Event(), threading.Event()

    def hold(_):
        arrived.set()
        ended.wait(PATIENCE)

    with answering(hold) as url:
        daemon = make_daemon(platform=url).start()
        client = daemon.client()
        number = client.begin("device.configure", geo=flows.GEO)
        assert arrived.wait(PATIENCE)
        (courier,) = daemon.process.children
        os.kill(courier, signal.SIGKILL)
        error = client.refused(number)
        ended.set()
    assert (error.code, error.cause) == (10004, "courier-unavailable")


SIGN_ON = {"method": "login.start", "params": {"method": "signon"}}


def test_a_configuration_without_a_client(make_daemon):
    assert refusal(make_daemon, **SIGN_ON, client_id=None) == (10018, "no-client-id", {})


@pytest.mark.parametrize(
    ("document", "cause"),
    [
        (lambda url: {"issuer": "https://auth.other.test"}, "issuer-mismatch"),
        (lambda url: {"issuer": url, "token_endpoint": "https://auth.other.test/token"}, "discovery"),
        (lambda url: {}, "discovery"),
    ],
)
def test_an_issuer_that_describes_another(make_daemon, document, cause):
    def describe(request):
        return 200, json.dumps(document(f"http://{request.headers['Host']}")).encode()

    with answering(describe) as url:
        assert refusal(make_daemon, **SIGN_ON, issuer=url) == (10003, cause, {})
