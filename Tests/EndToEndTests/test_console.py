"""The console of the sandbox in a browser without scripts: properties of every page, and its functions."""

import re

import pytest

from harness import flows
from harness.console import pages
from harness.sandbox import Refused

SECTIONS = ["users", "devices", "sign-ons", "codes", "settings", "messages", "clock"]
SELECTION = "policy.authentication.deviceSelection"
HOSTILE = "<script>alert(1)</script>\"'\u0301 onfocus=x"


@pytest.fixture
def everything(paired, sandbox, console):
    """A console with objects of every kind, with hostile names."""
    sandbox.user(HOSTILE)
    (device,) = sandbox.devices("ann")
    sandbox.request("PUT", f"{sandbox.user_path('ann')}/devices/{device['id']}/nickname", {"nickname": HOSTILE})
    sandbox.pairing_key("ann")
    sandbox.match_numbers()
    sandbox.authenticate("ann", {"template": {"variables": {"title": HOSTILE, "body": HOSTILE}}})
    sandbox.code()
    sandbox.change_application({"uriPrefix": "javascript:alert(1)//" + HOSTILE})
    sandbox.fault("/" + HOSTILE, status=500)
    sandbox.change_settings(application={"name": HOSTILE}, policy={"name": HOSTILE, "totp": {"enabled": True}})
    sandbox.request("POST", sandbox.user_path("bob") + "/devices", {"type": "TOTP", "nickname": HOSTILE})
    return console


# Properties of every page


def test_pages_are_accessible_html_and_escape_hostile_names(everything):
    seen = pages(everything)
    assert len(seen) >= len(SECTIONS) + 5
    shown = 0
    for path, page in seen.items():
        assert page.headers["Content-Type"] == "text/html; charset=utf-8"
        shown += page.words.count("<script>alert(1)</script>")
        tags = [tag for tag, _ in page.tags]
        assert not {"script", "iframe", "object", "style", "img"} & set(tags), path
        attributes = {name for _, each in page.tags for name in each}
        assert "style" not in attributes and not [name for name in attributes if name.startswith("on")], path
        levels = [tag for tag in tags if re.fullmatch(r"h\d", tag)]
        assert levels[0] == "h1" and levels.count("h1") == 1 and set(levels) <= {"h1", "h2"}, path
        assert all(page.labelled), f"{path} has a field without a label"
        assert all(link.startswith(("/console", "#")) for link in page.links), path
        assert all(form["method"] == "post" and form["action"].startswith("/console/") for form in page.forms)
        assert page.title.endswith(" – PingOne sandbox")
        assert (("html", {"lang": "en"}) in page.tags) and sum("aria-current" in each for _, each in page.tags) == 1
    assert shown >= 8


def test_responses_have_a_strict_content_security_policy(everything):
    answers = [everything.request("GET", f"/console/{name}") for name in [*SECTIONS, "users/x", "enter"]]
    answers.append(everything.request("POST", "/console/users", {"username": "x"}))
    for page in answers:
        policy = dict(part.strip().split(" ", 1) for part in page.headers["Content-Security-Policy"].split(";"))
        assert policy == {
            "default-src": "'none'", "style-src": "'self'", "form-action": "'self'", "base-uri": "'none'",
            "frame-ancestors": "'none'",
        }
        assert page.headers["X-Content-Type-Options"] == "nosniff"
        assert page.headers["Cache-Control"] == "no-store" and page.headers["Referrer-Policy"] == "same-origin"


def test_refused_request_returns_a_page_with_the_reason(console, sandbox):
    form = console.get("/console/users").form("/console/users")
    for values, words in (({"username": "ANN"}, "is already in use"), ({"username": ""}, "must not be empty")):
        page = console.request("POST", "/console/users", {**form, **values})
        assert page.status == 400 and words in page.words and page.headers["Content-Type"].startswith("text/html")
    for path in ("users/nobody", "sign-ons/nothing"):
        page = console.request("GET", f"/console/{path}")
        assert page.status == 404 and "/console/devices" in page.links
    for body in ("username=%zz", "username=a&username=b", "\udcff".encode("utf-8", "surrogateescape")):
        assert console.request("POST", "/console/users", body).status == 400
    assert console.request("POST", "/console/users", "{}", [("Content-Type", "application/json")]).status == 400
    clock = console.get("/console/clock").form("/console/clock")
    for count in ("x", "9" * 30, str(2**62), str(-(2**63)), "1e3", "999999999"):
        for unit in ("1", "86400", str(2**63 - 1)):
            page = console.request("POST", "/console/clock", {**clock, "count": count, "unit": unit})
            assert page.status == 400, count
    assert sandbox.request("GET", "/sandbox/clock")["lead"] == 0


# Functions


def set_up(console, fields):
    """Submits the settings with some fields changed. None clears a checkbox."""
    return console.submit(console.get("/console/settings"), "/console/settings", **fields)


