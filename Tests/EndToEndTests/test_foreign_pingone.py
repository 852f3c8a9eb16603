"""Tests of the independent PingOne simulator: its requirements and responses, and sign-on by the daemon."""

import hashlib
import http.client
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from email.utils import parsedate_to_datetime

import jwt
import pyotp
import pytest

from harness import flows, jose
from harness.foreign_pingone import LOST, SELF_SERVICE, ForeignPingOne, Held, Refusal
from harness.foreign_pingone.devices import ACTIVATION
from harness.programs import PATIENCE

VERIFIER = "v" * 43


class Visitor:
    """An independent client."""

    def __init__(self, pingone, user="ann", scope=("openid", *sorted(SELF_SERVICE))):
        self.pingone, self.user = pingone, pingone.users[user]
        digest = jose.b64(hashlib.sha256(VERIFIER.encode()).digest())
        self.asked = {
            "client_id": pingone.tenant.client,
            "redirect_uri": "http://127.0.0.1:8377/callback",
            "response_type": "code",
            "response_mode": "pi.flow",
            "scope": " ".join(scope),
            "state": "s",
            "nonce": "n",
            "code_challenge": digest,
            "code_challenge_method": "S256",
        }
        self.cookie, self.tokens = "", None

    @property
    def credentials(self):
        return {name: self.user[name] for name in ("username", "password")}

    def send(self, method, url, body=None, media_type="application/json", **headers):
        """Returns (status, body, headers) of the response."""
        headers = {"Cookie": self.cookie, "X-Requested-With": "ping-sdk", **headers}
        data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        if data is not None:
            headers["Content-Type"] = media_type
        request = urllib.request.Request(url, method=method, data=data, headers=headers)
        try:
            response = urllib.request.urlopen(request, timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            response = error
        with response:
            self.cookie = (response.headers["Set-Cookie"] or self.cookie).split(";")[0]
            text = response.read()
            return response.status, json.loads(text) if text else None, response.headers

    def form(self, path, **form):
        body = urllib.parse.urlencode(form).encode()
        return self.send("POST", self.pingone.issuer + path, body, "application/x-www-form-urlencoded")[:2]

    def begin(self):
        return self.form("/authorize", **self.asked)

    def act(self, page, action, **body):
        media_type = f"application/vnd.pingidentity.{action}+json"
        return self.send("POST", page["_links"][action]["href"], body, media_type)[:2]

    def sign_on(self):
        _, page = self.begin()
        _, page = self.act(page, "usernamePassword.check", **self.credentials)
        return self.finish(page)

    def finish(self, page):
        _, answer, _ = self.send("GET", page["resumeUrl"])
        code = answer["authorizeResponse"]["code"]
        same = {name: self.asked[name] for name in ("client_id", "redirect_uri")}
        form = {"grant_type": "authorization_code", "code": code, "code_verifier": VERIFIER, **same}
        status, self.tokens = self.form("/token", **form)
        assert status == 200, self.tokens
        assert self.form("/token", **form)[0] == 400, "a code is good once"
        return self

    @property
    def devices(self):
        environment = f"{self.pingone.api.origin}/v1/environments/{self.pingone.tenant.environment}"
        return f"{environment}/users/{self.user['id']}/devices"

    @property
    def token(self):
        return {"Authorization": f"Bearer {self.tokens['access_token']}"}

    def ask(self, method, path="", body=None, media_type="application/json"):
        return self.send(method, self.devices + path, body, media_type, **self.token)[:2]

    def create(self):
        return self.ask("POST", body={"type": "TOTP"})

    def activate(self, device, code=None):
        code = code or pyotp.parse_uri(device["keyUri"]).now()
        return self.ask("POST", "/" + device["id"], {"otp": code}, ACTIVATION)


@pytest.fixture
def visitor(pingone):
    return Visitor(pingone).sign_on()


def test_user_can_create_activate_rename_and_delete_a_device(pingone, visitor):
    status, device = visitor.create()
    assert (status, device["type"], device["status"]) == (201, "TOTP", "ACTIVATION_REQUIRED")
    assert re.fullmatch("[A-Z2-7]{32}", device["secret"])
    assert device["keyUri"] == f"otpauth://totp/ann?secret={device['secret']}"
    assert device["_links"]["device.activate"]["href"].startswith(pingone.api.origin)
    assert visitor.activate(device)[1]["status"] == "ACTIVE"
    assert visitor.ask("PUT", f"/{device['id']}/nickname", {"nickname": "laptop"})[1]["nickname"] == "laptop"
    (listed,) = visitor.ask("GET")[1]["_embedded"]["devices"]
    assert listed["nickname"] == "laptop" and not {"secret", "keyUri"} & set(listed)
    assert visitor.ask("DELETE", "/" + device["id"]) == (204, None)
    assert visitor.ask("GET", "/" + device["id"])[0] == 404
    (request,) = pingone.api.asked("activate")
    assert (request.content_type, request.scope) == (ACTIVATION, SELF_SERVICE | {"openid"})


@pytest.mark.parametrize(
    ("action", "send"),
    [
        ("create", Visitor.create),
        ("read", lambda visitor: visitor.ask("GET")),
        ("update", lambda visitor: visitor.activate({"id": "x"}, "000000")),
        ("delete", lambda visitor: visitor.ask("DELETE", "/x")),
    ],
)
def test_each_operation_requires_its_scope_and_the_token_of_the_user(pingone, action, send):
    pingone.tenant.granted -= {f"p1:{action}:device"}
    visitor = Visitor(pingone).sign_on()
    assert set(visitor.tokens["scope"].split()) == {"openid"} | pingone.tenant.granted
    assert send(visitor)[0] == 403
    visitor.tokens["access_token"] = visitor.tokens["id_token"]
    assert send(visitor)[0] == 401
    pingone.tenant.granted = SELF_SERVICE
    visitor = Visitor(pingone).sign_on()
    assert send(visitor)[0] not in (401, 403)
    visitor.user = pingone.users["bob"]
    assert send(visitor)[0] == 403


def test_ungranted_scope_is_an_error_if_the_tenant_refuses_it(pingone):
    pingone.tenant.refuses_other_scopes, pingone.tenant.granted = True, frozenset()
    status, refusal = Visitor(pingone).begin()
    assert (status, refusal["details"][0]["target"]) == (400, "scope")


@pytest.mark.parametrize(
    ("settings", "status", "code"),
    [
        ({"allows_totp": False}, 400, "INVALID_DATA"),
        ({"maximum_devices": 0}, 429, "REQUEST_LIMITED"),
    ],
)
def test_tenant_settings_can_prevent_device_creation(pingone, visitor, settings, status, code):
    for name, value in settings.items():
        setattr(pingone.tenant, name, value)
    answer = visitor.create()
    assert (answer[0], answer[1]["code"]) == (status, code)


def test_second_device_is_refused_unless_the_tenant_allows_several(pingone, visitor):
    pingone.devices.add("ann")
    assert visitor.create()[0] == 409
    pingone.tenant.allows_several_totp = True
    assert visitor.create()[0] == 201


def test_wrong_late_used_and_too_many_codes_are_refused(pingone, visitor):
    _, device = visitor.create()
    totp = pyotp.parse_uri(device["keyUri"])
    status, refusal = visitor.activate(device, "12345")
    assert (status, refusal["details"][0]["target"]) == (400, "otp")
    code = totp.now()
    assert visitor.activate(device, code)[0] == 200
    kept = pingone.devices.of("ann")[0]
    with pytest.raises(Refusal):
        kept.check(code)
    for _ in range(pingone.tenant.failures):
        with pytest.raises(Refusal):
            kept.check("000")
    with pytest.raises(Refusal):
        kept.check(totp.at(2**31))
    pingone.devices.remove(kept)
    _, device = visitor.create()
    pingone.tenant.time_passed = 1801
    assert visitor.activate(device)[0] == 400


@pytest.mark.parametrize(
    "parameters", [{"digits": "8"}, {"algorithm": "SHA256"}, {"period": "60", "issuer": "A company"}], ids=str
)
def test_tenant_can_change_digits_algorithm_and_period_of_codes(pingone, visitor, parameters):
    pingone.tenant.uri_parameters = parameters
    _, device = visitor.create()
    assert all(f"{name}=" in device["keyUri"] for name in parameters)
    assert visitor.activate(device)[0] == 200


def test_simulator_can_return_inconsistent_responses(pingone, visitor):
    pingone.tenant.uri_has_other_secret = True
    device = visitor.create()[1]
    assert device["secret"] not in device["keyUri"] and visitor.activate(device)[0] == 400
    pingone.tenant.leads_elsewhere = True
    assert visitor.create()[1]["_links"]["self"]["href"].startswith(pingone.elsewhere.origin)
    pingone.tenant.active_at_once = True
    device = visitor.create()[1]
    assert device["status"] == "ACTIVE" and "secret" not in device
    pingone.tenant.date_offset = 3600
    _, _, headers = visitor.send("GET", pingone.issuer + "/jwks")
    claims = jwt.decode(Visitor(pingone).sign_on().tokens["id_token"], options={"verify_signature": False})
    assert abs(claims["iat"] - parsedate_to_datetime(headers["Date"]).timestamp()) < 600
    assert not pingone.elsewhere.requests


def creation_of(visitor):
    headers = {**visitor.token, "Content-Type": "application/json"}
    return urllib.request.Request(visitor.devices, data=b'{"type":"TOTP"}', headers=headers)


def test_planned_fault_happens_once(pingone, visitor):
    pingone.api.plan("create", Refusal(500, "UNEXPECTED_ERROR"), LOST)
    assert visitor.create()[0] == 500 and pingone.devices.all == []
    with pytest.raises((http.client.HTTPException, OSError)):
        visitor.create()
    assert [device.status for device in pingone.devices.of("ann")] == ["ACTIVATION_REQUIRED"]
    with Held() as held:
        pingone.api.plan("create", held)
        with pytest.raises(TimeoutError):
            # The server sends nothing while the response is held.
            urllib.request.urlopen(creation_of(visitor), timeout=0.2)
        held.reached()
    assert len(pingone.devices.of("ann")) == 2


def test_sign_on_asks_for_a_passcode_if_the_policy_requires_it(pingone):
    pingone.tenant.asks_for_passcode = True
    device, visitor = pingone.devices.add("ann"), Visitor(pingone)
    _, page = visitor.begin()
    assert visitor.act(page, "usernamePassword.check", username="ann", password="wrong")[0] == 400
    _, page = visitor.act(page, "usernamePassword.check", **visitor.credentials)
    assert (page["status"], page["selectedDevice"]["id"]) == ("OTP_REQUIRED", device.id)
    assert visitor.act(page, "otp.check", otp="wrong")[0] == 400
    _, page = visitor.act(page, "otp.check", otp=device.totp.now())
    assert visitor.finish(page).tokens["access_token"]


@pytest.mark.parametrize("at_custom_domain", [False, True])
@pytest.mark.parametrize("takes_pushed_requests", [False, True])
def test_daemon_signs_on_at_the_simulator(make_daemon, at_custom_domain, takes_pushed_requests):
    with ForeignPingOne(at_custom_domain, takes_pushed_requests=takes_pushed_requests) as pingone:
        client = make_daemon(**pingone.settings).start().client()
        client.call("device.configure", geo=flows.GEO)
        step = flows.sign_on(client, pingone, "ann")
        assert step["node"] == "success" and step["user"] == {"id": pingone.users["ann"]["id"], "username": "ann"}
        assert step["pairing"] is None
        (request,) = pingone.auth.asked("par" if takes_pushed_requests else "authorize")
        assert set(request.form["scope"].split()) == {"openid", "profile"}
