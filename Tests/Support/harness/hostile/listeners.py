"""Redirects that a daemon with an attacker's courier waits for."""

import contextlib
import json
import threading

from ..courier_child import CourierChild


class Listeners:
    """Lets the real courier listen for the redirects that the daemon requests of the attacker's courier."""

    def __init__(self, courier, real: CourierChild):
        self.courier, self.real = courier, real
        self.connection = None
        self.orders: list[dict] = []
        courier.listen = self._order
        self.thread = threading.Thread(target=self._carry_back)
        self.thread.start()

    def _order(self, connection, message: dict):
        self.connection = connection
        self.orders.append(message)
        # A daemon that ends after its courier still cancels its listeners.
        with contextlib.suppress(BrokenPipeError):
            self.real.write(json.dumps(message).encode())

    def _carry_back(self):
        while message := self.real.read():
            self.courier.say(self.connection, message)

    def end(self):
        self.real.end(self.thread)
