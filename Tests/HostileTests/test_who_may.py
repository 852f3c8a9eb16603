"""Permissions: every described method, called by each kind of caller; the kernel supplies the credentials.

The expected result follows from the class of the method and from the contract. Nothing here is specific to a method, so
a new method is tested automatically. The parameters are those of the documented example, with IDs of existing objects.
"""

import contextlib
import itertools
import json
import os
import shutil
import time

import pytest

from harness.client import Client, Disconnected, RPCError
from harness.programs import MFAD
from harness.hostile.id_tokens import Draft
from harness.hostile.issuer import Issuer
from harness.hostile.stage import Stage
from harness.namespaces import connected_from
from harness.users import open_directory

SERVICE, OWNER, MEMBER, OTHER, BOXED, NOBODY, LOCKED = 41_010, 41_001, 41_002, 41_003, 41_004, 41_005, 41_006
STRANGER, SUBORDINATE = 54_321, 200_000
"""Neither may call: both have no account, and Tests/Support/with-users delegates the second to a user."""

CLASSES = {"read", "use", "answer", "admin", "service"}
KINDS = ["account", "notification", "pairing", "authentication", "login", "subscription", "session"]
"""The parameters that are IDs of objects."""

PINS = {"current", "pin"}
"""The parameters that have the length of IDs but are PINs."""

WITHOUT_PIN = {"lock.clear", "lock.now", "lock.unlock"}
"""The methods that report a missing PIN to every caller without a PIN."""

IDENTIFIER = {"type": "string", "maxLength": 128}
"""The schema of an ID in the discovery document."""


class Owner:
    """An owner with one object of each kind, which creates another when one is used up."""

    def __init__(self, stage, uid, username):
        self.stage, self.username, self.client = stage, username, stage.connect(uid)
        self.device = self.client.call("device.configure", geo="NorthAmerica")["deviceId"]
        self.numbers, self.logins = itertools.count(), []
        self.account = stage.pair(username, self.client)
        self.made = [self.account]

    def fresh(self, kind):
        """The ID of a new or reusable object of this owner."""
        id = getattr(self, f"fresh_{kind}")()
        self.made.append(id)
        return id

    def fresh_account(self):
        if self.account not in [account["id"] for account in self.client.call("account.list")["accounts"]]:
            self.account = self.stage.pair(self.username, self.client)
        if self.username == "ann":
            self.fresh_session()
        return self.account

    def fresh_notification(self):
        push = self.stage.platform.push_claims(self.stage.platform.device_of(self.username), sub=f"user-{self.username}")
        signed = self.stage.platform.sign_push(push)
        return self.client.call("notification.process", payload=signed)["notification"]["id"]

    def fresh_pairing(self):
        self.stage.client, self.stage.device = self.client, self.device
        name = f"{self.username}{next(self.numbers)}"
        return self.client.call("pairing.processIdToken", idToken=Draft(self.stage, name).text)["pairing"]["id"]

    def fresh_authentication(self):
        code = f"{self.username.upper():A<4}{next(self.numbers):04}"
        self.stage.platform.codes[code] = {"users": [{"id": f"user-{self.username}", "username": self.username}]}
        return self.client.call("authentication.start", code=code)["id"]

    def fresh_login(self):
        # The number of concurrent sign-ons is limited.
        for login in self.logins:
            with contextlib.suppress(RPCError):
                self.client.call("login.cancel", login=login)
        self.logins = [self.client.call("login.start", method="signon")["login"]]
        return self.logins[0]

    def fresh_subscription(self):
        return self.client.call("event.subscribe", topics=["service"])["subscription"]

    def fresh_session(self):
        """The session of an earlier sign-on, or of a new one with a password."""
        if sessions := self.client.call("session.list")["sessions"]:
            return sessions[0]["id"]
        login = self.client.call("login.start", method="signon", forceAuth=True)["login"]
        values = {"username": "ann", "password": Issuer.PASSWORD}
        assert self.client.call("login.next", login=login, values=values)["node"] == "success"
        return self.client.call("session.list")["sessions"][0]["id"]


