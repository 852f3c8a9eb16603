"""`authctl doctor`: output per user, and faults on the client's side of the socket with their cause and remedy."""

import json
import shutil
import subprocess

import pexpect
import pytest

from harness import users
from harness.authctl import Authctl
from harness.daemon import Daemon
from harness.doctor import DAEMONS, diagnose, finding, results
from harness.programs import AUTHCTL, MFAD, PATIENCE, environment

OWN = ["socket", "owner", "daemon", "unit"]
ENROLMENT = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def test_doctor_passes_all_checks_of_a_healthy_daemon(daemon, paired, authctl, sandbox):
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


def test_doctor_warns_of_a_configuration_that_was_changed_after_its_reading(daemon, paired, authctl):
    before = daemon.file.read_text()
    daemon.file.write_text(before + "retention_days = 3\n")
    finding(authctl, "configuration", "warning", "outdated")
    daemon.file.write_text(before)
    assert results(diagnose(authctl)[1])["configuration"] == "pass"


def test_doctor_reports_neither_platform_nor_backup_if_passcodes_alone_are_used(make_daemon, sandbox):
    passcodes = make_daemon(platform=None, platform_key=None).start()
    told = results(diagnose(Authctl(passcodes.socket))[1])
    assert (told["configuration"], told["backup"]) == ("pass", "skipped")


def test_doctor_requires_no_server_for_an_enrolled_account(make_daemon):
    daemon = make_daemon(**dict.fromkeys(("platform", "platform_key", "issuer", "client_id", "redirect_uri"))).start()
    authctl = Authctl(daemon.socket)
    finding(authctl, "configuration", "warning", "no-platform")
    daemon.client().call("passcode.import", uri=ENROLMENT)
    told = results(diagnose(authctl)[1])
    assert (told["configuration"], told["backup"]) == ("pass", "warning")


def test_doctor_prints_words_and_colours_only_on_a_terminal(daemon, authctl):
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


def test_doctor_wraps_between_words_on_a_narrow_terminal(daemon, authctl):
    wide = authctl.run("doctor").output
    with authctl.terminal("doctor", columns=60, NO_COLOR="1") as terminal:
        terminal.expect(pexpect.EOF)
        lines = terminal.before.replace("\r", "").splitlines()
    beside = wide.index(str(daemon.socket))
    assert max(map(len, wide.splitlines())) > 60
    # A URL may be longer than the line.
    assert not [line for line in lines if len(line) > 60 and len(line[beside:].split()) > 1]

    def words(text):
        # The uptime may differ by a second.
        return ["N" if word.isdigit() else word for word in text.split()]

    assert words(wide) == words("\n".join(lines))


def test_network_checks_are_cached_and_shared_by_all_users(make_daemon, sandbox):
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP)
        daemon.start()
        asked = []
        root, ann = daemon.client(), users.client_of(users.ANN_UID, daemon.socket)
        first = root.call("service.doctor")["checks"]
        sandbox.stop()
        for client in (root, ann):
            checks = client.call("service.doctor")["checks"]
            asked.append([check for check in checks if check["name"] in ("courier", "host", "issuer", "platform")])
        assert asked[0] == asked[1] == [c for c in first if c["name"] in ("courier", "host", "issuer", "platform")]
        # A reloaded configuration may name other hosts.
        daemon.reload()
        (host,) = [check for check in ann.call("service.doctor")["checks"] if check["name"] == "host"]
        assert (host["result"], host["cause"]) == ("fail", "refused")
        ann.close()


def test_doctor_hides_paths_from_users_other_than_root(make_daemon):
    with users.open_directory() as path:
        daemon = make_daemon(socket=path / "control" / "mfad.sock", socket_group=users.GROUP)
        daemon.start()
        root, ann = daemon.client(), users.client_of(users.ANN_UID, daemon.socket)
        file = root.call("backup.create")["file"]
        assert file in str(root.call("service.doctor"))
        told = str(ann.call("service.doctor"))
        assert file not in told and str(daemon.directory) not in told and "/" + "state" not in told
        ann.close()


# Faults on the client's side


def test_doctor_reports_a_missing_socket(directory):
    status, check, checks = finding(Authctl(directory / "none.sock"), "socket", "fail", "unreachable")
    assert status == 3 and "none.sock" in check["message"] and "systemctl" in check["remedy"]
    assert {checks[name]["result"] for name in DAEMONS} == {"skipped"} and checks["owner"]["result"] == "skipped"


