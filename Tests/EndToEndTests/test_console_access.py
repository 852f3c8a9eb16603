"""Access to the console of the sandbox: sign-in, DNS rebinding and cross-site requests."""

import re

import pytest

from harness.console import Console, pages
from harness.sandbox import Refused


def test_console_requires_sign_in_for_every_page_and_form(sandbox):
    nobody = Console(sandbox)
    inside = Console(sandbox).enter()
    seen = pages(inside)
    for cookie in (None, "console-1=x", inside.cookie[:-1], inside.cookie.split("=")[0] + "="):
        nobody.cookie = cookie
        for path, page in seen.items():
            for method, target, form in [("GET", path, None)] + [("POST", form["action"], form["fields"]) for form in page.forms]:
                asked = nobody.request(method, target, form)
                assert (asked.status, asked.headers["Location"], asked.source) == (303, "/console/enter", "")
    assert "ann" not in nobody.get("/console/enter").words


def test_console_accepts_only_the_administrator_token(sandbox):
    console = Console(sandbox)
    for token in ("", "x", sandbox.announcement["adminToken"][:-1], sandbox.users["ann"]["password"]):
        refused = console.request("POST", "/console/enter", {"adminToken": token})
        assert refused.status == 403 and "Set-Cookie" not in refused.headers and "not the token" in refused.words
    page = console.request("POST", "/console/enter", {"adminToken": sandbox.announcement["adminToken"]})
    cookie = page.headers["Set-Cookie"]
    assert re.fullmatch(rf"console-{console.port}=\w{{43}}; Path=/console; HttpOnly; SameSite=Strict", cookie)
    assert console.take_cookie(page).get("/console/users").title.startswith("Users")


def test_console_ticket_is_valid_once(sandbox):
    console = Console(sandbox)
    ticket = console.ticket()
    assert console.request("GET", ticket[:-1]).status == 403
    console.take_cookie(console.request("GET", ticket))
    assert console.request("GET", ticket).status == 403
    with pytest.raises(Refused) as refused:
        sandbox.request("POST", "/sandbox/console", token="x")
    assert refused.value.status == 401


def test_leaving_the_console_ends_the_session(console):
    page = console.get("/console/users")
    left = console.request("POST", "/console/leave", page.form("/console/leave"))
    assert (left.status, left.headers["Location"]) == (303, "/console/enter")
    assert console.request("GET", "/console/users").status == 303


def test_console_rejects_other_host_names(console, sandbox):
    """DNS rebinding: for a browser, a foreign host name that resolves to this machine is the same origin."""
    hosts = ["evil.test", f"evil.test:{console.port}", "127.0.0.1", f"127.0.0.1:{console.port}.evil.test", f"[::1]:{console.port}", ""]
    form = console.get("/console/users").form("/console/users") | {"username": "mallory"}
    for host in hosts:
        for method, path, body in (("GET", "/console/users", None), ("GET", "/console/enter", None), ("POST", "/console/users", form),
                                   ("POST", "/console/enter", {"adminToken": sandbox.announcement["adminToken"]})):
            page = console.request(method, path, body, [("Host", host)])
            assert page.status in (400, 421) and "Set-Cookie" not in page.headers and "ann" not in page.words, (host, path)
            assert form["token"] not in page.source
    assert "mallory" not in console.get("/console/users").words
    assert console.request("GET", "/console/users", headers=[("Host", f"localhost:{console.port}")]).status == 200


def test_console_rejects_cross_site_forms(console, sandbox):
    form = console.get("/console/users").form("/console/users") | {"username": "mallory"}
    other = Console(sandbox).enter().get("/console/users").form("/console/users")
    for more in ({"token": "x"}, {"token": ""}, {"token": other["token"]}):
        assert console.request("POST", "/console/users", {**form, **more}).status == 403
    assert console.request("POST", "/console/users", {"username": "mallory"}).status == 403
    for header, value in (("Origin", "null"), ("Origin", "http://evil.test"), ("Origin", f"http://127.0.0.1:{console.port + 1}"),
                          ("Origin", f"https://127.0.0.1:{console.port}"), ("Sec-Fetch-Site", "cross-site"),
                          ("Sec-Fetch-Site", "same-site"), ("Sec-Fetch-Site", "none")):
        assert console.request("POST", "/console/users", form, [(header, value)]).status == 403, value
        entering = {"adminToken": sandbox.announcement["adminToken"]}
        assert console.request("POST", "/console/enter", entering, [(header, value)]).status == 403, value
    assert console.request("GET", "/console/users/x/mfa").status == 405
    assert "mallory" not in console.get("/console/users").words
    own = [("Origin", f"http://127.0.0.1:{console.port}"), ("Sec-Fetch-Site", "same-origin")]
    assert console.request("POST", "/console/users", form, own).status == 303
