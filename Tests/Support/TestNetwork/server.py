"""An HTTP server that behaves correctly or incorrectly on demand. It exits at the end of its standard input.

usage: server.py [--tls CERTIFICATE KEY] [--only-tls11]
It prints its port. Each handler has a comment with the effect of its path.
"""
import http.server, json, os, select, ssl, sys, threading

lock = threading.Condition()
hits, counts, released = {}, {"held": 0, "left": 0, "connections": 0}, threading.Event()


def count(table, name):
    with lock:
        table[name] = table.get(name, 0) + 1
        lock.notify_all()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, headers=()):
        body = body if isinstance(body, bytes) else str(body).encode()
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def setup(self):
        count(counts, "connections")
        super().setup()

    def any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        name, _, argument = self.path.lstrip("/").partition("/")
        count(hits, name)
        if name == "hello":  # a simple response with two header fields of one name
            self.answer(200, "hello", [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2"), ("X-Empty", "")])
        elif name == "echo":  # the request in JSON
            headers = [[field, value] for field, value in self.headers.items()]
            text = {"method": self.command, "path": self.path, "headers": headers, "body": body.hex()}
            self.answer(200, json.dumps(text))
        elif name == "redirect":  # a redirect
            self.answer(302, "", [("Location", "/hello")])
        elif name == "bytes":  # a body of that length, with Content-Length
            self.answer(200, b"x" * int(argument))
        elif name == "stream":  # a body of that length, chunked
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for _ in range(0, int(argument), 1024):
                self.wfile.write(b"400\r\n" + b"x" * 1024 + b"\r\n")
            self.wfile.write(b"0\r\nX-Trailer: late\r\n\r\n")
        elif name == "pieces":  # a body of that length in chunks of one byte, all sent at once
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"1\r\nx\r\n" * int(argument) + b"0\r\n\r\n")
        elif name == "lines":  # the given number of lines, chunked
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for index in range(int(argument)):
                for piece in (b"line", b" %d\n" % index):
                    self.wfile.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        elif name == "around":  # a line of that length between two others, chunked
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in (b"before\n", *[b"x" * 1000] * (int(argument) // 1000), b"x" * (int(argument) % 1000), b"\nafter\n"):
                if piece:
                    self.wfile.write(b"%x\r\n" % len(piece) + piece + b"\r\n")
            self.wfile.write(b"0\r\n\r\n")
        elif name == "headers":  # the given number of KiB of header fields
            self.answer(200, "", [("X-%d" % index, "x" * 1000) for index in range(int(argument))])
        elif name == "interim":  # an interim response before the final one
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n")
            self.answer(200, "late")
        elif name == "garbage":  # not HTTP
            self.wfile.write(b"220 smtp.example ESMTP\r\n")
            self.close_connection = True
        elif name == "drop":  # no response
            self.close_connection = True
        elif name == "hold":  # a response after /release, unless the client disconnects before
            self.hold()
        elif name == "release":
            released.set()
            self.answer(200, "")
        elif name == "await":  # a response when a counter reaches that value: /await/held/64
            counter, _, value = argument.partition("/")
            with lock:
                lock.wait_for(lambda: counts[counter] >= int(value))
            self.answer(200, counts[counter])
        elif name == "count":  # the current value of a counter
            self.answer(200, counts.get(argument, hits.get(argument, 0)))
        else:
            self.answer(404, "")

    def hold(self):
        count(counts, "held")
        while not released.is_set():
            if select.select([self.connection], [], [], 0.02)[0]:
                count(counts, "left")
                self.close_connection = True
                return
        self.answer(200, "held")

    def do_CONNECT(self):  # as a proxy: refuses the connection
        count(hits, "CONNECT-" + self.path)
        self.answer(403, "")
        self.close_connection = True

    do_GET = do_POST = do_PUT = do_DELETE = any


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 256
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # Tests use clients that disconnect.


server = Server(("127.0.0.1", 0), Handler)
if "--tls" in sys.argv:
    index = sys.argv.index("--tls")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if "--only-tls11" in sys.argv:
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.load_cert_chain(sys.argv[index + 1], sys.argv[index + 2])
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_port, flush=True)
sys.stdin.read()
os._exit(0)
