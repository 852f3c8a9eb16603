"""Events: everybody who wants to know of a change is told once, in order, and only of their own things."""

from harness import flows
from harness.figures import Figures
from harness.programs import PATIENCE, wait_until
from harness.users import ANN_UID

TOPICS = ("notification", "pairing", "authentication", "account", "service")


def heard(client, count):
    """The next events, which the client has already found to be numbered without a gap."""
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
        # What is answered after the last event has nothing before it that was not wanted.
        watcher.call("account.list")
        assert not watcher.events


def test_closed_subscriptions_leave_no_open_descriptors(daemon, client):
    def files():
        return Figures.of(daemon.process.pid).files

    client.call("account.list")
    # A file that was checked stays open: to close it would give up the locks that the database has on it.
    daemon.wait_checked()
    before = files()
    for _ in range(8):
        other = daemon.client()
        other.call("event.unsubscribe", subscription=other.subscribe())
        other.subscribe("account")
        other.finish()
    # Its client hears that a connection is closed before all is done that came of it.
    wait_until(lambda: files() <= before)


def test_erased_owner_gets_no_event_and_keeps_the_subscription(shared, two, sandbox):
    _, connect = shared
    first, _ = two
    _, push = flows.push(first, sandbox, "ann")
    connect(0).call("owner.erase", uid=ANN_UID, confirm=True)
    first.call("account.list")
    assert not first.events
    # The subscription is the connection's, not the owner's: it tells of what is made anew.
    account = flows.pair(first, sandbox, "ann")
    assert first.event("account", id=account)
