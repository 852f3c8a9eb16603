"""Servers other than PingOne's."""

import contextlib
import dataclasses
import datetime
import ipaddress
import socket
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class _Server(ThreadingHTTPServer):
    def handle_error(self, *request):
        """Ignores a client that was killed or does not read to the end; prints any other error."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(*request)


@contextlib.contextmanager
def answering(answer, context=None, port=0, keeps_connections=False):
    """Runs a server and yields its URL. `answer` returns (status, body, *headers), or None to disconnect.

    A request is its handler, with the read `body`.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1" if keeps_connections else "HTTP/1.0"

        def _take(self):
            self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told = answer(self)
            if told is None:
                self.close_connection = True
                return
            status, body, *headers = told
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _take

        def log_message(self, *_):
            pass

    server = _Server(("127.0.0.1", port), Handler)
    if context is not None:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@contextlib.contextmanager
def deserted():
    """Yields a URL without a server, reserved during the block."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


@dataclasses.dataclass
class Certificate:
    """A self-signed certificate, valid between two days relative to now."""

    host: str = "127.0.0.1"
    days: tuple = (-1, 1)

    def serving(self, directory):
        """Returns a TLS context with it, and its file."""
        key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
        now = datetime.datetime.now(datetime.timezone.utc)
        first, last = (now + datetime.timedelta(days=day) for day in self.days)
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(self.host))])
        certificate = (
            x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
            .not_valid_before(first)
            .not_valid_after(last)
            .add_extension(address, critical=False)
            .sign(key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        file = directory / "certificate.pem"
        file.write_bytes(
            certificate.public_bytes(pem)
            + key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context, file
