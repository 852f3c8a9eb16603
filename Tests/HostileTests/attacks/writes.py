"""Calls of local users that store or erase data or derive keys."""

import time

from harness.client import RPCError
from harness.hostile.exports import aegis, slow

from .clients import CROWD, DOCUMENTS, MEMBER, at_once, line, members, push, request, write_again_and_again
from .registry import attack

ERASE = request(1, "device.removeLocalData", confirm=True)


@attack("erasures by members without data, up to the write limit", is_short=True)
def erasures_of_nothing(stage):
    write_again_and_again(members(stage, 14, 1), ERASE)


@attack("the same by members that enrol again each time")
def erasures_of_something(stage):
    stage.client.call("backup.create")
    uri = "otpauth://totp/name?secret=" + "A" * 52
    write_again_and_again(members(stage, 14, 1), request(1, "passcode.import", uri=uri), ERASE)


@attack("writes of 200 members, each up to the write limit")
def writes_of_a_crowd(stage):
    uris = [f"otpauth://totp/issuer:{number}?secret=" + "A" * 52 for number in range(30)]
    keep = request(1, "device.setKeepOnReinstall", keep=True)
    imports = [request(1, "passcode.import", uri=uri) for uri in uris]
    write_again_and_again(members(stage, 200, 1, first=CROWD), *imports, *[keep] * 90)


@attack("refused calls of fourteen members, each with an audit entry")
def refused_writes(stage):
    write_again_and_again(members(stage, 14, 1), request(1, "account.remove", account="acc_nobodys"))


def in_turn(client, **export):
    """The result of an import, repeated while it is rate limited."""
    while True:
        try:
            return client.call("account.import", **export)
        except RPCError as error:
            assert error.reason == "RATE_LIMITED"
            time.sleep(error.details["retryAfter"])


@attack("consecutive backups")
def backups(stage):
    write_again_and_again([stage.connect()], request(1, "backup.create"))


@attack("fourteen simultaneous imports of an export with 1,000 accounts")
def real_imports(stage):
    export = aegis(1000)

    def import_all(client):
        made = in_turn(client, data=export, format="aegis")
        assert len(made["accounts"]) == 64 and len(made["skipped"]) == 1000 - 64

    at_once(members(stage, 14, 1), import_all)


@attack("fourteen simultaneous imports of an encrypted export with 700 accounts", derives=True)
def encrypted_imports(stage):
    export = aegis(700, "correct horse")

    def import_once(client):
        assert len(in_turn(client, data=export, format="aegis", password="correct horse")["accounts"]) == 64

    at_once(members(stage, 14, 1), import_once)


@attack("fourteen members that set a PIN and then enter wrong PINs up to the limit", derives=True)
def tried_pins(stage):
    def try_in_vain(client):
        client.call("lock.set", pin="correct horse")
        for _ in range(6):
            assert client.refusal("lock.unlock", pin="wrong").reason == "PIN_WRONG"
        assert client.refusal("lock.unlock", pin="wrong").reason == "RATE_LIMITED"

    at_once(members(stage, 14, 1), try_in_vain)


LONGEST_UNLOCK = 0.5
"""Limit in seconds for an unlock beside others. Other load delays one of three trials, an effective attack each."""


def unlock_quickly(client):
    waits = []
    while not waits or waits[-1] > LONGEST_UNLOCK:
        assert len(waits) < 3, f"the unlock took {waits} seconds"
        client.call("lock.now")
        before = time.monotonic()
        client.call("lock.unlock", pin="correct horse")
        waits.append(time.monotonic() - before)


@attack("unread replies of twelve members, while another sets a PIN and uses it", derives=True)
def pin_beside_unread_answers(stage):
    client = stage.connect(MEMBER + 12)
    client.call("lock.set", pin="correct horse")
    silent = members(stage, 12)
    push(silent, DOCUMENTS * 64)
    unlock_quickly(client)


@attack("unread replies on sixteen connections of a member, while another uses a PIN", derives=True)
def pin_beside_one_silent_member(stage):
    client = stage.connect(MEMBER + 1)
    client.call("lock.set", pin="correct horse")
    push(members(stage, 1), DOCUMENTS * 64)
    unlock_quickly(client)


@attack("imports of thirty members with the slowest password, while another uses a PIN", derives=True)
def pin_beside_imports(stage):
    client = stage.connect(CROWD + 30)
    client.call("lock.set", pin="correct horse")
    crowd = members(stage, 30, 1, first=CROWD)
    for each in crowd:
        each.write(line(request(1, "account.import", data=slow(), format="andotp", encoding="base64", password="x")))
    unlock_quickly(client)
    refusals = [each.read_line()["error"]["code"] for each in crowd]
    assert refusals.count(11006) >= 27


@attack("right PINs of a member without a pause, while another uses a PIN", derives=True)
def pin_beside_right_pins(stage):
    client, greedy = stage.connect(MEMBER + 1), stage.connect(MEMBER)
    for each in client, greedy:
        each.call("lock.set", pin="correct horse")
    unlocked = 0
    while (error := refusal_of_unlock(greedy)) is None:
        unlocked += 1
    assert unlocked < 60 and error.reason == "RATE_LIMITED" and error.details["retryAfter"] in (1, 2)
    unlock_quickly(client)


def refusal_of_unlock(client) -> RPCError | None:
    """The error of an unlock with the right PIN, if there is one."""
    try:
        client.call("lock.unlock", pin="correct horse")
    except RPCError as error:
        return error
    return None
