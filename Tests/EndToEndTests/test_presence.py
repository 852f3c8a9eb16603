"""User presence: the PIN as proof, the recorded authentication method, and the calls that require presence."""

import pytest

from harness import flows

PIN, WRONG = "280491", "999998"
GIVEN = {"method": "pin", "pin": PIN}


@pytest.fixture
def guarded(paired):
    """A client of a paired owner with a PIN that was not entered."""
    paired.call("lock.set", pin=PIN)
    return paired


@pytest.fixture
def strict(make_daemon, sandbox):
    """A client of a daemon with `require_presence = all`. Its owner is paired and has a PIN."""
    client = make_daemon(require_presence="all").start().client()
    client.call("lock.set", pin=PIN)
    client.call("lock.unlock", pin=PIN)
    flows.pair(client, sandbox)
    client.subscribe("notification")
    return client


def presence(client):
    return client.call("service.status")["presence"]


def push(client, sandbox):
    started = sandbox.authenticate("ann")
    return started, client.event("notification", state="pending")["id"]


def required(error, *methods):
    return (error.code, error.reason, error.details) == (11019, "PRESENCE_REQUIRED", {"methods": list(methods)})


def test_approval_with_pin_records_authentication_method_pin(guarded, sandbox):
    started, waiting = push(guarded, sandbox)
    approved = guarded.call("notification.approve", notification=waiting, presence=GIVEN)["notification"]
    assert approved["answer"]["authenticationMethod"] == "pin" and "title" not in approved
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    # The PIN unlocked only that call.
    assert guarded.call("service.status")["protection"]["pin"] == "locked"
    assert guarded.refusal("passcode.get").code == 11005
    assert guarded.refusal("payload.generate").code == 11005


def test_unverified_authentication_method_is_refused_with_a_pin(guarded, sandbox):
    guarded.call("lock.unlock", pin=PIN)
    for claimed in ("user", "pin"):
        _, waiting = push(guarded, sandbox)
        error = guarded.refusal("notification.approve", notification=waiting, presence=GIVEN, authenticationMethod="fpt")
        assert required(error, "pin")
        done = guarded.call("notification.approve", notification=waiting, presence=GIVEN, authenticationMethod=claimed)
        assert done["notification"]["answer"]["authenticationMethod"] == "pin"


def test_unlocking_does_not_count_as_presence(guarded, sandbox):
    guarded.call("lock.unlock", pin=PIN)
    _, waiting = push(guarded, sandbox)
    error = guarded.refusal("notification.approve", notification=waiting, authenticationMethod="pin")
    assert required(error, "pin")
    done = guarded.call("notification.approve", notification=waiting)["notification"]
    assert done["answer"]["authenticationMethod"] == "user"


def test_wrong_pin_fails_presence_and_uses_a_try(guarded, sandbox):
    started, waiting = push(guarded, sandbox)
    wrong = {"method": "pin", "pin": WRONG}
    error = guarded.refusal("notification.approve", notification=waiting, presence=wrong)
    assert (error.code, error.reason, error.details) == (11020, "PRESENCE_FAILED", {"method": "pin", "triesLeft": 9})
    assert guarded.refusal("lock.unlock", pin=WRONG).details["triesLeft"] == 8
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    guarded.call("notification.approve", notification=waiting, presence=GIVEN)


def test_unavailable_presence_method_is_refused(guarded, sandbox):
    _, waiting = push(guarded, sandbox)
    for method in ("fingerprint", "password"):
        error = guarded.refusal("notification.approve", notification=waiting, presence={"method": method})
        assert required(error, "pin"), method


def test_presence_is_unavailable_without_a_pin(paired, sandbox):
    assert presence(paired) == {"methods": [], "required": "passkeys"}
    _, waiting = push(paired, sandbox)
    assert required(paired.refusal("notification.approve", notification=waiting, presence=GIVEN))
    assert paired.refusal("notification.approve", notification=waiting, presence={"method": "pin"}).code == -32602


def test_presence_pin_approves_a_code_and_a_pairing_while_locked(guarded, sandbox):
    guarded.call("lock.unlock", pin=PIN)
    code = guarded.call("authentication.start", code=sandbox.code(userApproval="REQUIRED")["code"])["id"]
    pairing = flows.sign_on(guarded, sandbox, "bob")["pairing"]["id"]
    guarded.call("lock.now")
    assert guarded.call("authentication.approve", authentication=code, presence=GIVEN) == {"status": "COMPLETED"}
    assert guarded.call("pairing.approve", pairing=pairing, presence=GIVEN)["account"]
    assert guarded.call("service.status")["protection"]["pin"] == "locked"


def test_presence_is_required_for_each_call_if_required_for_all(strict, sandbox):
    assert presence(strict) == {"methods": ["pin"], "required": "all"}
    assert required(strict.refusal("passcode.get"), "pin")
    assert strict.call("passcode.get", presence=GIVEN)["passcode"]
    assert required(strict.refusal("passcode.get"), "pin")
    started, waiting = push(strict, sandbox)
    assert required(strict.refusal("notification.approve", notification=waiting), "pin")
    assert strict.call("notification.approve", notification=waiting, presence=GIVEN)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    code = strict.call("authentication.start", code=sandbox.code(userApproval="REQUIRED")["code"])["id"]
    assert required(strict.refusal("authentication.approve", authentication=code), "pin")
    pairing = flows.sign_on(strict, sandbox, "bob")["pairing"]["id"]
    assert required(strict.refusal("pairing.approve", pairing=pairing), "pin")
    assert strict.refusal("lock.clear", current=PIN).code == 11011


