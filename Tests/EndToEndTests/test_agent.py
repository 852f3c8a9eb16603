"""mfa-agent shows each pending request as one notification. The notification server is independent of the agent."""

import contextlib
import signal

import pytest

from harness import flows
from harness.desktop import BODY, TITLE, Desktop, Logind, NotificationServer, ScreenSaver, push, settled

PIN = "280491"


@pytest.mark.parametrize(
    "button, state, reason, status",
    [
        ("Approve", "approved", None, "COMPLETED"),
        ("Deny", "denied", "NONE", "FAILED"),
        ("Report", "denied", "REPORT_FRAUD", "FAILED"),
    ],
)
def test_pressing_a_button_answers_the_request(paired, sandbox, server, button, state, reason, status):
    started, waiting = push(paired, sandbox)
    shown = server.only(TITLE, BODY)
    assert list(shown.buttons) == ["Approve", "Deny", "Report"] and (shown.urgency, shown.lasts) == (1, 0)
    server.press(shown, button)
    done = settled(paired, waiting)
    assert (done["state"], done["answer"].get("reason")) == (state, reason)
    assert sandbox.authentication(started)["status"] == status
    server.wait_empty()
    assert len(server.history) == 1


def test_agent_shows_a_request_that_was_pending_at_its_start(paired, sandbox, desktop):
    push(paired, sandbox)
    server = desktop.add(NotificationServer)
    desktop.start()
    server.only(TITLE, BODY)


def test_agent_waits_for_a_notification_server_that_starts_late(paired, sandbox, desktop):
    push(paired, sandbox)
    desktop.start().journal.wait("cannot show notifications")
    desktop.add(NotificationServer).only(TITLE, BODY)


def test_several_requests_are_shown_together_and_answered_separately(paired, sandbox, server):
    waiting = {f"question {number}": push(paired, sandbox, f"question {number}") for number in range(3)}
    server.wait(lambda: len(server.shown) == 3)
    for question, (started, one) in waiting.items():
        shown = next(each for each in server.shown.values() if question in each.body)
        server.press(shown, "Deny" if question.endswith("1") else "Approve")
        state = settled(paired, one)["state"]
        assert state == ("denied" if question.endswith("1") else "approved")
        assert sandbox.authentication(started)["status"] == ("FAILED" if state == "denied" else "COMPLETED")
    server.wait_empty()
    assert len(server.history) == 3


def test_notification_names_the_command_if_a_number_must_be_typed(paired, sandbox, server):
    sandbox.match_numbers("ENTER_MANUALLY")
    _, waiting = push(paired, sandbox)
    shown = server.only(TITLE, "authctl approve")
    assert list(shown.buttons) == ["Deny", "Report"]
    # An action that is not a button of the notification approves nothing.
    server.invoke(shown.number, "approve")
    server.press(shown, "Deny")
    assert settled(paired, waiting)["state"] == "denied"


@pytest.mark.parametrize("is_right", [True, False])
def test_numbers_to_choose_from_are_shown_as_buttons(paired, sandbox, server, is_right):
    sandbox.match_numbers("SELECT_NUMBER")
    started, waiting = push(paired, sandbox)
    shown = server.only(TITLE, "press the number")
    number = str(sandbox.authentication(started)["numberMatching"]["number"])
    numbers = [button for button in shown.buttons if button.isdigit()]
    # A server that shows three buttons at most may hide the right number; the first button always denies.
    assert number in numbers and list(shown.buttons) == ["Deny", *numbers, "Report"]
    assert "authctl approve" in shown.body
    server.press(shown, number if is_right else next(one for one in numbers if one != number))
    assert settled(paired, waiting)["state"] == ("approved" if is_right else "denied")
    assert sandbox.authentication(started)["status"] == ("COMPLETED" if is_right else "FAILED")
    if not is_right:
        server.wait_told("the request is denied now")


def test_agent_reports_that_a_wrong_number_locked_the_account(paired, sandbox, server):
    sandbox.match_numbers("SELECT_NUMBER")
    sandbox.limit_pushes(1)
    started, _ = push(paired, sandbox)
    shown = server.only(TITLE, "press the number")
    number = str(sandbox.authentication(started)["numberMatching"]["number"])
    server.press(shown, next(one for one in shown.buttons if one.isdigit() and one != number))
    server.wait_told("the request is denied now", "the account is locked")


