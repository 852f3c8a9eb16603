"""The sandbox with requests of a public PingOne client. Replies are checked against that client's models."""

import pytest

from harness import public_models as models
from harness.public_client import PublicClient


@pytest.fixture
def public(sandbox):
    return PublicClient(sandbox)


@pytest.fixture
def ann(sandbox):
    return f"/users/{sandbox.users['ann']['id']}"


def pages(name, items):
    return models.collection(name, items)


def test_public_client_reads_the_environment(public, sandbox):
    environment = public.call("GET", "", models.ENVIRONMENT)
    assert (environment["id"], environment["type"]) == (sandbox.environment, "SANDBOX")


def test_public_client_lists_creates_reads_and_deletes_users(public):
    listed = public.call("GET", "/users", pages("users", models.USER))["_embedded"]["users"]
    assert {user["username"] for user in listed} == {"ann", "bob"}
    body = {"email": "cleo@example.com", "username": "cleo", "name": {"given": "Cleo"}}
    made = public.call("POST", "/users", models.USER, body, 201)
    assert public.call("GET", f"/users/{made['id']}", models.USER)["email"] == "cleo@example.com"
    public.delete(f"/users/{made['id']}")
    public.refusal("GET", f"/users/{made['id']}", 404)


@pytest.mark.parametrize("value", [False, True])
def test_public_client_enables_and_disables_mfa_of_a_user(public, ann, value):
    path = ann + "/mfaEnabled"
    assert public.call("PUT", path, models.USER_MFA_ENABLED, {"mfaEnabled": value})["mfaEnabled"] is value
    assert public.call("GET", path, models.USER_MFA_ENABLED)["mfaEnabled"] is value


def test_public_client_creates_reads_and_deletes_pairing_keys(public, sandbox, ann):
    body = {"applications": [{"id": sandbox.announcement["application"]}]}
    made = public.call("POST", ann + "/pairingKeys", models.PAIRING_KEY, body, 201)
    assert public.call("GET", f"{ann}/pairingKeys/{made['id']}", models.PAIRING_KEY) == made
    public.delete(f"{ann}/pairingKeys/{made['id']}")


def test_public_client_lists_renames_and_deletes_devices_and_requests_logs(public, paired, ann):
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


def test_public_client_reads_the_status_of_a_device_authentication(public, sandbox, paired):
    started = sandbox.authenticate("ann")
    paired.event("notification", state="pending")
    assert not models.faults(started, models.DEVICE_AUTHENTICATION)
    status, answer, _ = public.send("GET", f"/{sandbox.environment}/deviceAuthentications/{started['id']}")
    assert (status, answer["status"]) == (200, "PUSH_CONFIRMATION_REQUIRED")
    assert not models.faults(answer, models.DEVICE_AUTHENTICATION)


def test_public_client_creates_lists_and_deletes_a_totp_device(public, sandbox, ann):
    sandbox.change_settings(policy={"totp": {"enabled": True}})
    made = public.call("POST", ann + "/devices", models.DEVICE, {"type": "TOTP"}, 201)
    (device,) = public.call("GET", ann + "/devices", pages("devices", models.DEVICE))["_embedded"]["devices"]
    assert device["id"] == made["id"] and not {"secret", "keyUri"} & set(device)
    public.delete(f"{ann}/devices/{device['id']}")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/users/none", None, 404),
        ("GET", "/nonsense", None, 404),
        ("POST", "/users", {}, 400),
        ("POST", "/users", {"username": "ann", "email": "ann@example.com"}, 400),
    ],
)
def test_refusals_match_the_public_error_model(public, method, path, body, status):
    refusal = public.refusal(method, path, status, body)
    assert refusal["code"] and (status != 400 or refusal["details"])


def test_invalid_token_gets_a_bearer_challenge(sandbox):
    public = PublicClient(sandbox, "expired")
    status, answer, fields = public.send("GET", public.base + "/users")
    assert status == 401 and fields["WWW-Authenticate"].startswith("Bearer")
    assert not models.faults(answer, models.ERROR)


def test_public_models_reject_invalid_documents():
    good = {"mfaEnabled": True}
    assert not models.faults(good, models.USER_MFA_ENABLED)
    assert models.faults({}, models.USER_MFA_ENABLED)
    assert models.faults({"mfaEnabled": "yes"}, models.USER_MFA_ENABLED)
    assert models.faults({**good, "more": 1}, models.USER_MFA_ENABLED)
    (fault,) = models.faults({"name": "today"}, models.model({"name": models.INSTANT}))
    assert "name" in fault
