"""Everything belongs to the user who made it: nobody else sees it, answers it, or learns that it exists."""

import os
import time

import pytest

from harness import flows
from harness.client import Client, Disconnected
from harness.daemon import Daemon
from harness.programs import MFAD
from harness.signon import Application
from harness.users import ANN_UID, BOB_UID, GROUP_ID, client_of, open_directory, sockets_of, user_installation

assert os.geteuid() == 0, "these tests play several users, which only root can"


def test_each_user_is_an_owner_with_a_device_of_its_own(shared, two, sandbox):
    _, connect = shared
    first, second = two
    assert [client.call("service.status")["owner"]["uid"] for client in two] == [ANN_UID, BOB_UID]
    devices = {client.call("device.configure", geo=flows.GEO)["deviceId"] for client in two}
    assert len(devices) == 2
    assert [one["user"]["username"] for one in first.call("account.list")["accounts"]] == ["ann"]
    assert [one["user"]["username"] for one in second.call("account.list")["accounts"]] == ["bob"]
    # Not even root, who is a third owner.
    root = connect(0)
    assert root.call("account.list") == {"accounts": []}
    assert root.call("service.status")["owner"]["configured"] is False
    # Connections of one user are one owner.
    assert len(connect(ANN_UID).call("account.list")["accounts"]) == 1


def test_a_push_is_heard_and_answered_by_its_owner_alone(two, sandbox):
    first, second = two
    started, push = flows.push(first, sandbox, "ann")
    for method in ("notification.get", "notification.approve", "notification.deny"):
        known = second.refusal(method, notification=push["id"])
        unknown = second.refusal(method, notification="nothing")
        assert str(known) == str(unknown) and known.code == 11002
    assert second.call("notification.list") == {"notifications": []}
    assert second.refusal("notification.list", before=push["id"]).code == 11002
    assert sandbox.authentication(started)["status"] == "PUSH_CONFIRMATION_REQUIRED"
    # The next that the other hears of is its own.
    _, theirs = flows.push(second, sandbox, "bob")
    assert theirs["id"] != push["id"]
    assert [one["id"] for one in second.call("notification.list")["notifications"]] == [theirs["id"]]
    first.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_pairings_passcodes_codes_and_sign_ons_are_their_owners_alone(two, sandbox):
    first, second = two
    account = first.call("account.list")["accounts"][0]["id"]
    pairing = flows.sign_on(first, sandbox, "bob")["pairing"]["id"]
    code = first.call("authentication.start", code=sandbox.code()["code"])["id"]
    login = first.call("login.start", method="signon")["login"]
    subscription = first.subscribe("account")
    tries = [
        ("passcode.get", "account", account, {}),
        ("pairing.approve", "pairing", pairing, {}),
        ("pairing.ignore", "pairing", pairing, {}),
        ("authentication.approve", "authentication", code, {}),
        ("authentication.deny", "authentication", code, {}),
        ("login.next", "login", login, {"values": {"username": "bob", "password": "x"}}),
        ("login.cancel", "login", login, {}),
        ("event.unsubscribe", "subscription", subscription, {}),
    ]
    for method, name, value, more in tries:
        known = second.refusal(method, **{name: value}, **more)
        assert known.code == 11002, method
        assert str(known) == str(second.refusal(method, **{name: "nothing"}, **more))
    for method, name in (("pairing.list", "pairings"), ("authentication.list", "authentications")):
        assert second.call(method) == {name: []}
        assert len(first.call(method)[name]) == 1


def test_an_id_token_for_one_user_is_worth_nothing_to_another(two, sandbox):
    first, second = two
    payload = first.call("payload.generate")["mobilePayload"]
    text, nonce = Application(sandbox).sign_on("bob", payload)
    assert second.refusal("pairing.processIdToken", idToken=text, nonce=nonce).code == 11009
    assert first.call("pairing.processIdToken", idToken=text, nonce=nonce)["pairing"]["user"]["username"] == "bob"


