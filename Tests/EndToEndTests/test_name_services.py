"""Users from name services (NSS): the confined daemon looks them up without blocking."""

import os
import subprocess

import pytest

from harness.client import Disconnected
from harness.users import ANN_UID, GROUP, client_of, open_directory

KNOWN, HANGING, FAILING, ABSENT = 71_001, 71_002, 71_003, 71_004

SERVICE = r"""
#include <errno.h>
#include <fcntl.h>
#include <nss.h>
#include <pwd.h>
#include <unistd.h>

enum nss_status _nss_mfadtest_getpwuid_r(uid_t user, struct passwd *entry, char *buffer, size_t size, int *error) {
  char byte;
  switch (user) {
  case %(HANGING)d: {
    int pipe = open("%(pipe)s", O_RDONLY | O_CLOEXEC);
    if (pipe >= 0) { read(pipe, &byte, 1); close(pipe); }
  } // Then it is known.
  case %(KNOWN)d:
    *entry = (struct passwd){.pw_name = "x", .pw_passwd = "x", .pw_uid = user, .pw_gid = user, .pw_gecos = "", .pw_dir = "/", .pw_shell = ""};
    return NSS_STATUS_SUCCESS;
  case %(FAILING)d: *error = EIO; return NSS_STATUS_UNAVAIL;
  default: *error = ENOENT; return NSS_STATUS_NOTFOUND;
  }
}
"""


@pytest.fixture
def asked(make_daemon):
    """A daemon with the test's NSS service, a function that connects a user, and the pipe that the service reads."""
    with open_directory() as path:
        place, pipe, switch = path / "lib", path / "pipe", path / "nsswitch.conf"
        place.mkdir(mode=0o755)
        os.mkfifo(pipe)
        source = place / "service.c"
        source.write_text(SERVICE % {**globals(), "pipe": "/usr/local/lib/pipe"})
        pipe.rename(place / "pipe")
        subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", place / "libnss_mfadtest.so.2", source], check=True)
        switch.write_text("passwd: files mfadtest\ngroup: files\n")
        script = (f"mount --bind {place} /usr/local/lib; mount --bind {switch} /etc/nsswitch.conf; "
                  "export LD_LIBRARY_PATH=/usr/local/lib")
        socket = path / "control" / "mfad.sock"
        daemon = make_daemon(wrapper=["unshare", "--mount", "sh", "-ec", script + '; exec "$@"', "sh"],
                             socket=socket, socket_group=GROUP)
        daemon.start()
        clients = []

        def connect(uid):
            clients.append(client_of(uid, socket))
            return clients[-1]

        yield daemon, connect, place / "pipe"
        for client in clients:
            client.close()
        daemon.end()


def owner(client):
    return client.call("service.status")["owner"]["uid"]


def refusal(client):
    line = client.read_line()
    with pytest.raises(Disconnected):
        client.read_line()
    assert line["id"] is None and line["error"]["code"] == 11001
    return line["error"]["data"]


def test_user_known_only_to_a_name_service_is_an_owner(asked):
    daemon, connect, _ = asked
    assert {"landlock", "seccomp"} >= {
        each.split(":")[0] for each in daemon.client().call("service.status")["protection"]["confinement"]
    } - {"no-new-privileges", "no-dump"}
    assert owner(connect(KNOWN)) == KNOWN
    assert refusal(connect(ABSENT)) == {"reason": "PERMISSION_DENIED", "retry": False}


def test_failed_lookup_is_refused_as_retryable(asked):
    daemon, connect, _ = asked
    for _ in range(2):
        assert refusal(connect(FAILING)) == {"reason": "PERMISSION_DENIED", "retry": True}
    assert "standing=undecided(5)" in daemon.journal.wait(f"user={FAILING}")


def test_hanging_name_service_delays_only_its_own_users(asked):
    daemon, connect, pipe = asked
    waiting = [connect(HANGING) for _ in range(16)]
    numbers = [client.begin("service.status") for client in waiting]
    # The connection limit per user applies, and the refusal is immediate.
    late = connect(HANGING)
    assert late.read_line()["error"]["code"] == 11006
    for uid in (ANN_UID, 0, 1002):
        assert owner(connect(uid)) == uid
    assert daemon.client().call("service.metrics")["connections"] >= 3
    pipe.write_bytes(b"x")
    # Their requests waited in the sockets.
    for client, number in zip(waiting, numbers):
        assert client.reply(number)["owner"]["uid"] == HANGING