def test_doctor_reports_a_socket_that_others_can_replace(daemon, directory):
    daemon.socket.parent.chmod(0o777)
    status, check, checks = finding(Authctl(daemon.socket), "owner", "fail", "not-the-daemon")
    assert status == 11 and "can be written by others" in check["message"]
    assert {checks[name]["result"] for name in DAEMONS} == {"skipped"}
    daemon.socket.parent.chmod(0o700)


def test_doctor_reports_a_socket_without_permission(make_daemon):
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
def test_doctor_reports_a_unit_in_a_wrong_state(directory, unit, state, result, cause):
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


# Owner of the daemon


def test_remedies_for_a_user_daemon_use_no_sudo(sandbox):
    with users.open_directory() as path:
        programs, home = users.user_installation(path)
        shutil.copy(AUTHCTL, programs)
        daemon = Daemon(home, sandbox, program=programs / MFAD.name, user=users.ANN_UID, client_id=None).start()

        def run(*words):
            return subprocess.run(
                [programs / AUTHCTL.name, "--socket", daemon.socket, *words], user=users.ANN_UID, group=users.ANN_UID,
                extra_groups=[], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False,
            )

        assert run("enrol", ENROLMENT).returncode == 0
        checks = {check["name"]: check for check in json.loads(run("doctor", "--json").stdout)["checks"]}
        remedies = " ".join(check.get("remedy", "") for check in checks.values())
        assert "sudo" not in remedies and 'systemctl r' not in remedies
        assert checks["backup"]["remedy"] == 'run "authctl backup create"'
        assert '"systemctl --user restart mfad"' in checks["configuration"]["remedy"]
        assert 'run "authctl backup create"' in run("doctor").stdout
        assert run("backup", "create").returncode == 0
        hint = run("login", "--signon").stderr.splitlines()[-1]
        assert hint == 'authctl: hint: set "client_id" in mfad.conf, then "systemctl --user reload mfad"'
        daemon.end()


def test_remedies_name_no_command_of_systemd_on_a_machine_without_it(make_daemon):
    daemon = make_daemon(client_id=None).start()
    daemon.client().call("passcode.import", uri=ENROLMENT)
    hidden = ["unshare", "--mount", "bash", "-c", 'mount -t tmpfs none /run/systemd && exec "$@"', "-"]

    def run(*words):
        return subprocess.run(
            [*hidden, AUTHCTL, "--socket", daemon.socket, *words], env=environment(), capture_output=True, text=True,
            timeout=PATIENCE, check=False,
        )

    checks = {check["name"]: check for check in json.loads(run("doctor", "--json").stdout)["checks"]}
    assert checks["backup"]["remedy"] == 'run "authctl backup create"'
    assert '"pkill -x mfad; mfad"' in checks["configuration"]["remedy"]
    assert run("login", "--signon").stderr.endswith('then "pkill -HUP -x mfad"\n')
    daemon.stop()
    told = run("status")
    assert '"mfad" starts' in told.stderr and told.returncode == 3
    assert not [word for word in ("systemctl", "journalctl", "timedatectl") if word in told.stderr + str(checks)]


def test_remedies_for_the_system_daemon_use_sudo_unless_root(make_daemon):
    with users.open_directory() as path:
        socket = path / "control" / "mfad.sock"
        daemon = make_daemon(socket=socket, socket_group=users.GROUP, client_id=None)
        daemon.start()
        shutil.copy(AUTHCTL, path)

        def run(*words, **identity):
            return subprocess.run(
                [path / "authctl", "--socket", socket, *words], env=environment(), capture_output=True, text=True,
                timeout=PATIENCE, check=False, **identity,
            )

        ann = {"user": users.ANN_UID, "group": users.ANN_UID, "extra_groups": [users.GROUP_ID]}
        assert run("enrol", ENROLMENT, **ann).returncode == 0
        for identity, sudo in ((ann, "sudo "), ({}, "")):
            checks = {check["name"]: check for check in json.loads(run("doctor", "--json", **identity).stdout)["checks"]}
            assert checks["backup"]["remedy"] == (
                f'run "{sudo}authctl backup create"; "{sudo}systemctl enable --now mfad-backup.timer" makes one each day')
            assert f'"{sudo}systemctl restart mfad"' in checks["configuration"]["remedy"]
            hint = run("login", "--signon", **identity).stderr.splitlines()[-1]
            assert hint == f'authctl: hint: set "client_id" in mfad.conf, then "{sudo}systemctl reload mfad"'
        daemon.stop()
        hint = run("otp", **ann).stderr.splitlines()[-1]
        assert '"sudo systemctl start mfad.socket"' in hint
