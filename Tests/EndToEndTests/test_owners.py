"""Objects belong to the user that created them. Other users cannot see, answer or detect them."""

import os

import pytest

from harness import flows
from harness.client import Client, Disconnected
from harness.daemon import Daemon
from harness.programs import MFAD
from harness.users import ANN_UID, BOB_UID, GROUP_ID, client_of, open_directory, sockets_of, user_installation

assert os.geteuid() == 0, "these tests play several users, which only root can"


def test_each_user_is_an_owner_with_a_separate_device(shared, two, sandbox):
    _, connect = shared
    first, second = two
    assert [client.call("service.status")["owner"]["uid"] for client in two] == [ANN_UID, BOB_UID]
    devices = {client.call("device.configure", geo=flows.GEO)["deviceId"] for client in two}
    assert len(devices) == 2
    assert [one["user"]["username"] for one in first.call("account.list")["accounts"]] == ["ann"]
    assert [one["user"]["username"] for one in second.call("account.list")["accounts"]] == ["bob"]
    # Root is a third owner and does not see them either.
    root = connect(0)
    assert root.call("account.list") == {"accounts": []}
    assert root.call("service.status")["owner"]["configured"] is False
    # All connections of a user belong to one owner.
    assert len(connect(ANN_UID).call("account.list")["accounts"]) == 1


def test_socket_is_accessible_to_root_and_the_group_only(shared):
    daemon, _ = shared
    status = os.stat(daemon.socket)
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (0, GROUP_ID, 0o660)
    with pytest.raises(PermissionError):
        sockets_of(ANN_UID, daemon.socket, groups=())


def test_missing_group_makes_the_socket_private_and_logs_a_warning(make_daemon):
    daemon = make_daemon(socket_group="no-such-group").start()
    assert os.stat(daemon.socket).st_mode & 0o777 == 0o600
    assert "group=no-such-group" in daemon.journal.wait("the group of the socket does not exist")


def test_user_daemon_serves_its_user_and_root_only(sandbox):
    """Runs the daemon as an unprivileged user."""
    with open_directory() as path:
        programs, home = user_installation(path)
        daemon = Daemon(home, sandbox, program=programs / MFAD.name, user=ANN_UID)
        os.chmod(home, 0o755)
        daemon.start()
        client = client_of(ANN_UID, daemon.socket)
        flows.pair(client, sandbox)
        assert client.call("service.status")["owner"]["uid"] == ANN_UID
        assert daemon.process.status_field("Uid").split() == [str(ANN_UID)] * 4
        with pytest.raises(PermissionError):
            client_of(BOB_UID, daemon.socket)
        assert daemon.client().call("account.list") == {"accounts": []}
        client.close()
        daemon.stop()


def test_uids_next_to_reserved_ranges_are_owners(shared):
    _, connect = shared
    for uid in (61183, 65520, 65533, 70000, 2**31):
        assert connect(uid).call("service.status")["owner"]["uid"] == uid


def test_connections_are_limited_to_16_per_user(shared):
    daemon, connect = shared
    held = [Client(one) for one in sockets_of(ANN_UID, daemon.socket, 16)]
    for client in held:
        assert client.call("service.status")["version"]
    refused = connect(ANN_UID)
    line = refused.read_line()
    assert line["id"] is None
    assert (line["error"]["code"], line["error"]["data"]["reason"]) == (11006, "RATE_LIMITED")
    with pytest.raises(Disconnected):
        refused.read_line()
    assert connect(BOB_UID).call("service.status")["version"]
    held[0].finish()
    assert connect(ANN_UID).call("service.status")["version"]
    for client in held[1:]:
        client.close()
