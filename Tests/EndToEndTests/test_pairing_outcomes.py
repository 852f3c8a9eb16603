"""What becomes of each authenticator of a pairing, and what keeps a pairing from coming about."""

import pytest

from harness import flows, users

COMPLETED = {"status": "COMPLETED"}


@pytest.fixture
def configured(client):
    client.call("device.configure", geo=flows.GEO)
    return client


def outcomes(client, sandbox, **key):
    """The outcome of each authenticator of a new pairing with ann, by its type."""
    info = client.call("pairing.pair", pairingKey=sandbox.pairing_key("ann", **key))
    (account,) = client.call("account.list")["accounts"]
    assert account["id"] == info["account"] and account["authenticators"] == info["authenticators"]
    return {one.pop("type"): one for one in info["authenticators"]}


def test_without_push_credentials_passcodes_are_paired(configured, sandbox):
    sandbox.remove_push_credentials()
    both = outcomes(configured, sandbox)
    assert (both["PUSH"]["status"], both["PUSH"]["errorCode"]) == ("FAILED", "MissingPushCredentials")
    assert both["OTP"] == COMPLETED
    passcode = configured.call("passcode.get")["passcode"]
    assert sandbox.check_passcode(sandbox.authenticate("ann"), passcode)["status"] == "COMPLETED"


def test_who_wants_no_pushes_is_paired_without_them(configured, sandbox):
    configured.call("device.setPushAllowed", allowed=False)
    both = outcomes(configured, sandbox)
    assert (both["PUSH"]["status"], both["PUSH"]["errorCode"]) == ("FAILED", "PushDisabled")
    assert both["OTP"] == COMPLETED


def test_what_a_transport_says_is_passed_on(configured, sandbox):
    sandbox.refuse_pushes("DeviceTokenNotForTopic\u202e")
    both = outcomes(configured, sandbox)
    assert (both["PUSH"]["status"], both["PUSH"]["errorCode"]) == ("FAILED", "DeviceTokenNotForTopic")
    assert both["OTP"] == COMPLETED


def test_a_passcode_that_comes_after_a_quarter_of_an_hour_is_too_late(configured, sandbox):
    key = sandbox.pairing_key("ann")
    sandbox.fault("/device/v1/pairings/", dropConnection=True)
    assert configured.refusal("pairing.pair", pairingKey=key).code == 10004
    sandbox.advance(15 * 60 + 1)
    info = configured.call("pairing.pair", pairingKey=key)
    otp = next(one for one in info["authenticators"] if one["type"] == "OTP")
    assert (otp["status"], otp["errorCode"]) == ("FAILED", "OneTimePasscodeExpired") and otp["errorMessage"]


def test_a_key_for_another_application_is_told_apart(configured, sandbox):
    other = sandbox.native_application("another.app")
    key = sandbox.pairing_key("ann", applications=[{"id": other}])
    assert configured.refusal("pairing.pair", pairingKey=key).code == 10006
    assert configured.call("account.list") == {"accounts": []}


def test_what_a_policy_switches_off_is_not_paired(configured, sandbox):
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


def test_an_organization_may_want_a_name(configured, sandbox, authctl):
    path = f"/v1/environments/{sandbox.environment}/deviceAuthenticationPolicies"
    policy = sandbox.request("GET", path)["_embedded"]["deviceAuthenticationPolicies"][0]["id"]
    without = configured.call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))
    assert "promptForNickname" not in without
    sandbox.request("PUT", f"{path}/{policy}", {"mobile": {"promptForNicknameOnPairing": True}})
    wanted = configured.call("pairing.pair", pairingKey=sandbox.pairing_key("bob"))
    assert wanted["promptForNickname"] is True
    configured.call("account.remove", account=wanted["account"])
    paired = authctl.run("pair", sandbox.pairing_key("bob"))
    assert paired.status == 0 and "authctl accounts rename " in paired.errors
    account = configured.call("account.list")["accounts"][-1]["id"]
    assert authctl.run("accounts", "rename", account, "desk").status == 0
    assert sandbox.devices("bob")[-1]["nickname"] == "desk"


def test_an_organization_may_forbid_pairing(configured, sandbox):
    key = sandbox.pairing_key("ann")
    sandbox.change_policy({"pairingDisabled": True})
    assert configured.refusal("pairing.pair", pairingKey=key).code == 10012


def test_a_user_has_only_so_many_devices(shared, sandbox):
    _, connect = shared
    sandbox.request(
        "PUT",
        f"/v1/environments/{sandbox.environment}/mfaSettings",
        {"pairing": {"maxAllowedDevices": 1, "pairingKeyFormat": "NUMERIC"}},
    )
    flows.pair(connect(users.ANN_UID), sandbox)
    second = connect(users.BOB_UID)
    second.call("device.configure", geo=flows.GEO)
    assert second.refusal("pairing.pair", pairingKey=sandbox.pairing_key("ann")).code == 10012


@pytest.mark.parametrize("shape", ["NUMERIC", "ALPHANUMERIC"])
def test_keys_of_either_format_pair_however_they_are_typed(configured, sandbox, shape):
    sandbox.request(
        "PUT",
        f"/v1/environments/{sandbox.environment}/mfaSettings",
        {"pairing": {"maxAllowedDevices": 5, "pairingKeyFormat": shape}},
    )
    key = sandbox.pairing_key("ann")
    assert len(key) == {"NUMERIC": 14, "ALPHANUMERIC": 18}[shape]
    typed = f" {key[:4].lower()}-{key[4:9]} {key[9:].lower()}- "
    info = configured.call("pairing.pair", pairingKey=typed)
    assert {one["status"] for one in info["authenticators"]} == {"COMPLETED"}


def test_a_key_that_was_taken_back_is_refused(configured, sandbox):
    made = sandbox.request("POST", sandbox.user_path("ann") + "/pairingKeys", {})
    sandbox.request("DELETE", sandbox.user_path("ann") + "/pairingKeys/" + made["id"])
    assert configured.refusal("pairing.pair", pairingKey=made["code"]).code == 10005


def test_who_is_paired_already_has_nothing_to_do(configured, sandbox):
    flows.pair(configured, sandbox)
    assert flows.sign_on(configured, sandbox, "ann")["pairing"] is None
    assert configured.call("pairing.list") == {"pairings": []}


def test_what_is_ignored_is_gone_and_can_be_asked_for_again(configured, sandbox):
    for _ in range(2):
        pairing = flows.sign_on(configured, sandbox, "ann")["pairing"]
        assert configured.call("pairing.list")["pairings"] == [pairing]
        assert configured.call("pairing.ignore", pairing=pairing["id"]) == {}
        assert configured.refusal("pairing.approve", pairing=pairing["id"]).code == 11002
    assert sandbox.devices("ann") == []
