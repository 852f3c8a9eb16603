"""A web server on the loopback interface, for couriers."""

import contextlib
import urllib.parse

from .servers import answering


class WebServer:
    """Records requests. `/moved` redirects to another server, `/large` exceeds the maximum response size."""

    def __init__(self):
        self.asked: list[tuple[str, dict]] = []
        self.elsewhere = ""
        self._ends = contextlib.ExitStack()
        self.url = self._ends.enter_context(answering(self._answer, keeps_connections=True))
        self.port = urllib.parse.urlsplit(self.url).port

    def _answer(self, request):
        self.asked.append((request.path, dict(request.headers)))
        if request.path == "/moved":
            return 302, b"", ("Location", self.elsewhere)
        return 200, b"x" * (2 << 20) if request.path == "/large" else b"hello"

    def close(self):
        self._ends.close()
