"""The real `mfad-courier` behind a socket of its own, and a relay that can be interrupted between it and `mfad`."""

import base64
import json
import signal
import socket
import struct
import threading
import time
import urllib.parse

from .process import Process
from .programs import COURIER, PATIENCE, environment


class Courier:
    """A courier that serves the `courier_socket` of a configuration, or another path."""

    def __init__(self, configuration, path, arguments=()):
        self.process = Process([COURIER, "--config", configuration, *arguments], env=environment())
        # A courier says nothing when it listens: that its socket is there is all there is to see.
        deadline = time.monotonic() + PATIENCE
        while not path.is_socket():
            assert time.monotonic() < deadline and self.process.is_running, str(self.process.journal)
            time.sleep(0.005)

    def stop(self):
        """Asks it to end, which has to go well."""
        if self.process.is_running:
            self.process.signal(signal.SIGTERM)
            assert self.process.wait() == 0, str(self.process.journal)


class Received:
    """An answer to the daemon."""

    def __init__(self, message):
        self.status, self.headers = message["status"], message["headers"]
        self.body = base64.b64decode(message["body"]).decode(errors="replace")


class Sent:
    """A request of the daemon's."""

    def __init__(self, message):
        parts = urllib.parse.urlsplit(message["url"])
        self.method, self.path, self.query = message["method"], parts.path, parts.query
        self.origin = f"{parts.scheme}://{parts.netloc}"
        self.headers = {name.lower(): value for name, value in message["headers"]}
        self.body = base64.b64decode(message["body"]).decode()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body))


class Relay:
    """Passes every message on; `on_request` and `on_answer` hear of each exchange and may keep it back by true.

    `sent` holds every request as the daemon sent it, `received` every answer as it got it.
    """

    def __init__(self, path, courier_path):
        self.on_request = self.on_answer = lambda exchange: False
        self.sent, self.received = [], []
        self._courier_path = str(courier_path)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self):
        while True:
            try:
                daemon, _ = self._listener.accept()
            except OSError:
                return
            courier = socket.socket(socket.AF_UNIX)
            courier.connect(self._courier_path)
            exchanges = {}
            for source, target, passes in (
                (daemon, courier, lambda message, known=exchanges: self._passes_request(message, known)),
                (courier, daemon, lambda message, known=exchanges: self._passes_answer(message, known)),
            ):
                threading.Thread(target=self._pump, args=(source, target, passes), daemon=True).start()

    @staticmethod
    def _pump(source, target, passes):
        """Messages are framed by four bytes of length, the most significant first."""
        try:
            with source.makefile("rb") as stream:
                while len(head := stream.read(4)) == 4:
                    body = stream.read(struct.unpack(">I", head)[0])
                    if passes(json.loads(body)):
                        target.sendall(head + body)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _passes_request(self, message, exchanges):
        if "url" not in message:
            return True
        exchange = f"{message['method']} {urllib.parse.urlsplit(message['url']).path}"
        exchanges[message["id"]] = exchange
        self.sent.append(Sent(message))
        return not self.on_request(exchange)

    def _passes_answer(self, message, exchanges):
        if "body" in message:
            self.received.append(Received(message))
        # What a listener says belongs to no exchange.
        return message["id"] not in exchanges or not self.on_answer(exchanges[message["id"]])
