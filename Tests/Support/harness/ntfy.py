"""A relay according to ntfy's documentation: topics that accept messages of anyone, and their JSON stream."""

import base64
import contextlib
import json
import queue
import secrets
import string
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .programs import PATIENCE

KEEPALIVE = 45
"""Interval of ntfy's keepalive messages in seconds."""

ID_LETTERS, ID_LENGTH = string.ascii_letters + string.digits, 12


class Ntfy:
    """Keeps messages and repeats them for `since`. `streams` has the parameters of each subscription."""

    def __init__(self):
        self.streams = []
        self.status = 200
        self._messages, self._subscribers = [], []
        self._changed = threading.Condition()
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                relay._publish(self)

            do_PUT = do_POST

            def do_GET(self):
                relay._stream(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.break_off()
        self._server.shutdown()
        self._server.server_close()

    # Test interface

    def subscriptions(self, count):
        """Waits until there have been this many subscriptions, and returns them."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.streams) >= count, PATIENCE), self.streams
            return list(self.streams)

    @property
    def messages(self):
        """Returns the received messages."""
        with self._changed:
            return list(self._messages)

    @property
    def open(self):
        """Number of current subscribers."""
        with self._changed:
            return len(self._subscribers)

    def wait_closed(self):
        with self._changed:
            assert self._changed.wait_for(lambda: not self._subscribers, PATIENCE), "somebody still listens"

    def break_off(self):
        """Closes all streams abruptly."""
        with self._changed:
            for lines in self._subscribers:
                lines.put(None)

    def raw(self, line):
        """Sends any line to all subscribers."""
        with self._changed:
            for lines in self._subscribers:
                lines.put(line)

    def message(self, topic, text, **more):
        """Returns a message as JSON object."""
        event = {"id": "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH)), "time": int(time.time()), "event": "message", "topic": topic}
        return {**event, "message": text, **more}

    def tell(self, message):
        """Stores a message and sends it to all subscribers."""
        with self._changed:
            self._messages.append(message)
            for lines in self._subscribers:
                lines.put(json.dumps(message).encode())

    # HTTP

    def _publish(self, handler):
        address = urllib.parse.urlsplit(handler.path)
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        topic = address.path.strip("/")
        try:
            message = self.message(topic, body.decode())
        except UnicodeDecodeError:
            if "up" in urllib.parse.parse_qs(address.query):
                message = self.message(topic, base64.b64encode(body).decode(), encoding="base64")
            else:
                # Without UnifiedPush, it becomes a file.
                file = {"name": "attachment.bin", "url": f"{self.url}/file/attachment.bin"}
                message = self.message(topic, "You received a file: attachment.bin", attachment=file)
        self.tell(message)
        text = json.dumps(message).encode()
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def _stream(self, handler):
        address = urllib.parse.urlsplit(handler.path)
        asked = dict(urllib.parse.parse_qsl(address.query))
        topic, _, kind = address.path.strip("/").partition("/")
        with self._changed:
            self.streams.append({"topic": topic, "kind": kind, **asked})
            self._changed.notify_all()
        if self.status != 200 or kind != "json":
            handler.send_response(self.status if self.status != 200 else 404)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        lines = queue.Queue()
        lines.put(json.dumps({"id": "o", "time": int(time.time()), "event": "open", "topic": topic}).encode())
        with self._changed:
            for message in self._since(asked.get("since", str(int(time.time()))), topic):
                lines.put(json.dumps(message).encode())
            self._subscribers.append(lines)
        handler.send_response(200)
        handler.send_header("Content-Type", "application/x-ndjson; charset=utf-8")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.close_connection = True
        with contextlib.suppress(OSError):
            self._pass_on(handler, lines, topic)
        with self._changed:
            self._subscribers.remove(lines)
            self._changed.notify_all()

    def _since(self, since, topic):
        """Returns the messages since a time or after a message ID; all of them for an unknown ID."""
        messages = [message for message in self._messages if message["topic"] == topic]
        if len(since) != ID_LENGTH:
            return [message for message in messages if message["time"] >= int(since)]
        ids = [message["id"] for message in messages]
        return messages[ids.index(since) + 1 :] if since in ids else messages

    @staticmethod
    def _pass_on(handler, lines, topic):
        """Sends lines until the stream is closed, or the client has disconnected, which a keepalive detects."""
        last = time.monotonic()
        while True:
            try:
                line = lines.get(timeout=0.1)
            except queue.Empty:
                if _is_gone(handler.connection):
                    return
                if time.monotonic() - last < KEEPALIVE:
                    continue
                line = json.dumps({"id": "k", "time": int(time.time()), "event": "keepalive", "topic": topic}).encode()
            if line is None:
                return
            last = time.monotonic()
            data = line + b"\n"
            handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _is_gone(connection):
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        connection.setblocking(True)
