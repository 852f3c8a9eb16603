"""A connection of a user with little client overhead: replies are not checked against a schema."""

import json

from harness import users

EVENT = b'{"jsonrpc":"2.0","method":"event"'


def request(method, **params):
    """Returns the line of a request, prepared outside of the measured time."""
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


class Line:
    def __init__(self, uid, path):
        (self._socket,) = users.sockets_of(uid, path)
        self._lines = self._socket.makefile("rb")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._lines.close()
        self._socket.close()

    def ask(self, method, **params):
        self.ask_all([request(method, **params)])

    def ask_all(self, requests):
        """Sends all requests at once and reads the replies. None may be refused."""
        self._socket.sendall(b"".join(requests))
        for _ in requests:
            self._read()

    def refused(self, method, **params):
        """True if the request is rate limited. Any other error fails."""
        self._socket.sendall(request(method, **params))
        return b'"RATE_LIMITED"' in self._read(b'"RATE_LIMITED"')

    def event(self, **expected):
        """Returns the payload of the next event with these members."""
        while True:
            payload = json.loads(self._lines.readline())["params"]["payload"]
            if payload.items() >= expected.items():
                return payload

    def _read(self, allowed=b'"result"'):
        reply = self._lines.readline()
        while reply.startswith(EVENT):
            reply = self._lines.readline()
        assert b'"result"' in reply or allowed in reply, reply
        return reply
