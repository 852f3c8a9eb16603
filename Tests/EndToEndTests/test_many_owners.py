"""Many users of one machine: a few polls fetch all pushes, and no decision waits for decisions of other users."""

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness import flows
from harness.users import GROUP, client_of

assert os.geteuid() == 0, "these tests play several users, which only root can"

# More owners than the daemon polls individually. Tests/release uses many more, with the limits of a release.
OWNERS = int(os.environ.get("MFAD_TEST_OWNERS", "36"))
PUSH_SECONDS = float(os.environ.get("MFAD_TEST_PUSH_SECONDS", "30"))
APPROVAL_SECONDS = float(os.environ.get("MFAD_TEST_APPROVAL_SECONDS", "30"))
FIRST_UID = 30_000


@pytest.fixture
def crowd(shared, sandbox):
    """A daemon with many owners, each paired with a different user."""
    daemon, _ = shared
    people = {FIRST_UID + number: sandbox.user(f"user{number}") for number in range(OWNERS)}
    for uid, user in people.items():
        client = client_of(uid, daemon.socket)
        flows.pair(client, sandbox, user)
        client.close()
    return daemon, people


@pytest.fixture
def listeners(crowd):
    """A connection of each owner, subscribed to notifications."""
    daemon, people = crowd
    daemon.stop()
    daemon.configure(socket=daemon.socket, socket_group=GROUP, max_connections=OWNERS + 16)
    daemon.start()
    clients = {uid: client_of(uid, daemon.socket) for uid in people}
    for client in clients.values():
        client.subscribe("notification")
    yield clients
    for client in clients.values():
        client.close()


def wait_for_push(client):
    """Polls for the pending push, because there are fewer connections than owners."""
    end = time.monotonic() + PUSH_SECONDS
    while time.monotonic() < end:
        if pending := client.call("notification.list", state="pending")["notifications"]:
            return pending[0]
        time.sleep(0.02)
    raise AssertionError("no push came")


def answer(daemon, sandbox, uid, user):
    """Returns the seconds until the push arrives, and until its approval completes the sign-on."""
    client = client_of(uid, daemon.socket)
    begun = time.monotonic()
    started = sandbox.authenticate(user)
    push = wait_for_push(client)
    came = time.monotonic()
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    client.close()
    return came - begun, time.monotonic() - came


@pytest.mark.slow
def test_every_owner_gets_and_approves_a_push_before_and_after_a_restart(crowd, sandbox):
    daemon, people = crowd
    for restart in (False, True):
        if restart:
            daemon.stop()
            daemon.start()
        with ThreadPoolExecutor(4) as pool:
            times = list(pool.map(lambda person: answer(daemon, sandbox, *person), people.items()))
        pushes, approvals = (sorted(each) for each in zip(*times))
        print(f"{OWNERS} owners: push median {pushes[len(pushes) // 2]:.3f} s, slowest {pushes[-1]:.3f} s; "
              f"approval median {approvals[len(approvals) // 2]:.3f} s, slowest {approvals[-1]:.3f} s")
        assert pushes[-1] < PUSH_SECONDS and approvals[-1] < APPROVAL_SECONDS
    # An erased owner and a device deleted by the platform do not affect the others.
    gone, *others = people
    client = client_of(gone, daemon.socket)
    client.call("device.removeLocalData", confirm=True)
    client.close()
    forgotten = sandbox.identities()[1]["id"]
    sandbox.request("DELETE", f"/sandbox/devices/{forgotten}")
    for uid in others[-3:]:
        answer(daemon, sandbox, uid, people[uid])


@pytest.mark.slow
def test_concurrent_pushes_for_every_owner_arrive_in_time(crowd, listeners, sandbox):
    _, people = crowd
    begun, pushes, took = {}, {}, {}

    def begin(uid):
        begun[uid] = time.monotonic()
        return sandbox.authenticate(people[uid])

    with ThreadPoolExecutor(16) as pool:
        begins = pool.map(begin, people)
        # Read in the order of the starts; events that arrived earlier wait in their sockets.
        for uid in people:
            pushes[uid] = listeners[uid].event("notification", state="pending")
            took[uid] = time.monotonic() - begun[uid]
        started = dict(zip(people, begins))
    print(f"{OWNERS} owners' pushes at once: the slowest after {max(took.values()):.3f} s")
    assert max(took.values()) < PUSH_SECONDS
    answers = {uid: listeners[uid].begin("notification.approve", notification=push["id"]) for uid, push in pushes.items()}
    for uid, number in answers.items():
        assert listeners[uid].reply(number)["notification"]["state"] == "approved"
        assert sandbox.authentication(started[uid])["status"] == "COMPLETED"
