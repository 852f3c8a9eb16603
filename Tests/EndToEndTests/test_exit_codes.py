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
def test_2_wrong_usage(authctl, arguments):
    done = authctl.run(*arguments)
    assert (done.status, done.output) == (2, "") and done.errors.startswith(("authctl: error: ", "usage: "))


@pytest.mark.parametrize(
    "arguments",
    [["pair", ""], ["pair"], ["push-token", "FCM"], ["push-token", "FCM", ""], ["rpc", "pairing.pair", '{"pairingKey":7}'],
     ["rpc", "pairing.pair", '{"nonsense":7}'], ["rpc", "pairing.pair", "{"], ["configure", "europe"]],
    ids=" ".join,
)
def test_2_whoever_notices(ready, arguments):
    done = ready.run(*arguments)
    assert (done.status, done.output) == (2, ""), done.errors


def test_3_there_is_no_daemon(directory):
    assert Authctl(directory / "nothing.sock").run("status").status == 3


def test_3_the_daemon_is_gone(daemon, authctl):
    daemon.kill()
    assert authctl.run("status").status == 3


def test_4_the_socket_is_for_others(make_daemon):
    """The program is copied to where another user can run it."""
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


@pytest.mark.parametrize(
    "arguments",
    [["approve", "nothing"], ["deny", "nothing"], ["otp", "nothing"], ["pairings", "approve", "x"]],
    ids=" ".join,
)
def test_5_there_is_no_such_thing(ready, arguments):
    assert ready.run(*arguments).status == 5


def test_17_several_fit(ready, paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    done = ready.run("otp")
    assert done.status == 17
    for account in paired.call("account.list")["accounts"]:
        assert account["id"] in done.errors


def test_7_nothing_came_in_time(ready):
    assert ready.run("approve", "--wait", "--yes", "--timeout", "1").status == 7


@pytest.mark.parametrize("arguments", [["otp"], ["code", "ABCD1234"], ["pair", "01" + "0" * 12]], ids=" ".join)
def test_8_nothing_is_configured(authctl, arguments):
    assert authctl.run(*arguments).status == 8


def test_8_nothing_is_paired(client, authctl):
    client.call("device.configure", geo=flows.GEO)
    assert authctl.run("otp").status == 8


def test_9_the_key_cannot_be_had(daemon, sandbox, directory):
    """A key file that others can read is not used; what needs no secret goes on."""
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    key = directory / "state" / "key"
    key.chmod(0o644)
    daemon.start()
    authctl = Authctl(daemon.socket)
    assert authctl.run("otp").status == 9
    assert authctl.run("--json", "otp").json["error"]["code"] == 11018
    assert authctl.run("--json", "status").json["protection"]["sealing"] == "unavailable"
    daemon.stop(expecting=["the key-encryption key cannot be had", "work of the previous run cannot be resumed"])
    key.chmod(0o600)
    daemon.start()
    assert authctl.run("otp").status == 0


def test_10_the_platform_is_away(ready, sandbox):
    sandbox.stop()
    done = ready.run("pair", "01" + "0" * 12)
    assert done.status == 10 and "passcodes work without the platform" in done.errors
    assert ready.run("otp").status == 0


@pytest.mark.parametrize("arguments", [["device"], ["test-push"]], ids=" ".join)
def test_10_who_asks_the_platform_finds_it_away(ready, sandbox, arguments):
    sandbox.stop()
    assert ready.run(*arguments).status == 10


def test_11_the_program_behind_the_socket_is_another_users(directory):
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


def test_12_the_time_is_over(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    sandbox.advance(41)
    assert ready.run("approve", push["id"]).status == 12


def test_12_the_code_is_over_before_its_owner_decides(ready, paired, sandbox):
    claimed = paired.call("authentication.start", code=sandbox.code()["code"])
    sandbox.advance(61)
    params = f'{{"authentication": "{claimed["id"]}"}}'
    assert ready.run("rpc", "authentication.approve", params).json == {"status": "EXPIRED"}
    assert ready.run("rpc", "authentication.approve", params).status == 12


def test_13_it_was_answered_already(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert ready.run("approve", push["id"]).status == 0
    assert ready.run("deny", push["id"]).status == 13


def test_13_it_was_cancelled(ready, paired, sandbox):
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


def test_16_a_number_is_wanted(ready, paired, sandbox):
    sandbox.match_numbers()
    _, push = flows.push(paired, sandbox)
    assert ready.run("approve", push["id"]).status == 16
