"""What the public clients of PingOne's interface send to the sandbox, and what they have to be able to read there."""

import json
import urllib.request

import jsonschema
import pytest

from harness.programs import PATIENCE
from harness.sandbox import Refused

COOL_DOWN = {"duration": 5, "timeUnit": "MINUTES"}
FAILURE = {"failure": {"count": 5, "coolDown": COOL_DOWN}}
SENDING = {"enabled": True, "otp": {"lifeTime": {"duration": 75, "timeUnit": "SECONDS"}, **FAILURE}}

POLICY = {
    "name": "As the clients send it",
    "authentication": {"deviceSelection": "PROMPT_TO_SELECT"},
    "default": False,
    "forSignOnPolicy": False,
    "sms": SENDING,
    "voice": {**SENDING, "enabled": False},
    "email": {**SENDING, "pairingDisabled": True},
    "mobile": {"enabled": True, "otp": FAILURE, "applications": []},
    "totp": {"enabled": True, "otp": FAILURE, "passcodeGracePeriod": 3, "uriParameters": {"issuer": "Acme"}},
}
"""A policy with every member that PingOne's interface file requires."""


def duration(*units):
    return {
        "type": "object",
        "required": ["duration", "timeUnit"],
        "properties": {"duration": {"type": "integer"}, "timeUnit": {"enum": list(units)}},
    }


def passcodes(*required):
    """The member `otp` of a method."""
    limit = {
        "type": "object",
        "required": ["count", "coolDown"],
        "properties": {"count": {"type": "integer"}, "coolDown": duration("MINUTES", "SECONDS")},
    }
    properties = {"failure": limit, "lifeTime": duration("MINUTES", "SECONDS")}
    return {"type": "object", "required": list(required), "properties": properties}


def method(otp):
    return {
        "type": "object",
        "required": ["enabled", "otp"],
        "properties": {"enabled": {"type": "boolean"}, "pairingDisabled": {"type": "boolean"}, "otp": otp},
    }


REQUIRED = {
    "type": "object",
    "required": ["default", "email", "forSignOnPolicy", "id", "mobile", "name", "sms", "totp", "voice"],
    "properties": {
        **{name: method(passcodes("failure", "lifeTime")) for name in ("sms", "voice", "email")},
        **{name: method(passcodes("failure")) for name in ("mobile", "totp")},
        "default": {"type": "boolean"},
        "forSignOnPolicy": {"type": "boolean"},
        "authentication": {"required": ["deviceSelection"]},
    },
}
"""What the interface file requires of a policy that is read."""


def contains(whole, part):
    """Whether a value has everything that another has."""
    if isinstance(part, dict):
        return all(name in whole and contains(whole[name], value) for name, value in part.items())
    return whole == part


def test_policies_are_what_the_interface_file_says_and_keep_what_they_are_sent(sandbox):
    path = f"/v1/environments/{sandbox.environment}/deviceAuthenticationPolicies"
    (standard,) = sandbox.request("GET", path)["_embedded"]["deviceAuthenticationPolicies"]
    jsonschema.validate(standard, REQUIRED)
    assert standard["totp"]["enabled"] is False
    made = sandbox.request("POST", path, POLICY)
    assert contains(made, POLICY)
    jsonschema.validate(made, REQUIRED)
    assert contains(sandbox.request("PUT", f"{path}/{made['id']}", POLICY), POLICY)
    assert sandbox.request("GET", f"{path}/{made['id']}") == sandbox.request("PUT", f"{path}/{made['id']}", {})


def test_what_is_read_is_plain_json_for_who_accepts_that_alone(sandbox):
    request = urllib.request.Request(
        f"{sandbox.url}/v1/environments/{sandbox.environment}",
        headers={"Authorization": f"Bearer {sandbox.announcement['adminToken']}", "Accept": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as response:
        assert response.headers["Content-Type"] == "application/json"
        environment = json.load(response)
    assert {"id", "license", "name", "region", "type"} <= set(environment)
    assert set(environment["license"]) == {"id"}
    enabled = sandbox.request("GET", sandbox.user_path("ann") + "/mfaEnabled")
    assert set(enabled) - {"_links"} == {"mfaEnabled"}


@pytest.mark.parametrize(
    "device", [{"type": "EMAIL", "email": "a@b.example"}, {"type": "SMS", "phone": "+41.1"}], ids=["email", "sms"]
)
def test_a_device_of_one_time_and_one_that_is_kept_are_sent_codes(sandbox, device):
    def code():
        return sandbox.request("GET", "/sandbox/messages")["messages"][-1]["code"]

    user = {"id": sandbox.users["ann"]["id"]}
    path = f"/{sandbox.environment}/deviceAuthentications"
    once = sandbox.request("POST", path, {"user": user, "selectedDevice": {"oneTime": device}})
    assert once["status"] == "OTP_REQUIRED"
    assert sandbox.check_passcode(once, code())["status"] == "COMPLETED"
    made = sandbox.request("POST", sandbox.user_path("ann") + "/devices", device)
    assert (made["status"], made["type"]) == ("ACTIVE", device["type"])
    kept = sandbox.request("POST", path, {"user": user})
    with pytest.raises(Refused):
        sandbox.check_passcode(kept, "x")
    assert sandbox.check_passcode(kept, code())["status"] == "COMPLETED"
