"""Clock offsets: only a signed time of the platform shifts the times in the proofs, once and by a limited amount."""

import pytest

from harness import jose
from harness.hostile.id_tokens import Draft

SKEW = {"code": "CLOCK_SKEW", "message": "off", "details": [{"code": "10015", "target": "iat"}]}


def pairings(stage):
    return [request for request in stage.courier.requests if request.path.endswith("/pairings")]


@pytest.mark.parametrize("lead", [90, 880, -90, -880])
def test_clock_offset_below_15_minutes_is_corrected_once(configured, lead):
    configured.platform.lead = lead
    configured.pair()
    assert len(pairings(configured)) == 2
    status = configured.client.call("service.status")
    assert abs(status["clock"]["offset"] - lead) <= 2
    # The learnt offset applies to later requests.
    configured.pair("bob")
    assert len(pairings(configured)) == 3


@pytest.mark.parametrize("lead", [920, 86_400, -920, -86_400])
def test_clock_offset_above_15_minutes_is_refused_with_its_value(configured, lead):
    configured.platform.lead = lead
    error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert (error.code, error.reason) == (11015, "CLOCK_SKEW")
    assert abs(error.details["offset"] - lead) <= 2
    assert len(pairings(configured)) == 1 and configured.state()["accounts"] == []
    configured.platform.lead = 0
    configured.pair()


def test_courier_cannot_change_the_clock_offset(configured):
    another = jose.p256()
    for forged in (lambda x: x.request.reply_json(SKEW, 401), lambda x: x.request.reply_json(SKEW),
                   lambda x: x.reply(x.seal(x.sign(x.claims(401, SKEW, iat=1), key=another)))):
        configured.platform.forge("POST /pairings", forged)
        before = len(pairings(configured))
        error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
        assert error.code == 10003 and len(pairings(configured)) == before + 1
    assert abs(configured.client.call("service.status")["clock"]["offset"]) <= 1


def test_repeated_clock_skew_response_causes_one_retry_only(configured):
    configured.platform.forge("POST /pairings", lambda x: x.answer(401, SKEW))
    error = configured.client.refusal("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    assert error.code in (10003, 11015) and len(pairings(configured)) == 2


def test_erased_device_does_not_retry_after_a_clock_skew_response(configured):
    configured.platform.lead = 90
    held = configured.platform.hold("POST /pairings")
    configured.client.begin("pairing.pair", pairingKey=configured.platform.make_pairing_key())
    exchange = held.next()
    other = configured.connect()
    other.call("device.removeLocalData", confirm=True)
    exchange.answer(401, SKEW)
    # This call would be sent after a retry.
    other.call("device.configure", geo="NorthAmerica")
    assert len(pairings(configured)) == 1


def test_platform_clock_offset_is_not_applied_to_id_tokens(configured):
    configured.platform.lead = 800
    configured.pair("bob")
    token = Draft(configured).text
    # The token has expired by the platform's clock, and is valid for five minutes by the local clock.
    assert configured.client.call("pairing.processIdToken", idToken=token)["pairing"]["user"]["id"] == "user-ann"
