"""Secrets must not leak through the journal, the memory of the process or an error."""

import os
import pathlib
import re
import shutil
import subprocess
import time

import pytest

from harness.programs import COURIER, MFAD
from harness.hostile.id_tokens import Draft
from harness.hostile.issuer import Issuer
from harness.programs import PATIENCE

OWNER = 42_001


def test_debug_journal_contains_no_secret(make_stage):
    stage = make_stage(**Issuer.SETTINGS | {"redirect_uri": "http://127.0.0.1/canary-path"})
    stage.add_issuer()
    stage.configure()
    client, platform = stage.client, stage.platform
    user = {"id": "user-canary", "username": "canary-username", "email": "canary@example.com", "name": {"given": "Canary"}}

    login = client.call("login.start", method="signon", parameters={"login_hint": "canary-hint"})["login"]
    client.call("login.next", login=login, values={"username": "ann", "password": "canary-wrong-password"})
    prompt = client.call("login.next", login=login, values={"username": "ann", "password": Issuer.PASSWORD})["pairing"]
    client.call("pairing.approve", pairing=prompt["id"])
    key = platform.make_pairing_key(user=user)
    client.call("pairing.pair", pairingKey=key)
    bad_key = platform.make_pairing_key()[:-1] + "Z"
    client.refusal("pairing.pair", pairingKey=bad_key)
    payload = client.call("payload.generate")["mobilePayload"]
    accounts = client.call("account.list")["accounts"]
    passcodes = [client.call("passcode.get", account=account["id"])["passcode"] for account in accounts]
    client.refusal("pairing.processIdToken", idToken="canary-token." * 2 + "x", nonce="canary-nonce")
    push = platform.sign_push(platform.push_claims(
        title="canary-title", body="canary-body", clientContext={"x": "canary-context"}, jti="canary-jti",
        numberMatching={"type": "ENTER_MANUALLY"}))
    shown = client.call("notification.process", payload=push)["notification"]
    client.refusal("notification.process", payload={"canary-name": "canary-payload"})
    client.refusal("notification.process", payload=push[:-4] + "AAAA")
    client.call("notification.approve", notification=shown["id"], number=918273645)
    platform.codes["CANARY99"] = {"clientContext": {"x": "canary-code-context"}}
    client.call("authentication.approve", authentication=client.call("authentication.start", code="CANARY99")["id"],
                userId="user-canary")
    client.exchange(b'{"canary-line"')
    client.refusal("canary.method", canary="canary-value")
    platform.forge("POST /pairings", lambda x: x.answer(400, {"code": "CANARY_CODE", "message": "canary-message"}))
    client.refusal("pairing.pair", pairingKey=platform.make_pairing_key())
    stage.daemon.reload()

    text = str(stage.daemon.journal)
    assert "paired" in text and "ID token was rejected" in text and "push was rejected" in text
    secrets = [Issuer.PASSWORD, key, bad_key, payload, push, "918273645", *passcodes, *stage.issuer.signed, "access",
               *[pairing["secret"] for pairing in platform.pairings.values()], *[pairing["key"] for pairing in platform.pairings.values()]]
    for secret in secrets:
        for segment in filter(lambda part: len(part) > 5, secret.split(".")):
            assert segment not in text, segment[:20]
    assert "canary" not in text.lower()


def test_journal_line_cannot_be_forged(paired):
    user = {"id": "user-bob", "username": "bob\n<3>forged line level=error"}
    paired.client.call("pairing.pair", pairingKey=paired.platform.make_pairing_key(user=user))
    paired.client.refusal("pairing.processIdToken", idToken="x\n<0>forged")
    paired.client.refusal("no\n<0>forged")
    for line in paired.daemon.journal:
        assert re.match(r"<[3467]>[a-z]", line) and "forged" not in line


