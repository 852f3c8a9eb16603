"""Imitates PingOne's public Go client, in its requests and in the responses that it can decode."""

import json
import re
import urllib.error
import urllib.request

from .programs import PATIENCE
from .public_models import ERROR, faults

DECODED = re.compile(r"(?i:(?:application|text)/(?:vnd\.[^;]+\+)?json)")
"""The media types that it decodes, without `application/hal+json`."""


class PublicClient:
    def __init__(self, sandbox, token=None):
        self.url, self.token = sandbox.url, token or sandbox.announcement["adminToken"]
        self.base = f"/v1/environments/{sandbox.environment}"

    def send(self, method, path, body=None, media_type="application/json"):
        """Returns (status, decoded body, headers)."""
        headers = {
            "Accept": "application/json",
            "Authorization": f"Bearer {self.token}",
            "User-Agent": "pingtools PingOne-GOLANG-SDK-mfa/0.25.1",
        }
        data = None if body is None else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = media_type
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        try:
            response = urllib.request.urlopen(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            text = response.read()
            if not text:
                return response.status, None, response.headers
            assert DECODED.search(response.headers["Content-Type"]), "undefined response type"
            return response.status, json.loads(text), response.headers

    def call(self, method, path, rule, body=None, status=200):
        """Returns the response, which must have this status and match the client's model."""
        given, answer, _ = self.send(method, self.base + path, body)
        assert given == status, (given, answer)
        assert not faults(answer, rule), "\n".join(faults(answer, rule))
        return answer

    def refusal(self, method, path, status, body=None):
        """Returns an error that the client can decode."""
        return self.call(method, path, ERROR, body, status)

    def delete(self, path):
        assert self.send("DELETE", self.base + path)[:2] == (204, None)
