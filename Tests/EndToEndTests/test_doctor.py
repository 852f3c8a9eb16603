"""`authctl doctor`: everything that can be wrong is made wrong, and is found, with its cause and what to do."""

import contextlib
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
from urllib.parse import urlsplit

import pexpect
import pytest

from harness import clock, users
from harness.activation import activated, listener
from harness.authctl import Authctl
from harness.daemon import Daemon
from harness.programs import AUTHCTL, MFAD, PATIENCE, environment
from harness.servers import Certificate, answering, deserted

DAEMONS = [
    "configuration", "key", "memory", "clock", "courier", "host", "issuer", "platform", "pushes", "database", "rollback",
    "backup", "version",
]
OWN = ["socket", "owner", "daemon", "unit"]
ELSEWHERE = "BWNm8Bky1E7HORUbz25EJkLPwUPWA2UBtDzIeqKznWU"
"""The thumbprint of a key that no sandbox has."""


def diagnose(authctl):
    """Its exit code, and its checks by name; of several with one name, the worst."""
    done = authctl.run("--json", "doctor")
    rank = ["skipped", "pass", "warning", "fail"].index
    checks = {}
    for check in done.json["checks"]:
        if check["name"] not in checks or rank(check["result"]) > rank(checks[check["name"]]["result"]):
            checks[check["name"]] = check
    return done.status, checks


def finding(authctl, name, result, cause):
    """The check of that name, which has to have come out so, with something to be done about it."""
    status, checks = diagnose(authctl)
    check = checks[name]
    assert (check["result"], check.get("cause")) == (result, cause), checks
    assert check["remedy"] and check["message"]
    return status, check, checks


def results(checks):
    return {name: check["result"] for name, check in checks.items()}


def test_all_is_well(daemon, paired, authctl, sandbox):
    status, checks = diagnose(authctl)
    told = results(checks)
    assert list(checks) == OWN + DAEMONS and status == 0
    assert {name: told[name] for name in ["configuration", "courier", "host", "issuer", "platform", "pushes"]} == dict.fromkeys(
        ["configuration", "courier", "host", "issuer", "platform", "pushes"], "pass"
    )
    assert {told[name] for name in ("socket", "owner", "daemon", "clock", "database", "rollback", "version")} == {"pass"}
    assert checks["key"]["cause"] == "key-file" and checks["backup"]["cause"] == "none" and told["unit"] == "skipped"
    paired.call("backup.create")
    assert results(diagnose(authctl)[1])["backup"] == "pass"


def test_a_person_reads_words_and_colours_only_beside_them(daemon, authctl):
    lines = authctl.run("doctor").output.splitlines()
    assert not [line for line in lines if "\x1b" in line]
    assert lines[0].split()[:2] == ["pass", "socket"]
    (key,) = [index for index, line in enumerate(lines) if line.split()[:2] == ["warning", "key"]]
    assert "(key-file)" in lines[key] and lines[key + 1].split()[0] == "remedy:"
    with authctl.terminal("doctor") as terminal:
        terminal.expect("\x1b\\[32mpass   \x1b\\[0m  socket")
        terminal.expect("\x1b\\[33mwarning\x1b\\[0m  key")
    with authctl.terminal("doctor", NO_COLOR="1") as terminal:
        terminal.expect("pass     socket")
        terminal.expect("warning  key")


def test_a_narrow_terminal_breaks_no_word(daemon, authctl):
    wide = authctl.run("doctor").output
    with authctl.terminal("doctor", columns=60, NO_COLOR="1") as terminal:
        terminal.expect(pexpect.EOF)
        lines = terminal.before.replace("\r", "").splitlines()
    beside = wide.index(str(daemon.socket))
    assert max(map(len, wide.splitlines())) > 60
    # An address may be longer than what there is.
    assert not [line for line in lines if len(line) > 60 and len(line[beside:].split()) > 1]

    def words(text):
        # How long the daemon is up may be a second more.
        return ["N" if word.isdigit() else word for word in text.split()]

    assert words(wide) == words("\n".join(lines))


