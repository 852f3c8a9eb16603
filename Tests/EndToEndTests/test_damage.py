"""A damaged byte in the database: every reply is right or error 11010, never wrong."""

import contextlib
import os
import random
import sqlite3

import pyotp
import pytest

from harness import users
from harness.client import RPCError
from harness.host import SECRET, Host, paired
from harness.programs import seeds, wait_until

LOOKS = ["account.list", "notification.list", "authentication.list", "pairing.list", "session.list", "owner.list", "audit.list"]
PAGES = None if os.environ.get("MFAD_TEST_FAULTS") == "all" else 6
DAMAGED = "pages of the database are damaged"


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    """A host with rows in every table that tests can fill, all in the main file and not in the WAL."""
    with users.open_directory() as path, contextlib.ExitStack() as ends:
        host = Host(tmp_path_factory.mktemp("h"), path)
        ends.callback(host.close)
        paired(host)
        host.client.subscribe()
        host.sandbox.wait_for_answers(150)
        host.sandbox.authenticate("ann")
        push = host.client.event("notification", state="pending")
        host.client.call("notification.deny", notification=push["id"])
        code = host.client.call("authentication.start", code=host.sandbox.code(userApproval="REQUIRED")["code"])
        host.client.call("authentication.deny", authentication=code["id"])
        host.client.call("account.remove", account=host.client.call("passcode.import", uri=uri_of("gone"))["id"])
        host.save()
        yield host


def uri_of(label):
    return f"otpauth://totp/ACME:{label}?secret={SECRET}&issuer=ACME"


def answer(client, method, **params):
    """Returns the result, or None for the error "corrupt"."""
    try:
        return client.call(method, **params)
    except RPCError as error:
        assert error.code == 11010 and error.details["kind"] == "corrupt", error
        return None


def answers(host):
    told = {method: answer(host.client, method) for method in LOOKS}
    if told["audit.list"]:
        # check_right() requests passcodes, and the audit log counts them.
        entries = told["audit.list"]["entries"]
        told["audit.list"]["entries"] = [each for each in entries if each["method"] != "passcode.get"]
    return told


def check_right(host, sound):
    for method, told in answers(host).items():
        assert told is None or told == sound[method], f"{method} tells what is not so"
    passcode = answer(host.client, "passcode.get", account=host.accounts["hotp"])
    assert passcode is None or passcode["passcode"] == pyotp.HOTP(SECRET).at(passcode["counter"])
    assert passcode is None or passcode["counter"] in (0, 1)
    now = pyotp.TOTP(SECRET)
    passcode = answer(host.client, "passcode.get", account=host.accounts["totp"])
    assert passcode is None or passcode["passcode"] == now.at(passcode["validFrom"])
    verified = answer(host.client, "audit.verify")
    assert verified is None or verified["ok"] is True


def pages(host):
    with contextlib.closing(sqlite3.connect(host.files[1])) as database:
        return database.execute("PRAGMA page_count").fetchone()[0], database.execute("PRAGMA page_size").fetchone()[0]


def offsets(host, name, count, size):
    """Returns an offset in each page, and more in the first, which contains the file header."""
    chance = random.Random(name)
    places = [page * size + chance.randrange(size) for page in range(count)]
    header = [*range(16, 32), 36, 44, 52, 56, 60, 92, 96, 4095]
    places += header
    return places if PAGES is None else chance.sample(places, PAGES)


@pytest.mark.parametrize("seed", seeds(1))
def test_damaged_page_never_causes_a_wrong_reply(host, record_property, seed):
    host.restore()
    sound = answers(host)
    assert all(sound.values())
    # Count the pages of the saved file, because answers() may have enlarged it.
    host.restore(starts=False)
    count, size = pages(host)
    places = offsets(host, f"page {seed}", count, size)
    for place in places:
        host.restore(starts=False)
        data = bytearray(host.files[1].read_bytes())
        data[place] ^= 1 << random.Random(f"{seed} {place}").randrange(8)
        host.files[1].write_bytes(data)
        try:
            host.daemon.start()
            host.client = host.daemon.client()
            check_right(host, sound)
            told = host.daemon.wait_checked()
            if DAMAGED in told:
                assert f"mfad --restore {host.backup} " in host.daemon.notifications.next()["STATUS"]
                check_right(host, sound)
            else:
                # The damaged page was free and was overwritten before the check.
                assert answers(host) == sound
            # A write succeeds or is refused.
            renamed = answer(host.client, "account.rename", account=host.accounts["totp"], nickname="desk")
            listed = answer(host.client, "account.list")
            if renamed is not None and listed is not None:
                assert "desk" in [each.get("nickname") for each in listed["accounts"]]
            host.daemon.stop(expecting=[""])
        except BaseException:
            print(f"damaged at byte {place % size} of page {place // size + 1}")
            raise
    record_property("faults", len(places))


@pytest.mark.parametrize("seed", seeds(1))
def test_damaged_wal_yields_a_consistent_earlier_state(host, record_property, seed):
    """Damage before the last change is detected. Damage to the last change looks like a power failure."""
    host.restore()
    names = [f"name {number}" for number in range(8)]
    for name in names:
        host.client.call("account.rename", account=host.accounts["totp"], nickname=name)
    log = host.files[2]
    host.daemon.kill()
    whole = {path: path.read_bytes() for path in [*host.files[1:3], host.count_file]}
    chance = random.Random(f"log {seed}")
    cases = 60 if PAGES is None else 4
    for _ in range(cases):
        for path, data in whole.items():
            path.write_bytes(data)
        data = bytearray(whole[log])
        place = chance.randrange(len(data))
        data[place] ^= 1 << chance.randrange(8)
        log.write_bytes(data)
        print(f"damaged at byte {(place - 32) % 4120} of frame {(place - 32) // 4120 + 1} of {(len(data) - 32) // 4120}")
        host.daemon.start()
        host.client = host.daemon.client()
        listed = answer(host.client, "account.list")
        if listed is not None:
            kept = {each["id"]: each.get("nickname") for each in listed["accounts"]}
            assert kept[host.accounts["totp"]] in names[-2:] and kept[host.accounts["hotp"]] is None, kept
            # The rollback counter reveals the loss of the last change.
            is_older = "rolledBackAt" in host.client.call("service.status")["protection"]
            assert host.client.call("audit.verify")["ok"] is not is_older
        host.daemon.stop(expecting=["sqlite: corrupt", "pages of the database are damaged"])
        if listed is not None:
            host.check_file()
    record_property("faults", cases)


def test_status_shows_that_the_database_check_is_running(host, directory):
    host.restore()
    host.daemon.stop()
    # Only the check reads more than 49 pages; strace delays each further read by 5 s.
    assert pages(host)[0] > 60
    held = ["-e", "inject=pread64:delay_enter=5s:when=50+"]
    host.daemon.wrapper = ["strace", "-D", "-f", "-o", directory / "trace", "-P", host.files[1], *held]
    try:
        host.daemon.start()
        client = host.daemon.client()
        wait_until(lambda: client.call("service.status")["protection"].get("checking") is True)
        assert client.call("account.list")["accounts"]
        assert client.call("account.rename", account=host.accounts["totp"], nickname="desk")["nickname"] == "desk"
        assert client.call("service.status")["protection"]["checking"] is True
    finally:
        host.daemon.wrapper = []
        host.daemon.kill()
    host.daemon.start()
    host.daemon.wait_checked()
    assert DAMAGED not in str(host.daemon.journal)
    assert "checking" not in host.daemon.client().call("service.status")["protection"]
