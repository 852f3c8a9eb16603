"""OATH accounts: enrolled by URI and by export, used, renamed and removed like other accounts."""

import base64
import hashlib
import itertools
import os
import subprocess
import time

import pyotp
import pytest
from urllib.parse import quote

from harness.authctl import Authctl
from harness.client import RPCError

FORMS = list(itertools.product(["SHA1", "SHA256", "SHA512"], [6, 7, 8]))
KINDS = [("totp", *form, period) for form in FORMS for period in (15, 30, 120)] + [("hotp", *form, None) for form in FORMS]


def uri(kind="totp", issuer="ACME", label="ann", secret=None, **parameters):
    secret = secret or base64.b32encode(os.urandom(20)).decode()
    rest = "".join(f"&{name}={value}" for name, value in parameters.items())
    return f"otpauth://{kind}/{quote(issuer)}:{quote(label)}?secret={secret}&issuer={quote(issuer)}{rest}"


def test_passcodes_match_pyotp_and_oathtool(client):
    for number, (kind, algorithm, digits, period) in enumerate(KINDS):
        secret = base64.b32encode(os.urandom(20)).decode()
        moving = {"period": period} if kind == "totp" else {"counter": number}
        account = client.call("account.enrol", uri=uri(kind, label=f"user{number}", secret=secret, algorithm=algorithm,
                                                       digits=digits, **moving))
        assert (account["kind"], account["issuer"], account["label"]) == ("OATH", "ACME", f"user{number}")
        assert [one["type"] for one in account["authenticators"]] == ["OTP"]
        passcode = client.call("passcode.get", account=account["id"])
        digest = getattr(hashlib, algorithm.lower())
        if kind == "hotp":
            assert passcode == {"account": account["id"], "passcode": pyotp.HOTP(secret, digits=digits, digest=digest).at(number),
                                "counter": number}
            assert client.refusal("passcode.get", account=account["id"], next=True).code == -32602
            continue
        judge = pyotp.TOTP(secret, digits=digits, digest=digest, interval=period)
        assert (passcode["passcode"], passcode["timeWindowSize"]) == (judge.at(passcode["validFrom"]), period)
        oathtool = subprocess.run(["oathtool", f"--totp={algorithm}", "-b", secret, "-d", str(digits), f"--time-step-size={period}s",
                                   "--now", f"@{passcode['validFrom']}"], capture_output=True, text=True, check=False)
        # oathtool supports 6, 7 and 8 digits for every hash.
        assert oathtool.stdout.strip() == passcode["passcode"], oathtool.stderr


def test_counter_never_decreases_after_crashes(make_daemon):
    daemon = make_daemon().start()
    secret = base64.b32encode(os.urandom(20)).decode()
    account = daemon.client().call("passcode.import", uri=uri("hotp", secret=secret, counter=0))["id"]
    judge, seen = pyotp.HOTP(secret), []
    for _ in range(3):
        client = daemon.client()
        seen += [client.call("passcode.get", account=account) for _ in range(3)]
        daemon.kill()
        daemon.start()
    assert [one["counter"] for one in seen] == list(range(9))
    assert [one["passcode"] for one in seen] == [judge.at(count) for count in range(9)]


def test_counter_based_passcodes_are_rate_limited_like_writes(client):
    counting = client.call("passcode.import", uri=uri("hotp", counter=0))["id"]
    steady = client.call("passcode.import", uri=uri("totp"))["id"]
    before = time.monotonic()
    codes, counters = [], []
    # On a slow machine 300 requests may be too slow to exceed the rate limit.
    while not codes:
        for number in [client.begin("passcode.get", account=counting) for _ in range(300)]:
            try:
                counters.append(client.reply(number)["counter"])
            except RPCError as error:
                codes.append(error.code)
    # The limit is a burst of 100 and 20 per second.
    allowed = 101 + 20 * (time.monotonic() - before)
    assert set(codes) == {11006} and 90 <= len(counters) <= allowed
    # Refused requests do not advance the counter, and time-based passcodes are not limited.
    assert counters == list(range(len(counters)))
    assert [client.call("passcode.get", account=steady)["timeWindowSize"] for _ in range(200)] == [30] * 200


def test_enrolling_the_same_account_again_conflicts_unless_renamed(client):
    secret = base64.b32encode(os.urandom(20)).decode()
    client.call("account.enrol", uri=uri(secret=secret))
    assert client.refusal("account.enrol", uri=uri(secret=secret)).code == 11011
    assert client.refusal("passcode.import", uri=uri(secret=secret)).code == 11011
    assert client.call("account.enrol", uri=uri(secret=secret, label="bob"))["label"] == "bob"


