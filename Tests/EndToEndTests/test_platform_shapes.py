"""Sandbox responses in the form that public clients of the PingOne API expect."""

import json
import urllib.request

from harness.programs import PATIENCE


def test_sandbox_returns_plain_json_if_only_json_is_accepted(sandbox):
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
