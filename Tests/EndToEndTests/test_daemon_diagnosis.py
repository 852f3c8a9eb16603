"""`authctl doctor` detects each fault of the daemon and reports its cause and remedy."""

import contextlib
import os
import shutil
import signal
import socket
import sqlite3
from urllib.parse import urlsplit

import pytest

from harness import clock
from harness.activation import activated, listener
from harness.authctl import Authctl
from harness.doctor import diagnose, finding, results
from harness.programs import MFAD
from harness.servers import Certificate, answering, deserted
from harness.tracer import Tracer

ELSEWHERE = "BWNm8Bky1E7HORUbz25EJkLPwUPWA2UBtDzIeqKznWU"
"""The thumbprint of a key of no sandbox."""


def test_doctor_reports_an_invalid_configuration(make_daemon, directory):
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
def test_doctor_warns_of_a_missing_setting(make_daemon, key, cause):
    # A configuration for sign-ons alone needs no platform.
    daemon = make_daemon(**{key: None, "client_id": None}).start()
    status, check, checks = finding(Authctl(daemon.socket), "configuration", "warning", cause)
    assert status == 0 and f"no {key} is set" in check["message"] and key in check["remedy"]
    assert key != "platform" or checks["platform"]["result"] == "skipped"


def test_doctor_reports_a_missing_or_unreadable_key(daemon, paired, directory):
    daemon.stop()
    (directory / "state" / "key").unlink()
    daemon.start()
    authctl = Authctl(daemon.socket)
    status, check, _ = finding(authctl, "key", "fail", "key-missing")
    assert status == 9 and "--recover" in check["remedy"]
    # Repeated checks do not repeat the journal line; a different fault is logged.
    for command in ("doctor", "status", "doctor"):
        authctl.run(command)
    told = "the key-encryption key is unavailable"
    assert str(daemon.journal).count(told) == 1
    (directory / "state" / "key").write_bytes(b"k")
    (directory / "state" / "key").chmod(0o600)
    assert finding(authctl, "key", "fail", "key-unreadable")[0] == 9
    assert str(daemon.journal).count(told) == 2
    daemon.stop(expecting=[told])


def test_doctor_warns_if_memory_cannot_be_locked(make_daemon):
    # RLIMIT_MEMLOCK does not apply to processes with CAP_IPC_LOCK.
    wrapper = ["setpriv", "--bounding-set", "-ipc_lock", "prlimit", "--memlock=0", "--"]
    daemon = make_daemon(wrapper=wrapper).start()
    status, check, _ = finding(Authctl(daemon.socket), "memory", "warning", "not-locked")
    assert status == 0 and "LimitMEMLOCK" in check["remedy"]


def test_doctor_warns_if_the_clock_is_not_synchronized(make_daemon, directory):
    # No server supplies the time, and the kernel reports an unsynchronized clock.
    daemon = make_daemon(platform=None, platform_key=None, issuer=None).start()
    tracer = Tracer(daemon.process.pid, directory / "trace", "-e", "inject=adjtimex,clock_adjtime:retval=5")
    try:
        status, check, _ = finding(Authctl(daemon.socket), "clock", "warning", "not-synchronized")
    finally:
        tracer.stop()
    assert status == 0 and "timedatectl" in check["remedy"]


def test_doctor_reports_a_wrong_clock(make_daemon):
    daemon = make_daemon(clock=clock.Clock(FAKETIME="-120")).start()
    status, check, _ = finding(Authctl(daemon.socket), "clock", "fail", "clock-skew")
    assert status == 1 and "s behind those of the servers" in check["message"] and "timedatectl" in check["remedy"]


def test_doctor_reports_a_dead_courier(make_daemon, directory):
    # The socket exists, but no process listens on it.
    with listener(directory / "courier.sock"):
        pass
    assert (directory / "courier.sock").exists()
    daemon = make_daemon(courier_socket=directory / "courier.sock").start()
    status, check, checks = finding(Authctl(daemon.socket), "courier", "fail", "courier-unavailable")
    assert status == 10 and "journalctl -u mfad-courier" in check["remedy"] and checks["host"]["result"] == "skipped"


def test_doctor_reports_an_unreachable_host(make_daemon):
    with deserted() as address:
        daemon = make_daemon(platform=address, platform_key=None).start()
        status, check, checks = finding(Authctl(daemon.socket), "host", "fail", "refused")
    assert status == 10 and address in check["message"] and "curl" in check["remedy"]
    assert checks["courier"]["result"] == "pass" and "platform" not in checks


@pytest.mark.parametrize(
    "certificate, words",
    [(Certificate(days=(-2, -1)), "has expired"), (Certificate(host="127.0.0.9"), "is for another host")],
)
def test_doctor_reports_an_invalid_certificate(make_daemon, directory, certificate, words):
    context, file = certificate.serving(directory)
    with answering(lambda _: (200, b"{}"), context) as address:
        daemon = make_daemon(platform=address, platform_key=None, ca_file=file).start()
        status, check, _ = finding(Authctl(daemon.socket), "host", "fail", "tls")
        daemon.stop()
    assert status == 10 and words in check["message"] and "ca_file" in check["remedy"]


