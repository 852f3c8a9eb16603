"""Memory locations of secrets while the programs run, in crashes, and after use. Only root can read this memory."""

import os
import re
import secrets
import signal
import socket
import subprocess
import time
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from harness import archive, flows, memory
from harness.canaries import use_import, use_presence
from harness.issued import Issued
from harness.memory import lie_nowhere
from harness.onlooker import Onlooker, tree
from harness.programs import AGENT, AUTHCTL, COURIER, FLOWS, MFAD, PATIENCE, environment
from harness.sandbox import Sandbox
from harness.signon import Application
from harness.spellings import base32, spelled

pytestmark = pytest.mark.flows

assert os.geteuid() == 0, "only root can look into the memory of these programs"


@pytest.fixture
def sandbox(directory):
    """A sandbox with a database from which tests read the platform's keys."""
    sandbox = Sandbox(data=directory / "data", flows=FLOWS)
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


KEEPING = {"keep_session": "yes", "scope": "openid profile offline_access"}
"""Settings with which the daemon keeps and refreshes the tokens of a sign-on."""


@pytest.fixture
def daemon(make_daemon):
    return make_daemon(**KEEPING).start()


def walk(daemon, client, sandbox):
    """Uses all kinds of secrets. Returns those that stay and those that must be erased after use."""
    kept, passing = {}, {}
    client.subscribe("notification")
    passing["a pairing key"] = key = sandbox.pairing_key("ann")
    client.call("device.configure", geo=flows.GEO)
    client.call("pairing.pair", pairingKey=key)
    passing["a PIN"] = pin = secrets.token_urlsafe(24)
    client.call("lock.set", pin=pin)
    client.call("lock.unlock", pin=pin)
    client.call("lock.clear", current=pin)
    passing |= use_presence(client, sandbox)
    passing["a mobile payload"] = payload = client.call("payload.generate")["mobilePayload"]
    passing["an ID token"] = token = Application(sandbox).sign_on("ann", payload)[0]
    client.call("pairing.processIdToken", idToken=token)
    for kind, more in (("totp", ""), ("hotp", "&counter=0")):
        kept[f"the seed of an account, {kind}"] = seed = os.urandom(32)
        passing[f"the text of that seed, {kind}"] = base32(seed)
        client.call("passcode.import", uri=f"otpauth://{kind}/x:{kind}?secret={base32(seed)}&issuer=x{more}")
    seeds, texts, _ = use_import(client)
    kept |= seeds
    passing |= texts
    passing["a wrong password"] = wrong = secrets.token_urlsafe(24)
    login = client.call("login.start", method="signon")["login"]
    assert client.call("login.next", login=login, values={"username": "bob", "password": wrong})["node"] == "error"
    passing["a password"] = sandbox.users["bob"]["password"]
    # A token that expires soon is refreshed before its next use.
    sandbox.tokens(accessTokenSeconds=20)
    issued = Issued(sandbox, daemon.directory / "issued")
    step = flows.sign_on(client, sandbox, "bob")
    account = client.call("pairing.approve", pairing=step["pairing"]["id"])["account"]
    assert client.call("session.userinfo", account=account, fresh=True)["sub"] == sandbox.users["bob"]["id"]
    tokens = issued.tokens()
    assert sorted(name.split()[0] for name in tokens) == sorted(["access_token", "id_token", "refresh_token"] * 2), tokens.keys()
    passing |= tokens
    for account in client.call("account.list")["accounts"]:
        client.call("passcode.get", account=account["id"])
    for answer in ("approve", "deny"):
        _, push = flows.push(client, sandbox)
        client.call(f"notification.{answer}", notification=push["id"])
    made = sandbox.code()
    claimed = client.call("authentication.start", code=made["code"])
    client.call("authentication.approve", authentication=claimed["id"], userId=sandbox.users["ann"]["id"])
    client.call("backup.create")
    kept["what the key-encryption key is made of"] = (daemon.directory / "state" / "key").read_bytes()
    return kept, passing


def test_kept_secrets_are_only_in_secret_memory_and_used_ones_are_erased(daemon, client, sandbox):
    onlooker = Onlooker(daemon)
    kept, passing = walk(daemon, client, sandbox)
    texts = spelled(passing)
    said = onlooker.all()
    assert onlooker.looks > 10 and b"mfad-courier" in said
    for name, secret in {**kept, **texts}.items():
        assert secret not in said, name
    # The search is effective: it finds the kept seeds, in secret memory only.
    held = memory.places(daemon.process.pid, kept)
    assert {name for name in kept if "seed" in name} == {name for name in held if "seed" in name}
    lie_nowhere(daemon.process.pid, kept, but={"secret memory"})
    for pid in tree(daemon):
        lie_nowhere(pid, texts)
    lie_nowhere(daemon.process.children[0], kept)
    # After the erasure, no secret of the owner is left. The key of the service stays.
    client.call("device.removeLocalData", confirm=True)
    lie_nowhere(daemon.process.pid, {name: secret for name, secret in kept.items() if "seed" in name})


def test_memory_search_finds_a_secret_in_an_ordinary_process():
    """Checks the memory search itself, with a Python process that holds a secret."""
    secret = os.urandom(32)
    hold = "import sys; held = sys.stdin.buffer.read(32); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(["python3", "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(secret)
        process.stdin.flush()
        assert process.stdout.readline() == b"held\n"
        (found,) = memory.places(process.pid, {"it": secret}).values()
        assert sum(found.values()) >= 2 and "secret memory" not in found
        process.stdin.close()


