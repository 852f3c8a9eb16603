"""A daemon that answers as a test says, for what no real one would say at the right moment."""

import contextlib
import json
import queue
import socket
import threading

from .programs import PATIENCE


class ScriptedDaemon:
    """Listens at a path; a request waits until the test has taken it and answered."""

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
        """The next request, which has to be for a method, and the connection that it came from."""
        request, connection = self._requests.get(timeout=timeout)
        assert request["method"] == method, request
        return request, connection

    def answer(self, method, result):
        """Answers the next request, which has to be for a method, and returns its parameters."""
        return self._reply(method, {"result": result})

    def refuse(self, method, /, code, reason, message, **details):
        """Refuses the next request, which has to be for a method, and returns its parameters."""
        data = {"reason": reason, "retry": True, "details": details}
        return self._reply(method, {"error": {"code": code, "message": message, "data": data}})

    def _reply(self, method, members):
        request, connection = self.take(method)
        answer = {"jsonrpc": "2.0", "id": request["id"], **members}
        connection.sendall(json.dumps(answer).encode() + b"\n")
        return request.get("params")

    def close(self):
        self._listener.close()