def test_doctor_reports_a_certificate_of_an_unknown_authority(make_daemon, directory):
    context, _ = Certificate().serving(directory)
    with answering(lambda _: (200, b"{}"), context) as address:
        daemon = make_daemon(platform=address, platform_key=None).start()
        status, check, _ = finding(Authctl(daemon.socket), "host", "fail", "tls")
        daemon.stop()
    assert status == 10 and "no authority that this machine trusts signed" in check["message"] and "ca_file" in check["remedy"]


def test_doctor_reports_an_issuer_without_discovery(make_daemon):
    with answering(lambda _: (404, b"")) as address:
        daemon = make_daemon(issuer=f"{address}/as").start()
        status, check, _ = finding(Authctl(daemon.socket), "issuer", "fail", "discovery")
    assert status == 10 and "404" in check["message"]


def test_doctor_checks_the_issuer_again_after_a_reload(daemon, paired, authctl, sandbox):
    assert results(diagnose(authctl)[1])["issuer"] == "pass"
    path = urlsplit(sandbox.announcement["issuer"]).path
    sandbox.fault(path + "/.well-known/openid-configuration", status=500)
    daemon.reload()
    assert finding(authctl, "issuer", "fail", "http")[0] == 10


def test_doctor_prints_local_checks_if_the_daemon_times_out(make_daemon):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        authctl = Authctl(make_daemon(issuer=f"http://127.0.0.1:{silent.getsockname()[1]}/as").start().socket)
        done = authctl.run("--json", "--timeout", "1", "doctor")
    checks = done.json["checks"]
    assert done.status == 7 and [check["name"] for check in checks[:2]] == ["socket", "owner"]
    assert checks[-1]["result"] == "fail" and "journalctl" in checks[-1]["remedy"]


def test_doctor_reports_a_platform_key_that_is_not_pinned(make_daemon):
    daemon = make_daemon(platform_key=ELSEWHERE).start()
    status, check, _ = finding(Authctl(daemon.socket), "platform", "fail", "not-pinned")
    assert status == 10 and "platform_key" in check["remedy"]


def test_doctor_warns_if_no_platform_key_is_pinned(make_daemon, sandbox):
    daemon = make_daemon(platform_key=None).start()
    status, check, _ = finding(Authctl(daemon.socket), "platform", "warning", "no-pin")
    assert status == 0 and sandbox.settings["platform_key"] in check["remedy"]


def test_doctor_reports_disabled_pushes(daemon, paired, authctl):
    paired.call("device.setPushAllowed", allowed=False)
    status, check, _ = finding(authctl, "pushes", "fail", "allowNotification")
    assert status == 1 and "authctl push on" in check["remedy"]


def test_doctor_reports_a_damaged_database_page(make_daemon, directory):
    daemon = make_daemon().start()
    client = daemon.client()
    uri = "otpauth://totp/ACME:ann?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ACME"
    client.call("passcode.import", uri=uri)
    # Erasing overwrites data and thereby moves all WAL contents into the file.
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
    assert status == 1 and "damaged pages in the database: 1" in check["message"] and backup in check["remedy"]
    daemon.kill()


def test_doctor_reports_a_rolled_back_state(daemon, paired, authctl, directory):
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


def test_doctor_warns_if_rollback_cannot_be_detected(make_daemon, directory):
    # A file in the place of the rollback directory prevents the counter from being stored.
    (directory / "state-rollback").write_bytes(b"")
    daemon = make_daemon().start()
    daemon.client().call("passcode.import", uri="otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    status, check, _ = finding(Authctl(daemon.socket), "rollback", "warning", "not-kept")
    assert status == 0 and "journalctl" in check["remedy"] and "a change could not be counted" in str(daemon.journal)


def test_doctor_warns_of_an_old_backup(make_daemon):
    daemon = make_daemon(clock=clock.Clock(FAKETIME="-31d")).start()
    backup = daemon.client().call("backup.create")["file"]
    daemon.stop()
    daemon.clock = None
    daemon.start()
    authctl = Authctl(daemon.socket)
    status, check, _ = finding(authctl, "backup", "warning", "old")
    assert status == 0 and backup in check["message"] and "authctl backup create" in check["remedy"]
    daemon.client().call("backup.create")
    assert results(diagnose(authctl)[1])["backup"] == "pass"


def test_doctor_warns_if_the_running_program_was_replaced(make_daemon, directory):
    for name in ("mfad", "mfad-courier"):
        shutil.copy(MFAD.parent / name, directory)
    daemon = make_daemon(program=directory / "mfad").start()
    assert results(diagnose(Authctl(daemon.socket))[1])["version"] == "pass"
    (directory / "mfad").unlink()
    status, check, _ = finding(Authctl(daemon.socket), "version", "warning", "replaced")
    assert status == 0 and "restart" in check["remedy"]
