"""A simple browser: it keeps cookies, follows redirects and fills in forms, but runs no scripts."""

import html.parser
import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request

from .programs import PATIENCE


class _Forms(html.parser.HTMLParser):
    """The first form of a page."""

    def __init__(self):
        super().__init__()
        self.action, self.fields = None, {}

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form" and self.action is None:
            self.action = attributes["action"]
        elif tag == "input":
            self.fields[attributes["name"]] = attributes.get("value", "")


class _StopAt(urllib.request.HTTPRedirectHandler):
    """Follows redirects, except to URLs with a prefix, which the test opens itself."""

    def __init__(self, prefix):
        self.prefix = prefix

    def redirect_request(self, request, file, code, message, headers, address):
        if self.prefix and address.startswith(self.prefix):
            raise urllib.error.HTTPError(address, code, "not followed", headers, file)
        return super().redirect_request(request, file, code, message, headers, address)


class Browser:
    """A browser. It does not open URLs with the prefix `stops_at`, as if it were on another machine."""

    def __init__(self, stops_at=None):
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self._opener = urllib.request.build_opener(cookies, _StopAt(stops_at))
        self.address = self.page = None
        self.status = None

    def open(self, address, form=None):
        """Opens a URL and returns the final page."""
        body = urllib.parse.urlencode(form).encode() if form is not None else None
        try:
            response = self._opener.open(urllib.request.Request(address, data=body), timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            response = error
        self.address, self.status = response.url, response.status
        self.page = response.read().decode()
        return self.page

    def submit(self, **values):
        """Submits the form of the page with these values."""
        forms = _Forms()
        forms.feed(self.page)
        assert forms.action is not None, self.page
        return self.open(urllib.parse.urljoin(self.address, forms.action), {**forms.fields, **values})
