"""A daemon with an invalid configuration and a passed socket: it reports the error to every client."""

import os
import signal

import pytest

from harness.activation import activated, listener
from harness.authctl import Authctl
from harness.client import Client
from harness.programs import MFAD, run

WORKS = {"rpc.discover", "service.doctor", "service.status"}


@pytest.fixture
def broken(make_daemon, directory):
    """A daemon with an unknown configuration key: the daemon, its socket, process and notifications."""
    daemon = make_daemon()
    good = daemon.file.read_text()
    line = good.count("\n") + 1
    daemon.file.write_text(f"{good}platfrm = https://mfa.example.test\n")
    path = directory / "given.sock"
    with listener(path) as given:
        process, notifications = activated(daemon, given.fileno())
        told = notifications.next()
        assert told["READY"] == "1"
        assert told["STATUS"].startswith(f"serving nothing: {daemon.file}:{line}: unknown key \"platfrm\"; did you mean \"platform\"?")
        daemon.good, daemon.line, daemon.given = good, line, given
        yield daemon, path, process, notifications
    if process.is_running:
        process.signal(signal.SIGTERM)
        assert process.wait() == 0
    notifications.close()


def test_every_call_reports_the_configuration_error_without_effect(broken, directory):
    daemon, path, _, _ = broken
    client = Client(path)
    methods = {method["name"]: method for method in client.call("rpc.discover")["methods"]}
    assert len(methods) > 50 and WORKS < set(methods)
    details = {"file": str(daemon.file), "line": daemon.line, "key": "platfrm"}
    for name in sorted(set(methods) - WORKS):
        (example,) = methods[name]["examples"]
        error = client.refusal(name, **{each["name"]: each["value"] for each in example["params"]})
        assert (error.code, error.reason) == (11024, "MISCONFIGURED"), name
        assert {key: error.details[key] for key in details} == details, name
        assert f"{daemon.file}:{daemon.line}: unknown key" in error.message
    told = client.call("service.status")["misconfigured"]
    assert {key: told[key] for key in details} == details and "platform" in told["problem"]
    client.close()
    assert not (directory / "state-rollback").exists() and not daemon.socket.exists()


def test_authctl_exits_with_20_and_names_the_line(broken):
    daemon, path, _, _ = broken
    authctl = Authctl(path)
    status = authctl.run("status")
    assert status.status == 20 and f"{daemon.file}:{daemon.line}: unknown key" in status.output
    assert authctl.run("--json", "status").json["misconfigured"]["key"] == "platfrm"
    done = authctl.run("otp")
    assert done.status == 20 and f"{daemon.file}:{daemon.line}" in done.errors and "--check-config" in done.errors


def test_reload_reports_the_error_of_a_file_that_is_still_invalid(broken):
    daemon, path, process, notifications = broken
    daemon.file.write_text("nonsense\n")
    process.signal(signal.SIGHUP)
    assert notifications.next()["RELOADING"] == "1"
    assert notifications.next() == {"READY": "1", "STATUS": f"serving nothing: {daemon.file}:1: expected key = value"}
    client = Client(path)
    assert client.refusal("account.list").details["line"] == 1
    client.close()


def test_reload_of_a_fixed_file_restarts_the_daemon(broken, sandbox):
    daemon, path, process, notifications = broken
    daemon.file.write_text(daemon.good)
    process.signal(signal.SIGHUP)
    # The failure status makes the service manager restart the daemon; clients wait in the socket.
    assert process.wait() == 1
    told = [notifications.next() for _ in range(3)]
    # The reload completes before the exit; otherwise systemd would report a failed reload.
    assert told[0]["RELOADING"] == "1" and told[1:] == [
        {"READY": "1", "STATUS": "restarting"}, {"STOPPING": "1", "STATUS": "ending"},
    ]
    client = Client(path)
    number = client.begin("account.list")
    again, told = activated(daemon, daemon.given.fileno())
    assert told.next() == {"READY": "1", "STATUS": "serving"}
    assert client.reply(number) == {"accounts": []}
    again.signal(signal.SIGTERM)
    assert again.wait() == 0
    client.close()
    told.close()


def test_state_is_neither_created_nor_read(broken, directory):
    """An invalid configuration leaves the state directory uncertain: the daemon creates no state and reports no key."""
    _, path, _, _ = broken
    client = Client(path)
    assert client.call("service.status")["protection"]["sealing"] == "unavailable"
    client.close()
    assert os.listdir(directory / "state") == ["lock"]


def test_invalid_key_name_is_not_repeated_in_messages(make_daemon, directory):
    daemon = make_daemon()
    daemon.file.write_text("s3cr3t! \u202e = x\n")
    with listener(directory / "given.sock") as given:
        process, notifications = activated(daemon, given.fileno())
        told = notifications.next()
        client = Client(directory / "given.sock")
        error = client.refusal("account.list")
        client.close()
    assert "key" not in error.details and "s3cr3t" not in f"{told}{error.message}{error.details}{process.journal}"
    process.signal(signal.SIGTERM)
    assert process.wait() == 0
    notifications.close()


def test_daemon_exits_with_78_without_a_passed_socket(make_daemon):
    daemon = make_daemon()
    daemon.file.write_text("nonsense\n")
    done = run(MFAD, "--config", daemon.file)
    assert done.returncode == 78 and f"{daemon.file}:1: expected key = value" in done.stderr


def test_failed_reload_is_reported_to_the_service_manager(daemon):
    daemon.file.write_text("nonsense\n")
    daemon.process.signal(signal.SIGHUP)
    assert daemon.notifications.next()["RELOADING"] == "1"
    told = daemon.notifications.next()
    assert told["STATUS"] == f"serving with the previous configuration: {daemon.file}:1: expected key = value"
    daemon.stop(expecting=["the configuration was not read again"])


def test_check_config_names_the_file_and_missing_keys(directory):
    file = directory / "mfad.conf"
    file.write_text("log_level = info\n")
    done = run(MFAD, "--config", file, "--check-config")
    assert (done.returncode, done.stderr) == (0, "")
    first, *warnings = done.stdout.splitlines()
    assert first == f"{file}: valid"
    assert [line.split(" is set: ")[0] for line in warnings] == [
        "warning: no platform", "warning: no issuer", "warning: no client_id",
    ]
    for complete in (
        "platform = https://mfa.example.test\nclient_id = mfad\n",
        "issuer = https://auth.example.test/as\nclient_id = mfad\n",
        "journey_server = https://am.example.test/am\n",
    ):
        file.write_text(complete)
        assert run(MFAD, "--config", file, "--check-config").stdout == f"{file}: valid\n"
