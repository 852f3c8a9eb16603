"""mfa-agent with dunst, a common notification server, on an X screen."""

import contextlib
import os

import pytest

from harness import flows
from harness.bus import Bus
from harness.desktop import Agent
from harness.dunst import Dunst

TITLE, BODY = "Sign on", "Approve the sign-on to <Payroll> & more?"


@pytest.fixture
def dunst(directory, daemon):
    with contextlib.closing(Bus(directory)) as bus, contextlib.closing(Dunst(bus, directory)) as dunst:
        agent = Agent(daemon.socket, bus.variables)
        yield dunst
        agent.kill()


@pytest.mark.parametrize("button, state", [("Approve", "approved"), ("Deny", "denied"), ("Report", "denied")])
def test_pressing_a_button_in_dunst_answers_the_request(paired, sandbox, dunst, directory, button, state):
    _, push = flows.push(paired, sandbox, template={"variables": {"title": TITLE, "body": BODY}})
    dunst.wait_displayed(1)
    # MFAD_PICTURE keeps the screenshot for the documentation.
    dunst.picture(os.environ.get("MFAD_PICTURE", directory / "screen.png"))
    dunst.press(button)
    paired.event("notification", id=push["id"], state=state)
    dunst.wait_displayed(0)
    (shown,) = dunst.history
    assert shown["summary"] == TITLE and shown["appname"] == "mfa-agent"
    assert "&lt;Payroll&gt; &amp; more" in shown["body"]


def test_dunst_closes_the_notification_if_answered_elsewhere(paired, sandbox, dunst):
    _, push = flows.push(paired, sandbox)
    dunst.wait_displayed(1)
    paired.call("notification.deny", notification=push["id"])
    dunst.wait_displayed(0)
