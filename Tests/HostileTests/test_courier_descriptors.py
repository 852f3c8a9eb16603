"""A courier without free descriptors closes new connections, serves the old ones and does not loop."""

import base64
import json

import pytest

from harness.courier import Courier
from harness.descriptors import at_most, numbers, spent
from harness.web_server import WebServer


@pytest.fixture
def server():
    server = WebServer()
    yield server
    server.close()


@pytest.fixture
def courier(place, server):
    configuration = place / "mfad.conf"
    configuration.write_text(f"platform = {server.url}\nallow_loopback_http = yes\nlog_level = debug\n")
    path = place / "courier.sock"
    courier = Courier(configuration, path, ["--socket", path])
    # The last step before the courier serves.
    courier.process.journal.wait("confined")
    yield courier
    assert courier.process.is_running
    courier.stop()


def is_served(peer) -> bool:
    """True if the courier answers a peer. The request needs no descriptor. A closed peer may fail while it writes."""
    try:
        return peer.ask("https://other.test")["failure"] == "refused-origin"
    except (ConnectionError, TypeError):
        return False


def test_courier_closes_new_connections_and_serves_old_ones_without_descriptors(courier, server):
    first = courier.connect()
    # The courier keeps the connection to the server for the next request.
    assert first.ask(server.url)["status"] == 200
    with at_most(courier.process.pid, numbers(courier.process.pid)[-1] + 4):
        served = [first]
        while is_served(newcomer := courier.connect()):
            served.append(newcomer)
            assert len(served) < 16
        assert len(served) > 1, "there was room for some"
        assert not any(is_served(courier.connect()) for _ in range(50))
        assert base64.b64decode(first.ask(server.url)["body"]) == b"hello"
        assert all(is_served(peer) for peer in served)
        # An order that needs a descriptor is refused as `busy`, and may be sent again.
        order = {"listen": 99, "path": "/callback", "state": base64.b64encode(bytes(32)).decode(), "timeout": 1000}
        first.write(json.dumps(order).encode())
        assert first.read() == {"id": 99, "failure": "busy"}
        assert spent(courier.process.pid, 1.0) < 0.3
        served.pop().hang_up()
        while not is_served(courier.connect()):
            pass
    first.write(json.dumps(order | {"listen": 100}).encode())
    assert first.read().keys() == {"id", "listening"}
    assert is_served(courier.connect())


def test_new_connection_waits_without_busy_loop_if_no_descriptor_is_free(courier, server):
    first = courier.connect()
    assert first.ask(server.url)["status"] == 200
    with at_most(courier.process.pid, 3):
        newcomer = courier.connect()
        newcomer.write(b'{"id":1,"method":"GET","url":"https://other.test","headers":[],"body":"","timeout":5000}')
        assert first.ask(server.url)["status"] == 200
        assert spent(courier.process.pid, 1.0) < 0.3
        assert first.ask(server.url)["status"] == 200
    assert newcomer.read() == {"id": 1, "failure": "refused-origin"}