def test_settings_are_kept_changed_and_reset_by_an_empty_field(console, sandbox):
    before = sandbox.request("GET", "/sandbox/settings")
    set_up(console, {})
    assert sandbox.request("GET", "/sandbox/settings") == before
    changed = {
        "application.name": "Desk", "application.redirectUris": "http://127.0.0.1/a https://b.example/c",
        "application.scopes": "p1:read:device", "application.mobile.passcodeGracePeriod": "7",
        "policy.mobile.pushTimeout": "45 SECONDS", "policy.mobile.pushLimit.timePeriod": "20 MINUTES",
        "policy.mobile.deviceAuthorization.extraVerification": "restrictive",
        "policy.totp.uriParameters": '{"issuer":"Acme"}', "mfaSettings.lockout.failureCount": "4",
        "integrity.secureBootRequire": "on", "integrity.minimumOSVersionRequire.linux": "12.1",
        "application.mobile.integrityDetection.mode": "ENABLED",
        "application.mobile.integrityDetection.cacheDuration": "2 HOURS",
    }
    set_up(console, {"policy.totp.uriParameters": '{"issuer":"a","image":"b"}'})
    page = set_up(console, changed)
    fields = page.form("/console/settings")
    assert {name: fields[name] for name in changed} == changed
    settings = sandbox.request("GET", "/sandbox/settings")
    assert settings["policy"]["mobile"]["pushTimeout"] == {"duration": 45, "timeUnit": "SECONDS"}
    assert settings["application"]["mobile"]["integrityDetection"]["cacheDuration"] == {"amount": 2, "units": "HOURS"}
    assert settings["application"]["redirectUris"] == ["http://127.0.0.1/a", "https://b.example/c"]
    assert settings["policy"]["totp"]["uriParameters"] == {"issuer": "Acme"}
    for name, value, words in (
        ("policy.mobile.pushTimeout", "45", "like 90 SECONDS"),
        ("policy.mobile.pushTimeout", "151 SECONDS", "policy.mobile.pushTimeout: must be from 40 to 150 seconds"),
        ("policy.mobile.pushLimit.count", "many", "must be a number"),
        ("policy.totp.uriParameters", "{", "must be JSON"),
        ("application.mobile.integrityDetection.cacheDuration", "", "must be given"),
    ):
        refused = console.request("POST", "/console/settings", {**fields, name: value})
        assert refused.status == 400 and words in refused.words, (name, value)
    assert sandbox.request("GET", "/sandbox/settings") == settings
    set_up(console, dict.fromkeys(changed, "") | {"integrity.secureBootRequire": None})
    assert sandbox.request("GET", "/sandbox/settings") == before
    set_up(console, changed)
    console.submit(console.get("/console/settings"), "/console/settings/reset")
    assert sandbox.request("GET", "/sandbox/settings") == before


def test_console_creates_a_user_a_pairing_key_and_a_sign_on(console, client, sandbox):
    page = console.submit(console.get("/console/users"), "/console/users", username="carol", password="Quite-Long-7")
    assert "Quite-Long-7" in page.words and "Nothing is paired." in page.words
    (path,) = {form["action"].removesuffix("/keys") for form in page.forms if form["action"].endswith("/keys")}
    page = console.submit(page, f"{path}/keys", region="NA")
    code = re.search(r"\b01\d{12}\b", page.words)[0]
    client.call("device.configure", geo=flows.GEO)
    client.subscribe("notification")
    client.call("pairing.pair", pairingKey=code)
    page = console.get(path)
    assert code not in page.words and "active" in page.words
    page = console.submit(page, "/console/sign-ons", number="yes", title="Payroll", text="Is it you?")
    number = re.search(r"shows the number (\d\d)\b", page.words)[1]
    assert ("meta", {"http-equiv": "refresh", "content": "3"}) in page.tags and "Payroll" in page.words
    push = client.event("notification", state="pending")
    assert (push["title"], push["body"]) == ("Payroll", "Is it you?")
    watched = console.get("/console/sign-ons")
    assert f"waiting for approval {number}" in watched.words
    client.call("notification.approve", notification=push["id"], number=int(number))
    watched = console.get("/console/sign-ons")
    assert "completed" in watched.words and number not in watched.words.split("completed")[1].split("Signed on")[0]
    assert "refresh" in watched.source and "refresh" not in console.get("/console/sign-ons?still").source


def test_console_checks_a_passcode(console, paired, sandbox):
    set_up(console, {"policy.mobile.push.enabled": None, SELECTION: "PROMPT_TO_SELECT"})
    page = console.submit(console.get(console.user_path("ann")), "/console/sign-ons")
    assert "waiting for a passcode" in page.words and "refresh" not in page.source
    (action,) = [form["action"] for form in page.forms if form["action"].endswith("/passcode")]
    wrong = console.request("POST", action, {**page.form(action), "otp": "000000"})
    assert wrong.status == 400 and "passcode is wrong" in wrong.words
    assert "completed" in console.submit(page, action, otp=paired.call("passcode.get")["passcode"]).words


