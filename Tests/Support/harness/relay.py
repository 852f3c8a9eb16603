"""A relay between `mfad` and `mfad-courier` that can be interrupted."""

import base64
import json
import socket
import threading

from .courier_request import CourierRequest
from .frames import frame, read_frame


class Received:
    """A response to the daemon."""

    def __init__(self, message):
        self.status, self.headers = message["status"], message["headers"]
        self.body = base64.b64decode(message["body"]).decode(errors="replace")


class Relay:
    """Forwards messages. `on_request` and `on_answer` get each exchange, and hold the message by returning true.

    `sent` has all requests of the daemon, `received` all responses to it.
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
        try:
            with source.makefile("rb") as stream:
                while (body := read_frame(stream)) is not None:
                    if passes(json.loads(body)):
                        target.sendall(frame(body))
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
        request = CourierRequest(message)
        self.sent.append(request)
        exchange = exchanges[request.id] = f"{request.method} {request.path}"
        return not self.on_request(exchange)

    def _passes_answer(self, message, exchanges):
        if "body" in message:
            self.received.append(Received(message))
        # Messages of listeners belong to no exchange.
        return message["id"] not in exchanges or not self.on_answer(exchanges[message["id"]])
