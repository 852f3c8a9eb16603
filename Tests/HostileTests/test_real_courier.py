"""The real courier with an attacker instead of the daemon: it connects only to the configured origins."""

import base64

import pytest

from harness.courier_child import CourierChild
from harness.web_server import WebServer


@pytest.fixture
def servers():
    allowed, other = WebServer(), WebServer()
    allowed.elsewhere = other.url + "/reached"
    yield allowed, other
    for server in (allowed, other):
        server.close()


@pytest.fixture
def courier(place, servers):
    sessions = []

    def make(**environment):
        configuration = place / "mfad.conf"
        configuration.write_text(f"platform = {servers[0].url}\nallow_loopback_http = yes\nlog_level = debug\n")
        sessions.append(CourierChild(configuration, **environment))
        return sessions[-1]

    yield make
    for session in sessions:
        session.end()


def test_courier_sends_requests_to_the_configured_origin(courier, servers):
    reply = courier().ask(servers[0].url + "/a?b=c%20d")
    assert reply["status"] == 200 and base64.b64decode(reply["body"]) == b"hello"
    assert servers[0].asked[0][0] == "/a?b=c%20d"


def test_courier_refuses_requests_to_any_other_url(courier, servers):
    session, (allowed, other) = courier(), servers
    port = other.port
    for url in (other.url, f"http://localhost:{allowed.port}", f"http://127.0.0.2:{allowed.port}", f"https://127.0.0.1:{allowed.port}",
                f"http://[::1]:{allowed.port}", "http://127.0.0.1", f"http://0.0.0.0:{port}", f"http://2130706433:{port}",
                f"http://127.1:{port}", f"http://x@127.0.0.1:{port}", f"{allowed.url}@127.0.0.1:{port}/",
                f"{allowed.url}.attacker.test/", "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "dict://127.0.0.1/",
                "unix:///run/x", "", "//127.0.0.1/", "http:///", f"http://127.0.0.1:{port}\\@127.0.0.1:{allowed.port}/",
                f"http://127.0.0.1:{port}#@127.0.0.1:{allowed.port}/", "http://169.254.169.254/latest/meta-data"):
        assert session.ask(url).get("failure") in ("refused-origin", "malformed"), url
    assert servers[0].asked == [] and servers[1].asked == []


def test_courier_does_not_follow_redirects(courier, servers):
    reply = courier().ask(servers[0].url + "/moved")
    assert reply["status"] == 302
    assert ["location", servers[1].url + "/reached"] in [[name.lower(), value] for name, value in reply["headers"]]
    assert servers[1].asked == []


def test_courier_ignores_proxy_variables_of_its_environment(courier, servers):
    names = ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY")
    reply = courier(**{name: servers[1].url for name in names}).ask(servers[0].url)
    assert reply["status"] == 200 and servers[1].asked == []


@pytest.mark.parametrize("header", [
    ["Host", "attacker.test"], ["host", "x"], ["Content-Length", "0"], ["Transfer-Encoding", "chunked"], ["Connection", "x"],
    ["Expect", "100-continue"], ["Upgrade", "h2c"], ["X\r\nEvil", "1"], ["X", "1\r\nEvil: 1"], ["X", "1\nEvil: 1"], ["X", "\0"],
    ["", "x"], ["X Y", "x"], ["X:Y", "x"], ["X" * 257, "x"], ["Proxy-Authorization", "x"], ["TE", "trailers"]])
def test_courier_rejects_forbidden_and_malformed_headers(courier, servers, header):
    session = courier()
    assert session.ask(servers[0].url, headers=[header])["failure"] == "malformed"
    assert servers[0].asked == []
    assert session.ask(servers[0].url)["status"] == 200


@pytest.mark.parametrize("change", [
    {"method": "CONNECT"}, {"method": "get"}, {"method": "GET / HTTP/1.1\r\nX"}, {"method": 7}, {"body": "eA=="}, {"body": "*"},
    {"timeout": 0}, {"timeout": -1}, {"timeout": 41_000}, {"timeout": "5"}, {"headers": {}}, {"headers": [["a"]]}, {"extra": 1}])
def test_courier_rejects_malformed_requests(courier, servers, change):
    session = courier()
    assert session.ask(servers[0].url, **change)["failure"] == "malformed"
    assert servers[0].asked == []


def test_courier_reports_an_oversized_response_and_continues(courier, servers):
    session = courier()
    assert session.ask(servers[0].url + "/large") == {"id": 1, "failure": "too-large"}
    assert session.ask(servers[0].url)["status"] == 200


@pytest.mark.parametrize("data", [b"rubbish", b"[]", b'{"id":0}', b'{"id":1,"id":2}', b'{"cancel":1,"x":2}', b""])
def test_courier_closes_the_connection_after_a_malformed_frame(courier, data):
    session = courier()
    session.write(data)
    assert session.read() is None


def test_courier_ignores_cancellation_of_unknown_and_finished_requests(courier, servers):
    session = courier()
    session.write(b'{"cancel":7}')
    assert session.ask(servers[0].url)["status"] == 200
    session.write(b'{"cancel":1}')
    assert session.ask(servers[0].url)["status"] == 200


def test_courier_journal_contains_no_path_and_no_header(courier, servers):
    session = courier()
    session.ask(servers[0].url + "/canary-path?canary-query", headers=[["X-Canary", "canary-header"]])
    session.ask("https://other.test/canary-path")
    session.process.journal.wait("request refused")
    assert "canary" not in str(session.process.journal) and "request done" in str(session.process.journal)