def test_errors_do_not_repeat_request_values(paired):
    client, canary = paired.client, "canaryCANARY12"
    errors = [client.refusal(canary), client.refusal("pairing.pair", pairingKey=canary), client.refusal("pairing.pair", **{canary: 1}),
              client.refusal("notification.get", notification=canary), client.refusal("authentication.start", code=canary),
              client.refusal("device.configure", geo=canary), client.refusal("login.start", method=canary),
              client.refusal("login.next", login=canary, values={canary: canary}), client.refusal("passcode.get", account=canary),
              client.refusal("notification.process", payload=canary), client.refusal("event.subscribe", topics=[canary]),
              client.refusal("notification.list", state=canary), client.refusal("notification.list", before=canary),
              client.refusal("pairing.processIdToken", idToken=Draft(paired).with_claims(aud=canary).text)]
    for error in errors:
        assert canary.lower() not in str(error).lower()
        assert error.error.keys() == {"code", "message", "data"} and error.error["data"].keys() <= {"reason", "retry", "details"}
        assert re.fullmatch(r"[a-z0-9][^A-Z\n]*(PIN|PingOne|ID|JSON)?[^\n]*", error.message), error.message
        assert re.fullmatch(r"[A-Z_]+", error.reason) and type(error.retry) is bool


def as_user(uid: int) -> list[str]:
    """The prefix that runs a command as that user."""
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]


@pytest.fixture
def programs(place):
    """A copy of the programs that every user can execute."""
    directory = place / "programs"
    directory.mkdir()
    for program in (MFAD, COURIER):
        shutil.copy(program, directory)
    return directory


@pytest.fixture
def own_service(make_stage, place, programs):
    """A daemon that runs as an ordinary user."""
    stage = make_stage(start=False, wrapper=as_user(OWNER), program=programs / "mfad")
    os.chown(stage.directory, OWNER, OWNER)
    os.chown(stage.courier.path, OWNER, OWNER)
    stage.key_file.chmod(0o644)
    stage.start()
    return stage


def opens(uid: int, path: str) -> bool:
    """True if a process of that user can open a file. Opening requires the same rights as a debugger."""
    command = [*as_user(uid), "sh", "-c", f"exec < {path}"]
    outcome = subprocess.run(command, capture_output=True, text=True)
    assert outcome.returncode == 0 or "Permission denied" in outcome.stderr, outcome.stderr
    return outcome.returncode == 0


def test_daemon_memory_cannot_be_read_by_its_own_user(own_service):
    pid = own_service.daemon.process.pid
    assert pathlib.Path(f"/proc/{pid}/status").read_text().split("Uid:")[1].split()[0] == str(OWNER)
    ordinary = subprocess.Popen([*as_user(OWNER), "sh", "-c", "echo; exec cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with ordinary:
        ordinary.stdout.readline()
        for name in ("mem", "environ", "maps", "auxv"):
            # The user can open an ordinary program, so the next assertions are meaningful.
            assert opens(OWNER, f"/proc/{ordinary.pid}/{name}"), name
            assert not opens(OWNER, f"/proc/{pid}/{name}"), name
            assert not opens(OWNER + 1, f"/proc/{pid}/{name}"), name
        ordinary.stdin.close()


def test_core_dumps_are_disabled(paired):
    limits = pathlib.Path(f"/proc/{paired.daemon.process.pid}/limits").read_text()
    assert re.search(r"Max core file size +0 +0 ", limits)


def test_keys_are_in_locked_memory(paired):
    assert paired.client.call("service.status")["protection"]["memoryLocked"] is True
    status = pathlib.Path(f"/proc/{paired.daemon.process.pid}/status").read_text()
    assert int(re.search(r"VmLck:\s+(\d+) kB", status)[1]) > 0


def test_daemon_has_one_thread_and_no_network_socket(paired):
    pid = paired.daemon.process.pid
    # At the start, a worker thread checks the database file; wait until it has ended.
    paired.daemon.wait_checked()
    deadline = time.monotonic() + PATIENCE
    while len(os.listdir(f"/proc/{pid}/task")) > 1:
        assert time.monotonic() < deadline, "it keeps threads"
        time.sleep(0.01)
    inodes = {os.readlink(f"/proc/{pid}/fd/{number}") for number in os.listdir(f"/proc/{pid}/fd")}
    table = [line.split()[9] for name in ("tcp", "tcp6", "udp", "udp6")
             for line in pathlib.Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]]
    assert not inodes & {f"socket:[{inode}]" for inode in table}
    assert [inode for inode in inodes if inode.startswith("socket:")]


def test_open_descriptors_are_closed_on_exec(paired):
    pid = paired.daemon.process.pid
    for number in os.listdir(f"/proc/{pid}/fd"):
        if int(number) > 2:
            flags = re.search(r"flags:\s+(\d+)", pathlib.Path(f"/proc/{pid}/fdinfo/{number}").read_text())[1]
            assert int(flags, 8) & os.O_CLOEXEC, os.readlink(f"/proc/{pid}/fd/{number}")
