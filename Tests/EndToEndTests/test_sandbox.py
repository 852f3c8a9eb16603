"""Options of pingone-sandbox: the configuration file for a daemon, users, the port, and persistent data."""

import socket
import subprocess
import urllib.parse

import pytest

from harness import flows
from harness.authctl import Authctl
from harness.daemon import Daemon
from harness.programs import MFAD, PATIENCE, SANDBOX, environment, run
from harness.sandbox import Sandbox


@pytest.fixture
def start():
    """Returns a function that starts sandboxes. They are stopped at the end of the test."""
    begun = []

    def start(*options, **more):
        begun.append(Sandbox(options=options, **more))
        return begun[-1]

    yield start
    for sandbox in begun:
        if sandbox.process.is_running:
            sandbox.stop()


# The configuration


class Configured(Daemon):
    """A daemon with the configuration file of the sandbox, and its own state directory and socket."""

    @property
    def command(self):
        places = ["--state-directory", self.directory / "state", "--socket", self.socket]
        return [MFAD, "--config", self.directory / "sandbox.conf", *places]


def test_daemon_accepts_the_configuration_written_by_the_sandbox(start, directory):
    sandbox = start("--write-config", directory / "sandbox.conf", "--user", "carol:Quite-Long-7")
    daemon = Configured(directory, sandbox).start()
    try:
        answers = '{"values": {"username": "carol", "password": "Quite-Long-7"}}'
        done = Authctl(daemon.socket).run("login", "--yes", input=answers)
        assert (done.status, "carol" in done.output) == (0, True), done.errors
        assert len(sandbox.devices("carol")) == 1
    finally:
        daemon.end()


def test_written_configuration_has_mode_0600_and_is_replaced_at_each_start(start, directory):
    file = directory / "sandbox.conf"
    texts = []
    for _ in range(2):
        sandbox = start("--write-config", file)
        texts.append(file.read_text())
        assert file.stat().st_mode & 0o777 == 0o600 and sandbox.url in texts[-1]
        assert sandbox.announcement["adminToken"] not in texts[-1]
        sandbox.stop()
    assert texts[0] != texts[1]
    assert [each.name for each in directory.iterdir()] == ["sandbox.conf"]


def refused(*options):
    done = run(SANDBOX, *options)
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_write_config_does_not_overwrite_a_foreign_file(directory):
    file, link, other = directory / "mfad.conf", directory / "link.conf", directory / "other.conf"
    for text in ("", "platform = https://example.com\n", "# Written by hand\n"):
        file.write_text(text)
        assert "was not written by pingone-sandbox" in refused("--write-config", file)
        assert file.read_text() == text
    other.write_text("# Written by pingone-sandbox, anew at each start.\n")
    link.symlink_to(other)
    assert "was not written by pingone-sandbox" in refused("--write-config", link)
    assert link.is_symlink() and len(other.read_text().splitlines()) == 1
    assert str(directory) in refused("--write-config", directory)
    nowhere = directory / "nowhere" / "mfad.conf"
    assert f"{nowhere} cannot be written: mkstemp: No such file" in refused("--write-config", nowhere)


# Users


def passwords(sandbox):
    return {name: user["password"] for name, user in sandbox.users.items()}


def test_users_get_the_passwords_of_options_and_users_file(start, directory):
    file = directory / "users"
    file.write_text("# for the tests\n\ndora:with:colons\nemil\n", encoding="utf-8")
    sandbox = start("--user", "ann:fixed", "--users", file, "--user", "emil:later")
    assert passwords(sandbox) == {"ann": "fixed", "dora": "with:colons", "emil": "later"}
    assert sandbox.request("GET", sandbox.user_path("ann"))["name"] == {"given": "Ann", "family": "Archer"}
    assert len(start("--user", "ann").users["ann"]["password"]) == 16


def test_users_file_may_have_crlf_line_endings(start, directory):
    file = directory / "users"
    file.write_bytes(b"ann:one\r\n# nobody\r\n\r\nbob:two\r\n")
    assert passwords(start("--users", file)) == {"ann": "one", "bob": "two"}


