"""Events: each subscriber gets each change of its owner once and in order."""

from harness import flows
from harness.figures import Figures
from harness.programs import PATIENCE, wait_until
from harness.users import ANN_UID

TOPICS = ("notification", "pairing", "authentication", "account", "service")


def heard(client, count):
    """Returns the next events. The client has already checked their sequence numbers."""
    while len(client.events) < count:
        client._take(PATIENCE)
    return [client.events.popleft() for _ in range(count)]


def test_subscription_gets_its_topic_and_without_a_topic_all_events(daemon, client, sandbox):
    watchers = {topic: daemon.client() for topic in TOPICS}
    for topic, watcher in watchers.items():
        watcher.subscribe(topic)
    everything = daemon.client()
    everything.subscribe()
    flows.pair(client, sandbox)
    code = client.call("authentication.start", code=sandbox.code()["code"])["id"]
    client.call("authentication.deny", authentication=code)
    sandbox.authenticate("ann")
    pairing = flows.sign_on(client, sandbox, "bob")["pairing"]["id"]
    told = [(event["topic"], event["payload"]["id"]) for event in heard(everything, 5)]
    assert {topic for topic, _ in told} == {"account", "authentication", "notification", "pairing"}
    assert ("pairing", pairing) in told and told.count(("authentication", code)) == 2
    for topic, watcher in watchers.items():
        mine = heard(watcher, sum(one == topic for one, _ in told))
        assert [(event["topic"], event["payload"]["id"]) for event in mine] == [one for one in told if one[0] == topic]
        # A later reply proves that no unwanted event preceded it.
        watcher.call("account.list")
        assert not watcher.events


def test_closed_subscriptions_leave_no_open_descriptors(daemon, client):
    def files():
        return Figures.of(daemon.process.pid).files

    client.call("account.list")
    # The checked file stays open: closing it would release the POSIX locks of the database.
    daemon.wait_checked()
    before = files()
    for _ in range(8):
        other = daemon.client()
        other.call("event.unsubscribe", subscription=other.subscribe())
        other.subscribe("account")
        other.finish()
    # The client sees the end of the connection before the daemon has released everything.
    wait_until(lambda: files() <= before)


def test_erased_owner_gets_no_event_and_keeps_the_subscription(shared, two, sandbox):
    _, connect = shared
    first, _ = two
    _, push = flows.push(first, sandbox, "ann")
    connect(0).call("owner.erase", uid=ANN_UID, confirm=True)
    first.call("account.list")
    assert not first.events
    # The subscription belongs to the connection, not to the owner: it reports the new account.
    account = flows.pair(first, sandbox, "ann")
    assert first.event("account", id=account)
