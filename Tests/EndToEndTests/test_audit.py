"""Each operation writes one audit entry: user, method, target and outcome."""

import contextlib
import os
import re
import sqlite3

import pytest

from harness import flows
from harness.users import ANN_UID, BOB_UID


def entries(client, **params):
    """Returns the entries as (method, target, outcome), oldest first."""
    listed = client.call("audit.list", **params)["entries"]
    return [(entry["method"], entry.get("target"), entry["outcome"]) for entry in reversed(listed)]


def test_audit_records_one_entry_per_operation_and_none_for_reads(paired, sandbox):
    account = paired.call("account.list")["accounts"][0]["id"]
    device = paired.call("device.configure", geo=flows.GEO)["deviceId"]
    _, first = flows.push(paired, sandbox)
    paired.call("notification.approve", notification=first["id"])
    _, second = flows.push(paired, sandbox)
    paired.call("notification.deny", notification=second["id"], reason="REPORT_FRAUD")
    _, third = flows.push(paired, sandbox)
    paired.call("notification.deny", notification=third["id"])
    assert paired.refusal("notification.approve", notification=third["id"]).code == 11003
    paired.call("payload.generate")
    code = paired.call("authentication.start", code=sandbox.code()["code"])["id"]
    paired.call("authentication.approve", authentication=code)
    # Reads write no entry.
    for method in ("service.status", "account.list", "notification.list", "rpc.discover", "audit.list"):
        paired.call(method)
    assert entries(paired) == [
        ("device.configure", device, "ok"), ("pairing.pair", account, "ok"), ("device.configure", device, "ok"),
        ("notification.approve", first["id"], "ok"), ("notification.deny", second["id"], "DENIED_REPORT_FRAUD"),
        ("notification.deny", third["id"], "ok"), ("notification.approve", third["id"], "ALREADY_ANSWERED"),
        ("payload.generate", None, "ok"), ("authentication.start", code, "ok"), ("authentication.approve", code, "ok"),
    ]
    for entry in paired.call("audit.list")["entries"]:
        assert entry["uid"] == os.getuid() and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", entry["at"])


def test_audit_counts_passcodes_by_account_at_the_next_commit_and_at_a_stop(daemon, paired):
    account = paired.call("account.list")["accounts"][0]["id"]
    before = len(entries(paired))
    for _ in range(3):
        paired.call("passcode.get")
    assert len(entries(paired)) == before
    paired.call("account.rename", account=account, nickname="desk")
    assert entries(paired)[before:] == [("account.rename", account, "ok"), ("passcode.get", account, "COUNT_3")]
    paired.call("passcode.get")
    daemon.stop()
    daemon.start()
    assert entries(daemon.client())[before + 2:] == [("passcode.get", account, "COUNT_1")]


