"""`authctl status` ends with the command that the user should run next."""

import contextlib
import signal
import subprocess

import pytest

from harness import flows
from harness.activation import activated, listener
from harness.authctl import Authctl
from harness.daemon import Daemon
from harness.programs import AUTHCTL, PATIENCE, environment, wait_until


def following(authctl):
    """Returns the suggestion in the last line of `authctl status`."""
    last = authctl.run("status").output.splitlines()[-1]
    assert last.startswith("next: ")
    return last.removeprefix("next: ")


def test_status_suggests_configure_login_and_otp_in_order(daemon, client, authctl, sandbox):
    assert following(authctl).startswith("authctl configure GEO")
    client.call("device.configure", geo=flows.GEO)
    assert following(authctl) == "authctl login"
    flows.pair(client, sandbox, "ann")
    assert following(authctl) == "authctl otp"
    assert authctl.run("otp").status == 0


def test_status_suggests_login_if_the_administrator_set_the_geography(make_daemon, sandbox):
    daemon = make_daemon(geo=flows.GEO).start()
    authctl = Authctl(daemon.socket)
    assert f"configured for {flows.GEO} at the first use" in authctl.run("status", "--verbose").output
    assert following(authctl) == "authctl login"
    flows.pair(daemon.client(), sandbox, "ann")
    assert f"configured for {flows.GEO}," in authctl.run("status", "--verbose").output
    assert following(authctl) == "authctl otp"


def test_status_suggests_approve_if_requests_are_pending(paired, authctl, sandbox):
    flows.push(paired, sandbox)
    assert following(authctl) == "authctl approve (1 request waits)"
    flows.push(paired, sandbox)
    assert following(authctl) == "authctl approve (2 requests wait)"


def test_status_suggests_setup_without_a_platform(make_daemon):
    daemon = make_daemon(platform=None, platform_key=None).start()
    assert following(Authctl(daemon.socket)) == "authctl setup"


def test_status_suggests_unlock_if_the_pin_is_locked(paired, authctl):
    paired.call("lock.set", pin="280491")
    assert following(authctl) == "authctl unlock"


def test_status_suggests_doctor_if_the_platform_is_unreachable(paired, authctl, sandbox):
    sandbox.stop()
    paired.refusal("device.rotateKeys")
    assert following(authctl).startswith("authctl doctor")


def test_status_suggests_doctor_if_the_key_is_missing(daemon, paired, directory):
    daemon.stop()
    (directory / "state" / "key").unlink()
    daemon.start()
    assert following(Authctl(daemon.socket)).startswith("authctl doctor")
    daemon.stop(expecting=["the key-encryption key is unavailable"])


def test_status_suggests_check_config_if_the_configuration_is_invalid(make_daemon, directory):
    daemon = make_daemon()
    daemon.file.write_text(f"{daemon.file.read_text()}platfrm = x\n")
    with listener(directory / "given.sock") as given:
        process, notifications = activated(daemon, given.fileno())
        assert notifications.next()["READY"] == "1"
        assert "--check-config" in following(Authctl(directory / "given.sock"))
        process.signal(signal.SIGTERM)
        assert process.wait() == 0
        notifications.close()


def test_status_shows_the_socket_and_the_owner_of_the_daemon(make_daemon, directory):
    (directory / "mfad").mkdir()
    daemon = make_daemon(socket=directory / "mfad" / "mfad.sock")
    daemon.start()
    named = Authctl(daemon.socket).run("status", "--verbose")
    assert f"socket      {daemon.socket}\n" in named.output
    found = subprocess.run(
        [AUTHCTL, "status", "--verbose"], env=environment(XDG_RUNTIME_DIR=str(directory)), capture_output=True, text=True, timeout=PATIENCE
    )
    assert f"socket      {daemon.socket}, your own daemon\n" in found.stdout, found


BESIDE = """
mount -t tmpfs -o mode=755 none /run
mkdir -m 755 -p /run/mfad /run/own/mfad
mount --bind "$1" /run/mfad
mount --bind "$2" /run/own/mfad
exec "$3" status --verbose
"""
"""As root, mounts one daemon's socket at the system's path and another's at the user's, and runs `authctl status`."""


@pytest.mark.parametrize("has_accounts", [True, False])
def test_status_reports_accounts_at_the_other_daemon(daemon, sandbox, directory, has_accounts):
    (directory / "own").mkdir()
    with contextlib.ExitStack() as ends:
        own = Daemon(directory / "own", sandbox).start()
        ends.callback(own.end)
        if has_accounts:
            flows.pair(own.client(), sandbox, "ann")
        told = "also /run/own/mfad/mfad.sock, your own daemon, with 1 account of yours: --socket /run/own/mfad/mfad.sock"

        def is_told():
            done = subprocess.run(
                ["unshare", "--mount", "sh", "-ec", BESIDE, "sh", daemon.socket.parent, own.socket.parent, AUTHCTL],
                env=environment(XDG_RUNTIME_DIR="/run/own"), capture_output=True, text=True, timeout=PATIENCE, check=False,
            )
            assert done.returncode == 0, done.stderr
            assert "socket      /run/mfad/mfad.sock, the daemon of this machine\n" in done.stdout
            return told in done.stdout

        # authctl waits two seconds for the other daemon, which a busy machine may exceed.
        if has_accounts:
            wait_until(is_told)
        else:
            assert not is_told()
