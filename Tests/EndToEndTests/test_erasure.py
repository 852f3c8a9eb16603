"""Root lists the owners and erases one without a trace."""

import pytest

from harness import flows
from harness.users import ANN_UID, BOB_UID


@pytest.fixture
def root(shared):
    """A connection of root."""
    return shared[1](0)


def test_owner_list_counts_the_accounts_of_each_owner(root, two, sandbox):
    first, second = two
    owners = root.call("owner.list")["owners"]
    assert [(owner["uid"], owner["accounts"]) for owner in owners] == [(ANN_UID, 1), (BOB_UID, 1)]
    flows.pair(first, sandbox, "bob")
    assert [owner["accounts"] for owner in root.call("owner.list")["owners"]] == [2, 1]


@pytest.mark.parametrize("method, params", [("owner.list", {}), ("owner.erase", {"uid": BOB_UID, "confirm": True}), ("service.metrics", {})])
def test_service_methods_are_refused_and_hidden_for_users(two, method, params):
    first, second = two
    assert first.refusal(method, **params).code == 11001
    assert method not in {one["name"] for one in first.call("rpc.discover")["methods"]}
    assert len(second.call("account.list")["accounts"]) == 1


@pytest.mark.parametrize("params", [{}, {"uid": ANN_UID}, {"uid": ANN_UID, "confirm": False}, {"uid": -1, "confirm": True},
                                    {"uid": 2**32 - 1, "confirm": True}, {"uid": "ann", "confirm": True}])
def test_owner_erase_requires_a_user_and_confirmation(root, two, params):
    assert root.refusal("owner.erase", **params).code == -32602
    assert len(two[0].call("account.list")["accounts"]) == 1


def test_erased_data_is_gone_from_replies_and_files(shared, root, two, sandbox):
    daemon, connect = shared
    first, second = two
    _, push = flows.push(first, sandbox, "ann")
    login = first.call("login.start", method="signon")["login"]
    _, theirs = flows.push(second, sandbox, "bob")
    account = first.call("account.list")["accounts"][0]["id"]
    sealed = [push["id"], account, login]
    assert root.call("owner.erase", uid=ANN_UID, confirm=True) == {}
    assert first.call("account.list") == {"accounts": []}
    assert first.call("notification.list") == {"notifications": []}
    assert first.call("audit.list") == {"entries": []}
    assert first.call("service.status")["owner"] == {
        "uid": ANN_UID, "configured": False, "paired": 0, "pending": 0, "polling": False,
    }
    assert first.refusal("passcode.get").code == 10018
    assert first.refusal("notification.approve", notification=push["id"]).code == 11002
    assert first.refusal("login.next", login=login, values={}).code == 11002
    # The files contain none of the erased owner's ids.
    for path in (daemon.directory / "state").iterdir():
        content = path.read_bytes()
        assert not [text for text in sealed if text.encode() in content], path.name
    # The other owner is unaffected, and root's audit records the erasure.
    assert second.call("notification.approve", notification=theirs["id"])["notification"]["state"] == "approved"
    last = root.call("audit.list")["entries"]
    assert [(entry["uid"], entry["method"], entry.get("target")) for entry in last if entry["uid"] == 0] == [
        (0, "owner.erase", str(ANN_UID))
    ]
    # The daemon no longer polls for the erased owner and does not notify about their pushes.
    sandbox.authenticate("ann")
    _, again = flows.push(second, sandbox, "bob")
    assert first.call("notification.list") == {"notifications": []}
    # Erasing again succeeds, and the user can enrol again.
    assert root.call("owner.erase", uid=ANN_UID, confirm=True) == {}
    assert flows.pair(first, sandbox, "ann") != account
    assert connect(ANN_UID).call("passcode.get")["passcode"]


def test_operation_in_flight_leaves_no_trace_after_erasure(shared, root, two, sandbox):
    daemon, _ = shared
    first, _ = two
    _, push = flows.push(first, sandbox, "ann")
    with sandbox.held():
        number = first.begin("notification.approve", notification=push["id"])
        assert first.event("notification", id=push["id"], state="sending")
        root.call("owner.erase", uid=ANN_UID, confirm=True)
    # The platform's late response changes nothing.
    assert first.refused(number).code in (11002, 10004)
    assert [owner["uid"] for owner in root.call("owner.list")["owners"]] == [BOB_UID]
    assert [entry["method"] for entry in first.call("audit.list")["entries"]] == ["notification.approve"]


def test_service_uid_can_erase_its_own_owner(client, sandbox):
    flows.pair(client, sandbox)
    uid = client.call("service.status")["owner"]["uid"]
    client.call("owner.erase", uid=uid, confirm=True)
    assert client.call("owner.list") == {"owners": []}
    # Only the audit entry about the erasure remains.
    assert [entry["method"] for entry in client.call("audit.list")["entries"]] == ["owner.erase"]
