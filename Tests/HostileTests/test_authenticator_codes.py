"""Statuses and errors of the authenticators of a pairing, including errors that a correct client never gets."""


PUSH_CODES = ["MissingPushCredentials", "MissingDeviceToken", "PushDisabled", "Unregistered", "BadDeviceToken"]
PASSCODE_CODES = [
    "OneTimePasscodeRetriesExceeded", "InvalidOneTimePasscode", "OneTimePasscodeExpired", "UnSynchronizedClock"]


def refuse_passcode(configured, code):
    configured.platform.forge("POST /pairings/*/otp", lambda x: x.answer(400, {"code": code, "message": "no"}))


def fail_push(configured, code):
    failed = [{"type": "PUSH", "status": "FAILED", "errorCode": code, "errorMessage": "because"},
              {"type": "OTP", "status": "PENDING"}]
    configured.platform.forge("POST /pairings", lambda x: x.answer(201, x.honest()[1] | {"authenticators": failed}))


def pair(configured):
    info = configured.client.call("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert configured.state()["accounts"][0]["authenticators"] == info["authenticators"]
    return {one.pop("type"): one for one in info["authenticators"]}


def test_push_error_codes_of_the_platform_are_returned_unchanged(configured):
    for code in PUSH_CODES:
        fail_push(configured, code)
        both = pair(configured)
        assert both["PUSH"] == {"status": "FAILED", "errorCode": code, "errorMessage": "because"}
        assert both["OTP"] == {"status": "COMPLETED"}


def test_passcode_error_codes_of_the_platform_are_returned_unchanged(configured):
    for code in PASSCODE_CODES:
        refuse_passcode(configured, code)
        both = pair(configured)
        assert both["PUSH"] == {"status": "COMPLETED"}
        assert (both["OTP"]["status"], both["OTP"]["errorCode"]) == ("FAILED", code) and both["OTP"]["errorMessage"]


def test_pairing_fails_if_no_authenticator_works(configured):
    fail_push(configured, "PushDisabled")
    refuse_passcode(configured, "InvalidOneTimePasscode")
    error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert (error.code, error.reason) == (10010, "PASSCODE_NOT_VERIFIED")
    assert configured.state()["accounts"] == []
    configured.platform.be_honest()
    configured.pair()


def test_unknown_authenticators_and_statuses_are_omitted(configured):
    odd = [{"type": "FACE", "status": "COMPLETED"}, {"type": "PUSH", "status": "MAYBE"}, {"type": "unknown"}, "PUSH", None]
    configured.platform.forge("POST /pairings", lambda x: x.answer(201, x.honest()[1] | {"authenticators": odd}))
    assert pair(configured) == {"OTP": {"status": "COMPLETED"}}
