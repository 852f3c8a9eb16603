"""DaVinci flows: a sandbox and daemons for them, and the requests of a daemon."""

import shutil

import pytest

from . import pages
from .pages import answer, start
from .programs import FLOWS
from .sandbox import Sandbox

GIVEN_KEY = "given-key"


@pytest.fixture
def sandbox(directory):
    """A PingOne with the flows of the sandbox's folder, and a flow that pairs by a key in the login hint."""
    shutil.copytree(FLOWS, directory / "flows")
    flow = (FLOWS / "mobile-pairing.json").read_text().replace("mobile-pairing", GIVEN_KEY)
    flow = flow.replace(', {"makePairingKey": "key"}', "").replace("${flow.key}", "${request.login_hint}")
    (directory / "flows" / f"{GIVEN_KEY}.json").write_text(flow)
    sandbox = Sandbox(flows=directory / "flows")
    yield sandbox
    sandbox.stop()


@pytest.fixture
def relayed(make_relayed):
    """A connection to a daemon that can sign on, and the daemon's requests."""
    daemon, relay = make_relayed()
    return pages.configured(daemon), relay.sent


@pytest.fixture
def configured(daemon):
    return pages.configured(daemon)


def form(request):
    """Returns the contents of a reply to a page: event, button and values."""
    parameters = request.json["parameters"]
    data = parameters["data"]
    return parameters["eventType"], data.get("actionKey"), data.get("formData")


def filled(sandbox, **more):
    """Returns the values for the first page of `all-collectors` that have no default."""
    phone = {"countryCode": "GB", "phoneNumber": "7700900123"}
    return {**pages.credentials(sandbox), "terms": True, "phone": phone, **more}


def special(client, sandbox):
    """Returns the page with fields that users do not fill in."""
    step = answer(client, start(client, "all-collectors"), filled(sandbox))
    step = answer(client, step, {"newDevice": "EMAIL"})
    return answer(client, step)


def shown(step):
    """Returns the lines of the page that shows the received values."""
    assert step["title"] == "Summary"
    return dict(each["value"].split(":", 1) for each in step["collectors"])