@pytest.fixture(scope="module")
def stage(issuer_key):
    """A daemon with its own user, and two owners with objects."""
    with open_directory() as path:
        os.chown(path, SERVICE, SERVICE)
        programs = path / "programs"
        programs.mkdir()
        shutil.copy(MFAD, programs)
        words = [f"--re{kind}={SERVICE}" for kind in ("uid", "gid")]
        stage = Stage(path, issuer_key, start=False, program=programs / MFAD.name, wrapper=["setpriv", *words, "--clear-groups", "--"],
                      keep_session="yes", **Issuer.SETTINGS)
        stage.CLIENT = Issuer.CLIENT
        stage.courier.path.chmod(0o666)
        stage.start()
        stage.daemon.socket.chmod(0o666)
        stage.add_issuer()
        stage.owner, stage.other = Owner(stage, OWNER, "ann"), Owner(stage, OTHER, "bob")
        stage.ids = {kind: stage.owner.fresh(kind) for kind in KINDS}
        stage.methods = {method["name"]: method for method in stage.connect(0).call("rpc.discover")["methods"]}
        yield stage
        stage.close()


def parameters(method, ids) -> dict:
    """The parameters of the example, with these IDs."""
    example = {each["name"]: each["value"] for each in method["examples"][0]["params"]}
    given = example | {each["name"]: ids[each["name"]] for each in method["params"] if each["name"] in ids}
    return given | ({"uid": NOBODY} if "uid" in given else {})


def names_a_thing(method) -> bool:
    return any(each["name"] in KINDS for each in method["params"])


def asked(client, method, params) -> bytes:
    """The raw reply line. Repeats the request if it is rate limited."""
    while True:
        client.write(json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode() + b"\n")
        while "method" in (message := json.loads(line := client.line())):
            pass
        if code_of(message) != 11006:
            return line
        time.sleep(message["error"]["data"]["details"]["retryAfter"])


def code_of(message):
    """The code of an error, 0 for a result."""
    message = json.loads(message) if isinstance(message, bytes) else message
    return message.get("error", {}).get("code", 0)


def seen(stage) -> str:
    """The complete view of the first owner, and the decisions sent to the platform."""
    client = stage.owner.client
    state = [stage.state(client), client.call("session.list"), client.call("service.status")["owner"]]
    return json.dumps([state, stage.platform.decisions, client.call("passcode.get", account=stage.ids["account"])["account"]])


def test_every_method_has_a_class_and_an_example_that_its_schema_allows(stage):
    for name, method in stage.methods.items():
        assert method["x-class"] in CLASSES, name
        required = {each["name"] for each in method["params"] if each["required"]}
        assert required <= parameters(method, stage.ids).keys() <= {each["name"] for each in method["params"]}, name
        # An ID parameter with a name that is unknown here would not be tested.
        ids = {each["name"] for each in method["params"] if each["required"] and IDENTIFIER.items() <= each["schema"].items()}
        assert ids - PINS <= set(KINDS), name
    assert {kind for method in stage.methods.values() for kind in KINDS if kind in parameters(method, stage.ids)} == set(KINDS)


def boxed(stage, ids, uid=0):
    """A client in a user namespace with this mapping of inner to outer IDs."""
    return stage.daemon.adopt(Client(connected_from(stage.daemon.socket, ids, uid), is_checked=False))


CALLERS = {
    "a member": lambda stage: stage.connect(MEMBER),
    "another owner": lambda stage: stage.other.client,
    "root": lambda stage: stage.connect(0),
    "the service's user": lambda stage: stage.connect(SERVICE),
    "a member who is root in a namespace": lambda stage: boxed(stage, {0: BOXED}),
}
"""All permitted callers except the first owner."""

SERVERS = {"root", "the service's user"}


@pytest.mark.parametrize("caller", CALLERS)
def test_caller_gets_no_object_of_another_owner_by_any_method(stage, caller):
    client, before = CALLERS[caller](stage), seen(stage)
    described = {method["name"] for method in client.call("rpc.discover")["methods"]}
    allowed = {name for name, method in stage.methods.items() if method["x-class"] != "service" or caller in SERVERS}
    assert described == allowed
    nobodys = {kind: id[::-1] for kind, id in stage.ids.items()}
    needles = [stage.owner.device, "user-ann", *stage.owner.made]
    tried = 0
    # Methods with an ID come first, so that no effect of an earlier call hides their result.
    for name, method in sorted(stage.methods.items(), key=lambda each: not names_a_thing(each[1])):
        answer = asked(client, name, parameters(method, stage.ids))
        tried += 1
        if name not in allowed:
            assert code_of(answer) == 11001, (name, answer)
        elif names_a_thing(method):
            # The error is always that this caller has no such object, even if other parameters are wrong.
            assert code_of(answer) == 11002, (name, answer)
            for other in (nobodys, dict.fromkeys(KINDS, "nobody")):
                assert asked(client, name, parameters(method, other)) == answer, name
        elif name not in WITHOUT_PIN or code_of(answer) != 11002:
            assert code_of(answer) not in (11001, 11002, -32601, -32602), (name, answer)
        # The contract lets only root see the audit of all owners.
        if (caller, name) != ("root", "audit.list"):
            assert not [needle for needle in needles if needle in answer.decode()], (name, answer)
    for before_id in (stage.ids["notification"], stage.ids["notification"][::-1]):
        assert client.refusal("notification.list", before=before_id).code == 11002
    assert tried == len(stage.methods) and seen(stage) == before