def test_import_of_a_known_secret_of_an_issuer_exists_under_any_label(client):
    secret, other = (base64.b32encode(os.urandom(20)).decode() for _ in range(2))
    client.call("account.enrol", uri=uri(secret=secret))
    labels = [uri(secret=secret, label="ACME:ann"), uri(secret=secret, label="bob"), uri(secret=secret, issuer="Other")]
    result = client.call("account.import", data="\n".join(labels))
    assert [one["issuer"] for one in result["accounts"]] == ["Other"]
    assert [(one["index"], one["reason"], one["label"]) for one in result["skipped"]] == [(0, "exists", "ann"), (1, "exists", "bob")]
    # Two labels in one export are two accounts, except for a counter, which both would use.
    pair = "\n".join(uri(secret=other, label=label) for label in ("one", "two", "one"))
    result = client.call("account.import", data=pair)
    assert [one["label"] for one in result["accounts"]] == ["one", "two"] and [one["index"] for one in result["skipped"]] == [2]
    again = client.call("account.import", data=pair)
    assert not again["accounts"] and {one["reason"] for one in again["skipped"]} == {"exists"}
    counting = "\n".join(uri("hotp", secret=other, label=label, counter=0) for label in ("one", "two"))
    assert len(client.call("account.import", data=counting)["accounts"]) == 1


def test_weak_secrets_are_marked_and_shorter_ones_rejected(client):
    weak = base64.b32encode(os.urandom(12)).decode().rstrip("=")
    assert client.call("account.enrol", uri=uri(secret=weak))["weakSecret"] is True
    short = base64.b32encode(os.urandom(9)).decode().rstrip("=")
    error = client.refusal("account.enrol", uri=uri(secret=short))
    assert (error.code, error.details["parameter"]) == (-32602, "uri") and short not in str(error)


def test_accounts_of_all_kinds_are_listed_together(paired):
    mine = paired.call("account.enrol", uri=uri(label="mail"))
    accounts = paired.call("account.list")["accounts"]
    assert sorted(one["kind"] for one in accounts) == ["OATH", "PINGONE"]
    renamed = paired.call("account.rename", account=mine["id"], nickname="letters")
    assert (renamed["nickname"], renamed["label"]) == ("letters", "mail")
    assert paired.refusal("passcode.get").code == 11017
    assert paired.call("account.remove", account=mine["id"]) == {"remainsOnServer": False}
    assert [one["kind"] for one in paired.call("account.list")["accounts"]] == ["PINGONE"]
    assert paired.call("passcode.get")["passcode"]


def test_import_stores_all_valid_entries_and_dry_run_none(client):
    known = uri(label="known")
    client.call("account.enrol", uri=known)
    data = "\n".join([uri(label="one"), known, "otpauth://totp/x?secret=1", uri("hotp", label="two", counter=5)])
    tried = client.call("account.import", data=data, format="uris", dryRun=True)
    assert len(client.call("account.list")["accounts"]) == 1
    made = client.call("account.import", data=data, format="uris")
    for result in (tried, made):
        assert [one["label"] for one in result["accounts"]] == ["one", "two"]
        assert [(one["index"], one["reason"], one["message"]) for one in result["skipped"]] == [
            (1, "exists", "this account exists already"),
            (2, "invalid", "secret cannot be read"),
        ]
    assert len(client.call("account.list")["accounts"]) == 3
    again = client.call("account.import", data=data)
    assert not again["accounts"] and {one["reason"] for one in again["skipped"]} == {"exists", "invalid"}


def test_owner_can_have_64_accounts(client):
    data = "\n".join(uri(label=f"user{number}") for number in range(70))
    result = client.call("account.import", data=data)
    assert len(result["accounts"]) == 64 and [one["reason"] for one in result["skipped"]] == ["quota"] * 6
    assert client.refusal("account.enrol", uri=uri(label="one more")).code == 11016


@pytest.mark.parametrize("data, parameter", [("", "format"), ("{}", "format"), ("{", "data"), ("no export", "format")])
def test_import_rejects_data_that_is_not_an_export(client, data, parameter):
    error = client.refusal("account.import", data=data)
    assert (error.code, error.details["parameter"]) == (-32602, parameter)


def test_authctl_enrols_a_uri_and_imports_a_file(daemon, directory):
    authctl = Authctl(daemon.socket)
    secret = base64.b32encode(os.urandom(20)).decode()
    assert authctl.run("enrol", input=uri(secret=secret) + "\n").status == 0
    passcode = authctl.run("--json", "otp").json
    assert passcode["passcode"] == pyotp.TOTP(secret).at(passcode["validFrom"])
    file = directory / "export.txt"
    file.write_text(uri(label="bob") + "\n")
    tried = authctl.run("--json", "import", str(file), "--dry-run").json
    assert [one["label"] for one in tried["accounts"]] == ["bob"]
    assert authctl.run("import", str(file)).status == 0
    assert authctl.run("otp").status == 17 and authctl.run("otp", "bob").status == 0
