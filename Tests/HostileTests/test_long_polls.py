"""A platform that does not answer polls, or answers them wrongly: decisions and pushes of other owners are not
delayed."""

import json

import pytest

from harness import jose

MOST_POLLS = 16
"""Maximum number of polls in flight, for any number of owners."""

MOST_OF_ONE_ORIGIN = 44
"""Number of the courier's slots for one origin, of which 8 are for decisions only."""

FIRST_UID = 20_000


def people(stage, count: int) -> dict[str, object]:
    """Clients of COUNT new owners, by the device ID that the platform knows."""
    stage.daemon.socket.chmod(0o666)
    clients = {}
    for uid in range(FIRST_UID, FIRST_UID + count):
        client = stage.connect(uid)
        device = client.call("device.configure", geo="NorthAmerica")["deviceId"]
        stage.pair(client=client)
        clients[device] = client
    return clients


def under_way(stage) -> list:
    """The polls in flight, at a platform that answers none."""
    return [poll for poll in stage.platform.polls if not poll.request.is_given_up]


def asked(stage) -> set[str]:
    return {device for poll in under_way(stage) for device in poll.asked}


def sign(stage, device: str, **claims) -> str:
    return stage.platform.sign_push(stage.platform.push_claims(device, **claims))


def show(stage, client, device: str) -> str:
    """Submits a push for an owner. Returns its ID."""
    return client.call("notification.process", payload=sign(stage, device))["notification"]["id"]


def nothing_was_given_up(stage):
    """Asserts that the daemon did not reconnect to its courier, which would release slots that are never freed."""
    assert len(stage.courier.connections) == 1


@pytest.fixture
def besieged(stage):
    """Seventy owners with a platform that answers neither polls nor `device.info`."""
    stage.questions = stage.platform.hold("GET /info")
    stage.people = people(stage, 70)
    stage.courier.wait_until(lambda: asked(stage) == set(stage.people))
    stage.numbers = [client.begin("device.info") for client in stage.people.values()]
    # Only these requests have a slot at the courier; the others wait.
    for _ in range(MOST_OF_ONE_ORIGIN - 8 - MOST_POLLS):
        stage.questions.next()
    return stage


def test_approval_is_sent_at_once_while_polls_and_device_info_get_no_response(besieged):
    polls = under_way(besieged)
    assert len(polls) <= MOST_POLLS
    for device, client in list(besieged.people.items())[::23]:
        client.call("notification.approve", notification=show(besieged, client, device))
    assert [decision["decision"] for decision in besieged.platform.decisions] == ["approve"] * 4
    # The open polls are still open: none had to end for the approvals.
    assert under_way(besieged) == polls and besieged.questions.empty()
    nothing_was_given_up(besieged)


def test_unanswered_decisions_of_one_owner_leave_slots_for_other_owners(besieged):
    (greedy, client), (device, other), *_ = besieged.people.items()
    held = besieged.platform.hold("POST /notifications/*/answer")
    for number in range(8):
        with_their_own = besieged.connect(FIRST_UID)
        with_their_own.begin("notification.approve", notification=show(besieged, client, greedy))
        # Wait until the daemon has processed this decision, so that the decisions keep their order.
        with_their_own.call("account.list") if number else held.next()
    besieged.platform.forge("POST /notifications/*/answer", None)
    other.call("notification.approve", notification=show(besieged, other, device))
    assert [decision["device"] for decision in besieged.platform.decisions] == [device]
    nothing_was_given_up(besieged)


@pytest.fixture(scope="module")
def crowded(shared_stage):
    """A stage with so many owners that some share a poll. Each owner subscribes to its pushes."""
    shared_stage.people = people(shared_stage, MOST_POLLS + 4)
    for client in shared_stage.people.values():
        client.call("event.subscribe", topics=["notification"])
    return shared_stage


@pytest.fixture
def neighbours(crowded):
    """The crowded stage, as soon as every owner is polled for."""
    crowded.platform.be_honest()
    crowded.courier.wait_until(lambda: asked(crowded) == set(crowded.people))
    return crowded


def deliver(stage, device: str, title: str):
    stage.platform.deliver(sign(stage, device, title=title), device=device)
    assert stage.people[device].event("notification")["title"] == title


def test_owners_share_polls_and_each_receives_its_own_pushes(neighbours):
    assert len(under_way(neighbours)) == MOST_POLLS < len(neighbours.people)
    for number, device in enumerate(neighbours.people):
        deliver(neighbours, device, f"push {number}")
        assert len(under_way(neighbours)) <= MOST_POLLS


def test_owners_are_polled_in_turn_if_the_platform_has_no_shared_polls(neighbours):
    neighbours.platform.forge("POST /polls", lambda poll: poll.answer(404, {"code": "NOT_FOUND", "message": "no such endpoint"}))
    for number, device in enumerate(list(neighbours.people)[-4:]):
        deliver(neighbours, device, f"push {number}")
        deliver(neighbours, device, f"push {number} in turn")
        assert len(under_way(neighbours)) <= MOST_POLLS


def sealed(poll, device: str, content, type="poll-part+jwe") -> str:
    return jose.seal(json.dumps(content).encode(), poll.asked[device], typ=type)


LIES = {
    "sealed for another": lambda poll, device, other, news: sealed(poll, other, news),
    "not sealed": lambda poll, device, other, news: news,
    "of another type": lambda poll, device, other, news: sealed(poll, device, news, "device-answer+jwe"),
    "too many": lambda poll, device, other, news: sealed(poll, device, news | {"notifications": news["notifications"] * 51}),
    "a cursor past all measure": lambda poll, device, other, news: sealed(poll, device, news | {"cursor": "x" * 257}),
    "no cursor": lambda poll, device, other, news: sealed(poll, device, {"notifications": news["notifications"]}),
    "a list": lambda poll, device, other, news: sealed(poll, device, [news]),
    "rubbish": lambda poll, device, other, news: "x", "nothing": lambda poll, device, other, news: None,
    "a failure": lambda poll, device, other, news: {"status": 500} | news,
    "a success": lambda poll, device, other, news: {"status": 200} | news,
    "an unknown cursor": lambda poll, device, other, news: {"status": 410} | news,
    "an unknown device": lambda poll, device, other, news: {"status": 401} | news,
}


def poll_of(stage, *devices):
    """The poll in flight that includes one of these devices."""
    def found():
        return next((poll for poll in under_way(stage) if poll.asked.keys() & set(devices)), None)
    stage.courier.wait_until(found)
    return found()


@pytest.mark.parametrize("lie", LIES)
def test_malformed_part_of_a_shared_poll_does_not_affect_other_owners(neighbours, lie):
    stage = neighbours
    poll = next(poll for poll in under_way(stage) if len(poll.asked) > 1)
    device, other = list(poll.asked)[:2]
    stage.platform.polls.remove(poll)
    news = {"notifications": [sign(stage, device, title="a lie")], "cursor": f"a lie: {lie}", "more": False}
    true = {"notifications": [sign(stage, other, title=lie)], "cursor": f"after {lie}", "more": False}
    poll.answer(200, {"devices": {device: LIES[lie](poll, device, other, news), other: sealed(poll, other, true)}})
    assert stage.people[other].event("notification")["title"] == lie
    # The daemon omits the affected device for some time, and then delivers its pushes.
    while device not in (poll := poll_of(stage, device, other)).asked:
        stage.platform.polls.remove(poll)
        poll.tell(other)
    deliver(stage, device, f"after {lie}")
    assert "a lie" not in {each["title"] for each in stage.people[device].call("notification.list")["notifications"]}
