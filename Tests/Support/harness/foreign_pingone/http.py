"""A server that records its requests, and dispatches them by a table of routes."""

import dataclasses
import json
import re
import socket
import threading
import time
import urllib.parse
import uuid
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .faults import LOST, Held, Refusal


@dataclasses.dataclass
class Request:
    """A received request. `scope` is that of its access token, after validation."""

    method: str
    path: str
    query: dict
    headers: dict
    body: bytes
    operation: str | None = None
    scope: frozenset | None = None
    user: dict | None = None

    @property
    def content_type(self):
        return self.headers.get("content-type")

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode(), keep_blank_values=True))

    def json(self, media_type="application/json"):
        """Returns the body, which must be an object of this media type."""
        if (self.content_type or "").split(";")[0].strip() != media_type:
            raise Refusal(415, "UNSUPPORTED_MEDIA_TYPE")
        try:
            body = json.loads(self.body)
        except ValueError:
            raise Refusal(400, "INVALID_REQUEST") from None
        if not isinstance(body, dict):
            raise Refusal(400, "INVALID_REQUEST")
        return body


@dataclasses.dataclass
class Response:
    status: int = 200
    body: dict | None = None
    headers: list = dataclasses.field(default_factory=list)


class Listener:
    """An origin: routes are (method, pattern of the path, operation, function of the request and the groups)."""

    def __init__(self, tenant, routes=()):
        self.tenant, self.routes = tenant, list(routes)
        self.requests = []
        self._planned = {}
        self._lock = threading.Lock()
        listener = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _take(self):
                listener._serve(self)

            do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_HEAD = _take

            def date_time_string(self, timestamp=None):
                return formatdate(time.time() + tenant.date_offset, usegmt=True)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def plan(self, operation, *what):
        """Plans faults for the next requests of an operation, in order."""
        known = {route[2] for route in self.routes}
        assert operation in known, f"{operation} is none of {sorted(known)}"
        self._planned.setdefault(operation, []).extend(what)

    def asked(self, operation):
        """Returns the requests of an operation so far."""
        return [request for request in self.requests if request.operation == operation]

    def _serve(self, handler):
        address = urllib.parse.urlsplit(handler.path)
        headers = {name.lower(): value for name, value in handler.headers.items()}
        body = handler.rfile.read(int(headers.get("content-length", 0)))
        query = dict(urllib.parse.parse_qsl(address.query, keep_blank_values=True))
        request = Request(handler.command, address.path, query, headers, body)
        response, planned = self._answer(request)
        if isinstance(planned, Held):
            planned.hold()
        if planned == LOST:
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        try:
            self._send(handler, response)
        except OSError:
            handler.close_connection = True

    def _answer(self, request):
        """Handles requests one at a time, without concurrency."""
        with self._lock:
            self.requests.append(request)
            planned = None
            try:
                for method, pattern, operation, function in self.routes:
                    match = re.fullmatch(pattern, request.path)
                    if match and method == request.method:
                        request.operation = operation
                        planned = self._planned[operation].pop(0) if self._planned.get(operation) else None
                        if isinstance(planned, Refusal):
                            raise planned
                        return function(request, *match.groups()), planned
                raise Refusal(404, "NOT_FOUND")
            except Refusal as refusal:
                return Response(refusal.status, refusal.body(str(uuid.uuid4())), refusal.headers), planned

    @staticmethod
    def _send(handler, response):
        text = b"" if response.body is None else json.dumps(response.body).encode()
        handler.send_response(response.status)
        if response.body is not None:
            handler.send_header("Content-Type", "application/json;charset=UTF-8")
        for name, value in response.headers:
            handler.send_header(name, value)
        if response.status != 204:
            handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)