def test_notification_closes_if_answered_elsewhere_and_a_late_press_has_no_effect(paired, sandbox, server):
    started, waiting = push(paired, sandbox)
    shown = server.only(TITLE)
    paired.call("notification.deny", notification=waiting)
    server.wait_empty()
    server.invoke(shown.number, shown.buttons["Approve"])
    server.only("this request has ended")
    assert settled(paired, waiting)["state"] == "denied"
    assert sandbox.authentication(started)["status"] == "FAILED"


@pytest.mark.slow
def test_notification_closes_when_the_request_expires(paired, sandbox, server):
    sandbox.wait_for_answers(40)
    _, waiting = push(paired, sandbox)
    server.only(TITLE)
    assert settled(paired, waiting)["state"] == "expired"
    server.wait_empty()


def test_notification_closes_when_the_request_is_cancelled(paired, sandbox, server):
    started, _ = push(paired, sandbox)
    server.only(TITLE)
    sandbox.act(started, "cancel.push.authentication", {"reason": "CHANGE_DEVICE"})
    server.wait_empty()


def test_dismissed_notification_stays_closed_and_its_request_stays_pending(paired, sandbox, server):
    _, first = push(paired, sandbox, "the first")
    server.dismiss(server.only("the first"))
    push(paired, sandbox, "the second")
    server.only("the second")
    assert paired.call("notification.get", notification=first)["notification"]["state"] == "pending"


EVIL = "<b>bold</b> & <a href='x'>link</a> \u202eflah tfel\u202c \x1b[31mred"


def test_markup_is_escaped_if_the_server_supports_markup(paired, sandbox, server):
    push(paired, sandbox, EVIL)
    body = server.only(TITLE).body
    assert "&lt;b&gt;bold&lt;/b&gt; &amp; &lt;a href=" in body and "<" not in body
    assert not {"\u202e", "\u202c", "\x1b"} & set(body)


def test_text_is_not_escaped_if_the_server_does_not_support_markup(paired, sandbox, desktop):
    server = desktop.add(NotificationServer, capabilities=["actions", "body"])
    desktop.start()
    push(paired, sandbox, EVIL)
    body = server.only(TITLE).body
    assert "<b>bold</b> & <a href=" in body and not {"\u202e", "\u202c", "\x1b"} & set(body)


def test_notification_names_commands_if_the_server_has_no_buttons(paired, sandbox, desktop):
    server = desktop.add(NotificationServer, capabilities=["body"])
    desktop.start()
    push(paired, sandbox)
    shown = server.only(TITLE, "authctl approve", "authctl deny")
    assert shown.buttons == {}


def test_summary_contains_the_body_if_the_server_supports_no_bodies(paired, sandbox, desktop):
    server = desktop.add(NotificationServer, capabilities=["actions"])
    desktop.start()
    push(paired, sandbox)
    server.wait(lambda: [each for each in server.shown.values() if BODY in each.summary and not each.body])


@pytest.mark.parametrize("kind", [ScreenSaver, Logind])
def test_locked_session_hides_requests_and_ignores_buttons(paired, sandbox, desktop, kind):
    server, screen = desktop.add(NotificationServer), desktop.add(kind)
    desktop.start()
    started, waiting = push(paired, sandbox)
    open_one = server.only(TITLE, BODY)
    screen.turn(True)
    hidden = server.one(summary="A sign-on request is pending", body="")
    assert hidden.buttons == {}
    # Neither the notification from before the lock nor the current one accepts a button.
    server.invoke(open_one.number, open_one.buttons["Approve"])
    server.invoke(hidden.number, "approve")
    push(paired, sandbox, "another")
    since = len(server.history)
    screen.turn(False)
    server.wait(lambda: len(server.shown) == 2 and all(TITLE in each.summary for each in server.shown.values()))
    assert not [each for each in server.history[since:] if each.summary == "A sign-on request is pending"]
    assert paired.call("notification.get", notification=waiting)["notification"]["state"] == "pending"
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"