def test_what_asks_others_is_done_once_a_minute_for_everybody(make_daemon, sandbox):
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP)
        daemon.socket = path / "control" / "mfad.sock"
        daemon.start()
        asked = []
        root, ann = daemon.client(), users.client_of(users.ANN_UID, daemon.socket)
        first = root.call("service.doctor")["checks"]
        sandbox.stop()
        for client in (root, ann):
            checks = client.call("service.doctor")["checks"]
            asked.append([check for check in checks if check["name"] in ("courier", "host", "issuer", "platform")])
        assert asked[0] == asked[1] == [c for c in first if c["name"] in ("courier", "host", "issuer", "platform")]
        # What was read again may name others.
        count = daemon.journal.count
        daemon.process.signal(signal.SIGHUP)
        daemon.journal.wait("the configuration was read again", count)
        (host,) = [check for check in ann.call("service.doctor")["checks"] if check["name"] == "host"]
        assert (host["result"], host["cause"]) == ("fail", "refused")
        ann.close()


def test_whoever_is_not_root_sees_no_paths_and_no_counts(make_daemon):
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP)
        daemon.socket = path / "control" / "mfad.sock"
        daemon.start()
        root, ann = daemon.client(), users.client_of(users.ANN_UID, daemon.socket)
        file = root.call("backup.create")["file"]
        assert file in str(root.call("service.doctor"))
        told = str(ann.call("service.doctor"))
        assert file not in told and str(daemon.directory) not in told and "/" + "state" not in told
        ann.close()


# What is wrong on this side


def test_without_a_socket(directory):
    status, check, checks = finding(Authctl(directory / "none.sock"), "socket", "fail", "unreachable")
    assert status == 3 and "none.sock" in check["message"] and "systemctl" in check["remedy"]
    assert {checks[name]["result"] for name in DAEMONS} == {"skipped"} and checks["owner"]["result"] == "skipped"


def test_a_socket_that_others_could_replace(daemon, directory):
    daemon.socket.parent.chmod(0o777)
    status, check, checks = finding(Authctl(daemon.socket), "owner", "fail", "not-the-daemon")
    assert status == 11 and "can be written by others" in check["message"]
    assert {checks[name]["result"] for name in DAEMONS} == {"skipped"}
    daemon.socket.parent.chmod(0o700)


def test_a_socket_that_one_may_not_use(make_daemon):
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock")
        daemon.start()
        shutil.copy(AUTHCTL, path)
        done = subprocess.run(
            [path / "authctl", "--socket", path / "control" / "mfad.sock", "doctor", "--json"],
            user=users.ANN_UID, group=users.ANN_UID, extra_groups=[], env=environment(), capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )
        assert done.returncode == 4 and '"cause":"permission-denied"' in done.stdout and "usermod" in done.stdout


SYSTEMCTL = """#!/bin/sh
case "$*" in *--user*) exit 1 ;; esac
for unit in mfad.socket mfad.service mfad-courier.socket; do
  echo "Id=$unit"; echo LoadState=loaded; echo "$STATE"
done
""".replace('"$STATE"', '"$(grep ^$unit "$(dirname "$0")/states" | cut -d" " -f2- | tr " " "\\n")"; echo')


