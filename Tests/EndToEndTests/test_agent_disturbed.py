"""mfa-agent with a faulty bus, notification server or daemon."""

import contextlib
import json
import signal

import pytest
from jeepney import DBusAddress, new_method_call

from harness.bus import Bus, Peer
from harness.desktop import (
    BODY, NOTIFICATIONS, TITLE, Agent, Desktop, Logind, NotificationServer, ScreenSaver, push, settled,
)
from harness.process import Process
from harness.programs import AGENT, environment

FAILED, NO_BUS = 1, 69
PUSH = {
    "id": "n1", "account": "a1", "type": "authentication", "state": "pending", "title": TITLE,
    "receivedAt": "2026-01-01T00:00:00Z", "expiresAt": "2999-01-01T00:00:00Z", "timeoutDuration": 40,
}


# The notification server


def test_noncharacters_in_a_text_do_not_block_notifications(paired, sandbox, server):
    push(paired, sandbox, "the\ufffe fir\U0001ffffst\ufdd0")
    push(paired, sandbox, "the second")
    server.wait(lambda: len(server.shown) == 2)
    server.wait_told("the first")


def test_notification_refused_by_the_server_does_not_block_others(paired, sandbox, server):
    server.change(refused="the first")
    push(paired, sandbox, "the first")
    push(paired, sandbox, "the second")
    server.only("the second")
    server.change(refused=None)
    server.wait(lambda: len(server.shown) == 2)


def test_agent_retries_slowly_if_the_server_returns_no_notification_ids(paired, sandbox, desktop):
    server = desktop.add(NotificationServer)
    server.change(tells_numbers=False)
    journal, complaint = desktop.start().journal, "cannot show notifications"
    push(paired, sandbox)
    since = 0
    for _ in range(3):
        journal.wait(complaint, since=since)
        since = journal.count
    calls = server.calls["Notify"]
    assert calls <= str(journal).count(complaint) + 1
    server.change(tells_numbers=True)
    server.only(TITLE, BODY)


def test_notification_expired_by_the_desktop_reappears_with_the_next_request(paired, sandbox, server):
    push(paired, sandbox, "the first")
    server.expire(server.only("the first"))
    push(paired, sandbox, "the second")
    server.wait(lambda: len(server.shown) == 2)


def end_while_one_is_about_to_be_shown(paired, sandbox, desktop, server):
    push(paired, sandbox, "the first")
    server.only("the first")
    server.change(is_held=True)
    push(paired, sandbox, "the second")
    server.wait_called("Notify", 2)
    desktop.agent.signal(signal.SIGTERM)


def test_agent_closes_a_notification_that_is_being_shown_at_its_exit(paired, sandbox, desktop, server):
    end_while_one_is_about_to_be_shown(paired, sandbox, desktop, server)
    server.change(is_held=False)
    assert desktop.agent.wait() == 0
    server.wait_empty()
    assert len(server.history) == 2


def test_agent_exits_even_if_the_server_does_not_reply(paired, sandbox, desktop, server):
    end_while_one_is_about_to_be_shown(paired, sandbox, desktop, server)
    assert desktop.agent.wait() == 0
    server.change(is_held=False)


class Forger(Peer):
    """A program that sends forged signals."""

    name = "org.example.Forger"

    def press(self, number, key, to):
        self.tell("/org/freedesktop/Notifications", NOTIFICATIONS, "ActionInvoked", "us", number, key, to=to)

    def wait_delivered(self, server):
        """Waits until the bus has delivered the earlier signals: a later call has arrived."""
        count = server.calls["GetCapabilities"] + 1
        address = DBusAddress("/org/freedesktop/Notifications", NOTIFICATIONS, NOTIFICATIONS)
        with self._changed:
            self._connection.send(new_method_call(address, "GetCapabilities"))
        server.wait_called("GetCapabilities", count)


def test_agent_ignores_button_signals_of_other_programs(paired, sandbox, desktop, server):
    _, waiting = push(paired, sandbox)
    shown = server.only(TITLE)
    forger = desktop.add(Forger)
    for to in (None, server.caller):
        forger.press(shown.number, shown.buttons["Approve"], to)
    forger.wait_delivered(server)
    server.press(shown, "Deny")
    assert settled(paired, waiting)["state"] == "denied"


# Session lock


@pytest.fixture
def machine(directory):
    """A system bus separate from the session bus."""
    (directory / "machine").mkdir()
    with contextlib.closing(Bus(directory / "machine")) as bus:
        yield bus


