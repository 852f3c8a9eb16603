"""A request of the daemon to its courier."""

import base64
import json
import urllib.parse


class CourierRequest:
    """One request, as the daemon sent it."""

    def __init__(self, message):
        parts = urllib.parse.urlsplit(message["url"])
        self.message, self.id = message, message["id"]
        self.method, self.url = message["method"], message["url"]
        self.origin, self.path = f"{parts.scheme}://{parts.netloc}", parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query))
        self.headers = {name.lower(): value for name, value in message["headers"]}
        self.body = base64.b64decode(message["body"])

    def __repr__(self):
        return f"{self.method} {self.url}"

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))