@pytest.mark.parametrize("text", [b"ann:\n", b":secret\n", b"\xff\n", b"x" * 129 + b"\n", b"ann:" + b"x" * 257 + b"\n"])
def test_invalid_users_file_is_refused_without_printing_passwords(directory, text):
    file = directory / "users"
    file.write_bytes(text)
    done = run(SANDBOX, "--users", file)
    assert done.returncode == 2 and "error: " in done.stderr and "secret" not in done.stderr


# The port


def test_port_80_is_omitted_from_the_url_and_host_header(start, make_daemon, directory):
    """Browsers and daemons omit port 80 from URLs. The test uses a network namespace in which this port is free."""
    runtime = directory / "runtime"
    runtime.mkdir(mode=0o700)
    alone = ["unshare", "--net", "sh", "-ec", 'ip link set lo up; exec "$@"', "sh"]
    sandbox = start(port=80, wrapper=alone, XDG_RUNTIME_DIR=str(runtime))
    assert sandbox.url == "http://127.0.0.1"
    beside = ["nsenter", "--target", str(sandbox.process.pid), "--net"]

    def run_beside(*words):
        variables = environment(XDG_RUNTIME_DIR=str(runtime))
        done = subprocess.run([*beside, *words], env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    enter = ["curl", "-s", "-o", directory / "page", "-w", "%{http_code}", "--data", f"adminToken={sandbox.announcement['adminToken']}"]
    for host in ("127.0.0.1", "localhost", "localhost:80"):
        origin = f"http://{host.removesuffix(':80')}"
        sent = ["-H", f"Host: {host}", "-H", f"Origin: {origin}", "-H", "Sec-Fetch-Site: same-origin"]
        assert run_beside(*enter, *sent, "http://127.0.0.1/console/enter") == "303"
    sent = ["-H", "Host: localhost:8080", "-H", "Origin: http://localhost:8080"]
    assert run_beside(*enter, *sent, "http://127.0.0.1/console/enter") == "421"
    client = make_daemon(sandbox=sandbox, wrapper=beside).start().client()
    client.call("device.configure", geo=flows.GEO)
    client.call("pairing.pair", pairingKey=run_beside(SANDBOX, "key", "ann", "--url", "http://localhost"))


def test_outgoing_connection_cannot_use_the_port_of_a_stopped_sandbox(start):
    """Such a connection would block the sandbox's next start for a minute."""
    sandbox = start()
    url = sandbox.url
    sandbox.stop()
    place = urllib.parse.urlsplit(url)
    with socket.create_server(("127.0.0.1", 0)) as other, pytest.raises(OSError, match="already in use"):
        socket.create_connection(other.getsockname(), source_address=(place.hostname, place.port))
    sandbox.start()
    assert sandbox.url == url


# State


def test_sandbox_data_is_kept_until_fresh_is_given(start, directory):
    data = directory / "pingone.db"
    first = start("--user", "ann:first-one", data=data)
    first.user("zoe")
    first.stop()
    second = start("--user", "ann:other-one", data=data)
    assert second.environment == first.environment and set(second.users) == {"ann", "zoe"}
    assert second.users["ann"] == {**first.users["ann"], "password": "other-one"}
    second.stop()
    third = start("--fresh", data=data)
    assert third.environment != first.environment and set(third.users) == {"ann", "bob"}
    third.stop()
    assert start(data=data).environment == third.environment


def test_failed_start_does_not_change_the_data(start, directory):
    data, other = directory / "pingone.db", directory / "mfad.conf"
    first = start("--user", "ann:first-one", data=data)
    first.stop()
    other.write_text("# Written by hand\n")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for options in (["--port", taken.getsockname()[1]], ["--write-config", other], ["--write-config", directory]):
            refused("--data", data, "--fresh", "--user", "ann:other-one", *options)
            refused("--data", data, "--user", "ann:other-one", *options)
    again = start(data=data)
    assert again.environment == first.environment and again.users == first.users


def test_fresh_does_not_erase_a_foreign_database(directory):
    data = directory / "other.db"
    run("sqlite3", data, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('kept'); PRAGMA user_version = 99")
    assert f"error: {data} cannot be used: " in refused("--data", data, "--fresh")
    assert run("sqlite3", data, "SELECT * FROM notes").stdout == "kept\n"
