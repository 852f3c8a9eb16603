"""A canary for each kind of secret that comes into the daemon or is made there, and every place where it could sing.

Used once, it lies in no memory but where it may, and in the clear in no file of the state, its log, its backups or the
directory beside it, in no line of the journal and in nobody's list of processes.
"""

import os
import secrets

import pytest
from pywebpush import webpush

from harness import flows
from harness.am_accounts import answer_of, take
from harness.canaries import use_import, use_presence
from harness.host import uri
from harness.memory import lie_nowhere, places
from harness.onlooker import Onlooker, tree
from harness.jose import b64, unb64
from harness.programs import PATIENCE
from harness.spellings import base32, spelled

assert os.geteuid() == 0, "only root can look into the memory of these programs"

PASSCODES = 10


@pytest.fixture
def daemon(make_daemon, am, relay):
    return make_daemon(am_origin=am.url, push_relay=relay.url).start()


def use_passcodes(client, kind):
    """Some of an account that has them long enough to be told from what else lies there."""
    counter = {"counter": 0} if kind == "hotp" else {}
    account = client.call("passcode.import", uri=uri(kind, digits=8, **counter))["id"]
    made = [client.call("passcode.get", account=account)["passcode"] for _ in range(PASSCODES if kind == "hotp" else 1)]
    client.call("account.remove", account=account)
    return {f"passcode {number} of {kind}": passcode.encode() for number, passcode in enumerate(made)}


def use_pingam(client, am):
    """An enrolment, and a push whose number is chosen; returns what stays and what passes."""
    enrolment = am.enrolment(combined=base32(secrets.token_bytes(20)))
    client.call("account.enrol", uri=enrolment)
    (device,) = am.devices.values()
    sent = am.push(numbers=([739_191, 57, 88], 739_191))
    client.call("notification.approve", notification=take(client, sent)["id"], number=739_191)
    assert answer_of(am, sent) == "approved"
    passing = {"an enrolment": enrolment, "its secret as text": b64(device["secret"]), "a message": sent["message"]}
    # What it says lies in it as base64, which is another text.
    return {"the secret of a device at PingAM": device["secret"]}, spelled(passing)


def use_code(client, sandbox):
    """A code that somebody types."""
    code = sandbox.code(userApproval="REQUIRED")["code"]
    client.call("authentication.deny", authentication=client.call("authentication.start", code=code)["id"])
    return {"a code": code.encode()}


def use_number(client, sandbox):
    """A number that somebody types; two digits are anywhere, but not what is said with them."""
    sandbox.match_numbers()
    started, push = flows.push(client, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    client.call("notification.approve", notification=push["id"], number=number)
    return {"a number that was typed": f'"notification": "{push["id"]}", "number": {number}'.encode()}


def use_web_push(client, sandbox, relay):
    """A subscription, and a push that comes by it."""
    subscription = client.call("device.setPushToken", provider="WEBPUSH")["subscription"]
    relay.subscriptions(1)
    started = sandbox.authenticate("ann")
    webpush(subscription, sandbox.request("GET", "/sandbox/transport")["carried"][-1]["push"], timeout=PATIENCE)
    push = client.event("notification", state="pending")
    client.call("notification.deny", notification=push["id"])
    assert sandbox.authentication(started)["status"] == "FAILED"
    auth = subscription["keys"]["auth"]
    return {"what Web Push is encrypted by": unb64(auth)}, {"the text of that": auth.encode()}


def files_of(daemon):
    """What the daemon has on the disk; the key file holds what it is for."""
    places = (daemon.directory / "state", daemon.directory / "state-rollback")
    files = {file: file.read_bytes() for place in places for file in place.rglob("*") if file.is_file()}
    return {file: content for file, content in files.items() if file.name != "key"}


def test_secrets_leak_to_no_file_journal_or_unprotected_memory(daemon, client, sandbox, am, relay):
    onlooker = Onlooker(daemon)
    flows.pair(client, sandbox)
    kept, passing = use_pingam(client, am)
    client.subscribe("notification")
    for kind in ("totp", "hotp"):
        passing |= use_passcodes(client, kind)
    seeds, texts, keys = use_import(client)
    kept |= seeds
    passing |= spelled(texts | use_presence(client, sandbox)) | keys
    passing |= use_code(client, sandbox) | use_number(client, sandbox)
    secret, text = use_web_push(client, sandbox, relay)
    kept |= secret
    client.call("backup.create")
    said = onlooker.all()
    files = files_of(daemon)
    assert {"mfad.db", "mfad.db-wal", "counter"} <= {file.name for file in files}
    assert any("backups" in file.parts for file in files)
    journal = str(daemon.journal).encode()
    for name, canary in {**kept, **passing, **text}.items():
        assert canary not in said and canary not in journal and canary.hex().encode() not in journal, name
        assert [file for file, content in files.items() if canary in content] == [], name
    lie_nowhere(daemon.process.pid, kept, but={"secret memory"})
    for pid in tree(daemon):
        lie_nowhere(pid, passing)
    lie_nowhere(daemon.process.children[0], kept)
    # The subscription is kept as a text, which whoever sends pushes is told: this one canary is heard, and only here.
    assert places(daemon.process.pid, text).keys() == text.keys()
    client.call("device.removeLocalData", confirm=True)
    lie_nowhere(daemon.process.pid, {**kept, **text})
