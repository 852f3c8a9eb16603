"""PingOne accepts or refuses approvals depending on the reported posture of the machine."""

import pytest

from harness import flows

STRICTNESSES = ["permissive", "restrictive"]


def posture(client):
    return client.call("service.status")["posture"]


def is_sound(client):
    """Returns True if this machine passes PingOne's checks. Tests cannot choose its posture."""
    said = posture(client)
    return said["secureBoot"] != "disabled" and "no" not in (said["programProtected"], said["stateProtected"])


def state_of(client, push):
    return client.call("notification.get", notification=push["id"])["notification"]["state"]


@pytest.fixture
def unprotected(daemon, sandbox, directory):
    """A connection, subscribed to notifications, to a paired daemon with a world-writable state file."""
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    (directory / "state" / "mfad.db").chmod(0o666)
    daemon.start()
    client = daemon.client()
    client.subscribe("notification")
    assert posture(client)["stateProtected"] == "no"
    return client


@pytest.mark.parametrize("strictness", STRICTNESSES)
def test_machine_that_passes_the_checks_can_approve(paired, sandbox, strictness):
    sandbox.check_integrity(strictness)
    started, push = flows.push(paired, sandbox)
    if is_sound(paired):
        paired.call("notification.approve", notification=push["id"])
        assert sandbox.authentication(started)["status"] == "COMPLETED"
    else:
        assert paired.refusal("notification.approve", notification=push["id"]).code == 10012


@pytest.mark.parametrize("strictness", STRICTNESSES)
def test_machine_that_fails_the_checks_can_only_deny(unprotected, sandbox, strictness):
    sandbox.check_integrity(strictness)
    started, push = flows.push(unprotected, sandbox)
    for _ in range(2):
        error = unprotected.refusal("notification.approve", notification=push["id"])
        assert (error.code, error.reason, error.retry) == (10012, "FAILED_POLICY_REQUIREMENTS", False)
        assert state_of(unprotected, push) == "pending"
        assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    unprotected.call("notification.deny", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "FAILED"


def test_same_push_can_be_approved_once_the_machine_is_fixed(unprotected, daemon, sandbox, directory):
    sandbox.check_integrity("restrictive")
    started, push = flows.push(unprotected, sandbox)
    assert unprotected.refusal("notification.approve", notification=push["id"]).code == 10012
    daemon.stop()
    (directory / "state" / "mfad.db").chmod(0o600)
    daemon.start()
    client = daemon.client()
    if is_sound(client):
        client.call("notification.approve", notification=push["id"])
        assert sandbox.authentication(started)["status"] == "COMPLETED"
    else:
        assert client.refusal("notification.approve", notification=push["id"]).code == 10012


def test_approval_ignores_the_posture_without_integrity_detection(unprotected, sandbox):
    started, push = flows.push(unprotected, sandbox)
    unprotected.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_approval_fails_until_the_minimum_os_version_is_met(paired, sandbox):
    started, push = flows.push(paired, sandbox)
    sandbox.require(minimumOSVersionRequire={"linux": "99999"})
    error = paired.refusal("notification.approve", notification=push["id"])
    assert (error.code, error.reason) == (10024, "FAILED_DEVICE_REQUIREMENTS_EVALUATION")
    assert state_of(paired, push) == "pending"
    sandbox.require()
    paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


@pytest.mark.parametrize(
    "requirement, member, wanted",
    [
        ("secureBootRequire", "secureBoot", ["enabled"]),
        ("diskEncryptionRequire", "diskEncryption", ["enabled"]),
        ("kernelLockdownRequire", "kernelLockdown", ["integrity", "confidentiality"]),
    ],
)
def test_approval_requires_the_measured_posture(paired, sandbox, requirement, member, wanted):
    sandbox.require(**{requirement: True})
    started, push = flows.push(paired, sandbox)
    if posture(paired)[member] in wanted:
        paired.call("notification.approve", notification=push["id"])
        assert sandbox.authentication(started)["status"] == "COMPLETED"
    else:
        assert paired.refusal("notification.approve", notification=push["id"]).code == 10024
        assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_authctl_explains_a_refusal_by_device_requirements(paired, authctl, sandbox):
    sandbox.require(minimumOSVersionRequire={"linux": "99999"})
    _, push = flows.push(paired, sandbox)
    outcome = authctl.run("approve", push["id"])
    assert (outcome.status, outcome.output) == (1, "")
    assert "this machine does not meet the organization's requirements" in outcome.errors
    assert 'hint: "authctl status" shows the data that the organization gets about this machine' in outcome.errors
