"""Every exit code of authctl that can occur with the real daemon."""

import os
import shutil
import socket
import subprocess

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.programs import AUTHCTL, PATIENCE, environment
from harness.users import ANN_UID, BOB_UID, open_directory


@pytest.fixture
def ready(paired, authctl):
    return authctl


def test_1_another_geography_is_refused(client, authctl):
    client.call("device.configure", geo=flows.GEO)
    assert authctl.run("configure", "Europe").status == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["status", "more"],
        ["--nonsense"],
        ["approve", "--number", "x"],
        ["approve"],
        ["reset"],
        ["configure"],
        ["code", "ABCD1234", "--approve", "--deny"],
        ["--timeout", "soon", "status"],
        ["--socket"],
    ],
    ids=" ".join,
)
def test_2_wrong_usage_is_rejected(authctl, arguments):
    done = authctl.run(*arguments)
    assert (done.status, done.output) == (2, "") and done.errors.startswith(("authctl: error: ", "usage: "))


@pytest.mark.parametrize(
    "arguments",
    [["pair", ""], ["pair"], ["push-token", "FCM"], ["push-token", "FCM", ""], ["rpc", "pairing.pair", '{"pairingKey":7}'],
     ["rpc", "pairing.pair", '{"nonsense":7}'], ["rpc", "pairing.pair", "{"], ["configure", "Mars"]],
    ids=" ".join,
)
def test_2_invalid_value_is_rejected_by_authctl_or_the_daemon(ready, arguments):
    done = ready.run(*arguments)
    assert (done.status, done.output) == (2, ""), done.errors


def test_3_daemon_is_not_running(directory):
    assert Authctl(directory / "nothing.sock").run("status").status == 3


def test_3_daemon_was_killed(daemon, authctl):
    daemon.kill()
    assert authctl.run("status").status == 3


def test_4_permission_to_the_socket_is_denied(make_daemon):
    """Copies authctl to a directory where another user can run it."""
    with open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group="users")
        daemon.start()
        shutil.copy(AUTHCTL, path)
        command = [path / AUTHCTL.name, "--socket", daemon.socket, "status"]
        done = {
            uid: subprocess.run(
                command,
                env=environment(),
                user=uid,
                group=uid,
                extra_groups=[100] if uid == ANN_UID else [],
                capture_output=True,
                check=False,
                timeout=PATIENCE,
            ).returncode
            for uid in (ANN_UID, BOB_UID)
        }
        assert done == {ANN_UID: 0, BOB_UID: 4}
        daemon.end()


def test_4_runtime_directory_of_another_user_is_named():
    with open_directory() as path:
        shutil.copy(AUTHCTL, path)
        foreign = path / "foreign"
        foreign.mkdir(mode=0o700)
        done = subprocess.run(
            [path / AUTHCTL.name, "otp"], env=environment(XDG_RUNTIME_DIR=str(foreign)), user=BOB_UID, group=BOB_UID,
            extra_groups=[], capture_output=True, text=True, check=False, timeout=PATIENCE,
        )
        assert done.returncode == 4 and f"{foreign}, which belongs to user 0, not to user {BOB_UID}" in done.stderr


@pytest.mark.parametrize(("user", "is_told"), [("ann", True), ("root", False)])
def test_8_sudo_reports_that_the_authenticator_is_that_of_root(daemon, user, is_told):
    done = subprocess.run(
        [AUTHCTL, "otp"], env=environment(MFAD_SOCKET=str(daemon.socket), SUDO_USER=user), capture_output=True, text=True,
        check=False, timeout=PATIENCE,
    )
    assert done.returncode == 8 and ("without sudo, \"authctl\" uses that of ann" in done.stderr) == is_told


@pytest.mark.parametrize(
    "arguments",
    [["approve", "nothing"], ["deny", "nothing"], ["otp", "nothing"], ["pairings", "approve", "x"]],
    ids=" ".join,
)
def test_5_object_is_not_found(ready, arguments):
    assert ready.run(*arguments).status == 5


