"""Stored data: sealed, each value bound to its row and column, readable by its owner only."""

import base64
import os

import pytest

from harness import tampering
from harness.tampering import change

OTHER = 41_001


def state_files(stage):
    return {path.name: path for path in stage.daemon.state.iterdir()}


KEY_TROUBLES = {
    "gone": lambda key: key.unlink(), "another": lambda key: key.write_bytes(os.urandom(32)), "empty": lambda key: key.write_bytes(b""),
    "short": lambda key: key.write_bytes(key.read_bytes()[:31]), "for others to read": lambda key: key.chmod(0o644),
    "for the group to read": lambda key: key.chmod(0o640), "a directory": lambda key: (key.unlink(), key.mkdir()),
    "a link": lambda key: key.rename(key.with_name("elsewhere")) and key.symlink_to("elsewhere"),
}


@pytest.mark.parametrize("trouble", KEY_TROUBLES)
def test_calls_that_need_the_key_are_refused_while_it_is_unusable(paired, trouble):
    before = paired.state()
    paired.daemon.stop()
    key = state_files(paired)["key"]
    sound = key.read_bytes()
    KEY_TROUBLES[trouble](key)
    paired.start()
    status = paired.client.call("service.status")
    assert status["protection"]["sealing"] == "unavailable"
    assert paired.client.call("rpc.discover") and paired.client.call("event.subscribe")["subscription"]
    for method, params in (("passcode.get", {}), ("payload.generate", {}), ("pairing.pair", {"pairingKey": "01ABCDEFGHJKMN"}),
                           ("account.list", {}), ("notification.process", {"payload": paired.platform.sign_push(paired.platform.push_claims())})):
        error = paired.client.refusal(method, **params)
        assert (error.code, error.reason) == (11018, "KEY_UNAVAILABLE"), method
    if key.is_dir():
        key.rmdir()
    key.unlink(missing_ok=True)
    descriptor = os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(sound)
    # Each use reads the key again, so no restart is needed.
    assert paired.client.call("passcode.get")["passcode"] and paired.state() == before


def test_missing_key_is_not_replaced_if_sealed_data_exists(paired):
    paired.daemon.stop()
    state_files(paired)["key"].unlink()
    paired.start()
    assert paired.client.refusal("passcode.get").code == 11018
    assert "key" not in state_files(paired)


@pytest.fixture
def both(paired):
    """Two owners, each with an identity, an account and a push."""
    paired.daemon.socket.chmod(0o666)
    paired.other = paired.connect(OTHER)
    paired.other.call("device.configure", geo="NorthAmerica")
    paired.pair("bob", paired.other)
    for client, user in ((paired.client, "ann"), (paired.other, "bob")):
        push = paired.platform.push_claims(paired.platform.device_of(user), sub=f"user-{user}")
        client.call("notification.process", payload=paired.platform.sign_push(push))
    return paired


HANGS_ON = {"pingone_account": "account", "oath": "account", "identity_key": "identity"}


def rows_of(table: str, owner) -> str:
    """The SQL condition for an owner's rows. Some tables refer to the owner through another table."""
    parent = HANGS_ON.get(table)
    return f"{parent} IN (SELECT id FROM {parent} WHERE owner = {owner})" if parent else f"owner = {owner}"


def swap(stage, table: str, column: str):
    """Swaps the values of both owners."""
    stage.daemon.stop()
    with tampering.opened(stage.daemon.state / "mfad.db") as database:
        (one, other) = [owner for (owner,) in database.execute("SELECT uid FROM owner")]
        values = {}
        for owner in (one, other):
            ((values[owner],),) = database.execute(f"SELECT {column} FROM {table} WHERE {rows_of(table, owner)}").fetchall()
        for owner, value in ((one, values[other]), (other, values[one])):
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {rows_of(table, owner)}", [value])
    stage.start()
    stage.daemon.socket.chmod(0o666)


def spoilt(table: str, column: str) -> str:
    """A statement that changes the last byte of one owner's value."""
    return (f"UPDATE {table} SET {column} = CAST(substr({column}, 1, length({column}) - 1) || "
            f"CASE WHEN substr({column}, -1) = x'00' THEN x'01' ELSE x'00' END AS BLOB) WHERE {rows_of(table, OTHER)}")


SEALED = [("account", "data_key"), ("account", "label"), ("pingone_account", "user"), ("oath", "secret"),
          ("approval", "data_key"), ("approval", "content"),
          ("identity", "data_key"), ("identity_key", "device_key"), ("identity_key", "answer_key")]


@pytest.mark.parametrize("table, column", SEALED)
def test_changed_sealed_value_is_rejected_and_other_owners_are_unaffected(both, table, column):
    before = both.state()
    change(both, spoilt(table, column))
    assert both.state() == before and both.client.call("passcode.get")["passcode"]
    assert both.client.call("service.status")["owner"]["paired"] == 1
    refuses(both.connect(OTHER), table)
    # The daemon still fetches pushes of the owner with intact rows.
    both.client.call("event.subscribe", topics=["notification"])
    push = both.platform.sign_push(both.platform.push_claims(jti="after-the-damage"))
    both.platform.deliver(push, device=both.platform.device_of("ann"))
    assert both.client.event("notification")["state"] == "pending"


