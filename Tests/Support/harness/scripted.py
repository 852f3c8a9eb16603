"""A daemon with replies of the test, for cases that a real one cannot produce at the right time."""

import contextlib
import json
import queue
import socket
import threading

from .programs import PATIENCE


class ScriptedDaemon:
    """Listens at a path. A request waits until the test has taken and answered it."""

    def __init__(self, socket_path):
        self.socket = socket_path
        self._requests = queue.Queue()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(socket_path))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._read, args=(connection,), daemon=True).start()

    def _read(self, connection):
        with connection, connection.makefile("rb") as lines, contextlib.suppress(ConnectionError):
            for line in lines:
                self._requests.put((json.loads(line), connection))

    def take(self, method, timeout=PATIENCE):
        """Returns the next request, which must be for this method, and its connection."""
        request, connection = self._requests.get(timeout=timeout)
        assert request["method"] == method, request
        return request, connection

    def answer(self, method, result):
        """Answers the next request, which must be for this method, and returns its parameters."""
        return self._reply(method, {"result": result})

    def refuse(self, method, /, code, reason, message, **details):
        """Refuses the next request, which must be for this method, and returns its parameters."""
        data = {"reason": reason, "retry": True, "details": details}
        return self._reply(method, {"error": {"code": code, "message": message, "data": data}})

    def _reply(self, method, members):
        request, connection = self.take(method)
        answer = {"jsonrpc": "2.0", "id": request["id"], **members}
        connection.sendall(json.dumps(answer).encode() + b"\n")
        return request.get("params")

    def close(self):
        self._listener.close()
