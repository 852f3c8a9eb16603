"""A daemon without free descriptors refuses new connections, serves the old ones and does not loop."""

import resource

import pytest

from harness.descriptors import at_most, numbers, spent


def status(client) -> str:
    return client.call("service.status")["version"]


def test_new_connections_are_refused_and_old_ones_served_without_descriptors(configured):
    daemon = configured.daemon
    status(configured.client)
    with at_most(daemon.process.pid, numbers(daemon.process.pid)[-1] + 4):
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
            with configured.connect() as newcomer:
                reply = newcomer.exchange(b'{"jsonrpc":"2.0","id":1,"method":"service.status"}')
                assert reply["id"] is None and reply["error"]["data"]["reason"] == "RATE_LIMITED"
                assert newcomer.line() is None
        for client in [configured.client, *served]:
            assert status(client)
        assert spent(daemon.process.pid, 1.0) < 0.3
        served.pop().close()
        while "error" in configured.connect().exchange(b'{"jsonrpc":"2.0","id":1,"method":"service.status"}'):
            pass
    assert status(configured.connect())


def test_new_connection_waits_without_busy_loop_if_no_descriptor_is_free(configured):
    daemon = configured.daemon
    with at_most(daemon.process.pid, 3):
        newcomer = configured.connect()
        number = newcomer.begin("service.status")
        assert status(configured.client)
        assert spent(daemon.process.pid, 1.0) < 0.3
        assert status(configured.client)
    assert newcomer.reply(number)["version"]


@pytest.mark.parametrize("connections, wanted", [(4096, 4096), (16, 128)])
def test_open_file_limit_is_raised_as_the_configuration_requires(make_stage, connections, wanted):
    stage = make_stage(max_connections=connections, wrapper=["prlimit", "--nofile=128:8192"])
    soft, hard = resource.prlimit(stage.daemon.process.pid, resource.RLIMIT_NOFILE)
    assert hard == 8192 and wanted <= soft < 8192
