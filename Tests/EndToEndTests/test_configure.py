"""device.configure: the daemon and the platform learn to trust each other."""


GEO = "NorthAmerica"


def test_configuring_twice_gives_the_same_device(client):
    first = client.call("device.configure", geo=GEO)
    assert first["geo"] == GEO and first["deviceId"]
    assert client.call("device.configure", geo=GEO) == first
    owner = client.call("service.status")["owner"]
    assert owner == {"uid": 0, "configured": True, "geo": GEO, "paired": 0, "pending": 0, "polling": False}


def test_the_status_says_whether_the_platform_key_is_pinned(client, sandbox):
    before = client.call("service.status")["platform"]
    assert (before["pinned"], before["reachable"]) == (True, None)
    assert before["url"].rstrip("/") == sandbox.url
    assert "lastContact" not in before
    client.call("device.configure", geo=GEO)
    after = client.call("service.status")["platform"]
    assert (after["pinned"], after["reachable"]) == (True, True)
    assert after["lastContact"].endswith("Z")


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
        ("device.setPushToken", {"provider": "FCM", "token": "t"}),
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


def test_without_its_platform_configuring_says_so_and_works_when_it_is_back(client, sandbox):
    sandbox.fault("/device/v1/trust", dropConnection=True)
    refused = client.refusal("device.configure", geo=GEO)
    assert (refused.code, refused.retry) == (10004, True)
    assert client.call("service.status")["platform"]["reachable"] is False
    assert client.call("device.configure", geo=GEO)["deviceId"]
