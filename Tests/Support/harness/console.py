"""The console of the sandbox, used by a browser without scripts or by an attacker."""

import html.parser
import http.client
import urllib.parse

from .programs import PATIENCE

VOID = {"input", "meta", "link", "br"}


class Page(html.parser.HTMLParser):
    """A received page: status, headers, text, and forms with their values."""

    def __init__(self, response):
        super().__init__()
        self.status, self.headers = response.status, response.headers
        self.source = response.read().decode()
        self.title, self.forms, self.links, self.tags, self.labelled = "", [], [], [], []
        self._open, self._words = [], []
        self.feed(self.source)
        assert not self._open, f"{self._open} stay open"

    @property
    def words(self):
        return " ".join(" ".join(self._words).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        if tag not in VOID:
            self._open.append(tag)
        if tag == "form":
            self.forms.append({"action": attributes["action"], "method": attributes["method"], "fields": {}})
        elif tag == "a":
            self.links.append(attributes["href"])
        elif tag == "select":
            self._select = attributes["name"]
        elif tag == "option":
            if "selected" in attributes or self._select not in self.forms[-1]["fields"]:
                self.forms[-1]["fields"][self._select] = attributes["value"]
        elif tag == "input":
            if attributes["type"] != "checkbox":
                self.forms[-1]["fields"][attributes["name"]] = attributes.get("value", "")
            elif "checked" in attributes:
                self.forms[-1]["fields"][attributes["name"]] = "on"
        if tag in ("input", "select") and attributes.get("type") != "hidden":
            self.labelled.append("label" in self._open)

    def handle_endtag(self, tag):
        assert self._open and self._open.pop() == tag, f"{tag} closes what is not open"

    def handle_data(self, data):
        self._words.append(data)
        if self._open[-1:] == ["title"]:
            self.title = data

    def form(self, action):
        """Returns the fields of the only form with this action."""
        (found,) = [form for form in self.forms if form["action"] == action]
        return dict(found["fields"])


class Console:
    """A browser user, without a session before `enter()`."""

    def __init__(self, sandbox):
        self.sandbox, self.cookie = sandbox, None
        self.port = urllib.parse.urlsplit(sandbox.url).port

    def request(self, method, path, form=None, headers=()):
        """Sends one request, with forged headers if given. Does not follow redirects."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        sent = {"Content-Type": "application/x-www-form-urlencoded"} if form is not None else {}
        if self.cookie:
            sent["Cookie"] = self.cookie
        body = urllib.parse.urlencode(form) if isinstance(form, dict) else form
        connection.request(method, path, body, {**sent, **dict(headers)})
        page = Page(connection.getresponse())
        connection.close()
        return page

    def ticket(self):
        """Returns the path of a URL that starts a session."""
        address = self.sandbox.request("POST", "/sandbox/console")["address"]
        assert address.startswith(f"{self.sandbox.url}/console/enter?ticket=")
        return address.removeprefix(self.sandbox.url)

    def enter(self):
        """Starts a session with a ticket."""
        return self.take_cookie(self.request("GET", self.ticket()))

    def take_cookie(self, page):
        assert (page.status, page.headers["Location"]) == (303, "/console"), page.words
        self.cookie = page.headers["Set-Cookie"].split(";")[0]
        return self

    def get(self, path):
        page = self.request("GET", path)
        assert page.status == 200, page.words
        return page

    def submit(self, page, action, **values):
        """Submits a form of a page with these values, and returns the page after the redirect."""
        fields = {**page.form(action), **values}
        done = self.request("POST", action, {name: value for name, value in fields.items() if value is not None})
        assert done.status == 303, done.words
        return self.get(done.headers["Location"])

    def user_path(self, name):
        return f"/console/users/{self.sandbox.users[name]['id']}"


def pages(console):
    """Returns all pages that are reachable by links."""
    seen, found = {}, ["/console/users"]
    while found:
        path = found.pop()
        if path not in seen:
            seen[path] = console.get(path)
            found += [link for link in seen[path].links if link.startswith("/")]
    return seen