def test_audit_records_the_steps_of_a_sign_on_without_typed_values(client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    login = client.call("login.start", method="signon")["login"]
    values = {"username": "ann", "password": "a wrong password"}
    assert client.call("login.next", login=login, values=values)["node"] == "error"
    values["password"] = sandbox.users["ann"]["password"]
    pairing = client.call("login.next", login=login, values=values)["pairing"]["id"]
    client.call("pairing.approve", pairing=pairing)
    assert entries(client)[1:] == [
        ("login.start", login, "ok"), ("login.next", login, "ERROR"), ("login.next", login, "ok"),
        ("pairing.approve", pairing, "ok"),
    ]
    # Whole words, because an id may contain the letters of a name.
    assert not re.search(r"\b(ann|password)\b", str(client.call("audit.list")))


def test_audit_records_refusals_without_the_text_of_the_caller(client):
    secret = "correct-horse-battery"
    client.refusal("notification.approve", notification=secret)
    client.refusal("notification.approve", notification=secret, number="x")
    client.refusal("pairing.pair", pairingKey=secret)
    assert [entry[1:] for entry in entries(client)] == [
        (None, "NOT_FOUND"), (None, "INVALID_PARAMS"), (None, "CONFIGURE_ERROR"),
    ]
    # Unknown methods and rate-limited requests are not written to the disk.
    client.refusal("no.method")
    codes = []
    # On a slow machine 300 requests may be too slow to exceed the rate limit.
    while 11006 not in codes:
        numbers = [client.begin("login.cancel", login="x") for _ in range(300)]
        codes += [client.refused(number).code for number in numbers]
    told = 0
    before = None
    while True:
        page = client.call("audit.list", limit=200, **({"before": before} if before else {}))["entries"]
        if not page:
            break
        told, before = told + len(page), page[-1]["id"]
    assert told == 3 + codes.count(11002)


def test_audit_records_requests_without_an_id(client):
    client.send_line('{"jsonrpc":"2.0","method":"login.cancel","params":{"login":"nothing"}}')
    client.send_line('[{"jsonrpc":"2.0","method":"login.cancel","params":{"login":"nothing"}}]')
    assert entries(client) == [("login.cancel", None, "NOT_FOUND")] * 2


def test_audit_entry_is_on_the_disk_before_the_reply(daemon, client):
    for number in range(5):
        client.refusal("login.cancel", login="nothing")
        daemon.kill()
        daemon.start()
        client = daemon.client()
        assert len(entries(client)) == number + 1


@pytest.fixture
def three(shared):
    """Root and two users, each with one audit entry."""
    _, connect = shared
    clients = [connect(uid) for uid in (0, ANN_UID, BOB_UID)]
    for client in clients:
        client.refusal("login.cancel", login="nothing")
    return clients


def test_audit_list_shows_users_their_own_entries_and_root_all(three):
    root, ann, bob = three
    assert [entry["uid"] for entry in ann.call("audit.list")["entries"]] == [ANN_UID]
    assert [entry["uid"] for entry in bob.call("audit.list")["entries"]] == [BOB_UID]
    everybodys = root.call("audit.list")["entries"]
    assert [entry["uid"] for entry in everybodys] == [BOB_UID, ANN_UID, 0]
    # A page boundary is an entry that the caller may see.
    assert root.call("audit.list", before=everybodys[1]["id"])["entries"] == everybodys[2:]
    for before in (everybodys[0]["id"], "nothing"):
        assert ann.refusal("audit.list", before=before).code == 11002
    assert ann.call("audit.list", before=everybodys[1]["id"]) == {"entries": []}


@pytest.mark.parametrize("limit", [0, 201, -1, "1", 1.5])
def test_audit_list_accepts_a_limit_of_1_to_200(client, limit):
    assert client.refusal("audit.list", limit=limit).details == {"parameter": "limit"}


def test_audit_list_returns_50_entries_by_default(client):
    numbers = [client.begin("login.cancel", login="x") for _ in range(60)]
    for number in numbers:
        client.refused(number)
    assert [len(client.call("audit.list", **page)["entries"]) for page in ({}, {"limit": 60}, {"limit": 200})] == [50, 60, 60]


def test_audit_records_a_refused_attempt_to_erase_an_owner(shared):
    _, connect = shared
    ann = connect(ANN_UID)
    assert ann.refusal("owner.erase", uid=BOB_UID, confirm=True).code == 11001
    assert entries(ann) == [("owner.erase", str(BOB_UID), "PERMISSION_DENIED")]


def test_audit_verify_detects_changed_and_deleted_rows(daemon, client, authctl):
    for _ in range(4):
        client.refusal("login.cancel", login="nothing")
    assert client.call("audit.verify") == {"entries": 4, "ok": True}
    assert authctl.run("audit", "verify").output == "4 entries, all as recorded\n"
    third = client.call("audit.list")["entries"][1]["id"]
    with contextlib.closing(sqlite3.connect(daemon.directory / "state" / "mfad.db")) as file, file:
        file.execute("UPDATE audit SET outcome = 'ok' WHERE id = ?", [third])
    assert client.call("audit.verify") == {"entries": 3, "ok": False, "brokenAt": third}
    assert authctl.run("audit", "verify").status == 1
    with contextlib.closing(sqlite3.connect(daemon.directory / "state" / "mfad.db")) as file, file:
        file.execute("DELETE FROM audit WHERE sequence > 2")
    assert client.call("audit.verify") == {"entries": 2, "ok": False}


def test_audit_entry_is_written_to_the_journal(daemon, client):
    client.refusal("login.cancel", login="nothing")
    daemon.journal.wait("<6>an entry of the audit uid=0 method=login.cancel outcome=NOT_FOUND")


def test_audit_entries_omit_names_of_unknown_objects(paired):
    typed = "annas-old-laptop"
    calls = {
        "account.rename": {"account": typed, "nickname": "n"}, "account.remove": {"account": typed},
        "notification.approve": {"notification": typed}, "notification.deny": {"notification": typed},
        "pairing.approve": {"pairing": typed}, "pairing.ignore": {"pairing": typed},
        "authentication.approve": {"authentication": typed}, "authentication.deny": {"authentication": typed},
        "login.next": {"login": typed}, "login.cancel": {"login": typed},
    }
    for method, params in calls.items():
        error = paired.refusal(method, **params)
        assert error.code == 11002 and error.message.startswith("there is no such "), (method, error)
        assert error.message != "there is no such object" and typed not in error.message, (method, error)
        assert entries(paired)[-1] == (method, None, "NOT_FOUND")
    assert typed not in str(paired.call("audit.list"))
