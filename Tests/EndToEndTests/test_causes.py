"""`data.cause`: the reason of each failed request to the platform or an issuer."""

import itertools
import json
import os
import re
import shutil
import signal
import threading
import urllib.request
from pathlib import Path

import pytest

from harness import articles, flows
from harness.authctl import Authctl
from harness.programs import MFAD, PATIENCE
from harness.servers import Certificate, answering, deserted


TROUBLES = articles.text("Troubleshooting")
EXITS = {(int(code), reason): int(status) for code, reason, status in articles.rows(TROUBLES, "code", "reason", "exit")}
NEXT = dict(re.findall(r"^\| `([a-z-]+)` \| `[A-Z_`, ]+ \| [^|]+ \| (.+) \|$", TROUBLES, re.M))


def step(cause):
    """Returns the next step that the article names for a cause, up to its first placeholder."""
    told = re.search("`([^`]+)`", NEXT[cause])
    words = (told[1] if told else NEXT[cause]).split()
    return " ".join(itertools.takewhile(lambda word: not re.match("[A-Z]{4}", word), words))


def check_told(daemon, error, method, params):
    """Checks that authctl shows the error and its next step, and that the journal has a line about it."""
    ran = Authctl(daemon.socket).run("rpc", method, json.dumps(params))
    assert (ran.status, ran.output) == (EXITS[error.code, error.reason], ""), ran.errors
    sentence, hint = ran.errors.splitlines()
    assert sentence == f"authctl: error: {error.message}"
    assert hint.startswith("authctl: hint: ") and step(error.cause) in hint
    origin = error.details.get("origin")
    assert origin is None or origin.split("//")[1].split(":")[0] in error.message, error
    line = f"<6>a call failed method={method} code={error.code} cause={error.cause} at={origin or '-'} "
    daemon.journal.wait(line)


def refusal(make_daemon, method="device.configure", params=None, names="", **settings):
    """Returns the code, cause and details of a failing call to a daemon with these settings, after check_told."""
    daemon = make_daemon(**settings).start()
    client = daemon.client()
    if method != "device.configure":
        client.call("device.configure", geo=flows.GEO)
    params = {"geo": flows.GEO} if params is None else params
    error = client.refusal(method, **params)
    assert error.cause and ": " in error.message and error.message.startswith(names), error
    check_told(daemon, error, method, params)
    return error.code, error.cause, error.details


def answered(make_daemon, answer, **more):
    """Like refusal(), with a platform that returns the given response."""
    with answering(answer, **more) as url:
        code, cause, details = refusal(make_daemon, platform=url)
        assert details.pop("origin") == url
        return code, cause, details


def test_unknown_host_has_cause_dns(make_daemon):
    assert refusal(make_daemon, platform="https://mfad.invalid") == (
        10004,
        "dns",
        {"origin": "https://mfad.invalid"},
    )


def test_closed_port_has_cause_refused(make_daemon):
    with deserted() as url:
        assert refusal(make_daemon, platform=url) == (10004, "refused", {"origin": url})


def test_closed_connection_has_cause_broken_off(make_daemon):
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
def test_invalid_certificate_has_cause_tls_and_its_problem(make_daemon, directory, certificate, is_trusted, problem):
    context, file = certificate.serving(directory)
    settings = {"ca_file": file} if is_trusted else {}
    with answering(lambda _: (200, b""), context) as url:
        told = refusal(make_daemon, platform=url, **settings)
    assert told == (10004, "tls", {"certificate": problem, "origin": url})


@pytest.mark.parametrize("status", [302, 404, 503])
def test_error_status_has_cause_http(make_daemon, status):
    assert answered(make_daemon, lambda _: (status, b"")) == (10003, "http", {"status": status})


@pytest.mark.parametrize("body", [b"", b"<html>Welcome to our hotel</html>", b"a.b.c", b"\xff"])
def test_unreadable_response_has_cause_malformed(make_daemon, body):
    assert answered(make_daemon, lambda _: (200, body)) == (10003, "malformed", {})


@pytest.mark.slow
def test_slow_platform_has_cause_timeout(daemon, client, sandbox):
    with sandbox.held():
        error = client.refusal("device.configure", geo=flows.GEO)
        assert (error.code, error.cause) == (10004, "timeout")
        check_told(daemon, error, "device.configure", {"geo": flows.GEO})


def test_other_platform_key_has_cause_not_pinned(make_daemon, sandbox):
    told = refusal(make_daemon, platform_key="A" * 43)
    assert told == (10017, "not-pinned", {"origin": sandbox.url})


def test_forged_signature_of_platform_keys_has_cause_not_platform(make_daemon, sandbox):
    def forge(request):
        with urllib.request.urlopen(sandbox.url + request.path, timeout=PATIENCE) as response:
            signed, _, signature = response.read().rpartition(b".")
        return 200, signed + b"." + bytes(reversed(signature[:8])) + signature[8:]

    with answering(forge) as url:
        assert refusal(make_daemon, platform=url) == (10017, "not-platform", {"origin": url})