def test_agent_hides_requests_if_the_session_is_locked_at_its_start(paired, sandbox, desktop):
    push(paired, sandbox)
    server, _ = desktop.add(NotificationServer), desktop.add(ScreenSaver, active=True)
    desktop.start()
    server.one(summary="A sign-on request is pending", body="")
    assert not [each for each in server.history if TITLE in each.summary]


def test_locked_owner_sees_the_unlock_command_and_can_deny(paired, sandbox, server):
    paired.call("lock.set", pin=PIN)
    _, waiting = push(paired, sandbox)
    shown = server.only("authctl unlock", without=[TITLE, BODY])
    assert list(shown.buttons) == ["Deny", "Report"]
    paired.call("lock.unlock", pin=PIN)
    shown = server.only(TITLE, BODY)
    paired.call("lock.now")
    shown = server.only("authctl unlock", without=[TITLE, BODY])
    server.press(shown, "Deny")
    assert settled(paired, waiting)["state"] == "denied"


def test_notification_names_the_command_if_presence_is_required(directory, make_daemon, sandbox):
    daemon = make_daemon(require_presence="all").start()
    client = daemon.client()
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    flows.pair(client, sandbox)
    client.subscribe("notification")
    with contextlib.closing(Desktop(directory, daemon.socket)) as desktop:
        server = desktop.add(NotificationServer)
        desktop.start()
        push(client, sandbox)
        assert list(server.only(TITLE, "authctl approve").buttons) == ["Deny", "Report"]


def test_a_refused_approval_is_shown_with_its_reason(directory, make_daemon, sandbox):
    daemon = make_daemon(require_number="yes").start()
    client = daemon.client()
    flows.pair(client, sandbox)
    client.subscribe("notification")
    with contextlib.closing(Desktop(directory, daemon.socket)) as desktop:
        server = desktop.add(NotificationServer)
        desktop.start()
        _, waiting = push(client, sandbox)
        server.press(server.only(TITLE), "Approve")
        server.press(server.only(TITLE, "number"), "Deny")
        assert settled(client, waiting)["state"] == "denied"


@pytest.mark.parametrize("number", [1, 100])
def test_new_notification_server_shows_each_request_once(paired, sandbox, desktop, number):
    first = desktop.add(NotificationServer)
    desktop.start()
    _, waiting = push(paired, sandbox)
    shown = first.only(TITLE)
    first.close()
    second = desktop.add(NotificationServer, capabilities=["actions", "body"], first=number)
    shown = second.only(TITLE)
    second.press(shown, "Approve")
    assert settled(paired, waiting)["state"] == "approved"
    second.wait_empty()
    assert len(second.history) == 1


def test_restarted_daemon_causes_no_duplicate_notifications(daemon, paired, sandbox, desktop, server):
    _, waiting = push(paired, sandbox)
    shown = server.only(TITLE)
    since = desktop.agent.journal.count
    daemon.stop()
    desktop.agent.journal.wait("the daemon is unavailable", since=since)
    since = desktop.agent.journal.count
    daemon.start()
    desktop.agent.journal.wait("connected to the daemon", since=since)
    client = daemon.client()
    client.subscribe("notification")
    server.press(shown, "Approve")
    assert settled(client, waiting)["state"] == "approved"
    server.wait_empty()
    assert not [each for each in server.history[1:] if "your answer failed" not in each.body]


def test_pressing_a_button_reports_that_the_daemon_is_not_running(daemon, paired, sandbox, desktop, server):
    push(paired, sandbox)
    shown = server.only(TITLE)
    daemon.stop()
    desktop.agent.journal.wait("the daemon is unavailable")
    server.press(shown, "Approve")
    server.only(TITLE, "your answer failed", "the daemon is unavailable")


def test_agent_closes_all_notifications_when_it_exits(paired, sandbox, desktop, server):
    push(paired, sandbox)
    server.only(TITLE)
    desktop.agent.signal(signal.SIGTERM)
    assert desktop.agent.wait() == 0
    server.wait_empty()
