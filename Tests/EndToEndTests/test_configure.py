"""device.configure: the daemon and the platform learn to trust each other."""

import pytest

GEO = "NorthAmerica"


def test_configuring_twice_gives_the_same_device(client):
    first = client.call("device.configure", geo=GEO)
    assert first["geo"] == GEO and first["deviceId"]
    assert client.call("device.configure", geo=GEO) == first
    owner = client.call("service.status")["owner"]
    assert owner == {"uid": 0, "configured": True, "geo": GEO, "paired": 0, "pending": 0, "polling": False}


def test_two_at_once_configure_one_device(daemon):
    clients = [daemon.client() for _ in range(4)]
    numbers = [client.begin("device.configure", geo=GEO) for client in clients]
    answers = [client.reply(number) for client, number in zip(clients, numbers)]
    assert all(answer == answers[0] for answer in answers)


def test_another_geography_is_refused_later(client):
    client.call("device.configure", geo=GEO)
    refused = client.refusal("device.configure", geo="Europe")
    assert (refused.code, refused.reason) == (10019, "CANNOT_UPDATE_GEO")


@pytest.mark.parametrize("geo", ["NorthAmerica", "Europe", "Australia", "Canada", "Singapore", "AsiaPacific"])
def test_every_geography_can_be_configured(client, geo):
    assert client.call("device.configure", geo=geo)["geo"] == geo


@pytest.mark.parametrize("geo", ["northamerica", "EU", "", 1, None])
def test_what_is_no_geography_is_a_wrong_parameter(client, geo):
    refused = client.refusal("device.configure", geo=geo)
    assert (refused.code, refused.details) == (-32602, {"parameter": "geo"})


@pytest.mark.parametrize("pinned", [True, False], ids=["pinned", "not pinned"])
def test_the_status_says_whether_the_platform_key_is_pinned(make_daemon, sandbox, pinned):
    settings = {} if pinned else {"platform_key": None}
    client = make_daemon(**settings).start().client()
    before = client.call("service.status")["platform"]
    assert (before["pinned"], before["reachable"]) == (pinned, None)
    assert before["url"].rstrip("/") == sandbox.url
    assert "lastContact" not in before
    client.call("device.configure", geo=GEO)
    after = client.call("service.status")["platform"]
    assert (after["pinned"], after["reachable"]) == (pinned, True)
    assert after["lastContact"].endswith("Z")


def test_a_platform_with_another_key_is_not_trusted(make_daemon):
    client = make_daemon(platform_key="A" * 43).start().client()
    for _ in range(2):
        refused = client.refusal("device.configure", geo=GEO)
        assert (refused.code, refused.reason) == (10017, "TRUST_FAILED")
    assert client.call("service.status")["owner"]["configured"] is False


def test_one_of_several_pinned_keys_is_enough(make_daemon, sandbox):
    keys = ["A" * 43, sandbox.announcement["platformKey"]]
    assert make_daemon(platform_key=keys).start().client().call("device.configure", geo=GEO)["deviceId"]


def test_before_it_is_configured_a_method_says_so(client):
    for method, params in (
        ("payload.generate", {}),
        ("pairing.pair", {"pairingKey": "01" + "0" * 12}),
        ("pairing.processIdToken", {"idToken": "a.b.c"}),
        ("passcode.get", {}),
        ("notification.process", {"payload": "eyJ0eXAiOiJwdXNoK2p3dCIsImFsZyI6IkVTMjU2Iiwia2lkIjoiYSJ9.e30.AAAA"}),
        ("authentication.start", {"code": "ABCD1234"}),
        ("login.start", {"method": "signon"}),
    ):
        refused = client.refusal(method, **params)
        assert (refused.code, refused.reason) == (10018, "CONFIGURE_ERROR"), method


def test_before_it_is_configured_lists_are_empty(client):
    assert client.call("pairing.list") == {"pairings": []}
    assert client.call("account.list") == {"accounts": []}
    assert client.call("notification.list") == {"notifications": []}
    assert client.call("authentication.list") == {"authentications": []}


def test_the_configured_geography_is_configured_at_first_use(make_daemon):
    client = make_daemon(geo=GEO).start().client()
    assert client.call("service.status")["owner"]["configured"] is False
    assert client.call("payload.generate")["mobilePayload"]
    assert client.call("service.status")["owner"]["geo"] == GEO


def test_what_was_configured_outlives_a_restart(daemon):
    first = daemon.client().call("device.configure", geo=GEO)
    daemon.stop()
    daemon.start()
    client = daemon.client()
    assert client.call("service.status")["owner"]["geo"] == GEO
    assert client.call("device.configure", geo=GEO) == first


def test_without_its_platform_configuring_says_so_and_works_when_it_is_back(client, sandbox):
    sandbox.fault("/device/v1/trust", dropConnection=True)
    refused = client.refusal("device.configure", geo=GEO)
    assert (refused.code, refused.retry) == (10004, True)
    assert client.call("service.status")["platform"]["reachable"] is False
    assert client.call("device.configure", geo=GEO)["deviceId"]


@pytest.mark.parametrize("fault", [{"status": 503}, {"garbage": True}], ids=["503", "garbage"])
def test_a_platform_that_answers_nonsense_is_a_server_error(client, sandbox, fault):
    sandbox.fault("/device/v1/trust", **fault)
    refused = client.refusal("device.configure", geo=GEO)
    assert (refused.code, refused.retry) == (10003, True)
    assert client.call("service.status")["owner"]["configured"] is False