def test_session_is_locked_if_one_source_says_so_and_the_other_is_silent(paired, sandbox, desktop):
    server, screen, logind = desktop.add(NotificationServer), desktop.add(ScreenSaver), desktop.add(Logind)
    desktop.start()
    push(paired, sandbox)
    server.only(TITLE)
    screen.change(is_held=True)
    count = screen.calls["GetActive"] + 1
    screen.turn(False)
    screen.wait_called("GetActive", count)
    logind.turn(True)
    server.one(summary="A sign-on request is pending", body="")
    screen.change(is_held=False)
    logind.turn(False)
    server.only(TITLE)


def test_session_stays_locked_if_the_system_bus_disappears(paired, sandbox, desktop, machine):
    server, screen, logind = desktop.add(NotificationServer), desktop.add(ScreenSaver), Logind(machine, locked=True)
    agent = desktop.start(DBUS_SYSTEM_BUS_ADDRESS=machine.address)
    push(paired, sandbox)
    server.one(summary="A sign-on request is pending", body="")
    machine.close()
    agent.journal.wait("the system bus does not report")
    # The agent sends the third query only after it has processed the second reply.
    for _ in range(3):
        count = screen.calls["GetActive"] + 1
        screen.turn(False)
        screen.wait_called("GetActive", count)
    assert not [each for each in server.history if TITLE in each.text]
    logind.close()


def test_agent_uses_a_system_bus_that_starts_late(paired, sandbox, desktop, directory):
    server = desktop.add(NotificationServer)
    (directory / "machine").mkdir()
    desktop.start(DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={directory}/machine/bus")
    push(paired, sandbox)
    server.only(TITLE)
    with contextlib.closing(Bus(directory / "machine")) as machine, contextlib.closing(Logind(machine, locked=True)):
        server.one(summary="A sign-on request is pending", body="")


# The daemon


@pytest.fixture
def scene(directory, scripted):
    """A desktop with an agent that is connected to the scripted daemon."""
    with contextlib.closing(Desktop(directory, scripted.socket)) as desktop:
        server = desktop.add(NotificationServer)
        desktop.start()
        yield server, scripted


def test_agent_truncates_long_texts_from_the_daemon(scene):
    server, scripted = scene
    scripted.answer("event.subscribe", {"subscription": "s1"})
    scripted.answer("service.status", {})
    scripted.answer("account.list", {"accounts": []})
    long = {"title": "t" * 1500, "body": "b" * 1500, "applicationContext": {"a": "c" * 1500}}
    scripted.answer("notification.list", {"notifications": [{**PUSH, **long}]})
    body = server.wait(lambda: [each.body for each in server.shown.values()])[0]
    assert "b" * 400 in body and len(body) < 1000


def test_agent_retries_if_the_daemon_refuses_a_subscription(scene):
    server, scripted = scene
    scripted.refuse("event.subscribe", 11010, "STORAGE", "no")
    scripted.answer("service.status", {})
    scripted.answer("account.list", {"accounts": []})
    scripted.answer("notification.list", {"notifications": []})
    scripted.answer("event.subscribe", {"subscription": "s1"})
    scripted.answer("service.status", {})
    scripted.answer("account.list", {"accounts": []})
    scripted.answer("notification.list", {"notifications": [PUSH]})
    server.only(TITLE)


def test_disabled_pin_is_reported_with_reset_and_not_as_locked(client, scene):
    status = client.call("service.status")
    status["protection"]["pin"] = "disabled"
    server, scripted = scene
    scripted.answer("event.subscribe", {"subscription": "s1"})
    request, connection = scripted.take("service.status")
    scripted.answer("account.list", {"accounts": []})
    scripted.answer("notification.list", {"notifications": [PUSH]})
    server.only(TITLE)
    # The agent also processes a late reply.
    connection.sendall(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": status}).encode() + b"\n")
    server.only("authctl reset", without=[TITLE, "authctl unlock"])


# Exit


def test_agent_exits_with_a_message_if_the_bus_is_missing(directory):
    agent = Agent(directory / "none", {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={directory}/none"})
    assert agent.wait() == NO_BUS
    assert "cannot connect to the session bus" in str(agent.journal)


def test_agent_exits_with_a_message_without_a_desktop_session(directory):
    agent = Process([AGENT], env=environment())
    assert agent.wait() == NO_BUS
    assert "cannot connect to the session bus" in str(agent.journal)


def test_agent_exits_if_its_bus_closes(paired, sandbox, desktop, server):
    push(paired, sandbox)
    server.only(TITLE)
    desktop.bus.close()
    assert desktop.agent.wait() == FAILED


def test_agent_exits_if_the_bus_refuses_its_match_rules(directory):
    rule = '<deny send_interface="org.freedesktop.DBus" send_member="AddMatch"/>'
    with contextlib.closing(Bus(directory, rule)) as bus:
        assert Agent(directory / "none", bus.variables).wait() == FAILED