def test_issuer_in_a_private_network_has_cause_not_allowed(make_daemon, directory):
    hosts, url = directory / "hosts", "https://auth.inside.test"
    hosts.write_text("10.0.0.1 auth.inside.test\n", encoding="utf-8")
    own_names = ["unshare", "--mount", "sh", "-c", f'mount --bind {hosts} /etc/hosts && exec "$@"', "sh"]
    told = refusal(make_daemon, **SIGN_ON, issuer=url, wrapper=own_names, names="the issuer cannot be reached: ")
    assert told == (10004, "not-allowed", {"origin": url})


def test_geography_without_a_platform_has_cause_no_platform(make_daemon, sandbox):
    told = refusal(make_daemon, params={"geo": "Europe"}, platform=f"{flows.GEO}={sandbox.url}")
    assert told == (10017, "no-platform", {})


def test_failed_encrypted_request_has_cause_http(paired, sandbox):
    sandbox.fault("/device/v1/pairings", status=503)
    error = paired.refusal("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert (error.code, error.cause) == (10003, "http")
    assert error.details == {"origin": sandbox.url, "status": 503}


def test_killed_courier_has_cause_courier_unavailable(make_daemon):
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


def test_missing_courier_has_cause_courier_unavailable(make_daemon, directory):
    alone = directory / "alone"
    alone.mkdir()
    daemon = make_daemon(program=shutil.copy(MFAD, alone)).start()
    error = daemon.client().refusal("device.configure", geo=flows.GEO)
    assert (error.code, error.cause) == (10004, "courier-unavailable")
    check_told(daemon, error, "device.configure", {"geo": flows.GEO})


SIGN_ON = {"method": "login.start", "params": {"method": "signon"}}


def test_missing_client_id_has_cause_no_client_id(make_daemon):
    assert refusal(make_daemon, **SIGN_ON, client_id=None) == (10018, "no-client-id", {})


@pytest.mark.parametrize(
    ("document", "cause"),
    [
        (lambda url: {"issuer": "https://auth.other.test"}, "issuer-mismatch"),
        (lambda url: {"issuer": url, "token_endpoint": "https://auth.other.test/token"}, "discovery"),
        (lambda url: {}, "discovery"),
    ],
)
def test_discovery_document_of_another_issuer_is_rejected_with_its_cause(make_daemon, document, cause):
    def describe(request):
        return 200, json.dumps(document(f"http://{request.headers['Host']}")).encode()

    with answering(describe) as url:
        both = f"{url} identifies itself as https://auth.other.test" if cause == "issuer-mismatch" else ""
        told = refusal(make_daemon, **SIGN_ON, issuer=url, names=f"the issuer failed: {both}")
        assert told == (10003, cause, {"origin": url})


@pytest.mark.parametrize(("status", "cause"), [(302, "discovery"), (404, "discovery"), (503, "http")])
def test_failed_discovery_has_cause_discovery_or_http(make_daemon, status, cause):
    with answering(lambda _: (status, b"")) as url:
        told = refusal(make_daemon, **SIGN_ON, issuer=url, names="the issuer failed: ")
        assert told == (10003, cause, {"origin": url, "status": status})


def test_closed_port_of_the_issuer_has_cause_refused(make_daemon):
    with deserted() as url:
        told = refusal(make_daemon, **SIGN_ON, issuer=url, names="the issuer cannot be reached: ")
        assert told == (10004, "refused", {"origin": url})


@pytest.mark.parametrize("endpoint", ["par", "token"])
def test_error_of_an_issuer_endpoint_names_the_issuer(client, sandbox, endpoint):
    client.call("device.configure", geo=flows.GEO)
    path = f"/{sandbox.environment}/as/{endpoint}"
    if endpoint == "par":
        sandbox.fault(path, status=503)
        error = client.refusal("login.start", method="signon")
    else:
        step = client.call("login.start", method="signon")
        sandbox.fault(path, status=503)
        values = {"username": "ann", "password": sandbox.users["ann"]["password"]}
        error = client.refusal("login.next", login=step["login"], values=values)
    assert (error.code, error.cause) == (10003, "http") and error.message.startswith("the issuer failed: ")
    assert error.details == {"origin": sandbox.url, "status": 503}


OTHERS = ["EndToEndTests/test_local_failures.py", "EndToEndTests/test_keys.py", "HostileTests/test_storage.py",
          "HostileTests/test_replaced_state.py", "HostileTests/test_sign_on.py"]


def test_every_documented_cause_occurs_in_a_test():
    files = [Path(__file__), *(articles.ROOT / "Tests" / name for name in OTHERS)]
    told = "".join(file.read_text(encoding="utf-8") for file in files)
    assert len(NEXT) > 20 and [cause for cause in NEXT if f'"{cause}"' not in told] == []
