"""The sandbox before a client that others wrote for PingOne: its requests, and its rules for the answers."""

import pytest

from harness import public_models as models
from harness.public_client import PublicClient
from harness.public_policies import POLICY


@pytest.fixture
def public(sandbox):
    return PublicClient(sandbox)


@pytest.fixture
def ann(sandbox):
    return f"/users/{sandbox.users['ann']['id']}"


def pages(name, items):
    return models.collection(name, items)


def test_the_environment_is_read(public, sandbox):
    environment = public.call("GET", "", models.ENVIRONMENT)
    assert (environment["id"], environment["type"]) == (sandbox.environment, "SANDBOX")


def test_users_are_listed_made_read_and_deleted(public):
    listed = public.call("GET", "/users", pages("users", models.USER))["_embedded"]["users"]
    assert {user["username"] for user in listed} == {"ann", "bob"}
    body = {"email": "cleo@example.com", "username": "cleo", "name": {"given": "Cleo"}}
    made = public.call("POST", "/users", models.USER, body, 201)
    assert public.call("GET", f"/users/{made['id']}", models.USER)["email"] == "cleo@example.com"
    public.delete(f"/users/{made['id']}")
    public.refusal("GET", f"/users/{made['id']}", 404)


@pytest.mark.parametrize("value", [False, True])
def test_mfa_of_a_user_is_turned_on_and_off(public, ann, value):
    path = ann + "/mfaEnabled"
    assert public.call("PUT", path, models.USER_MFA_ENABLED, {"mfaEnabled": value})["mfaEnabled"] is value
    assert public.call("GET", path, models.USER_MFA_ENABLED)["mfaEnabled"] is value


def minutes(count):
    return {"duration": count, "timeUnit": "MINUTES"}


def policy_of(name):
    """What the client sends for a policy: every required member, also those that only an answer means."""
    failure = {"count": 4, "coolDown": minutes(3)}
    by_message = {"enabled": True, "otp": {"lifeTime": minutes(20), "failure": failure}}
    return {
        "name": name,
        "sms": by_message,
        "voice": {**by_message, "enabled": False},
        "email": by_message,
        "mobile": {"enabled": True, "otp": {"failure": failure}},
        "totp": {"enabled": True, "otp": {"failure": failure}},
        "default": False,
        "forSignOnPolicy": False,
    }


def test_policies_are_made_listed_changed_and_deleted(public):
    path, body = "/deviceAuthenticationPolicies", policy_of("Desk")
    made = public.call("POST", path, POLICY, body, 201)
    methods = ("sms", "voice", "email", "mobile", "totp")
    assert [name for name in methods if not made[name]["enabled"]] == ["voice"]
    for kind in ("sms", "email", "totp", "mobile"):
        assert made[kind]["otp"]["failure"] == body[kind]["otp"]["failure"], kind
    listed = public.call("GET", path, pages("deviceAuthenticationPolicies", POLICY))["_embedded"]
    assert {each["name"] for each in listed["deviceAuthenticationPolicies"]} >= {"Desk"}
    body = {**body, "name": "Desks", "totp": {**body["totp"], "enabled": False, "passcodeGracePeriod": 3}}
    one = f"{path}/{made['id']}"
    changed = public.call("PUT", one, POLICY, body)
    assert (changed["name"], changed["totp"]["enabled"], changed["totp"]["passcodeGracePeriod"]) == ("Desks", False, 3)
    assert public.call("GET", one, POLICY) == changed
    public.delete(one)
    public.refusal("GET", one, 404)


def test_settings_are_read_changed_and_reset(public):
    settings = public.call("GET", "/mfaSettings", models.MFA_SETTINGS)
    body = {
        "pairing": {"maxAllowedDevices": 7, "pairingKeyFormat": "ALPHANUMERIC"},
        "lockout": {"failureCount": 5, "durationSeconds": 600},
        "users": {"mfaEnabled": True},
    }
    changed = public.call("PUT", "/mfaSettings", models.MFA_SETTINGS, body)
    assert {name: changed[name] for name in body} == body
    public.delete("/mfaSettings")
    assert public.call("GET", "/mfaSettings", models.MFA_SETTINGS)["pairing"] == settings["pairing"]


def test_applications_and_their_push_credentials(public):
    listed = public.call("GET", "/applications", pages("applications", models.APPLICATION))
    (application,) = listed["_embedded"]["applications"]
    path = f"/applications/{application['id']}"
    assert public.call("GET", path, models.APPLICATION) == application
    path += "/pushCredentials"
    listed = public.call("GET", path, pages("pushCredentials", models.PUSH_CREDENTIAL))["_embedded"]["pushCredentials"]
    public.delete(f"{path}/{next(each['id'] for each in listed if each['type'] == 'HMS')}")
    body = {"type": "HMS", "clientId": "a client", "clientSecret": "a secret"}
    made = public.call("POST", path, models.PUSH_CREDENTIAL, body, 201)
    assert public.call("GET", f"{path}/{made['id']}", models.PUSH_CREDENTIAL)["type"] == "HMS"
    public.call("PUT", f"{path}/{made['id']}", models.PUSH_CREDENTIAL, body)


