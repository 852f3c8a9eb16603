"""login.* with DaVinci flows: pairing within a flow, another identity provider, and the language of pages."""

from harness import pages
from harness.browser import Browser
from harness.davinci import GIVEN_KEY, configured, form, relayed, sandbox, special
from harness.pages import answer, collector, refusal, sign_on, start


def test_flow_pairs_this_machine(relayed, sandbox):
    client, requests = relayed
    step = sign_on(client, sandbox, "mobile-pairing")
    pairing = collector(step, "mobilePairing")
    assert pairing["type"] == "MobilePairingCollector" and "raw" not in pairing and "value" not in pairing
    assert pages.actions(step) == {"mobilePairing": "flow", "mobilePairing.cancel": "flow"}
    last = answer(client, step, action="mobilePairing")
    assert (last["node"], last["pairing"]) == ("success", None)
    said = [form(each) for each in requests if each.path.endswith("/customForm")]
    assert said[-1] == ("action", None, {"mobilePairing": {"status": "CLAIMED"}})
    (account,) = client.call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"


def test_pairing_within_a_flow_can_be_cancelled(relayed, sandbox):
    client, requests = relayed
    step = answer(client, sign_on(client, sandbox, "mobile-pairing"), action="mobilePairing.cancel")
    assert step["collectors"][0]["value"] == "The device was not paired: USER_CANCELLED"
    assert form(requests[-1])[2]["mobilePairing"]["error"]["code"] == "USER_CANCELLED"
    last = answer(client, step)
    assert last["node"] == "success" and client.call("account.list") == {"accounts": []}


def test_invalid_pairing_key_is_reported_with_its_error_code(configured, sandbox):
    used = sandbox.pairing_key("bob")
    configured.call("pairing.pair", pairingKey=used)
    accounts = configured.call("account.list")
    for key in (used, sandbox.pairing_key("bob")[::-1], "x" * 300):
        step = pages.start(configured, GIVEN_KEY, hint=key)
        step = answer(configured, step, pages.credentials(sandbox))
        step = answer(configured, step, action="mobilePairing")
        assert step["collectors"][0]["value"] == "The device was not paired: 10005", key
        assert answer(configured, step)["node"] == "success"
        assert configured.call("account.list") == accounts


def test_pairing_is_kept_if_the_report_to_the_flow_fails(configured, sandbox):
    step = sign_on(configured, sandbox, "mobile-pairing")
    sandbox.fault(f"/{sandbox.environment}/davinci", dropConnection=True)
    assert refusal(configured, step, action="mobilePairing").code == 10004
    assert answer(configured, step, action="mobilePairing")["node"] == "success"
    assert len(configured.call("account.list")["accounts"]) == 1


def test_identity_provider_sign_on_resumes_with_the_browser_address(relayed, sandbox):
    client, requests = relayed
    step = answer(client, special(client, sandbox), action="google")
    assert step["browserUrl"] == collector(step, "google")["value"] and "/davinci/idp/" in step["browserUrl"]
    browser = Browser(stops_at="http://127.0.0.1/")
    browser.open(step["browserUrl"])
    for address in ("x", "http://127.0.0.1/callback", "http://127.0.0.1/callback?continueToken="):
        error = client.refusal("login.resume", login=step["login"], uri=address)
        assert (error.code, error.details) == (-32602, {"parameter": "uri"})
    after = client.call("login.resume", login=step["login"], uri=browser.address)
    assert after["title"] == "Passkey"
    sent = requests[-1]
    assert sent.headers["authorization"] == "Bearer " + browser.address.split("continueToken=")[1]
    assert (sent.path.rsplit("/", 1)[1], sent.body) == ("continue", b"{}")


def test_forged_continue_token_ends_the_sign_on(configured, sandbox):
    step = answer(configured, special(configured, sandbox), action="google")
    last = configured.call("login.resume", login=step["login"], uri="http://127.0.0.1/callback?continueToken=forged")
    assert (last["node"], last["cause"]) == ("failure", "SESSION_EXPIRED")


def test_pages_are_in_the_requested_language(configured):
    for locale, title in (("de", "Anmelden"), ("de_AT.UTF-8", "Anmelden"), ("fr-CH", "Connexion"), ("ja", "Sign On")):
        assert start(configured, "sign-on-with-registration", locale=locale)["title"] == title


def test_invalid_locale_is_rejected(configured):
    for locale in ("C", "5", "ä", "de\r\nX: y"):
        error = configured.refusal("login.start", method="davinci", locale=locale)
        assert (error.code, error.details) == (-32602, {"parameter": "locale"})
