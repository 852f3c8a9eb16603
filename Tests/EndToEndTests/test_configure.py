"""device.configure: the daemon and the platform establish trust."""


GEO = "NorthAmerica"


def test_configure_is_idempotent(client):
    first = client.call("device.configure", geo=GEO)
    assert first["geo"] == GEO and first["deviceId"]
    assert client.call("device.configure", geo=GEO) == first
    owner = client.call("service.status")["owner"]
    assert owner == {"uid": 0, "configured": True, "geo": GEO, "paired": 0, "pending": 0, "polling": False}


def test_status_shows_pinning_and_reachability_of_the_platform(client, sandbox):
    before = client.call("service.status")["platform"]
    assert (before["pinned"], before["reachable"]) == (True, None)
    assert before["url"].rstrip("/") == sandbox.url
    assert "lastContact" not in before
    client.call("device.configure", geo=GEO)
    after = client.call("service.status")["platform"]
    assert (after["pinned"], after["reachable"]) == (True, True)
    assert after["lastContact"].endswith("Z")


def test_configure_succeeds_if_one_of_several_pinned_keys_matches(make_daemon, sandbox):
    keys = ["A" * 43, sandbox.announcement["platformKey"]]
    assert make_daemon(platform_key=keys).start().client().call("device.configure", geo=GEO)["deviceId"]


def test_methods_fail_with_configure_error_before_configuration(client):
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


def test_lists_are_empty_before_configuration(client):
    assert client.call("pairing.list") == {"pairings": []}
    assert client.call("account.list") == {"accounts": []}
    assert client.call("notification.list") == {"notifications": []}
    assert client.call("authentication.list") == {"authentications": []}


def test_geography_of_the_configuration_file_is_applied_at_first_use(make_daemon):
    client = make_daemon(geo=GEO).start().client()
    assert client.call("service.status")["owner"]["configured"] is False
    assert client.call("payload.generate")["mobilePayload"]
    assert client.call("service.status")["owner"]["geo"] == GEO


def test_configure_fails_if_the_platform_is_unreachable_and_succeeds_later(client, sandbox):
    sandbox.fault("/device/v1/trust", dropConnection=True)
    refused = client.refusal("device.configure", geo=GEO)
    assert (refused.code, refused.retry) == (10004, True)
    assert client.call("service.status")["platform"]["reachable"] is False
    assert client.call("device.configure", geo=GEO)["deviceId"]
