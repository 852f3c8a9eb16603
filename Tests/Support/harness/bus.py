"""A separate message bus for a test, and programs on it that use an independent D-Bus library."""

import collections
import contextlib
import threading
import time

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from .process import Process
from .programs import PATIENCE, environment

CONFIGURATION = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
    {rules}
  </policy>
</busconfig>
"""


class Bus:
    """A real `dbus-daemon` without service activation. It serves as session bus and as system bus."""

    def __init__(self, directory, rules=""):
        path = directory / "bus"
        self.address = f"unix:path={path}"
        file = directory / "bus.conf"
        file.write_text(CONFIGURATION.format(path=path, rules=rules))
        self._process = Process(["dbus-daemon", "--nofork", "--print-address", f"--config-file={file}"], env=environment())
        self._process.output.wait("unix:")

    @property
    def variables(self):
        """The environment variables by which programs find it."""
        return {"DBUS_SESSION_BUS_ADDRESS": self.address, "DBUS_SYSTEM_BUS_ADDRESS": self.address}

    def close(self):
        if self._process.is_running:
            self._process.kill()


class Refused(Exception):
    """A reply with the D-Bus error of this name."""


class Peer:
    """A program with a bus name. It replies to calls by `answer_METHOD`, on a separate thread."""

    name = ""
    # True while replies are held back.
    is_held = False
    # The last caller.
    caller = None

    def __init__(self, bus):
        self._changed = threading.Condition(threading.RLock())
        # Number of calls of each method.
        self.calls = collections.Counter()
        self._connection = open_dbus_connection(bus=bus.address)
        self._connection.send_and_get_reply(message_bus.RequestName(self.name), timeout=PATIENCE)
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        # The thread ends when either side closes the connection.
        with contextlib.suppress(OSError, ValueError):
            while True:
                message = self._connection.receive()
                if message.header.message_type == MessageType.method_call:
                    self._answer(message)

    def _answer(self, call):
        with self._changed:
            method = call.header.fields[HeaderFields.member]
            self.caller = call.header.fields[HeaderFields.sender]
            self.calls[method] += 1
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self.is_held)
            answer = getattr(self, "answer_" + method, self._refuse)
            try:
                self._connection.send(new_method_return(call, *answer(*call.body)))
            except Refused as refusal:
                self._connection.send(new_error(call, str(refusal)))
            self._changed.notify_all()

    @staticmethod
    def _refuse(*_arguments):
        raise Refused("org.freedesktop.DBus.Error.UnknownMethod")

    def change(self, **attributes):
        """Changes attributes."""
        with self._changed:
            for name, value in attributes.items():
                setattr(self, name, value)
            self._changed.notify_all()

    def wait_called(self, method, count):
        """Waits until a method has been called `count` times."""
        self.wait(lambda: self.calls[method] >= count)

    def tell(self, path, interface, name, signature, *values, to=None):
        """Sends a signal to all subscribers, or to one program regardless of subscriptions."""
        signal = new_signal(DBusAddress(path, interface=interface), name, signature, values)
        if to is not None:
            signal.header.fields[HeaderFields.destination] = to
        with self._changed:
            self._connection.send(signal)

    def wait(self, condition):
        """Waits until a condition is true and returns its value."""
        deadline = time.monotonic() + PATIENCE
        with self._changed:
            while not (value := condition()):
                assert self._changed.wait(deadline - time.monotonic()), f"this did not come about; there is {self}"
            return value

    def close(self):
        self._connection.close()