def test_17_account_is_ambiguous(ready, paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    done = ready.run("otp")
    assert done.status == 17
    for account in paired.call("account.list")["accounts"]:
        assert account["id"][:8] in done.errors


def test_7_wait_times_out(ready):
    assert ready.run("approve", "--wait", "--yes", "--timeout", "1").status == 7


@pytest.mark.parametrize("arguments", [["otp"], ["code", "ABCD1234"], ["pair", "01" + "0" * 12]], ids=" ".join)
def test_8_owner_is_not_configured(authctl, arguments):
    assert authctl.run(*arguments).status == 8


def test_8_owner_is_not_paired(client, authctl):
    client.call("device.configure", geo=flows.GEO)
    assert authctl.run("otp").status == 8


def test_9_key_is_unavailable(daemon, sandbox, directory):
    """The daemon does not use a key file that others can read. Calls without secrets still work."""
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    key = directory / "state" / "key"
    key.chmod(0o644)
    daemon.start()
    authctl = Authctl(daemon.socket)
    assert authctl.run("otp").status == 9
    assert authctl.run("--json", "otp").json["error"]["code"] == 11018
    assert authctl.run("--json", "status").json["protection"]["sealing"] == "unavailable"
    daemon.stop(expecting=["the key-encryption key is unavailable", "work of the previous run cannot be resumed"])
    key.chmod(0o600)
    daemon.start()
    assert authctl.run("otp").status == 0


def test_10_platform_is_unreachable_for_pairing(ready, sandbox):
    sandbox.stop()
    done = ready.run("pair", "01" + "0" * 12)
    assert done.status == 10 and "passcodes work without the platform" in done.errors
    assert ready.run("otp").status == 0


@pytest.mark.parametrize("arguments", [["device"], ["test-push"]], ids=" ".join)
def test_10_platform_is_unreachable(ready, sandbox, arguments):
    sandbox.stop()
    assert ready.run(*arguments).status == 10


def test_11_socket_belongs_to_a_process_of_another_user(directory):
    with open_directory() as path:
        os.chown(path, BOB_UID, BOB_UID)
        ready, listens = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.setgid(BOB_UID)
                os.setuid(BOB_UID)
                listener = socket.socket(socket.AF_UNIX)
                listener.bind(str(path / "mfad.sock"))
                listener.listen()
                os.write(listens, b"x")
                connection, _ = listener.accept()
                os._exit(0 if connection.recv(1) == b"" else 1)
            finally:
                os._exit(2)
        os.close(listens)
        try:
            assert os.read(ready, 1) == b"x"
            assert Authctl(path / "mfad.sock").run("status").status == 11
        except BaseException:
            os.kill(child, 9)
            raise
        finally:
            os.close(ready)
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert status == 0, "nothing is sent to it"


def test_12_request_has_expired(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    sandbox.advance(41)
    assert ready.run("approve", push["id"]).status == 12


def test_12_code_has_expired(ready, paired, sandbox):
    claimed = paired.call("authentication.start", code=sandbox.code()["code"])
    sandbox.advance(61)
    params = f'{{"authentication": "{claimed["id"]}"}}'
    assert ready.run("rpc", "authentication.approve", params).json == {"status": "EXPIRED"}
    assert ready.run("rpc", "authentication.approve", params).status == 12


def test_13_request_is_already_answered(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert ready.run("approve", push["id"]).status == 0
    assert ready.run("deny", push["id"]).status == 13


def test_13_request_is_cancelled(ready, paired, sandbox):
    started, push = flows.push(paired, sandbox)
    sandbox.check_passcode(started, paired.call("passcode.get")["passcode"])
    paired.event("notification", id=push["id"], state="cancelled")
    assert ready.run("approve", push["id"]).status == 13


def test_14_there_are_too_many_sign_ons(ready, paired, sandbox):
    for _ in range(4):
        paired.call("login.start", method="signon")
    assert ready.run("login", input='{"values":{"username":"ann","password":"x"}}\n').status == 14


@pytest.mark.parametrize("arguments", [["pair", "01" + "0" * 12], ["code", "ABCD1234", "--approve"]], ids=" ".join)
def test_15_a_key_or_code_is_rejected(ready, arguments):
    assert ready.run(*arguments).status == 15


def test_15_a_token_is_rejected(ready):
    assert ready.run("rpc", "pairing.processIdToken", '{"idToken": "a.b.c"}').status == 15


def test_16_number_is_required(ready, paired, sandbox):
    sandbox.match_numbers()
    _, push = flows.push(paired, sandbox)
    assert ready.run("approve", push["id"]).status == 16