def refuses(client, table):
    if table == "approval":
        # The list omits the row, and the audit names it.
        assert client.call("notification.list")["notifications"] == []
        assert "daemon.noticeDamage" in {entry["method"] for entry in client.call("audit.list")["entries"]}
        return
    method = {"account": "passcode.get", "oath": "passcode.get", "pingone_account": "account.list",
              "identity": "payload.generate", "identity_key": "payload.generate"}[table]
    error = client.refusal(method)
    assert error.code in (10000, 10018, 11010, 11018), f"{method}: {error}"


@pytest.mark.parametrize("table, column", SEALED)
def test_sealed_value_moved_to_another_owner_cannot_be_opened(both, table, column):
    swap(both, table, column)
    for client in (both.client, both.connect(OTHER)):
        refuses(client, table)
        assert client.call("rpc.discover")


def test_account_row_moved_to_another_owner_cannot_be_used(both):
    both.daemon.stop()
    with tampering.opened(both.daemon.state / "mfad.db") as database:
        database.execute("PRAGMA foreign_keys = OFF")
        database.execute(f"UPDATE account SET owner = 0 WHERE owner = {OTHER}")
    both.start()
    both.daemon.socket.chmod(0o666)
    answers = [both.client.refusal("passcode.get"), both.client.refusal("account.list")]
    assert {error.code for error in answers} <= {10000, 11010, 11018}
    assert "bob" not in str(answers)


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_state_files_and_socket_are_private_under_any_umask(make_stage, umask):
    stage = make_stage(umask=umask).configure()
    stage.pair()
    assert stage.daemon.state.stat().st_mode & 0o777 == 0o700
    modes = {name: path.stat().st_mode & 0o777 for name, path in state_files(stage).items()}
    assert {"mfad.db", "mfad.db-wal", "mfad.db-shm", "key", "lock"} <= modes.keys()
    assert set(modes.values()) == {0o600}, modes
    assert stage.daemon.socket.stat().st_mode & 0o777 == 0o600


def test_state_directory_contains_no_secret_in_plain_text(both):
    platform = both.platform
    platform.forge("POST /notifications/*/answer", lambda x: x.request.fail("timeout"))
    push = platform.push_claims(title="canary-title", body="canary-body", clientContext={"x": "canary-context"})
    shown = both.client.call("notification.process", payload=platform.sign_push(push))["notification"]
    both.client.refusal("notification.approve", notification=shown["id"])
    held = platform.hold("POST /pairings")
    key = platform.make_pairing_key("carol")
    both.client.begin("pairing.pair", pairingKey=key)
    held.next()
    platform.codes["WXYZ9876"] = {"clientContext": {"x": "canary-code-context"}}
    with both.connect() as client:
        client.call("authentication.start", code="WXYZ9876")
    secrets = [key, "canary-title", "canary-body", "canary-context", "canary-code-context", "ann@example.com"]
    for pairing in platform.pairings.values():
        raw = base64.b32decode(pairing["secret"])
        secrets += [pairing["secret"], raw, raw.hex(), base64.b64encode(raw).decode(), pairing["key"]]
    # All files except the key file, including files that a later version may add.
    lying = b"".join(path.read_bytes() for path in both.daemon.state.rglob("*") if path.is_file() and path.name != "key")
    assert b"canary" not in lying and b"CREATE TABLE account" in lying
    for secret in secrets:
        data = secret if isinstance(secret, bytes) else secret.encode()
        assert data not in lying and data.lower() not in lying.lower(), secret


def test_state_directory_contains_no_name_of_a_user_or_an_account(paired):
    needles = ["needle-id", "needle-username", "needle@mail.test", "needle-given", "needle-family", "needle-nickname",
               "needle-label", "needle-issuer", "needle-title", "needle-body", "needle-context"]
    platform, client = paired.platform, paired.client
    user = {"id": needles[0], "username": needles[1], "email": needles[2], "name": {"given": needles[3], "family": needles[4]}}
    account = client.call("pairing.pair", pairingKey=platform.make_pairing_key(user=user))["account"]
    platform.forge("PUT /users/*/nickname", lambda exchange: exchange.answer(204))
    assert client.call("account.rename", account=account, nickname="needle-nickname")["nickname"] == "needle-nickname"
    secret = base64.b32encode(os.urandom(20)).decode()
    imported = client.call("passcode.import", uri=f"otpauth://totp/needle-issuer:needle-label?secret={secret}&issuer=needle-issuer")
    client.call("account.rename", account=imported["id"], nickname="needle-nickname")
    device = platform.device_of("ann")
    for claims in ({"title": "needle-title", "body": "needle-body", "clientContext": {"a": "needle-context"}},
                   {"type": "cancel", "cancels": "later"}):
        client.call("notification.process", payload=platform.sign_push(platform.push_claims(device, sub=needles[0], **claims)))
    assert client.refusal("account.rename", account="needle-unknown", nickname="needle-nickname").code == 11002
    shown = str(client.call("account.list")) + str(client.call("notification.list"))
    assert [each for each in needles if each not in shown] == []

    def lie():
        files = {path.name: path.read_bytes() for path in paired.daemon.state.rglob("*") if path.is_file()}
        assert b"NorthAmerica" in files["mfad.db"] + files.get("mfad.db-wal", b""), "the search can find something"
        return {name: [each for each in needles if each.encode() in content] for name, content in files.items()}

    assert set(sum(lie().values(), [])) == set()
    paired.restart()
    assert set(sum(lie().values(), [])) == set()
    assert "needle" not in str(paired.daemon.journal)
