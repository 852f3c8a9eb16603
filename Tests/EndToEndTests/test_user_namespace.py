"""Programs in a user namespace, as under a user's service manager. No other user can be identified there."""

import shutil
import subprocess

import pytest

from harness import users
from harness.programs import AUTHCTL, PATIENCE, environment

NOT_THE_DAEMON = 11

# As root, mounts a directory at the system socket's path. Then runs a command as a user in a user namespace.
WITHIN = """
mount -t tmpfs -o mode=755 none /run
mkdir -m 755 /run/mfad
mount --bind "$1" /run/mfad
shift
exec setpriv --reuid="$1" --regid="$1" --groups="$2" unshare --user --map-current-user "$3" "$4"
"""


@pytest.fixture
def status(shared):
    """Returns a function that runs `authctl status` with a socket in the namespace."""
    daemon, _ = shared
    program = shutil.copy(AUTHCTL, daemon.socket.parent.parent)

    def run(socket):
        words = [daemon.socket.parent, users.ANN_UID, users.GROUP_ID, program, "status"]
        return subprocess.run(
            ["unshare", "--mount", "sh", "-ec", WITHIN, "sh", *map(str, words)],
            env=environment(MFAD_SOCKET=str(socket)), capture_output=True, text=True, timeout=PATIENCE, check=False,
        )

    return run


def test_authctl_in_a_user_namespace_trusts_the_system_socket_path(status):
    done = status("/run/mfad/mfad.sock")
    assert done.returncode == 0, done.stderr


def test_authctl_in_a_user_namespace_rejects_any_other_socket_path(shared, status):
    daemon, _ = shared
    done = status(daemon.socket)
    assert done.returncode == NOT_THE_DAEMON and "user 65534" in done.stderr, done.stderr