@pytest.mark.parametrize(
    "unit, state, result, cause",
    [
        ("mfad.socket", "ActiveState=failed Result=service-start-limit-hit", "fail", "service-start-limit-hit"),
        ("mfad.service", "ActiveState=active UnitFileState=disabled", "warning", "disabled"),
        ("mfad-courier.socket", "ActiveState=inactive", "warning", "inactive"),
        ("mfad.service", "ActiveState=active NeedDaemonReload=yes", "warning", "changed"),
    ],
)
def test_a_unit_that_is_not_as_it_has_to_be(directory, unit, state, result, cause):
    (directory / "systemctl").write_text(SYSTEMCTL)
    (directory / "systemctl").chmod(0o755)
    states = dict.fromkeys(("mfad.socket", "mfad.service", "mfad-courier.socket"), "ActiveState=active UnitFileState=enabled")
    (directory / "states").write_text("".join(f"{name} {what}\n" for name, what in {**states, unit: state}.items()))
    variables = environment(XDG_RUNTIME_DIR=str(directory))
    variables["PATH"] = f"{directory}:{variables['PATH']}"
    done = subprocess.run(
        [AUTHCTL, "--json", "doctor"], env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    checks = [check for check in json.loads(done.stdout)["checks"] if check["name"] == "unit"]
    assert len(checks) == 3
    (told,) = [check for check in checks if check["result"] != "pass"]
    assert (told["result"], told["cause"]) == (result, cause) and told["message"].startswith(unit)
    assert "systemctl" in told["remedy"] and done.returncode == 3


# What is wrong with the daemon


def test_a_configuration_that_cannot_be_used(make_daemon, directory):
    daemon = make_daemon()
    daemon.file.write_text(f"state_directory = {directory / 'state'}\nplatfrm = x\n")
    with listener(directory / "given.sock") as given:
        process, notifications = activated(daemon, given.fileno())
        assert notifications.next()["READY"] == "1"
        before = os.listdir(directory / "state")
        status, check, checks = finding(Authctl(directory / "given.sock"), "configuration", "fail", "misconfigured")
        assert status == 20 and f"{daemon.file}:2: unknown key" in check["message"] and "--check-config" in check["remedy"]
        assert {checks[name]["result"] for name in ("key", "courier", "database", "backup")} == {"skipped"}
        assert os.listdir(directory / "state") == before == ["lock"]
        process.signal(signal.SIGTERM)
        assert process.wait() == 0
        notifications.close()


@pytest.mark.parametrize("key, cause", [("client_id", "no-client-id"), ("platform", "no-platform")])
def test_a_configuration_that_lacks_something(make_daemon, key, cause):
    daemon = make_daemon(**{key: None}).start()
    status, check, checks = finding(Authctl(daemon.socket), "configuration", "warning", cause)
    assert status == 0 and f"no {key} is set" in check["message"] and key in check["remedy"]
    assert key != "platform" or checks["platform"]["result"] == "skipped"


def test_without_its_key(daemon, paired, directory):
    daemon.stop()
    (directory / "state" / "key").unlink()
    daemon.start()
    authctl = Authctl(daemon.socket)
    status, check, _ = finding(authctl, "key", "fail", "key-missing")
    assert status == 9 and "--recover" in check["remedy"]
    # Whoever asks again has no more said in the journal; what is another fault is.
    for command in ("doctor", "status", "doctor"):
        authctl.run(command)
    told = "the key-encryption key cannot be had"
    assert str(daemon.journal).count(told) == 1
    (directory / "state" / "key").write_bytes(b"k")
    (directory / "state" / "key").chmod(0o600)
    assert finding(authctl, "key", "fail", "key-unreadable")[0] == 9
    assert str(daemon.journal).count(told) == 2
    daemon.stop(expecting=[told])


def test_a_clock_that_is_wrong(make_daemon):
    daemon = make_daemon(clock=clock.Clock(FAKETIME="-120")).start()
    status, check, _ = finding(Authctl(daemon.socket), "clock", "fail", "clock-skew")
    assert status == 1 and "s behind those of the servers" in check["message"] and "timedatectl" in check["remedy"]


def test_a_courier_that_is_dead(make_daemon, directory):
    # Its socket is there, and whoever listened is not.
    with listener(directory / "courier.sock"):
        pass
    assert (directory / "courier.sock").exists()
    daemon = make_daemon(courier_socket=directory / "courier.sock").start()
    status, check, checks = finding(Authctl(daemon.socket), "courier", "fail", "courier-unavailable")
    assert status == 10 and "journalctl -u mfad-courier" in check["remedy"] and checks["host"]["result"] == "skipped"


def test_a_host_that_is_not_there(make_daemon):
    with deserted() as address:
        daemon = make_daemon(platform=address, platform_key=None).start()
        status, check, checks = finding(Authctl(daemon.socket), "host", "fail", "refused")
    assert status == 10 and address in check["message"] and "curl" in check["remedy"]
    assert checks["courier"]["result"] == "pass" and "platform" not in checks


@pytest.mark.parametrize(
    "certificate, words",
    [(Certificate(days=(-2, -1)), "has expired"), (Certificate(host="127.0.0.9"), "is for another host")],
)
def test_a_certificate_that_is_wrong(make_daemon, directory, certificate, words):
    context, file = certificate.serving(directory)
    with answering(lambda _: (200, b"{}"), context) as address:
        daemon = make_daemon(platform=address, platform_key=None, ca_file=file).start()
        status, check, _ = finding(Authctl(daemon.socket), "host", "fail", "tls")
        daemon.stop()
    assert status == 10 and words in check["message"] and "ca_file" in check["remedy"]


def test_an_issuer_that_is_none(make_daemon):
    with answering(lambda _: (404, b"")) as address:
        daemon = make_daemon(issuer=f"{address}/as").start()
        status, check, _ = finding(Authctl(daemon.socket), "issuer", "fail", "http")
    assert status == 10 and "404" in check["message"]


def test_an_issuer_that_was_well_is_asked_anew(daemon, paired, authctl, sandbox):
    assert results(diagnose(authctl)[1])["issuer"] == "pass"
    path = urlsplit(sandbox.announcement["issuer"]).path
    sandbox.fault(path + "/.well-known/openid-configuration", status=500)
    count = daemon.journal.count
    daemon.process.signal(signal.SIGHUP)
    daemon.journal.wait("the configuration was read again", count)
    assert finding(authctl, "issuer", "fail", "http")[0] == 10


def test_where_the_daemon_takes_too_long_what_is_on_this_side_is_told(make_daemon):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        authctl = Authctl(make_daemon(issuer=f"http://127.0.0.1:{silent.getsockname()[1]}/as").start().socket)
        done = authctl.run("--json", "--timeout", "1", "doctor")
    checks = done.json["checks"]
    assert done.status == 7 and [check["name"] for check in checks[:2]] == ["socket", "owner"]
    assert checks[-1]["result"] == "fail" and "journalctl" in checks[-1]["remedy"]


def test_a_platform_with_another_key_than_the_configuration_names(make_daemon):
    daemon = make_daemon(platform_key=ELSEWHERE).start()
    status, check, _ = finding(Authctl(daemon.socket), "platform", "fail", "not-pinned")
    assert status == 10 and "platform_key" in check["remedy"]


def test_a_platform_that_the_configuration_names_no_key_of(make_daemon, sandbox):
    daemon = make_daemon(platform_key=None).start()
    status, check, _ = finding(Authctl(daemon.socket), "platform", "warning", "no-pin")
    assert status == 0 and sandbox.settings["platform_key"] in check["remedy"]


def test_pushes_that_are_not_allowed(daemon, paired, authctl):
    paired.call("device.setPushAllowed", allowed=False)
    status, check, _ = finding(authctl, "pushes", "fail", "allowNotification")
    assert status == 1 and "authctl push on" in check["remedy"]


def test_a_page_that_is_spoiled(make_daemon, directory):
    daemon = make_daemon().start()
    client = daemon.client()
    uri = "otpauth://totp/ACME:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
    client.call("passcode.import", uri=uri)
    # What is erased is written over, which brings everything into the file.
    client.call("device.removeLocalData", confirm=True)
    backup = client.call("backup.create")["file"]
    daemon.stop()
    file = directory / "state" / "mfad.db"
    with contextlib.closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as database:
        (root,) = database.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'approval'").fetchone()
        (size,) = database.execute("PRAGMA page_size").fetchone()
    data = bytearray(file.read_bytes())
    data[(root - 1) * size + size // 2] ^= 0xFF
    file.write_bytes(data)
    daemon.start()
    status, check, _ = finding(Authctl(daemon.socket), "database", "fail", "corrupt")
    assert status == 1 and "1 pages of it are not" in check["message"] and backup in check["remedy"]
    daemon.kill()


def test_a_state_that_is_an_older_copy_of_itself(daemon, paired, authctl, directory):
    daemon.stop()
    shutil.copytree(directory / "state", directory / "older")
    daemon.start()
    daemon.client().call("passcode.import", uri="otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    daemon.stop()
    shutil.rmtree(directory / "state")
    shutil.copytree(directory / "older", directory / "state")
    daemon.start()
    status, check, _ = finding(authctl, "rollback", "warning", "rolled-back")
    assert status == 0 and "older copy" in check["message"]


def test_a_program_that_was_replaced_while_it_runs(make_daemon, directory):
    for name in ("mfad", "mfad-courier"):
        shutil.copy(MFAD.parent / name, directory)
    daemon = make_daemon(program=directory / "mfad").start()
    assert results(diagnose(Authctl(daemon.socket))[1])["version"] == "pass"
    (directory / "mfad").unlink()
    status, check, _ = finding(Authctl(daemon.socket), "version", "warning", "replaced")
    assert status == 0 and "restart" in check["remedy"]


# Whose daemon it is


def test_a_daemon_of_ones_own_wants_no_root(sandbox):
    with users.open_directory() as path:
        programs, home = users.user_installation(path)
        shutil.copy(AUTHCTL, programs)
        daemon = Daemon(home, sandbox, program=programs / MFAD.name, user=users.ANN_UID, client_id=None).start()

        def run(*words):
            return subprocess.run(
                [programs / AUTHCTL.name, "--socket", daemon.socket, *words], user=users.ANN_UID, group=users.ANN_UID,
                extra_groups=[], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
            )

        checks = {check["name"]: check for check in json.loads(run("doctor", "--json").stdout)["checks"]}
        remedies = " ".join(check.get("remedy", "") for check in checks.values())
        assert "sudo" not in remedies and 'systemctl r' not in remedies
        assert checks["backup"]["remedy"] == '"authctl backup create" makes one'
        assert '"systemctl --user restart mfad"' in checks["configuration"]["remedy"]
        assert '"authctl backup create" makes one' in run("doctor").stdout
        assert run("backup", "create").returncode == 0
        hint = run("login", "--signon").stderr.splitlines()[-1]
        assert hint == 'authctl: hint: set "client_id" in mfad.conf, then "systemctl --user reload mfad"'
        daemon.end()


def test_the_machines_daemon_is_roots(make_daemon):
    with users.open_directory() as path:
        socket = path / "control" / "mfad.sock"
        daemon = make_daemon(socket=socket, socket_group=users.GROUP, client_id=None)
        daemon.socket = socket
        daemon.start()
        shutil.copy(AUTHCTL, path)

        def run(*words, **identity):
            return subprocess.run(
                [path / "authctl", "--socket", socket, *words], env=environment(), capture_output=True, text=True,
                timeout=PATIENCE, check=False, **identity,
            )

        ann = {"user": users.ANN_UID, "group": users.ANN_UID, "extra_groups": [users.GROUP_ID]}
        for identity, sudo in ((ann, "sudo "), ({}, "")):
            checks = {check["name"]: check for check in json.loads(run("doctor", "--json", **identity).stdout)["checks"]}
            assert checks["backup"]["remedy"] == f'"{sudo}authctl backup create" makes one'
            assert f'"{sudo}systemctl restart mfad"' in checks["configuration"]["remedy"]
            hint = run("login", "--signon", **identity).stderr.splitlines()[-1]
            assert hint == f'authctl: hint: set "client_id" in mfad.conf, then "{sudo}systemctl reload mfad"'
        daemon.stop()
        hint = run("otp", **ann).stderr.splitlines()[-1]
        assert '"sudo systemctl start mfad.socket"' in hint
