"""login.* with DaVinci: complete flows, by a client and by a script."""

import json

import pytest

from harness import flows
from harness.authctl import Authctl

pytestmark = pytest.mark.flows


@pytest.fixture
def client(make_daemon, sandbox):
    client = make_daemon(allow_loopback_http="yes").start().client()
    client.call("device.configure", geo=flows.GEO)
    return client


def start(client, flow, **options):
    parameters = {"acr_values": flow, **options.pop("parameters", {})}
    return client.call("login.start", method="davinci", parameters=parameters, **options)


def credentials(sandbox, user="ann"):
    return {"user.username": user, "user.password": sandbox.users[user]["password"]}


def everything(sandbox):
    """Returns the answers to the first page of the flow with every field."""
    return {
        **credentials(sandbox), "colour": "blue", "size": "large", "fruits": ["apple", "quince"], "days": ["monday"],
        "terms": True, "phone": {"countryCode": "GB", "phoneNumber": "7700900123", "extension": "42"},
    }


def test_script_answers_every_field_with_one_line_per_page(make_daemon, sandbox, directory):
    daemon = make_daemon(allow_loopback_http="yes").start()
    daemon.client().call("device.configure", geo=flows.GEO)
    lines = [
        {"values": everything(sandbox)}, {"values": {"newDevice": "EMAIL"}}, {"values": {"chosenDevice": "d-1"}}, {},
        {"values": {"nickname": "Anni"}},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    ran = Authctl(daemon.socket).run("login", "--davinci", "--acr", "all-collectors", "--yes", "--json", input=text)
    assert ran.status == 0, ran.errors
    nodes = [json.loads(line) for line in ran.output.splitlines()]
    assert [node["title"] for node in nodes if node.get("node") == "continue"] == [
        "Inputs", "Devices", "Devices", "Special", "Passkey", "Template", "Summary",
    ]


def test_unknown_flow_fails_with_the_message_of_the_server(client):
    step = start(client, "absent")
    assert (step["node"], step["cause"]) == ("failure", "REFUSED")
    assert step["message"] == "the acr_values name no policy or flow"
