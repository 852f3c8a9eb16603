"""device.info: PingOne's data about this machine, and its effects on the accounts."""

import os
import subprocess

from harness import flows
from harness.authctl import Authctl
from harness.programs import MFAD, PATIENCE


def the_device(sandbox, user="ann"):
    (device,) = sandbox.devices(user)
    return device


def unpair(sandbox, user="ann"):
    """Deletes the device of a user, like an administrator."""
    sandbox.request("DELETE", f"{sandbox.user_path(user)}/devices/{the_device(sandbox, user)['id']}")


def test_device_info_lists_the_paired_users(client, sandbox):
    flows.pair(client, sandbox)
    flows.pair(client, sandbox, "bob")
    report = client.call("device.info")
    users = {user["username"]: user for user in report["geos"][flows.GEO]["users"]}
    assert set(users) == {"ann", "bob"} and report["errors"] == []
    ann = users["ann"]
    assert ann["id"] == sandbox.users["ann"]["id"]
    assert ann["environment"] == {"id": sandbox.environment}
    assert ann["device"] == {"id": the_device(sandbox)["id"], "pushEnabled": True}


def test_device_info_contains_names_and_the_requirements_evaluation(paired, sandbox):
    def ann():
        (user,) = paired.call("device.info")["geos"][flows.GEO]["users"]
        return user

    assert ann()["name"] == {"given": "Ann", "family": "Archer"}
    assert "deviceRequirementsEvaluation" not in ann()
    _, push = flows.push(paired, sandbox)
    sandbox.require(minimumOSVersionRequire={"linux": "99999"})
    assert paired.refusal("notification.approve", notification=push["id"]).code == 10024
    failed = ann()["deviceRequirementsEvaluation"]
    assert failed["status"] == "Failed" and failed["reason"]
    sandbox.require(minimumOSVersionRequire={"linux": "1"})
    passed = ann()["deviceRequirementsEvaluation"]
    assert passed["status"] == "Passed" and "reason" not in passed
    hashes = {judged["deviceRequirementsDataHash"] for judged in (failed, passed)}
    assert len(hashes) == 2 and all(hashes)


def test_daemon_detects_a_deleted_device_at_start(make_daemon, sandbox):
    daemon = make_daemon().start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    unpair(sandbox)
    daemon.start()
    daemon.journal.wait("the platform unpaired a user")
    (account,) = daemon.client().call("account.list")["accounts"]
    assert account["state"] == "revoked"


def test_nickname_set_at_the_platform_is_taken_over(paired, sandbox):
    device = the_device(sandbox)["id"]
    sandbox.request("PUT", f"{sandbox.user_path('ann')}/devices/{device}/nickname", {"nickname": "Ann's\u202e desk"})
    report = paired.call("device.info")
    assert report["geos"][flows.GEO]["users"][0]["device"]["nickname"] == "Ann's desk"
    assert paired.call("account.list")["accounts"][0]["nickname"] == "Ann's desk"


def test_keep_on_reinstall_is_listed_per_owner(make_daemon, directory):
    daemon = make_daemon()
    command = [MFAD, "--list-kept-owners", "--config", daemon.file]

    def kept():
        outcome = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return outcome.returncode, outcome.stdout

    assert kept() == (0, "") and not (directory / "state").exists(), "asking makes nothing"
    client = daemon.start().client()
    for params in ({}, {"keep": 1}, {"keep": None}):
        assert client.refusal("device.setKeepOnReinstall", **params).code == -32602
    for keep in (True, False, True):
        assert client.call("device.setKeepOnReinstall", keep=keep) == {"keep": keep}
    assert kept() == (1, ""), "the daemon has the state"
    daemon.stop()
    assert kept() == (0, f"{os.getuid()}\n")
    daemon.start().client().call("device.setKeepOnReinstall", keep=False)
    daemon.stop()
    assert kept() == (0, "")


def test_authctl_device_prints_the_report(daemon, sandbox):
    flows.pair(daemon.client(), sandbox)
    outcome = Authctl(daemon.socket).run("device")
    assert outcome.status == 0
    head, user = outcome.output.splitlines()
    assert head.startswith(f"{flows.GEO}, device ") and user.startswith("  ") and "ann" in user
    assert Authctl(daemon.socket).run("device", "--json").json["errors"] == []


def test_device_info_reports_a_failing_platform_under_its_geography(paired, sandbox):
    # libcurl may repeat a request after a dropped connection, so this fault comes last and nine times.
    faults = (({"status": 503}, 1, 10003), ({"garbage": True}, 1, 10003), ({"dropConnection": True}, 9, 10004))
    for effect, count, code in faults:
        sandbox.fault("/device/v1/info", count, **effect)
        report = paired.call("device.info")
        assert report["geos"] == {}
        (error,) = report["errors"]
        assert (error["geo"], error["code"]) == (flows.GEO, code)
    assert paired.call("account.list")["accounts"][0].get("state", "active") == "active"
