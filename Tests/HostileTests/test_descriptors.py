"""Descriptors run out: newcomers are told, those who are served are served on, and nobody spins."""

import contextlib
import os
import pathlib
import resource
import time

import pytest


def numbers(daemon) -> list[int]:
    return sorted(int(entry.name) for entry in pathlib.Path(f"/proc/{daemon.pid}/fd").iterdir())


@contextlib.contextmanager
def at_most(daemon, limit: int):
    """Meanwhile no descriptor gets a number from the limit on."""
    before = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (limit, before[1]))
    try:
        yield
    finally:
        resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, before)


def processor_time(daemon) -> float:
    fields = pathlib.Path(f"/proc/{daemon.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spent(daemon, seconds: float) -> float:
    """How much of the processor the daemon takes while nothing happens."""
    before = processor_time(daemon)
    time.sleep(seconds)
    return processor_time(daemon) - before


def status(client) -> str:
    return client.call("service.status")["version"]


def test_who_comes_when_descriptors_have_run_out_is_told_and_who_is_there_is_served(configured):
    daemon = configured.daemon
    status(configured.client)
    with at_most(daemon, numbers(daemon)[-1] + 4):
        served = []
        while True:
            client = configured.connect()
            reply = client.exchange(b'{"jsonrpc":"2.0","id":1,"method":"service.status"}')
            if "error" in reply:
                break
            served.append(client)
            assert len(served) < 16
        assert served, "there was room for some"
        for _ in range(50):
            with configured.daemon.connect() as newcomer:
                reply = newcomer.exchange(b'{"jsonrpc":"2.0","id":1,"method":"service.status"}')
                assert reply["id"] is None and reply["error"]["data"]["reason"] == "RATE_LIMITED"
                assert newcomer.line() is None
        for client in [configured.client, *served]:
            assert status(client)
        assert spent(daemon, 1.0) < 0.3
        served.pop().close()
        while "error" in configured.connect().exchange(b'{"jsonrpc":"2.0","id":1,"method":"service.status"}'):
            pass
    assert status(configured.connect())


def test_who_comes_when_nothing_at_all_can_be_opened_waits_and_nobody_spins(configured):
    daemon = configured.daemon
    with at_most(daemon, 3):
        newcomer = configured.connect()
        number = newcomer.send("service.status")
        assert status(configured.client)
        assert spent(daemon, 1.0) < 0.3
        assert status(configured.client)
    assert newcomer.reply(number)["version"]


@pytest.mark.parametrize("setting, wanted", [("max_connections = 4096", 4096), ("max_connections = 16", 128)])
def test_the_process_may_open_as_much_as_the_configuration_needs(make_stage, setting, wanted):
    prefix = ["prlimit", "--nofile=128:8192"]
    stage = make_stage(setting, prefix=prefix)
    soft, hard = resource.prlimit(stage.daemon.pid, resource.RLIMIT_NOFILE)
    assert hard == 8192 and wanted <= soft < 8192
