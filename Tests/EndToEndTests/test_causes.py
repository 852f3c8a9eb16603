"""`data.cause`: why the platform or an issuer did not do what it was asked, as it happens."""

import json
import os
import signal
import threading

import pytest

from harness import flows
from harness.programs import PATIENCE
from harness.servers import Certificate, answering, deserted


def refusal(make_daemon, method="device.configure", params=None, **settings):
    """What a call ends with, of a daemon with these settings; its sentence tells the cause too, and so does the journal."""
    daemon = make_daemon(**settings).start()
    client = daemon.client()
    if method != "device.configure":
        client.call("device.configure", geo=flows.GEO)
    error = client.refusal(method, **({"geo": flows.GEO} if params is None else params))
    assert error.cause and ": " in error.message, error
    origin = error.details.get("origin")
    assert origin is None or origin.split("//")[1].split(":")[0] in error.message, error
    line = f"<6>a call failed method={method} code={error.code} cause={error.cause} at={origin or '-'} "
    daemon.journal.wait(line)
    return error.code, error.cause, error.details


def answered(make_daemon, answer, **more):
    """The same, of a platform that gives an answer."""
    with answering(answer, **more) as url:
        code, cause, details = refusal(make_daemon, platform=url)
        assert details.pop("origin") == url
        return code, cause, details


def test_a_host_that_nobody_knows(make_daemon):
    assert refusal(make_daemon, platform="https://mfad.invalid") == (
        10004,
        "dns",
        {"origin": "https://mfad.invalid"},
    )


def test_a_host_that_takes_no_connection(make_daemon):
    with deserted() as url:
        assert refusal(make_daemon, platform=url) == (10004, "refused", {"origin": url})


def test_a_host_that_breaks_off(make_daemon):
    assert answered(make_daemon, lambda _: None) == (10004, "broken-off", {})


@pytest.mark.parametrize(
    ("certificate", "is_trusted", "problem"),
    [
        (Certificate(), False, "unknown-issuer"),
        (Certificate(host="192.0.2.1"), True, "other-host"),
        (Certificate(days=(-2, -1)), True, "expired"),
        (Certificate(days=(1, 2)), True, "not-yet-valid"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_certificate_that_cannot_be_believed(make_daemon, directory, certificate, is_trusted, problem):
    context, file = certificate.serving(directory)
    settings = {"ca_file": file} if is_trusted else {}
    with answering(lambda _: (200, b""), context) as url:
        told = refusal(make_daemon, platform=url, **settings)
    assert told == (10004, "tls", {"certificate": problem, "origin": url})


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


def test_a_key_that_the_configuration_does_not_name(make_daemon, sandbox):
    told = refusal(make_daemon, platform_key="A" * 43)
    assert told == (10017, "not-pinned", {"origin": sandbox.url})


def test_a_geography_without_a_platform(make_daemon, sandbox):
    told = refusal(make_daemon, params={"geo": "Europe"}, platform=f"{flows.GEO}={sandbox.url}")
    assert told == (10017, "no-platform", {})


def test_a_platform_that_fails_within_its_protection(paired, sandbox):
    sandbox.fault("/device/v1/pairings", status=503)
    error = paired.refusal("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert (error.code, error.cause) == (10003, "http")
    assert error.details == {"origin": sandbox.url, "status": 503}


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
        assert refusal(make_daemon, **SIGN_ON, issuer=url) == (10003, cause, {"origin": url})