def test_pairing_keys_are_made_read_and_deleted(public, sandbox, ann):
    body = {"applications": [{"id": sandbox.announcement["application"]}]}
    made = public.call("POST", ann + "/pairingKeys", models.PAIRING_KEY, body, 201)
    assert public.call("GET", f"{ann}/pairingKeys/{made['id']}", models.PAIRING_KEY) == made
    public.delete(f"{ann}/pairingKeys/{made['id']}")


def test_devices_are_listed_named_asked_for_their_logs_and_removed(public, paired, ann):
    (device,) = public.call("GET", ann + "/devices", pages("devices", models.DEVICE))["_embedded"]["devices"]
    one = f"{ann}/devices/{device['id']}"
    assert public.call("GET", one, models.DEVICE) == device
    public.call("PUT", one + "/nickname", models.DEVICE, {"nickname": "My phone"})
    public.call("PUT", one + "/logs", models.DEVICE, {"status": "PENDING"})
    read = public.call("GET", one, models.DEVICE)
    assert (read["nickname"], read["logs"]["status"]) == ("My phone", "PENDING")
    order = {"order": [{"id": device["id"]}]}
    media_type = "application/vnd.pingidentity.devices.reorder+json"
    assert public.send("POST", public.base + ann + "/devices", order, media_type)[0] == 200
    public.delete(one)


def test_a_device_authentication_tells_where_it_stands(public, sandbox, paired):
    started = sandbox.authenticate("ann")
    paired.event("notification", state="pending")
    assert not models.faults(started, models.DEVICE_AUTHENTICATION)
    status, answer, _ = public.send("GET", f"/{sandbox.environment}/deviceAuthentications/{started['id']}")
    assert (status, answer["status"]) == (200, "PUSH_CONFIRMATION_REQUIRED")
    assert not models.faults(answer, models.DEVICE_AUTHENTICATION)


@pytest.mark.parametrize(
    ("kind", "address"),
    [("EMAIL", {"email": "ann@example.com"}), ("SMS", {"phone": "+1.5125550100"}), ("TOTP", {})],
)
def test_devices_of_other_types_are_made_listed_and_removed(public, ann, kind, address):
    policy = public.call("POST", "/deviceAuthenticationPolicies", POLICY, policy_of("Desk"), 201)
    body = {"type": kind, **address, "policy": {"id": policy["id"]}}
    made = public.call("POST", ann + "/devices", models.DEVICE, body, 201)
    assert made["type"] == kind
    (device,) = public.call("GET", ann + "/devices", pages("devices", models.DEVICE))["_embedded"]["devices"]
    assert device["id"] == made["id"] and not {"secret", "keyUri"} & set(device)
    public.delete(f"{ann}/devices/{device['id']}")


def test_an_address_can_be_used_once(public, sandbox):
    body = {
        "user": {"id": sandbox.users["ann"]["id"]},
        "selectedDevice": {"oneTime": {"type": "EMAIL", "email": "ann@example.com"}},
    }
    status, answer, _ = public.send("POST", f"/{sandbox.environment}/deviceAuthentications", body)
    assert (status, answer["status"]) == (201, "OTP_REQUIRED"), answer
    assert not models.faults(answer, models.DEVICE_AUTHENTICATION)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/users/none", None, 404),
        ("GET", "/nonsense", None, 404),
        ("POST", "/users", {}, 400),
        ("POST", "/users", {"username": "ann", "email": "ann@example.com"}, 400),
        ("PUT", "/mfaSettings", {"pairing": {"maxAllowedDevices": 16, "pairingKeyFormat": "NUMERIC"}}, 400),
        ("PUT", "/mfaSettings", {"pairing": {"maxAllowedDevices": 5, "pairingKeyFormat": "ROMAN"}}, 400),
    ],
)
def test_what_is_refused_comes_as_an_error_that_it_can_tell(public, method, path, body, status):
    refusal = public.refusal(method, path, status, body)
    assert refusal["code"] and (status != 400 or refusal["details"])


def test_a_token_that_is_not_good_is_challenged(sandbox):
    public = PublicClient(sandbox, "expired")
    status, answer, fields = public.send("GET", public.base + "/users")
    assert status == 401 and fields["WWW-Authenticate"].startswith("Bearer")
    assert not models.faults(answer, models.ERROR)


def test_the_rules_refuse_what_the_client_could_not_take():
    good = {"mfaEnabled": True}
    assert not models.faults(good, models.USER_MFA_ENABLED)
    assert models.faults({}, models.USER_MFA_ENABLED)
    assert models.faults({"mfaEnabled": "yes"}, models.USER_MFA_ENABLED)
    assert models.faults({**good, "more": 1}, models.USER_MFA_ENABLED)
    (fault,) = models.faults({"id": "1", "_links": {}, "type": "FCM", "createdAt": "today"}, models.PUSH_CREDENTIAL)
    assert "createdAt" in fault
