"""A later start completes erasures and WAL truncations that failed or were interrupted by a crash."""

import pytest

from harness import flows, stored
from harness.host import uri
from harness.programs import wait_until

PIN = "280491"


@pytest.fixture
def state(daemon):
    return daemon.directory / "state"


def has_room_to_give_back(state):
    pages = stored.pages(state)
    return pages.free > pages.all / 4


def restart(daemon, left):
    """Kills and restarts the daemon. In between, `left()` must confirm that work is pending."""
    daemon.kill()
    assert left(), "nothing is left to be done"
    daemon.start()


def test_guard_key_from_before_the_pin_is_erased_after_a_restart(daemon, client, state):
    client.call("passcode.import", uri=uri())
    uid = client.call("service.status")["owner"]["uid"]
    before = stored.guard_key(state, uid)
    with stored.reading(state):
        client.call("lock.set", pin=PIN)
        assert stored.guard_key(state, uid) != before
    restart(daemon, lambda: stored.files_with(state, before))
    wait_until(lambda: not stored.files_with(state, before))
    assert daemon.client().call("lock.unlock", pin=PIN)


def test_key_and_pages_of_an_erased_owner_are_released_after_a_restart(daemon, client, sandbox, state):
    client.subscribe("notification")
    flows.pair(client, sandbox)
    for number in range(24):
        flows.push(client, sandbox, clientContext={"number": number, "more": "x" * 7000})
    uid = client.call("service.status")["owner"]["uid"]
    key = stored.owner_key(state, uid)
    with stored.reading(state):
        assert client.refusal("device.removeLocalData", confirm=True).reason == "STORAGE"
    restart(daemon, lambda: stored.files_with(state, key) and has_room_to_give_back(state))
    wait_until(lambda: not stored.files_with(state, key))
    wait_until(lambda: not has_room_to_give_back(state))
    # The database file itself shrinks, not only its size in the WAL.
    wait_until(lambda: (state / "mfad.db").stat().st_size == stored.pages(state).size)


def test_failed_wal_truncation_at_start_is_logged_once_and_harmless(daemon, client, state):
    client.call("passcode.import", uri=uri())
    daemon.kill()
    with stored.reading(state):
        daemon.start()
        daemon.journal.wait("the WAL could not be truncated, which is tried again")
        assert daemon.client().call("passcode.get")
        daemon.stop()
    assert str(daemon.journal).count("sqlite: busy") == 1