def test_one_users_writing_does_not_slow_another(two):
    first, second = two
    before = time.monotonic()
    refused = [first.begin("login.cancel", login="nothing") for _ in range(400)]
    errors = [first.refused(number) for number in refused]
    codes = [error.code for error in errors]
    # A hundred at once, and twenty more in a second.
    assert set(codes) == {11002, 11006} and 90 <= codes.count(11002) <= 101 + 20 * (time.monotonic() - before)
    assert second.refusal("login.cancel", login="nothing").code == 11002
    # Asked of those that were refused: one more, a moment later, may find room again.
    limited = [error for error in errors if error.code == 11006]
    assert all(error.retry and error.details["retryAfter"] >= 1 for error in limited)
    # Reading goes on.
    assert len(first.call("account.list")["accounts"]) == 1


# Those that nobody has, those without an account, and those that Tests/Support/with-users gives to another user.
@pytest.mark.parametrize("uid", [65534, 65535, 61184, 63000, 65519, 12345, 2**31 + 1, 200_000, 265_535, 265_536, 50_002])
def test_users_that_no_person_has_hear_so_and_no_more(shared, uid):
    daemon, connect = shared
    client = connect(uid)
    line = client.read_line()
    assert line["id"] is None and line["jsonrpc"] == "2.0"
    assert (line["error"]["code"], line["error"]["data"]) == (11001, {"reason": "PERMISSION_DENIED", "retry": False})
    with pytest.raises(Disconnected):
        client.read_line()
    assert f"user={uid}" in daemon.journal.wait("a user who may not call was turned away")
    assert connect(ANN_UID).call("service.status")["owner"]["uid"] == ANN_UID


@pytest.mark.parametrize("uid", [61183, 65520, 65533, 70000, 2**31])
def test_users_beside_those_are(shared, uid):
    _, connect = shared
    assert connect(uid).call("service.status")["owner"]["uid"] == uid


def test_the_socket_is_for_the_group_alone(shared):
    daemon, _ = shared
    status = os.stat(daemon.socket)
    assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (0, GROUP_ID, 0o660)
    with pytest.raises(PermissionError):
        sockets_of(ANN_UID, daemon.socket, groups=())


def test_without_the_group_the_socket_is_for_its_owner_alone_and_a_warning_says_so(make_daemon):
    daemon = make_daemon(socket_group="no-such-group").start()
    assert os.stat(daemon.socket).st_mode & 0o777 == 0o600
    assert "group=no-such-group" in daemon.journal.wait("the group of the socket does not exist")


def test_a_user_has_sixteen_connections_and_others_theirs(shared):
    daemon, connect = shared
    held = [Client(one) for one in sockets_of(ANN_UID, daemon.socket, 16)]
    for client in held:
        assert client.call("service.status")["version"]
    refused = connect(ANN_UID)
    line = refused.read_line()
    assert line["id"] is None
    assert (line["error"]["code"], line["error"]["data"]["reason"]) == (11006, "RATE_LIMITED")
    with pytest.raises(Disconnected):
        refused.read_line()
    assert connect(BOB_UID).call("service.status")["version"]
    held[0].finish()
    assert connect(ANN_UID).call("service.status")["version"]
    for client in held[1:]:
        client.close()


def test_methods_of_the_service_are_for_root_and_the_services_user(shared):
    """As far as there are any: what a caller may not call is not described to them either."""
    _, connect = shared
    described = {
        uid: {method["name"]: method["x-class"] for method in connect(uid).call("rpc.discover")["methods"]}
        for uid in (0, ANN_UID)
    }
    assert "service" not in described[ANN_UID].values()
    for name, access in described[0].items():
        if access == "service":
            assert connect(ANN_UID).refusal(name).code == 11001
        else:
            assert name in described[ANN_UID]


def test_it_serves_a_user_who_runs_it_for_themselves(sandbox):
    """With nothing of root's: then only they, and root, can connect."""
    with open_directory() as path:
        programs, home = user_installation(path)
        daemon = Daemon(home, sandbox, program=programs / MFAD.name, user=ANN_UID)
        os.chmod(home, 0o755)
        daemon.start()
        client = client_of(ANN_UID, daemon.socket)
        flows.pair(client, sandbox)
        assert client.call("service.status")["owner"]["uid"] == ANN_UID
        assert daemon.process.status_field("Uid").split() == [str(ANN_UID)] * 4
        with pytest.raises(PermissionError):
            client_of(BOB_UID, daemon.socket)
        assert daemon.client().call("account.list") == {"accounts": []}
        client.close()
        daemon.stop()
