"""Fixtures for sign-on tests: a PingOne sandbox, and an authenticator that is paired with one of its users.

pytest loads them from the installed package. The programs are in $MFAD_PROGRAMS, else on the PATH.
"""

import contextlib
import json
import os
import select
import shutil
import socket
import subprocess
import tempfile
import urllib.request
from pathlib import Path

import mfad
import pytest

PATIENCE = 60
"""Maximum number of seconds for a program to start or to end."""


class Sandbox:
    """A PingOne sandbox with the users ann and bob, and requests of a relying party and an administrator."""

    def __init__(self, announcement):
        self.announcement = announcement
        self.url = announcement["url"]
        self.environment = announcement["environment"]
        self.users = {user["username"]: user for user in announcement["users"]}
        # The sandbox is on this machine: no proxy.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def request(self, method, path, body=None, media_type="application/json"):
        """Sends a request with the administrator's token; an error status raises urllib's HTTPError."""
        request = urllib.request.Request(self.url + path, method=method)
        request.add_header("Authorization", f"Bearer {self.announcement['adminToken']}")
        request.add_header("Content-Type", media_type)
        request.data = None if body is None else json.dumps(body).encode()
        with self._opener.open(request, timeout=PATIENCE) as response:
            text = response.read()
        return json.loads(text) if text else None

    def authenticate(self, user):
        """Starts a device authentication of the user, which sends a push to the paired authenticator."""
        body = {"user": {"id": self.users[user]["id"]}}
        return self.request("POST", f"/{self.environment}/deviceAuthentications", body)

    def authentication(self, started):
        """Returns the current state of the authentication."""
        return self.request("GET", f"/{self.environment}/deviceAuthentications/{started['id']}")

    def check_passcode(self, started, passcode):
        """Answers the authentication with a passcode."""
        path = f"/{self.environment}/deviceAuthentications/{started['id']}"
        return self.request("POST", path, {"otp": passcode}, "application/vnd.pingidentity.otp.check+json")

    def pairing_key(self, user):
        """Creates a pairing key of the user."""
        path = f"/v1/environments/{self.environment}/users/{self.users[user]['id']}/pairingKeys"
        return self.request("POST", path, {})["code"]


class Daemon:
    """The mfad of one test."""

    def __init__(self, path):
        self.socket = path

    def connect(self, **options):
        """Opens a new connection."""
        return mfad.connect(self.socket, **options)


@pytest.fixture
def pingone_sandbox():
    """A new PingOne sandbox on a free loopback port."""
    with _running([_program("pingone-sandbox"), "--port", "0"], stdout=subprocess.PIPE) as process:
        _wait_for(process.stdout, process)
        yield Sandbox(json.loads(process.stdout.readline()))


@pytest.fixture
def mfad_daemon(pingone_sandbox, monkeypatch):
    """A daemon that trusts this sandbox and has no accounts; authctl and other clients find it by $MFAD_SOCKET."""
    with tempfile.TemporaryDirectory(prefix="mfad-") as name:
        directory = Path(name)
        file, path = directory / "mfad.conf", directory / "control" / "mfad.sock"
        file.write_text(_configuration(pingone_sandbox, directory, path), encoding="utf-8")
        monkeypatch.setenv("MFAD_SOCKET", str(path))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as told:
            told.bind(str(directory / "notify.sock"))
            variables = {**os.environ, "NOTIFY_SOCKET": str(directory / "notify.sock")}
            with _running([_program("mfad"), "--config", str(file)], env=variables) as process:
                _wait_for(told, process)
                yield Daemon(path)


@pytest.fixture
def paired(mfad_daemon, pingone_sandbox):
    """A connection to a daemon that is paired with ann."""
    with mfad_daemon.connect() as connection:
        connection.call("pairing.pair", pairingKey=pingone_sandbox.pairing_key("ann"))
        yield connection


def _configuration(sandbox, directory, path):
    settings = {
        "allow_loopback_http": "yes",
        "platform": sandbox.url,
        "platform_key": sandbox.announcement["platformKey"],
        "issuer": sandbox.announcement["issuer"],
        "client_id": sandbox.announcement["clientId"],
        "redirect_uri": "http://127.0.0.1/callback",
        "geo": "NorthAmerica",
        "state_directory": directory / "state",
        "socket": path,
        # Nothing listens there, so the daemon starts its own courier.
        "courier_socket": directory / "courier.sock",
        "log_level": "warning",
    }
    return "".join(f"{key} = {value}\n" for key, value in settings.items())


def _program(name):
    found = shutil.which(name, path=os.environ.get("MFAD_PROGRAMS"))
    if found is None:
        pytest.fail(f"{name} is not on the PATH; set MFAD_PROGRAMS to its directory", pytrace=False)
    return found


@contextlib.contextmanager
def _running(command, **options):
    """Runs a program and terminates it at the end; it must exit with 0. pytest shows its output for a failed test."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, **options) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
    assert process.returncode == 0, f"{command[0]} ended with {process.returncode}"


def _wait_for(stream, process):
    """Waits for the first output of a program, which means that it is ready."""
    ended = os.pidfd_open(process.pid)
    try:
        ready, _, _ = select.select([stream, ended], [], [], PATIENCE)
    finally:
        os.close(ended)
    if stream not in ready or ended in ready:
        pytest.fail(f"{process.args[0]} did not start", pytrace=False)
