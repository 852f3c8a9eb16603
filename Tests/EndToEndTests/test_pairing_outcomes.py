"""Pairing results of each authenticator, and sign-ons that offer a pairing or do not."""

import pytest

from harness import flows

COMPLETED = {"status": "COMPLETED"}


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


def outcomes(client, sandbox, **key):
    """Pairs ann and returns the result of each authenticator by type."""
    info = client.call("pairing.pair", pairingKey=sandbox.pairing_key("ann", **key))
    (account,) = client.call("account.list")["accounts"]
    assert account["id"] == info["account"] and account["authenticators"] == info["authenticators"]
    return {one.pop("type"): one for one in info["authenticators"]}


def test_pairing_reports_the_error_of_the_push_transport(configured, sandbox):
    sandbox.refuse_pushes("DeviceTokenNotForTopic\u202e")
    both = outcomes(configured, sandbox)
    assert (both["PUSH"]["status"], both["PUSH"]["errorCode"]) == ("FAILED", "DeviceTokenNotForTopic")
    assert both["OTP"] == COMPLETED


def test_authenticator_disabled_by_policy_is_not_paired(configured, sandbox):
    sandbox.change_policy({"push": {"enabled": False}})
    both = outcomes(configured, sandbox)
    assert (both["PUSH"]["status"], both["PUSH"]["errorCode"]) == ("FAILED", "PushDisabled")
    assert both["OTP"] == COMPLETED
    configured.call("account.remove", account=configured.call("account.list")["accounts"][0]["id"])
    sandbox.change_policy({"push": {"enabled": True}, "otp": {"enabled": False}})
    assert outcomes(configured, sandbox) == {"PUSH": COMPLETED}
    assert configured.refusal("passcode.get").code == 10008
    configured.subscribe("notification")
    started, push = flows.push(configured, sandbox)
    configured.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_pairing_prompts_for_a_nickname_if_the_policy_requires_it(configured, sandbox, authctl):
    without = configured.call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))
    assert "promptForNickname" not in without
    sandbox.change_policy({"promptForNicknameOnPairing": True})
    wanted = configured.call("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert wanted["promptForNickname"] is True
    configured.call("account.remove", account=wanted["account"])
    paired = authctl.run("pair", sandbox.pairing_key("bob"))
    assert paired.status == 0 and "authctl accounts rename " in paired.errors
    account = configured.call("account.list")["accounts"][-1]["id"]
    assert authctl.run("accounts", "rename", account, "desk").status == 0
    assert sandbox.devices("bob")[-1]["nickname"] == "desk"


def test_sign_on_of_a_paired_user_offers_no_pairing(configured, sandbox):
    flows.pair(configured, sandbox)
    assert flows.sign_on(configured, sandbox, "ann")["pairing"] is None
    assert configured.call("pairing.list") == {"pairings": []}


def test_ignored_pairing_is_removed_and_offered_at_the_next_sign_on(configured, sandbox):
    for _ in range(2):
        pairing = flows.sign_on(configured, sandbox, "ann")["pairing"]
        assert configured.call("pairing.list")["pairings"] == [pairing]
        assert configured.call("pairing.ignore", pairing=pairing["id"]) == {}
        assert configured.refusal("pairing.approve", pairing=pairing["id"]).code == 11002
    assert sandbox.devices("ann") == []