def begin(client, sandbox, *steps):
    """Starts a sign-on of ann and completes its first step."""
    sandbox.request("PUT", "/sandbox/signOnPolicies/Test", {"steps": list(steps), "default": True})
    login = client.call("login.start", method="signon")["login"]
    client.call("login.next", login=login, values={"username": "ann", "password": sandbox.users["ann"]["password"]})
    return login


def test_push_approval_in_a_sign_on_requires_presence(strict, sandbox):
    login = begin(strict, sandbox, "LOGIN", "MFA")
    question = strict.call("login.next", login=login, action="push.own")
    approval = {"login": login, "action": "push.approve"}
    assert [each["key"] for each in question["actions"]] == ["push.approve", "push.deny"]
    assert required(strict.refusal("login.next", **approval), "pin")
    error = strict.refusal("login.next", **approval, presence={"method": "pin", "pin": WRONG})
    assert (error.code, error.details) == (11020, {"method": "pin", "triesLeft": 9})
    (waiting,) = strict.call("notification.list")["notifications"]
    assert waiting["state"] == "pending"
    assert strict.call("login.next", **approval, presence=GIVEN)["node"] == "success"
    (approved,) = strict.call("notification.list")["notifications"]
    assert (approved["state"], approved["answer"]["authenticationMethod"]) == ("approved", "pin")


def test_presence_pin_approves_a_push_in_a_sign_on_while_locked(guarded, sandbox):
    guarded.call("lock.unlock", pin=PIN)
    login = begin(guarded, sandbox, "LOGIN", "MFA")
    guarded.call("login.next", login=login, action="push.own")
    guarded.call("lock.now")
    approval = {"login": login, "action": "push.approve"}
    assert guarded.refusal("login.next", **approval).code == 11005
    assert guarded.call("login.next", **approval, presence=GIVEN)["node"] == "success"
    (approved,) = guarded.call("notification.list")["notifications"]
    assert approved["answer"]["authenticationMethod"] == "pin"
    assert guarded.call("service.status")["protection"]["pin"] == "locked"


def test_passcode_release_in_a_sign_on_requires_presence(strict, sandbox):
    sandbox.change_policy({"push": {"enabled": False}})
    login = begin(strict, sandbox, "LOGIN", "MFA")
    assert [each["key"] for each in strict.call("login.next", login=login, action="otp.own")["actions"]]
    release = {"login": login, "action": "passcode.release"}
    assert required(strict.refusal("login.next", **release), "pin")
    assert strict.call("login.next", **release, presence=GIVEN)["node"] == "success"


def test_silent_push_is_denied_if_presence_is_required(strict, sandbox):
    sandbox.authorize_devices("restrictive")
    started = sandbox.stand_in("ann", strict.call("payload.generate")["mobilePayload"])
    assert strict.event("notification", state="denied")["type"] == "done"
    assert sandbox.authentication(started)["status"] != "COMPLETED"


def test_owner_can_tighten_but_not_relax_the_presence_requirement(paired, guarded):
    assert paired.refusal("presence.set", require="all").code == 11005
    paired.call("lock.unlock", pin=PIN)
    assert paired.refusal("presence.set", require="none").code == 11001
    assert paired.call("presence.set", require="all") == {"require": "all"}
    assert presence(paired)["required"] == "all"
    assert required(paired.refusal("presence.set", require="passkeys"), "pin")
    assert required(paired.refusal("passcode.get"), "pin")
    assert paired.call("presence.set", require="passkeys", presence=GIVEN) == {"require": "passkeys"}
    assert paired.call("passcode.get")["passcode"]


def test_requiring_presence_is_refused_without_a_presence_method(paired):
    assert required(paired.refusal("presence.set", require="all"))
    assert presence(paired)["required"] == "passkeys"


def test_first_pin_requires_presence_if_the_owner_has_data(make_daemon, sandbox):
    daemon = make_daemon().start()
    flows.pair(daemon.client(), sandbox)
    daemon.stop()
    daemon.configure(require_presence="all")
    client = daemon.start().client()
    assert required(client.refusal("lock.set", pin=PIN))
    client.call("device.removeLocalData", confirm=True)
    assert client.call("lock.set", pin=PIN) == {}


def test_presence_pin_unlocks_no_concurrent_call_of_another_client(guarded, daemon, sandbox):
    other = daemon.client()
    _, waiting = push(guarded, sandbox)
    number = guarded.begin("notification.approve", notification=waiting, presence=GIVEN)
    while not guarded.has_reply(number, 0.01):
        assert other.refusal("payload.generate").code == 11005
    assert guarded.reply(number)["notification"]["answer"]["authenticationMethod"] == "pin"


def test_erasing_an_owner_resets_the_presence_requirement(paired, guarded):
    paired.call("lock.unlock", pin=PIN)
    paired.call("presence.set", require="all")
    before = paired.call("service.status")
    assert before["presence"]["required"] == "all"
    paired.call("owner.erase", uid=before["owner"]["uid"], confirm=True)
    assert presence(paired)["required"] == "passkeys"
