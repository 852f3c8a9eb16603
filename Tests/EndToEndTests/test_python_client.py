"""The Python client: calls, events, errors, and the check that the peer is the daemon."""

import os
import socket
import subprocess
import sys

import pytest

from harness import flows, users
from harness.programs import CLIENTS, PATIENCE, environment

sys.path.insert(0, str(CLIENTS / "Python"))

import mfad


@pytest.fixture
def connection(daemon):
    with mfad.connect(daemon.socket, timeout=PATIENCE) as connection:
        yield connection


@pytest.fixture
def other(directory):
    """A connection to a listener of the test, and the accepted socket."""
    path = directory / "other.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        connection = mfad.connect(path)
        with connection, listener.accept()[0] as accepted:
            yield connection, accepted


def test_call_returns_a_result_or_raises_refused(connection):
    assert connection.call("service.status")["api"]["major"] == 1
    with pytest.raises(mfad.Refused) as refused:
        connection.call("lock.unlock", pin="123456", seconds="many")
    error = refused.value
    assert (error.code, error.reason) == (-32602, "INVALID_PARAMS")
    assert error.data["details"]["parameter"] == "seconds" and str(error) == error.message
    assert connection.call("account.list") == {"accounts": []}


def test_events_arrive_in_order_while_calls_are_made(connection, sandbox):
    connection.call("device.configure", geo=flows.GEO)
    everything, notifications = connection.events(), connection.events("notification", timeout=PATIENCE)
    account = connection.call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))["account"]
    sandbox.authenticate("ann")
    push = next(notifications)
    assert (push.topic, push.payload["state"], push.payload["account"]) == ("notification", "pending", account)
    connection.call("notification.deny", notification=push.payload["id"])
    assert [next(notifications).payload["state"] for _ in range(2)] == ["sending", "denied"]
    topics = [next(everything).topic for _ in range(4)]
    assert topics == ["account", "notification", "notification", "notification"]
    notifications.close()
    sandbox.authenticate("ann")
    assert next(everything).payload["state"] == "pending"


def test_timeout_is_raised_and_the_connection_stays_usable(connection, other):
    with pytest.raises(TimeoutError):
        next(iter(connection.events("notification", timeout=0.01)))
    assert connection.call("account.list") == {"accounts": []}

    waiting, daemon = other
    waiting.timeout = 0.01
    with pytest.raises(TimeoutError):
        waiting.call("service.status")
    daemon.sendall(b'{"jsonrpc":"2.0","id":1,"result":"late"}\n{"jsonrpc":"2.0","id":2,"result":"in time"}\n')
    waiting.timeout = PATIENCE
    assert waiting.call("service.status") == "in time"


def test_timeout_while_sending_ends_the_connection(other):
    waiting, _ = other
    waiting.timeout = 0.01
    with pytest.raises(TimeoutError):
        waiting.call("passcode.import", uri="x" * (1 << 22))
    with pytest.raises(mfad.Disconnected):
        waiting.call("service.status")


def test_rejected_connection_raises_the_reason(other):
    waiting, daemon = other
    error = b'{"code":11006,"message":"too many","data":{"reason":"RATE_LIMITED","retry":true}}'
    daemon.sendall(b'{"jsonrpc":"2.0","id":null,"error":' + error + b"}\n")
    daemon.close()
    with pytest.raises(mfad.Refused) as refused:
        waiting.call("service.status")
    assert refused.value.reason == "RATE_LIMITED"
    with pytest.raises(mfad.Disconnected):
        waiting.call("service.status")


@pytest.mark.parametrize("line", [b"no JSON\n", b"[" * 100_000 + b"\n", b"\xff\n", b"x" * (2 << 20)])
def test_invalid_line_from_the_daemon_ends_the_connection(other, line):
    waiting, daemon = other
    daemon.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
    daemon.sendall(line)
    for _ in range(2):
        with pytest.raises(mfad.Disconnected):
            waiting.call("service.status")


def test_client_finds_the_daemon_at_the_same_paths_as_authctl(daemon, directory, monkeypatch):
    monkeypatch.setenv("MFAD_SOCKET", str(daemon.socket))
    with mfad.connect() as connection:
        assert connection.call("account.list") == {"accounts": []}
    monkeypatch.setenv("MFAD_SOCKET", "")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    monkeypatch.setattr(mfad, "SYSTEM_DIRECTORY", str(directory / "system"))
    with pytest.raises(mfad.Unreachable, match="system/mfad.sock .* or .*/mfad/mfad.sock"):
        mfad.connect()
    for place in ("mfad", "system"):
        (directory / place).symlink_to(daemon.socket.parent)
        with mfad.connect() as connection:
            assert connection.call("account.list") == {"accounts": []}


def test_listener_must_run_as_root_the_caller_or_the_service_user(place, listen, monkeypatch):
    path = listen(users.ANN_UID)
    refused = pytest.raises(mfad.NotTheDaemon, match=f"runs as user {users.ANN_UID}")
    system = place.parent / "system"
    (system / "owner").mkdir(parents=True)
    monkeypatch.setattr(mfad, "SYSTEM_DIRECTORY", str(system))
    with refused:
        mfad.connect(path)
    os.chown(system / "owner", users.ANN_UID, -1)
    mfad.connect(path).close()
    # Another user could have created the entries of this directory.
    system.chmod(0o775)
    with refused:
        mfad.connect(path)
    system.chmod(0o755)
    os.chown(system, users.ANN_UID, -1)
    with refused:
        mfad.connect(path)


def test_socket_is_refused_if_others_can_write_its_directory(place, listen):
    path = listen(0)
    mfad.connect(path).close()
    for mode in (0o775, 0o757, 0o1777):
        place.chmod(mode)
        with pytest.raises(mfad.NotTheDaemon, match="can be written by others"):
            mfad.connect(path)
    place.chmod(0o755)
    place.parent.chmod(0o1777)
    mfad.connect(path).close()
    place.parent.chmod(0o777)
    with pytest.raises(mfad.NotTheDaemon, match="can be written by others"):
        mfad.connect(path)
    place.parent.chmod(0o755)
    os.chown(place, users.BOB_UID, -1)
    with pytest.raises(mfad.NotTheDaemon, match=f"belongs to user {users.BOB_UID}"):
        mfad.connect(path)


WITHIN = """
mount -t tmpfs -o mode=755 none /run
mkdir -m 755 /run/mfad
mount --bind "$1" /run/mfad
shift
exec setpriv --reuid="$1" --regid="$1" --groups="$2" unshare --user --map-current-user "$3" -I "$4"
"""
"""As root, mounts a directory at the system socket's path. Then runs Python as a user in a user namespace."""


@pytest.mark.parametrize("at_its_place", [True, False])
def test_client_in_a_user_namespace_trusts_only_the_system_socket_path(shared, at_its_place):
    daemon, _ = shared
    script = daemon.socket.parent.parent / "status.py"
    module = (CLIENTS / "Python" / "mfad" / "__init__.py").read_text(encoding="utf-8")
    script.write_text(module + "\nprint(connect().call('account.list'))\n", encoding="utf-8")
    script.chmod(0o644)
    words = [daemon.socket.parent, users.ANN_UID, users.GROUP_ID, "/usr/bin/python3", script]
    variables = {} if at_its_place else {"MFAD_SOCKET": str(daemon.socket)}
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", WITHIN, "sh", *map(str, words)],
        env=environment(**variables), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )
    if at_its_place:
        assert (done.returncode, done.stdout) == (0, "{'accounts': []}\n"), done.stderr
    else:
        assert done.returncode == 1 and "runs as user 65534" in done.stderr, done.stderr
