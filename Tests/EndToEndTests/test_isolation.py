"""mfad in an empty network namespace: only the courier outside connects to the platform."""

import pytest

from harness import flows
from harness.courier import Courier


@pytest.fixture
def apart(make_daemon, directory):
    """A daemon without network, not started, and a function that starts a courier outside."""
    path = directory / "courier.sock"
    daemon = make_daemon(wrapper=["unshare", "--net"], courier_socket=path)
    started = []

    def start():
        started.append(Courier(daemon.file, path))
        return started[-1]

    yield daemon, start
    for courier in started:
        courier.stop()


def interfaces(pid):
    with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
        return [line.split(":")[0].strip() for line in file if ":" in line]


def test_daemon_without_network_works_through_the_courier_socket(apart, sandbox):
    daemon, start = apart
    start()
    daemon.start()
    assert interfaces(daemon.process.pid) == ["lo"] and interfaces("self") != []
    assert daemon.process.children == [], "a courier that is there already is not started again"
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    client.subscribe()
    pairing = flows.sign_on(client, sandbox, "ann")["pairing"]
    client.call("pairing.approve", pairing=pairing["id"])
    started, push = flows.push(client, sandbox)
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    made = sandbox.code()
    claimed = client.call("authentication.start", code=made["code"])
    client.call("authentication.approve", authentication=claimed["id"])
    assert sandbox.code_status(made) == "COMPLETED"
    daemon.wait_for_one_thread()


def test_daemon_without_network_and_courier_reaches_no_platform(apart):
    daemon, _ = apart
    daemon.start()
    client = daemon.client()
    assert client.refusal("device.configure", geo=flows.GEO).code == 10004


def test_courier_behind_a_socket_can_be_restarted(apart, sandbox):
    daemon, start = apart
    first = start()
    daemon.start()
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    first.stop()
    assert client.refusal("pairing.pair", pairingKey=sandbox.pairing_key("ann")).code == 10004
    start()
    assert flows.pair(client, sandbox)