REFUSED = {
    "a stranger": lambda stage: stage.connect(STRANGER),
    "a subordinate uid": lambda stage: stage.connect(SUBORDINATE),
    "a subordinate uid in a namespace, where it is root": lambda stage: boxed(stage, {0: SUBORDINATE}),
    "a stranger in a namespace, where they have the owner's uid": lambda stage: boxed(stage, {0: BOXED, OWNER: STRANGER}, OWNER),
}


@pytest.mark.parametrize("caller", REFUSED)
def test_unknown_user_gets_one_refusal_line_for_every_method(stage, caller):
    before, answers = seen(stage), set()
    for name, method in stage.methods.items():
        with REFUSED[caller](stage) as client:
            request = {"jsonrpc": "2.0", "id": 7, "method": name, "params": parameters(method, stage.ids)}
            with contextlib.suppress(Disconnected):
                client.write(json.dumps(request).encode() + b"\n")
            answers.add(client.line())
            assert client.line() is None, name
    (answer,) = answers
    assert json.loads(answer)["id"] is None and code_of(answer) == 11001
    assert seen(stage) == before


WORKS_WHILE_LOCKED = {
    "notification.deny": "the device key signs denials",
    "authentication.deny": "likewise",
    "device.removeLocalData": "the way out for an owner that has forgotten the PIN",
}
"""Methods that a locked owner may call although their class requires the PIN, with the reason. All others only read."""


def test_locked_owner_can_only_read_deny_and_erase(stage):
    owner = Owner(stage, LOCKED, "zoja")
    # A session of another owner: the call is refused before the daemon looks it up.
    ids = {"session": stage.ids["session"]} | {kind: owner.fresh(kind) for kind in KINDS if kind != "session"}
    owner.client.call("lock.set", pin="not that of the examples")
    tried = 0
    # The erasing method comes last.
    for name, method in sorted(stage.methods.items(), key=lambda each: each[0] == "device.removeLocalData"):
        answer = asked(owner.client, name, parameters(method, ids))
        tried += 1
        if method["x-class"] == "service":
            assert code_of(answer) == 11001, (name, answer)
        elif method["x-class"] == "read" or name in WORKS_WHILE_LOCKED:
            assert code_of(answer) not in (11001, 11002, 11005, -32601, -32602), (name, answer)
            # Replies contain no personal data, except for the discovery document, which describes it.
            needles = ["zoja", "Sign-on request", "Do you approve?"] if name != "rpc.discover" else []
            told = answer.decode().replace("user-zoja", "")
            assert not [needle for needle in needles if needle in told], (name, answer)
        else:
            assert code_of(answer) == 11005, (name, answer)
    assert tried == len(stage.methods) and WORKS_WHILE_LOCKED.keys() < stage.methods.keys()
    assert owner.client.call("account.list") == {"accounts": []}


def test_undescribed_methods_do_not_exist_for_any_caller(stage):
    for client in (stage.connect(0), stage.connect(SERVICE), stage.owner.client, stage.connect(MEMBER)):
        for name in ("rpc.undiscover", "service.stop", "owner.become", "account.export", "RPC.DISCOVER", "account", ""):
            assert code_of(asked(client, name, {})) == -32601


def test_owner_can_call_every_method_except_service_methods(stage):
    """Runs last, because it uses up objects. Methods that end an account or erase everything come last."""
    owner = stage.owner
    ending = lambda method: (method["x-class"] == "admin", not names_a_thing(method), "confirm" in parameters(method, stage.ids))
    for name, method in sorted(stage.methods.items(), key=lambda each: ending(each[1])):
        wanted = [each["name"] for each in method["params"] if each["name"] in KINDS]
        answer = asked(owner.client, name, parameters(method, {kind: owner.fresh(kind) for kind in wanted}))
        if method["x-class"] == "service":
            assert code_of(answer) == 11001, (name, answer)
        elif name not in WITHOUT_PIN or code_of(answer) != 11002:
            assert code_of(answer) not in (11001, 11002, -32601, -32602), (name, answer)
    assert owner.client.call("account.list") == {"accounts": []}
