"""No owner sees or answers for another owner. An ID of another owner is treated like an unknown ID."""

import contextlib
import pathlib

import pytest

from harness import users
from harness.client import Disconnected

OTHER = 30_001


@pytest.fixture
def both(paired):
    """Two owners, each with a pairing, a push, a code and a prompt."""
    paired.daemon.socket.chmod(0o666)
    paired.other = paired.connect(OTHER)
    paired.other.call("device.configure", geo="NorthAmerica")
    paired.pair("bob", paired.other)
    return paired


def things(stage, client, username, code):
    device = stage.device_of = stage.platform.device_of(username)
    push = stage.platform.sign_push(stage.platform.push_claims(device, sub=f"user-{username}"))
    stage.platform.codes[code] = {}
    return {
        "notification": client.call("notification.process", payload=push)["notification"]["id"],
        "authentication": client.call("authentication.start", code=code)["id"],
        "account": client.call("account.list")["accounts"][0]["id"],
        "subscription": client.call("event.subscribe")["subscription"],
    }


def test_lists_contain_only_objects_of_the_calling_owner(both):
    ids = [things(both, both.client, "ann", "AAAA1111"), things(both, both.other, "bob", "BBBB2222")]
    for client, mine, theirs in ((both.client, *ids), (both.other, *reversed(ids))):
        text = str(both.state(client))
        assert mine["notification"] in text and mine["account"] in text
        assert not [id for id in theirs.values() if id in text]
        status = client.call("service.status")["owner"]
        assert (status["paired"], status["pending"]) == (1, 1)


def test_events_contain_only_objects_of_the_subscribed_owner(both):
    both.client.call("event.subscribe")
    things(both, both.other, "bob", "BBBB2222")
    push = both.platform.sign_push(both.platform.push_claims())
    mine = both.client.call("notification.process", payload=push)["notification"]["id"]
    # The client that causes an event receives it after the reply.
    both.client.call("service.status")
    assert [event["payload"]["id"] for event in both.client.events if event["topic"] == "notification"] == [mine]
    assert {event["topic"] for event in both.client.events} == {"notification"}


def test_push_for_another_owner_is_rejected(both):
    push = both.platform.sign_push(both.platform.push_claims(both.platform.device_of("bob"), sub="user-bob"))
    assert both.client.refusal("notification.process", payload=push).code == 11009
    assert both.other.call("notification.process", payload=push)["notification"]["state"] == "pending"


# UIDs of `nobody`, of systemd's dynamic users, without an account, and delegated by a user (Tests/Support/with-users).
# One of the delegated UIDs has an account.
STRANGERS = [65534, 65535, 61184, 63_000, 65519, 54_321, 2**31 + 1, 200_000, 265_535, 265_536, 50_002]


def turned_away(client):
    """Asserts that the client gets one error line without an ID and then end of file."""
    answer = client.read_line()
    assert answer.keys() == {"jsonrpc", "id", "error"} and answer["id"] is None
    assert (answer["error"]["code"], answer["error"]["data"]) == (11001, {"reason": "PERMISSION_DENIED", "retry": False})
    assert client.line() is None


@pytest.mark.parametrize("uid", STRANGERS)
@pytest.mark.parametrize("asked", [b"", b'{"jsonrpc":"2.0","id":1,"method":"pairing.list"}\n', b"x" * 300_000])
def test_unknown_user_gets_one_refusal_line_for_any_request(shared_stage, uid, asked):
    stage = shared_stage
    before = stage.daemon.journal.count
    for _ in range(2):
        client = stage.connect(uid)
        # The daemon may have closed before all was written.
        with contextlib.suppress(Disconnected):
            client.write(asked)
        turned_away(client)
    stage.daemon.journal.wait(f"that is not admitted user={uid} ", before)
    with stage.connect(OTHER) as other:
        assert other.call("pairing.list") == {"pairings": []} and stage.client.call("pairing.list")


def test_thousands_of_unknown_users_do_not_lock_out_an_owner(stage):
    stage.daemon.socket.chmod(0o666)
    known = [stage.connect(OTHER) for _ in range(3)]
    for client in known:
        client.call("pairing.list")
    unread = []
    for uid in range(300_000, 303_000):
        unread.append(users.client_as(uid, stage.daemon.socket))
        if uid % 500 == 0:
            # An old and a new connection of an owner.
            assert known[0].call("pairing.list") == {"pairings": []}
            with stage.connect(OTHER) as late:
                assert late.call("pairing.list") == {"pairings": []}
            assert stage.daemon.process.peak_bytes() < 64 << 20
        if len(unread) == 500:
            for client in unread:
                # A client without a slot in the queue gets `RATE_LIMITED`.
                answer = client.read_line()
                assert answer["id"] is None and answer["error"]["code"] in (11001, 11006)
                assert client.line() is None
                client.close()
            unread.clear()
    open_files = len(list(pathlib.Path(f"/proc/{stage.daemon.process.pid}/fd").iterdir()))
    assert open_files < 40


def test_socket_is_accessible_to_its_owner_only(stage):
    assert stage.daemon.socket.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Disconnected, match="Permission denied"):
        stage.connect(OTHER)
