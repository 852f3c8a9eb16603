"""mfad without any network: the courier outside is its only way to the platform."""

import signal
import time

import pytest

from harness import flows
from harness.process import Process
from harness.programs import COURIER, environment


@pytest.fixture
def courier(make_daemon, directory):
    """A courier on its own that serves a socket; the daemon is made, not started."""
    path = directory / "courier.sock"
    daemon = make_daemon(wrapper=["unshare", "--net"], courier_socket=path)
    started = []

    def start():
        process = Process([COURIER, "--config", daemon.file], env=environment())
        started.append(process)
        wait_listening(path)
        return process

    yield daemon, path, start
    for process in started:
        if process.is_running:
            process.signal(signal.SIGTERM)
            assert process.wait() == 0


def wait_listening(path):
    """Until the socket is there; a program says nothing of that otherwise."""
    deadline = time.monotonic() + 10
    while not path.is_socket():
        assert time.monotonic() < deadline, "the courier does not listen"
        time.sleep(0.01)


def interfaces(pid):
    with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
        return [line.split(":")[0].strip() for line in file if ":" in line]


def test_the_whole_job_works_with_no_network_but_the_couriers_socket(courier, sandbox):
    daemon, path, start = courier
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
    assert daemon.process.status_field("Threads") == "1"


def test_without_a_courier_outside_it_reaches_nothing(courier):
    daemon, path, _ = courier
    daemon.start()
    client = daemon.client()
    assert client.refusal("device.configure", geo=flows.GEO).code == 10004


def test_a_courier_behind_a_socket_may_go_and_come_again(courier, sandbox):
    daemon, path, start = courier
    first = start()
    daemon.start()
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    first.signal(signal.SIGTERM)
    assert first.wait() == 0
    assert not path.exists()
    assert client.refusal("pairing.pair", pairingKey=sandbox.pairing_key("ann")).code == 10004
    start()
    assert flows.pair(client, sandbox)