def test_users_page_asks_for_a_sign_on_by_one_button(console, paired, sandbox):
    page = console.get("/console/users")
    (form, _) = [form for form in page.forms if form["action"] == "/console/sign-ons"]
    made = console.request("POST", "/console/sign-ons", form["fields"])
    push = paired.event("notification", state="pending")
    watched = console.get(made.headers["Location"])
    assert "Sign-on of ann" in watched.words and "waiting for approval" in watched.words
    # The tooltip has the value of the interface.
    assert "PUSH_CONFIRMATION_REQUIRED" in [each.get("title") for _, each in watched.tags]
    paired.call("notification.approve", notification=push["id"])
    assert "completed" in console.get(made.headers["Location"]).words


def test_console_lets_the_user_choose_a_device(console, paired, sandbox):
    set_up(console, {SELECTION: "ALWAYS_DISPLAY_DEVICES"})
    page = console.submit(console.get(console.user_path("ann")), "/console/sign-ons")
    assert "waiting for the choice of a device" in page.words
    (action,) = [form["action"] for form in page.forms if form["action"].endswith("/device")]
    assert "waiting for approval" in console.submit(page, action).words
    push = paired.event("notification", state="pending")
    sandbox.advance(200)
    page = console.get(action.removesuffix("/device"))
    assert "not answered in time" in page.words
    assert "waiting for approval" in console.submit(page, action).words
    assert paired.event("notification", state="pending")["id"] != push["id"]


def test_console_creates_codes_and_shows_their_status(console, paired):
    page = console.submit(console.get("/console/codes"), "/console/codes", seconds="600")
    code = re.search(r"\b([0-9A-Z]{8}) until", page.words)[1]
    assert f"authentication_code={code}" in page.words and ("svg", "img") in [(tag, each.get("role")) for tag, each in page.tags]
    started = paired.call("authentication.start", code=code)
    assert f"{code} waiting for approval" in console.get("/console/codes").words
    paired.call("authentication.approve", authentication=started["id"])
    assert f"{code} completed" in console.get("/console/codes").words
    page = console.submit(console.get("/console/codes"), "/console/codes", approval=None, seconds="")
    assert "not entered yet" in page.words


def test_console_blocks_unlocks_and_deletes_devices(console, paired, sandbox):
    (device,) = sandbox.devices("ann")
    path = f"{console.user_path('ann')}/devices/{device['id']}"
    assert "blocked" in console.submit(console.get("/console/devices"), f"{path}/block").words
    assert "active" in console.submit(console.get("/console/devices"), f"{path}/unblock").words
    sandbox.limit_pushes(1)
    started = sandbox.authenticate("ann")
    paired.call("notification.deny", notification=paired.event("notification", state="pending")["id"])
    assert sandbox.authentication(started)["status"] == "FAILED"
    assert f"{path}/unlock" not in console.submit(console.get(console.user_path("ann")), f"{path}/unlock").source
    (machine,) = sandbox.identities()
    console.submit(console.get("/console/devices"), f"/console/devices/{machine['id']}/forget")
    assert sandbox.identities() == [] and sandbox.devices("ann") == []


def test_console_disables_mfa_of_a_user_and_deletes_the_user(console, sandbox):
    path = console.user_path("bob")
    assert "without MFA" in console.submit(console.get(path), f"{path}/mfa").words
    assert "ready" in console.submit(console.get(path), f"{path}/mfa").words
    question = console.get(f"{path}/delete")
    assert "Delete bob?" in question.words and path in question.links
    assert "bob" in console.get("/console/users").words
    assert "bob" not in console.submit(question, f"{path}/delete").words


def test_console_can_set_number_selection(console, paired, sandbox):
    set_up(console, {"application.mobile.push.numberMatching.type": "SELECT_NUMBER"})
    console.submit(console.get(console.user_path("ann")), "/console/sign-ons", number="yes")
    push = paired.event("notification", state="pending")
    assert len(push["numberMatching"]["options"]) == 3


def test_console_moves_and_resets_the_clock(console, sandbox):
    page = console.submit(console.get("/console/clock"), "/console/clock", count="2", unit="86400")
    assert "172800 seconds ahead" in page.words
    page = console.submit(page, "/console/clock", count="-3", unit="86400")
    assert "86400 seconds behind" in page.words
    page = console.submit(page, "/console/clock/skew", skew="600")
    assert sandbox.request("GET", "/sandbox/clock") == {"lead": -86400, "skew": 600}
    console.submit(page, "/console/clock/reset")
    assert sandbox.request("GET", "/sandbox/clock") == {"lead": 0, "skew": 0}


def test_faults_do_not_affect_the_console(console, sandbox):
    page = console.submit(console.get("/console/clock"), "/console/clock/faults", path="/", count="9", effect="503")
    assert "/ any status 503 9" in page.words
    with pytest.raises(Refused) as refused:
        sandbox.devices("ann")
    assert refused.value.status == 503
    page = console.submit(console.get("/console/clock"), "/console/clock/faults/clear")
    assert "No faults are pending." in page.words and sandbox.devices("ann") == []
    for effect in ("delay", "drop", "lose", "body", "bytes", "500", "429"):
        page = console.submit(console.get("/console/clock"), "/console/clock/faults", path="/x", count="1", effect=effect)
    assert page.words.count("/x any") == 7
    form = page.form("/console/clock/faults")
    assert console.request("POST", "/console/clock/faults", {**form, "effect": "explode"}).status == 400
