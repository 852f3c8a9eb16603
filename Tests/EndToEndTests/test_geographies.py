"""One authenticator in several geographies, each with its own platform, selected by the region of the pairing key."""

import pytest

from harness import flows
from harness.sandbox import Sandbox

GEOGRAPHIES = {
    "NorthAmerica": "NA",
    "Europe": "EU",
    "Canada": "CA",
    "Australia": "AU",
    "Singapore": "SG",
    "AsiaPacific": "AP",
}


def test_pairing_keys_of_all_geographies_pair_one_authenticator(client, sandbox):
    client.call("device.configure", geo="NorthAmerica")
    devices = set()
    for geo, region in GEOGRAPHIES.items():
        user = sandbox.user(f"user-of-{region.lower()}")
        info = client.call("pairing.pair", pairingKey=sandbox.pairing_key(user, region=region))
        assert {one["status"] for one in info["authenticators"]} == {"COMPLETED"}
        devices.add(sandbox.devices(user)[0]["id"])
    accounts = client.call("account.list")["accounts"]
    assert [account["geo"] for account in accounts] == list(GEOGRAPHIES)
    assert len(devices) == len(GEOGRAPHIES)
    status = client.call("service.status")["owner"]
    assert (status["geo"], status["paired"]) == ("NorthAmerica", 6)
    for geo in GEOGRAPHIES:
        if geo != "NorthAmerica":
            assert client.refusal("device.configure", geo=geo).code == 10019


@pytest.fixture
def europe():
    """A separate platform for Europe."""
    sandbox = Sandbox()
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


@pytest.fixture
def abroad(make_daemon, sandbox, europe):
    """A daemon with two platforms, configured for one of them."""
    daemon = make_daemon(
        platform=[f"NorthAmerica={sandbox.url}", f"Europe={europe.url}"],
        platform_key=[one.announcement["platformKey"] for one in (sandbox, europe)],
        issuer=[one.announcement["issuer"] for one in (sandbox, europe)],
    ).start()
    client = daemon.client()
    client.call("device.configure", geo="NorthAmerica")
    client.subscribe()
    return daemon, client


def pair_both(client, sandbox, europe):
    """Pairs ann in North America and bob in Europe, and returns the accounts."""
    here = flows.pair(client, sandbox)
    there = client.call("pairing.pair", pairingKey=europe.pairing_key("bob", region="EU"))["account"]
    return here, there


def test_each_platform_has_its_own_pushes_and_passcodes(abroad, sandbox, europe):
    _, client = abroad
    here, there = pair_both(client, sandbox, europe)
    for platform, user, account in ((sandbox, "ann", here), (europe, "bob", there)):
        started = platform.authenticate(user)
        push = client.event("notification", account=account, state="pending")
        client.call("notification.approve", notification=push["id"])
        assert platform.authentication(started)["status"] == "COMPLETED"
        passcode = client.call("passcode.get", account=account)["passcode"]
        checked = platform.check_passcode(platform.authenticate(user), passcode)
        assert checked["status"] == "COMPLETED"


def test_authentication_code_is_found_at_its_platform(abroad, sandbox, europe):
    _, client = abroad
    pair_both(client, sandbox, europe)
    for platform, user in ((sandbox, "ann"), (europe, "bob")):
        made = platform.code()
        claimed = client.call("authentication.start", code=made["code"])
        assert [one["username"] for one in claimed["users"]] == [user]
        client.call("authentication.approve", authentication=claimed["id"])
        assert platform.code_status(made) == "COMPLETED"
    assert client.refusal("authentication.start", code="ZZZZ9999").code == 10011


def test_pairing_key_of_a_geography_without_a_platform_is_refused(make_daemon, sandbox):
    client = make_daemon(platform=f"NorthAmerica={sandbox.url}").start().client()
    client.call("device.configure", geo="NorthAmerica")
    key = sandbox.pairing_key("ann", region="EU")
    assert client.refusal("pairing.pair", pairingKey=key).code == 10017
    assert client.call("account.list") == {"accounts": []}
    assert flows.pair(client, sandbox)


def test_unreachable_platform_does_not_block_the_other(abroad, sandbox, europe):
    daemon, client = abroad
    here, there = pair_both(client, sandbox, europe)
    europe.stop()
    started = sandbox.authenticate("ann")
    push = client.event("notification", account=here, state="pending")
    client.call("notification.approve", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    assert client.call("passcode.get", account=there)["passcode"]
    assert client.refusal("account.remove", account=there).code == 10004
    assert client.call("account.remove", account=there, localOnly=True) == {"remainsOnServer": True}


def test_accounts_of_all_geographies_survive_a_crash(abroad, sandbox, europe):
    daemon, client = abroad
    accounts = pair_both(client, sandbox, europe)
    daemon.kill()
    daemon.start()
    client = daemon.client()
    client.subscribe("notification")
    listed = client.call("account.list")["accounts"]
    assert [(one["id"], one["geo"]) for one in listed] == list(zip(accounts, ("NorthAmerica", "Europe")))
    europe.authenticate("bob")
    assert client.event("notification", account=accounts[1], state="pending")
