"""The sandbox's PingAM second factors, used by an independent authenticator written from published documentation."""

import base64
import hmac
import json
import queue
import urllib.error
import urllib.parse
import urllib.request

import jwt
import pyotp
import pytest

from harness.programs import FIXTURES, FLOWS, PATIENCE
from harness.sandbox import Sandbox
from harness.servers import answering

pytestmark = pytest.mark.flows

REALM = "/am/json/realms/root/realms/alpha"
MECHANISM = "5E0C4C0E-2B7B-4D7E-9B0C-3C1E5B3B7A11"


def decode(text):
    """Base64url or base64, padded or not."""
    return base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_") + "=" * (-len(text) % 4))


class Journey:
    """A client of one journey."""

    def __init__(self, sandbox, name):
        self.sandbox, self.token = sandbox, None
        self.step = self._send(f"{REALM}/authenticate?authIndexType=service&authIndexValue={name}", {})
        user = sandbox.users["ann"]
        self.answer("ann", user["password"])

    def _send(self, path, body, method="POST", **headers):
        request = urllib.request.Request(
            self.sandbox.url + path,
            method=method,
            data=json.dumps(body).encode() if body is not None else None,
            headers={"Content-Type": "application/json", "Accept-API-Version": "resource=1.0", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            return json.load(error)

    def answer(self, *values):
        """Sets the inputs to these values in order. The remaining inputs keep their values."""
        inputs = [each["input"][0] for each in self.step["callbacks"] if each.get("input")]
        for field, value in zip(inputs, values):
            field["value"] = value
        self.step = self._send(f"{REALM}/authenticate", self.step)
        self.token = self.step.get("tokenId")
        return self.step

    def hidden(self, name):
        """The value of a hidden callback."""
        for callback in self.step["callbacks"]:
            outputs = {each["name"]: each["value"] for each in callback["output"]}
            if callback["type"] == "HiddenValueCallback" and outputs["id"] == name:
                return outputs["value"]
        raise KeyError(name)

    def push(self, action, body):
        """Sends a message of a device."""
        return self._send(f"/am/json/alpha/push/sns/message?_action={action}", body)

    def devices(self, kind):
        """Returns the user's devices of a kind, with the session's token."""
        cookie = self.sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"]
        path = f"{REALM}/users/ann/devices/2fa/{kind}?_queryFilter=true"
        return self._send(path, None, "GET", **{cookie: self.token})["result"]


def parameters(address):
    """Returns the parameters of an AM URI, which are not percent-encoded."""
    return dict(pair.split("=", 1) for pair in address.split("?", 1)[1].split("&"))


@pytest.fixture
def relay():
    """A local server that receives pushes: its URL, and a queue of the received pushes."""
    got = queue.Queue()

    def take(request):
        got.put((request.path, json.loads(request.body)))
        return 200, b""

    with answering(take) as address:
        yield f"{address}/topic", got


def response(secret, challenge):
    """Returns the response that proves possession of the secret."""
    return base64.b64encode(hmac.digest(secret, challenge, "sha256")).decode()


def test_push_is_posted_to_the_device_address_and_can_be_answered(sandbox, relay):
    address, got = relay
    journey = Journey(sandbox, "am-registration")
    journey.answer(3)
    uri = journey.hidden("mfaDeviceRegistration")
    assert uri.startswith("mfauth://totp/Sandbox:ann?")
    values = parameters(uri)
    secret = decode(values["s"])
    claims = {"response": response(secret, decode(values["c"])), "mechanismUid": MECHANISM, "deviceId": address}
    message = {"messageId": values["m"], "jwt": jwt.encode(claims, secret, "HS256")}
    assert urllib.parse.urlsplit(decode(values["r"]).decode()).path == "/am/json/alpha/push/sns/message"
    assert journey.push("register", message) == {}
    assert journey.answer()["tokenId"]
    assert [device["_id"] for device in journey.devices("push")] == [decode(values["pid"]).decode()]
    assert [device["_id"] for device in journey.devices("oath")] == [decode(values["oid"]).decode()]

    journey = Journey(sandbox, "am-push")
    journey.answer(1)
    shown = journey.hidden("pushChallengeNumber")
    path, push = got.get(timeout=PATIENCE)
    assert path == "/topic" and set(push) == {"messageId", "message"}
    claims = jwt.decode(push["message"], secret, ["HS256"])
    assert (claims["u"], claims["k"], claims["d"]) == (MECHANISM, "challenge", "ann")
    numbers = claims["n"].split(",")
    assert shown in numbers and len(numbers) == 3

    def reply(**more):
        answer = {"response": response(secret, decode(claims["c"])), **more}
        signed = jwt.encode(answer, secret, "HS256")
        return journey.push("authenticate", {"messageId": push["messageId"], "jwt": signed})

    (wrong, *_) = [number for number in numbers if number != shown]
    assert reply(challengeResponse=wrong) == {"code": 400, "reason": "Bad Request", "message": "Bad request."}
    assert reply(challengeResponse=shown) == {}
    assert journey.answer()["tokenId"]


@pytest.mark.parametrize("choice", [1, 2], ids=["by time", "by count"])
def test_passcodes_of_pyotp_sign_on_once(sandbox, choice):
    journey = Journey(sandbox, "am-registration")
    journey.answer(choice)
    uri = journey.hidden("mfaDeviceRegistration")
    assert uri.startswith("otpauth://totp/Sandbox:ann?" if choice == 1 else "otpauth://hotp/Sandbox:ann?")
    secret = parameters(uri)["secret"]
    assert secret.endswith("======")
    assert journey.answer()["tokenId"]
    passcode = pyotp.TOTP(secret).now() if choice == 1 else pyotp.HOTP(secret).at(0)
    journey = Journey(sandbox, "am-oath")
    assert journey.answer(passcode)["tokenId"]
    journey = Journey(sandbox, "am-oath")
    assert "authId" in journey.answer(passcode)


def test_sandbox_accepts_the_documented_device_requests(sandbox):
    journey = Journey(sandbox, "am-registration")
    journey.answer(1)
    journey.answer()
    cookie = sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"]
    recorded = json.loads((FIXTURES / "am" / "device_rest.json").read_text())["requests"]
    uuid = journey.devices("oath")[0]["_id"]
    answers = {}
    for each in recorded:
        path = each["path"].replace("{realm}", "root/realms/alpha").replace("{user}", "ann").replace("{uuid}", uuid)
        path = "/am" + path.replace("/2fa/push", "/2fa/oath")
        body = json.loads(json.dumps(each.get("body")).replace("{uuid}", uuid))
        headers = {"Accept-API-Version": "resource=1.0", **each.get("headers", {}), cookie: journey.token}
        headers.pop("{cookieName}", None)
        answers[each["op"]] = journey._send(path, body, each["method"], **headers)
    shape = recorded[0]["response"]["result"][0]
    assert shape.keys() <= answers["list"]["result"][0].keys()
    assert answers["rename"]["deviceName"] == "New name" == answers["delete"]["deviceName"]
    assert (answers["check"], answers["skip"]) == ({"result": False}, {})
    assert journey.devices("oath") == []


def test_user_keys_are_deleted_locally_with_the_last_device_at_the_server(make_daemon, sandbox):
    cookie = sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"]
    client = make_daemon(journey_server=f"{sandbox.url}/am", journey_cookie=cookie).start().client()
    person = {"IDToken1": "ann", "IDToken2": sandbox.users["ann"]["password"]}

    def sign_on(journey, *answers, **options):
        step = client.call("login.start", method="journey", journey=journey, **options)
        for each in answers:
            step = client.call("login.next", login=step["login"], **({"values": each} if isinstance(each, dict) else {"action": each}))
        return step

    bind = ({**person, "IDToken3": 0}, "bind")
    sign = ({"IDToken1": 0}, person, "sign")
    assert sign_on("am-binding", *bind)["node"] == sign_on("am-binding", *bind)["node"] == "success"
    asked = sign_on("am-signing", *sign[:2])
    first, second, _ = (each["key"] for each in asked["actions"])
    (one, other) = sign_on("am-signing", *sign[:2], first, devices={"list": True})["devices"]["list"]
    removed = sign_on("am-signing", *sign[:2], first, devices={"remove": [one["id"]], "confirm": [one["id"]]})
    assert removed["devices"]["removed"] == [one["id"]]
    keys = [each["key"] for each in sign_on("am-signing", *sign[:2])["actions"]]
    assert keys == [first, second, "decline"]
    for key in (first, second):
        step = sign_on("am-signing", *sign[:2], key, devices={"remove": [other["id"]], "confirm": [other["id"]]})
        if step["node"] == "success":
            break
    assert step["devices"]["removed"] == [other["id"]]
    # No old key is left: a newly bound key is the only choice.
    assert sign_on("am-binding", *bind)["node"] == "success"
    assert [each["key"] for each in sign_on("am-signing", *sign[:2])["actions"]] == ["sign", "decline"]


def test_journey_gets_passcodes_only_of_an_account_of_its_server(make_daemon, sandbox):
    cookie = sandbox.request("GET", f"{REALM}/serverinfo/*")["cookieName"]
    client = make_daemon(journey_server=f"{sandbox.url}/am", journey_cookie=cookie).start().client()

    def sign_on(journey, *answers):
        step = client.call("login.start", method="journey", journey=journey)
        person = {"IDToken1": "ann", "IDToken2": sandbox.users["ann"]["password"]}
        for each in (person, *answers):
            step = client.call("login.next", login=step["login"], **({"values": each} if isinstance(each, dict) else {"action": each}))
        return step

    step = sign_on("am-registration", {"IDToken1": 3}, "enrol")
    assert client.call("login.next", login=step["login"])["node"] == "success"
    (account,) = client.call("account.list")["accounts"]
    question = sign_on("am-oath", {"IDToken1": {"passcode": ""}})
    words = {each["key"]: each["value"] for each in question["collectors"]}
    assert account["id"] in words["account"] and words["issuer"] == sandbox.url
    assert client.call("login.next", login=question["login"], action="passcode.release")["node"] == "success"
    client.call("account.enrol", uri="otpauth://totp/Other:ann?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Other")
    other = next(one["id"] for one in client.call("account.list")["accounts"] if one["id"] != account["id"])
    login = sign_on("am-oath")["login"]
    assert client.refusal("login.next", login=login, values={"IDToken1": {"passcode": other}}).code == -32602


def test_registered_devices_survive_a_restart_of_the_sandbox(directory):
    sandbox = Sandbox(data=directory / "data", flows=FLOWS)
    journey = Journey(sandbox, "am-registration")
    journey.answer(2)
    app = pyotp.HOTP(parameters(journey.hidden("mfaDeviceRegistration"))["secret"])
    journey.answer()
    assert Journey(sandbox, "am-oath").answer(app.at(5))["tokenId"]
    sandbox.stop()
    sandbox = Sandbox(data=directory / "data", flows=FLOWS)
    journey = Journey(sandbox, "am-oath")
    assert "authId" in journey.answer(app.at(5))
    assert journey.answer(app.at(6))["tokenId"]
    sandbox.stop()
