"""Failures around the daemon: courier, platform, resolver and clock, and suspension of the machine."""

import contextlib
import os
import signal
import socket
import time

import pytest

from harness import flows
from harness.clock import MovableClock
from harness.client import RPCError
from harness.faults import chosen
from harness.operations import ASKING
from harness.programs import PATIENCE, wait_until
from harness.sandbox import Sandbox

HOUR, DAY = 3600, 86_400


@pytest.mark.parametrize("name", chosen(ASKING, "courier", 6))
def test_call_is_refused_or_done_once_if_the_courier_is_killed(stage, name):
    """The call is refused or done. A retry completes it, and it takes effect once."""
    stage = stage(name)
    host = stage.host
    stage.rehearse()
    for _ in range(2):
        stage.prepare()
        with host.held():
            number = host.client.begin(stage.operation.method, **stage.params)
            # This reply shows that the daemon accepted the previous call, which it may store before sending it.
            host.client.call("service.status")
            wait_until(lambda: host.daemon.process.children)
            for courier in host.daemon.process.children:
                os.kill(courier, signal.SIGKILL)
            host.daemon.journal.wait("courier ended")
        given = []
        with contextlib.suppress(RPCError):
            given.append(host.client.reply(number))
        stage.tried += 1
        stage.check_again(given)
        stage.check_end(given)
        host.daemon.stop(expecting=["courier"])


class SleepingClock(MovableClock):
    """A clock that continues while the machine is suspended. Setting it moves all clocks of the daemon."""

    def __init__(self, directory):
        super().__init__(directory)
        del self.environment["FAKETIME_DONT_FAKE_MONOTONIC"]


class Night:
    """A paired daemon and a platform with the same clock."""

    def __init__(self, directory, make_daemon):
        self.clock = SleepingClock(directory)
        self.sandbox = Sandbox(data=directory / "sandbox.db", clock=self.clock)
        self.daemon = make_daemon(sandbox=self.sandbox, clock=self.clock).start()
        self.client = self.daemon.client()
        flows.pair(self.client, self.sandbox)
        self.client.subscribe("notification")

    def leave(self):
        """Stops the platform."""
        self.sandbox.stop()
        self.clock.forget(self.sandbox.process.pid)

    def come_back(self):
        self.sandbox.start()


@pytest.fixture
def night(directory, make_daemon):
    night = Night(directory, make_daemon)
    yield night
    night.daemon.end()
    night.leave()


def check_serves(daemon, sandbox, client, title="afterwards"):
    """Asserts that a push arrives and can be approved."""
    started = sandbox.authenticate("ann", {"template": {"variables": {"title": title}}})
    push = client.event("notification", title=title, state="pending")
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_daemon_works_after_the_machine_sleeps_for_an_hour(night):
    client = night.client
    _, push = flows.push(client, night.sandbox)
    night.clock.set(HOUR)
    # The push has expired.
    assert client.refusal("notification.approve", notification=push["id"]).code == 10009
    assert client.call("passcode.get")["passcode"]
    check_serves(night.daemon, night.sandbox, client)
    assert client.call("service.status")["uptime"] >= HOUR


def test_daemon_recovers_after_the_platform_is_gone_for_an_hour(night):
    """Meanwhile calls that need no platform succeed, and calls that need it are refused."""
    client = night.client
    night.leave()
    for minute in range(0, 61, 5):
        night.clock.set(minute * 60)
        assert client.call("passcode.get")["passcode"]
        assert len(client.call("account.list")["accounts"]) == 1
        assert client.refusal("device.rotateKeys").reason == "NO_CONNECTIVITY"
    assert client.call("service.status")["platform"]["reachable"] is False
    night.come_back()
    # A successful request also resumes the delivery of pushes, which would otherwise take up to five minutes.
    client.call("device.rotateKeys")
    check_serves(night.daemon, night.sandbox, client)


@pytest.mark.parametrize("seconds", [-DAY, DAY])
def test_clock_a_day_off_loses_no_data(make_daemon, directory, sandbox, seconds):
    clock = MovableClock(directory)
    daemon = make_daemon(clock=clock).start()
    client = daemon.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    accounts = client.call("account.list")
    clock.set(seconds)
    assert client.call("account.list") == accounts
    before = client.call("passcode.get")["validFrom"]
    assert abs(before - time.time() - seconds) < PATIENCE
    assert client.call("audit.verify")["ok"] is True
    daemon.kill()
    daemon.start()
    client = daemon.client()
    assert client.call("account.list") == accounts
    clock.set(0)
    client.subscribe("notification")
    check_serves(daemon, sandbox, client)
    assert client.call("audit.verify")["ok"] is True


def test_unresponsive_resolver_does_not_block_other_calls(make_daemon, directory, sandbox):
    """A call that needs the platform fails as unreachable. Other calls are answered at once."""
    address = f"127.53.{os.getpid() // 256 % 256}.{os.getpid() % 254 + 1}"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind((address, 53))
        (directory / "resolv.conf").write_text(f"nameserver {address}\noptions timeout:30 attempts:5\n")
        script = f'mount --bind {directory}/resolv.conf /etc/resolv.conf && exec "$@"'
        daemon = make_daemon(
            wrapper=["unshare", "-m", "sh", "-c", script, "sh"], platform="https://platform.example.com", platform_key=None
        ).start()
        client, other = daemon.client(), daemon.client()
        number = client.begin("device.configure", geo=flows.GEO)
        for _ in range(20):
            assert other.call("service.status")["platform"]["reachable"] in (None, False)
            assert other.call("account.list") == {"accounts": []}
        assert not client.has_line, "nobody waited for the resolver"
        error = client.refused(number)
        assert (error.reason, error.retry) == ("NO_CONNECTIVITY", True) and error.cause in ("dns", "timeout")
        assert silent.recv(512), "the resolver was not asked"
