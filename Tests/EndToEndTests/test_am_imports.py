"""Imports of PingAM accounts from another authenticator's records, through the real programs."""

import json
import secrets

import pyotp
import pytest

from harness import jose
from harness.authctl import Authctl
from harness.pingam import PATH, PingAM
from harness.programs import wait_until

SEED = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


@pytest.fixture
def daemon(make_daemon, am):
    return make_daemon(am_origin=am.url).start()


def telephone(am, user="bob", **changes):
    """Returns the records of an account that a phone has enrolled at the server."""
    mechanism, secret = f"5E0C4C0E-2B7B-4D7E-9B0C-{secrets.token_hex(6)}", secrets.token_bytes(32)
    am.devices[mechanism] = {"user": user, "secret": secret, "deviceId": "telephone", "deviceType": "ios"}
    names = {"issuer": "Acme", "accountName": user}
    push = {
        **names, "id": f"Acme-{user}-pushauth", "type": "pushauth", "mechanismUID": mechanism, "uid": user,
        # As iOS stores it from the URI. Android stores standard Base64 with padding.
        "secret": jose.b64(secret),
        "authenticationEndpoint": f"{am.url}{PATH}?_action=authenticate",
        "registrationEndpoint": f"{am.url}{PATH}?_action=register", "timeAdded": 1629261902660, **changes,
    }
    oath = {
        **names, "id": f"Acme-{user}-otpauth", "type": "otpauth", "mechanismUID": "x", "secret": SEED,
        "oathType": "TOTP", "algorithm": "sha1", "digits": 6, "period": 30, "timeAdded": 1629261902660,
    }
    account = {**names, "id": f"Acme-{user}", "timeAdded": 1629261902660, "lock": False}
    came = {"id": f"{mechanism}-1", "mechanismUID": mechanism, "messageId": "AUTHENTICATE:1", "pending": False}
    return [account, push, oath, came, {"tokenId": "t", "timeAdded": 1}]


def test_import_transfers_push_and_passcodes_of_an_account(daemon, client, am, directory):
    records = telephone(am)
    (device,) = am.devices.values()
    file = directory / "records.json"
    file.write_text(json.dumps(records))
    authctl = Authctl(daemon.socket)
    tried = authctl.run("import", file, "--dry-run", "--json")
    assert [one["label"] for one in tried.json["accounts"]] == ["bob"] and not tried.json["skipped"], tried.errors
    assert client.call("account.list") == {"accounts": []} and not am.requests
    client.call("device.setPushToken", provider="UNIFIEDPUSH", token="https://push.example/1")
    made = authctl.run("import", file)
    assert made.status == 0 and "bob  pushes" in made.output and "erase the export" in made.errors, made.errors
    wait_until(lambda: device["deviceType"] == "linux")
    assert [path for path, *_ in am.requests] == [f"{PATH}?_action=refresh"] and device["deviceId"] == "https://push.example/1"
    (account,) = client.call("account.list")["accounts"]
    passcode = client.call("passcode.get", account=account["id"])
    assert passcode["passcode"] == pyotp.TOTP(SEED).at(passcode["validFrom"])
    sent = am.push()
    push = client.call("notification.process", payload=sent)["notification"]
    client.call("notification.approve", notification=push["id"])
    assert am.answers[sent["messageId"]] == "approved"
    again = authctl.run("import", file)
    assert again.output.count(": this account exists already\n") == 2
    journal = str(daemon.journal)
    for secret in (SEED, records[1]["secret"], records[1]["mechanismUID"], "bob", "Acme"):
        assert secret not in journal


def test_import_skips_push_accounts_of_servers_not_in_am_origin(daemon, client, am, directory):
    elsewhere = PingAM()
    try:
        file = directory / "records.json"
        file.write_text(json.dumps({"mechanisms": [{**one, "account": telephone(am)[0]} for one in telephone(elsewhere)[1:3]]}))
        result = Authctl(daemon.socket).run("import", "--format", "am", file)
        assert f"skipped entry 1: Acme, bob: am_origin in the configuration does not contain {elsewhere.url}\n" in result.output
        assert "am_origin" in result.errors and result.status == 21
        assert [one["kind"] for one in client.call("account.list")["accounts"]] == ["OATH"]
        assert not elsewhere.requests and not am.requests
    finally:
        elsewhere.close()


def test_two_owners_can_import_the_same_account_independently(shared, am):
    daemon, connect = shared
    from harness import users

    daemon.configure(socket=daemon.socket, socket_group=users.GROUP, am_origin=am.url)
    daemon.stop()
    daemon.start()
    records = json.dumps(telephone(am))
    results = [connect(uid).call("account.import", data=records) for uid in (users.ANN_UID, users.BOB_UID)]
    for result in results:
        assert [one["label"] for one in result["accounts"]] == ["bob"] and not result["skipped"]


def test_import_rejects_hostile_files_and_skips_invalid_entries(daemon, client, am, directory):
    record = telephone(am)[1]
    deep = "[" * 100 + "]" * 100
    for data in (json.dumps([{"secret": "A", "type": "otpauth"}] * 1001), f'[{json.dumps(record)},{deep}]', '{"id":1,"id":2}', "["):
        assert client.refusal("account.import", data=data, format="am").code == -32602
    error = client.refusal("account.import", data=json.dumps(record), password="x")
    assert (error.code, error.details["parameter"]) == (-32602, "password")
    changes = [{"mechanismUID": 7}, {"secret": [1]}, {"secret": "AAAA"}, {"type": None}, {"timeAdded": -1, "uid": {}},
               {"authenticationEndpoint": "javascript:x"}, {"authenticationEndpoint": f"{am.url}@evil.example/"}]
    result = client.call("account.import", data=json.dumps([{**record, **change} for change in changes]))
    assert not result["accounts"]
    assert [one["reason"] for one in result["skipped"]] == ["invalid", "invalid", "unsupported", *["invalid"] * 4]
    large = directory / "records.json"
    large.write_text(json.dumps([record, *[{"tokenId": "x" * 1000}] * 200]))
    refused = Authctl(daemon.socket).run("import", large)
    assert refused.status == 2 and "is larger than 180 KiB" in refused.errors and "remove the stored" in refused.errors
    assert not am.requests and client.call("account.list") == {"accounts": []}