def private_key_of(pid, public):
    """Returns the private key for a public key from a process's secret memory, or None."""
    wanted = public.public_numbers()
    for data, _, marks in memory.contents(pid):
        if not memory.SECRET <= marks:
            continue
        for place in range(0, len(data) - 32, 8):
            number = int.from_bytes(data[place:place + 32], "little")
            # The library stores its numbers as words, the least significant first.
            if number.bit_length() > 200 and number < 2**256 - 2**224:
                if ec.derive_private_key(number, ec.SECP256R1()).public_key().public_numbers() == wanted:
                    return number
    return None


@pytest.mark.parametrize("name", ["answer", "device"])
def test_device_keys_are_only_in_secret_memory(daemon, client, sandbox, directory, name):
    client.subscribe("notification")
    flows.pair(client, sandbox)
    _, push = flows.push(client, sandbox)
    client.call("notification.approve", notification=push["id"])
    sandbox.stop()
    public, _ = archive.public_key(directory / "data", name)
    number = private_key_of(daemon.process.pid, public)
    assert number, "the key was not found where it has to lie while it is in use"
    spellings = {order: number.to_bytes(32, order) for order in ("little", "big")}
    lie_nowhere(daemon.process.pid, spellings, but={"secret memory"})
    lie_nowhere(daemon.process.children[0], spellings)
    client.call("device.removeLocalData", confirm=True)
    lie_nowhere(daemon.process.pid, spellings)


ROOM_FOR_CORES = ["sh", "-c", 'ulimit -c unlimited; cd "$0"; exec "$@"']
"""A command prefix that permits core files and changes to a directory for them."""


def end_of(pid, number):
    """Kills a process by a signal and returns the kind of its end. CLD_DUMPED means that it wrote a core."""
    os.kill(pid, number)
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT).si_code


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGSEGV, signal.SIGQUIT])
def test_crash_writes_no_core_and_logs_no_secret(make_daemon, sandbox, directory, number):
    place = directory / "cores"
    place.mkdir()
    with subprocess.Popen([*ROOM_FOR_CORES, place, "sleep", "1000"]) as ordinary:
        while Path(f"/proc/{ordinary.pid}/comm").read_text() != "sleep\n":
            time.sleep(0.01)
        assert end_of(ordinary.pid, number) == os.CLD_DUMPED, "other programs leave a core here"
    before = set(place.rglob("*"))
    daemon = make_daemon(wrapper=[*ROOM_FOR_CORES, place], **KEEPING)
    daemon.start()
    kept, passing = walk(daemon, daemon.client(), sandbox)
    courier = daemon.process.children[0]
    os.kill(courier, number)
    # A different status would mean that it wrote a core.
    assert daemon.journal.wait(f"courier ended process={courier} ").endswith(f" status={number.value}")
    assert end_of(daemon.process.pid, number) == os.CLD_KILLED
    daemon.process.wait()
    assert set(place.rglob("*")) == before
    assert list((directory / "state" / "backups").iterdir()), "backups are looked through too"
    journal = str(daemon.journal).encode()
    for name, secret in {**kept, **spelled(passing)}.items():
        assert secret not in journal and secret.hex().encode() not in journal, name
        for file in directory.rglob("*"):
            # Skip the key file and the files of the sandbox, which contain the secrets that they need.
            if file.is_file() and "state" in file.parts and file.name != "key":
                assert secret not in file.read_bytes(), (name, file)


def crash(command, ready, number, **variables):
    """Returns the error output of a program killed by a signal, started without SWIFT_BACKTRACE as from a shell."""
    started = environment(**variables)
    del started["SWIFT_BACKTRACE"]
    with subprocess.Popen(command, env=started, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE) as process:
        try:
            ready(process)
            caught = int(re.search(r"SigCgt:\s+(\w+)", Path(f"/proc/{process.pid}/status").read_text())[1], 16)
            # A program that handles the signal may survive it.
            assert not caught >> (number - 1) & 1, "the program itself takes the signal"
            process.send_signal(number)
            said = process.stderr.read()
            assert process.wait() == -number
            return said
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGILL, signal.SIGTRAP, signal.SIGSEGV, signal.SIGABRT])
@pytest.mark.parametrize("program", [MFAD, COURIER, AUTHCTL, AGENT], ids=lambda program: program.name)
def test_crash_prints_no_registers_if_swift_backtrace_is_unset(directory, program, number):
    path, held = directory / "s", []

    def reached(process):
        """Accepts the program's connection and never replies."""
        held.append(listener.accept()[0])

    def serving(process):
        while not path.exists():
            assert process.poll() is None
            time.sleep(0.01)

    with socket.socket(socket.AF_UNIX) as listener:
        listener.settimeout(PATIENCE)
        if program in (AUTHCTL, AGENT):
            listener.bind(str(path))
            listener.listen()
            variables = {"MFAD_SOCKET": str(path), "DBUS_SESSION_BUS_ADDRESS": f"unix:path={path}"}
            command = [AUTHCTL, "status"] if program == AUTHCTL else [AGENT]
            assert crash(command, reached, number, **variables) == b""
        else:
            state = ["--state-directory", directory / "state"] if program == MFAD else []
            said = crash([program, "--socket", path, *state], serving, number)
            assert all(line.startswith(b"<") for line in said.splitlines()), said
