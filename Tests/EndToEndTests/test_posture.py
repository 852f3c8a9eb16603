"""The reported posture matches an independent measurement. Hidden properties are reported as unknown."""

import os
import pwd

import pytest

from harness import flows, jose
from harness.daemon import Daemon
from harness.posture import measured
from harness.programs import MFAD
from harness.users import ANN_UID, client_of, open_directory, user_installation

assert os.geteuid() == 0, "these tests play several users and change what a program sees, which only root can"

HIDDEN = ("secureBoot", "diskEncryption", "kernelLockdown")


def posture(client):
    return client.call("service.status")["posture"]


def seeing(script):
    """Returns a command prefix that runs a script and a program in a new mount namespace."""
    return ["unshare", "--mount", "sh", "-ec", script + '; exec "$@"', "sh"]


def test_posture_matches_an_independent_measurement(client, directory):
    assert posture(client) == measured(MFAD, directory / "state")


def test_mobile_payload_contains_the_posture_of_service_status(client, directory):
    client.call("device.configure", geo=flows.GEO)
    payload = client.call("payload.generate")["mobilePayload"]
    assert jose.claims(payload)["posture"] == posture(client)


def test_authctl_status_shows_the_posture(client, authctl):
    said = posture(client)
    lines = authctl.run("status", "--verbose").output.splitlines()
    machine = lines.index(f"machine     {said['os']['id']} {said['os']['version']}, kernel {said['os']['kernel']}")
    assert lines[machine + 1].split() == (
        f"secure boot {said['secureBoot']}, disk encryption {said['diskEncryption']}, "
        f"lockdown {said['kernelLockdown']}, program protected {said['programProtected']}, "
        f"state protected {said['stateProtected']}"
    ).split()


def test_program_is_protected_if_owned_by_root_or_its_user(sandbox):
    with open_directory() as path:
        programs, home = user_installation(path)
        for owner, protected in ((0, "yes"), (ANN_UID, "yes"), (ANN_UID + 1, "no")):
            os.chown(programs, owner, owner)
            daemon = Daemon(home, sandbox, program=programs / MFAD.name, user=ANN_UID).start()
            client = client_of(ANN_UID, daemon.socket)
            said = posture(client)
            assert said == measured(programs / MFAD.name, home / "state", ANN_UID)
            assert (said["programProtected"], said["stateProtected"]) == (protected, "yes")
            client.close()
            daemon.stop()


@pytest.mark.parametrize(
    "user, mode, protected",
    [("root", 0o660, "yes"), ("nobody", 0o660, "no"), ("nobody", 0o640, "yes"), ("root", 0o602, "no")],
)
def test_state_writable_by_others_is_not_protected(make_daemon, directory, user, mode, protected):
    """A state that all users, or the group of another user, can write is not protected."""
    daemon = make_daemon().start()
    posture(daemon.client())
    file = directory / "state" / "mfad.db"
    os.chown(file, -1, pwd.getpwnam(user).pw_gid)
    file.chmod(mode)
    daemon.stop()
    daemon.start()
    said = posture(daemon.client())
    assert said == measured(MFAD, directory / "state")
    assert said["stateProtected"] == protected


def test_posture_is_unknown_if_sys_is_hidden(make_daemon, directory):
    daemon = make_daemon(wrapper=seeing("mount -t tmpfs none /sys")).start()
    expected = measured(MFAD, directory / "state") | dict.fromkeys(HIDDEN, "unknown")
    assert posture(daemon.client()) == expected


def test_posture_is_complete_under_the_mount_restrictions_of_the_unit(make_daemon, directory):
    """Simulates the unit: a private /dev, a read-only /sys, and the state as a separate mount."""
    (directory / "state").mkdir(mode=0o700)
    script = "; ".join((
        f"mount --bind {directory}/state {directory}/state",
        "mount -o remount,bind,ro /sys",
        "mount -t tmpfs none /dev",
        "mknod -m 666 /dev/null c 1 3",
    ))
    daemon = make_daemon(wrapper=seeing(script)).start()
    assert posture(daemon.client()) == measured(MFAD, directory / "state")


def test_operating_system_is_unknown_if_others_can_write_os_release(make_daemon, directory):
    file = directory / "os-release"
    file.write_text("ID=forged\nVERSION_ID=99\n")
    file.chmod(0o666)
    daemon = make_daemon(wrapper=seeing(f"mount --bind {file} /etc/os-release")).start()
    system = posture(daemon.client())["os"]
    assert (system["id"], system["version"]) == ("unknown", "unknown")
