"""A web server on the loopback, as a courier finds it."""

import http.server
import threading


class Server(http.server.ThreadingHTTPServer):
    """Notes what it is asked; `/moved` leads to another server, `/large` is larger than an answer may be."""

    daemon_threads = True

    def __init__(self):
        self.asked: list[tuple[str, dict]] = []
        self.elsewhere = ""
        super().__init__(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def handle_error(self, *_):
        """The courier does not read to its end what is too large."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def end(self):
        self.shutdown()
        self.thread.join()
        self.server_close()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append((self.path, dict(self.headers)))
        body = b"x" * (2 << 20) if self.path == "/large" else b"hello"
        self.send_response(302 if self.path == "/moved" else 200)
        if self.path == "/moved":
            self.send_header("Location", self.server.elsewhere)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass
