"""A desktop: services for `mfa-agent` on a separate message bus, and the agent itself."""

import re
import signal

from . import flows
from .bus import Bus, Peer, Refused
from .process import Process
from .programs import AGENT, environment

NOTIFICATIONS = "org.freedesktop.Notifications"
SAVER = "org.freedesktop.ScreenSaver"
LOGIND = "org.freedesktop.login1"

TITLE, BODY = "Sign on", "Approve the sign-on to Payroll?"


class Notification:
    """A shown notification."""

    def __init__(self, number, summary, body, actions, hints, lasts):
        self.number, self.summary, self.body, self.lasts = number, summary, body, lasts
        self.text = f"{summary}\n{body}"
        self.buttons = dict(zip(actions[1::2], actions[::2], strict=True))
        self.urgency = hints.get("urgency", (None, 1))[1]

    def __repr__(self):
        return f"{self.number}: {self.summary!r} {self.body!r} {list(self.buttons)}"


class NotificationServer(Peer):
    """A notification server, as seen by clients."""

    name = NOTIFICATIONS
    ALL = ("actions", "body", "body-markup")
    # Notifications with this text are refused.
    refused = None
    # True if it returns the IDs of notifications.
    tells_numbers = True

    def __init__(self, bus, capabilities=ALL, first=1):
        self.capabilities = list(capabilities)
        self.shown = {}
        # All notifications so far, the newest last.
        self.history = []
        self._next = first
        super().__init__(bus)

    def __repr__(self):
        return repr(list(self.shown.values()))

    def answer_GetCapabilities(self):
        return "as", (self.capabilities,)

    def answer_Notify(self, _name, replaced, _icon, summary, body, actions, hints, lasts):
        if self.refused is not None and self.refused in body:
            raise Refused("org.freedesktop.DBus.Error.InvalidArgs")
        if not self.tells_numbers:
            return None, ()
        if replaced not in self.shown:
            replaced, self._next = self._next, self._next + 1
        self.shown[replaced] = Notification(replaced, summary, body, actions, hints, lasts)
        self.history.append(self.shown[replaced])
        return "u", (replaced,)

    def answer_CloseNotification(self, number):
        if self.shown.pop(number, None):
            self._closed(number, 3)
        return None, ()

    def one(self, **expected):
        """Waits until there is exactly one notification with these attributes, and returns it."""

        def found():
            match list(self.shown.values()):
                case [only] if all(getattr(only, name) == value for name, value in expected.items()):
                    return only

        return self.wait(found)

    def only(self, *texts, without=()):
        """Waits until there is exactly one notification, with some texts and without others, and returns it."""

        def found():
            match list(self.shown.values()):
                case [only] if all(text in only.text for text in texts) and not any(text in only.text for text in without):
                    return only

        return self.wait(found)

    def wait_told(self, *texts):
        """Waits until one notification, shown now or before, contained all texts."""
        self.wait(lambda: any(all(text in each.body for text in texts) for each in self.history))

    def wait_empty(self):
        """Waits until no notification is shown."""
        self.wait(lambda: not self.shown)

    def press(self, notification, button):
        """Presses a button: the server sends the action and then closes the notification."""
        self.invoke(notification.number, notification.buttons[button])
        self.dismiss(notification)

    def invoke(self, number, key):
        """Sends an action, for an existing notification or not."""
        self._tell("ActionInvoked", "us", number, key)

    def dismiss(self, notification):
        """Dismisses a notification like a user."""
        self._close(notification, 2)

    def expire(self, notification):
        """Lets a notification expire."""
        self._close(notification, 1)

    def _close(self, notification, reason):
        with self._changed:
            if self.shown.pop(notification.number, None):
                self._closed(notification.number, reason)

    def _closed(self, number, reason):
        self._tell("NotificationClosed", "uu", number, reason)

    def _tell(self, name, signature, *values):
        self.tell("/org/freedesktop/Notifications", NOTIFICATIONS, name, signature, *values)


class ScreenSaver(Peer):
    """A screen locker."""

    name = SAVER

    def __init__(self, bus, active=False):
        self.active = active
        super().__init__(bus)

    def answer_GetActive(self):
        return "b", (self.active,)

    def turn(self, active):
        with self._changed:
            self.active = active
            self.tell("/org/freedesktop/ScreenSaver", SAVER, "ActiveChanged", "b", active)


class Logind(Peer):
    """The session manager of the machine."""

    name = LOGIND

    def __init__(self, bus, locked=False):
        self.locked = locked
        super().__init__(bus)

    def answer_Get(self, interface, name):
        assert (interface, name) == ("org.freedesktop.login1.Session", "LockedHint")
        return "v", (("b", self.locked),)

    def turn(self, locked):
        with self._changed:
            self.locked = locked
            changed = {"LockedHint": ("b", locked)}
            self.tell(
                "/org/freedesktop/login1/session/_31", "org.freedesktop.DBus.Properties", "PropertiesChanged", "sa{sv}as",
                "org.freedesktop.login1.Session", changed, [],
            )


class Agent(Process):
    """The real `mfa-agent`."""

    def __init__(self, socket, variables):
        super().__init__([AGENT, "--socket", socket], env=environment(**variables))


class Desktop:
    """A desktop with a real agent and other services."""

    def __init__(self, directory, socket):
        self.bus = Bus(directory)
        self._socket = socket
        self._peers = []
        self.agent = None

    def add(self, kind, **options):
        self._peers.append(kind(self.bus, **options))
        return self._peers[-1]

    def start(self, **variables):
        self.agent = Agent(self._socket, {**self.bus.variables, **variables})
        return self.agent

    def close(self):
        if self.agent is not None and self.agent.is_running:
            self.agent.signal(signal.SIGTERM)
            assert self.agent.wait() == 0, str(self.agent.journal)
        for peer in self._peers:
            peer.close()
        self.bus.close()
        if self.agent is not None:
            told = str(self.agent.journal)
            assert not re.search(rf"{TITLE}|Payroll|\bann\b", told), told


def push(client, sandbox, body=BODY):
    """Makes the platform send a push to ann. Returns the authentication and the ID of the received push."""
    started, arrived = flows.push(client, sandbox, template={"variables": {"title": TITLE, "body": body}})
    return started, arrived["id"]


def settled(client, push):
    """Waits until a push has completed, and returns it."""
    while True:
        state = client.call("notification.get", notification=push)["notification"]
        if state["state"] not in ("pending", "sending"):
            return state
        client.event("notification", id=push)
