"""Canaries: one secret of each kind that the daemon receives or creates, searched for in every place it could leak to.

After its use a secret is only in its permitted memory. The database, the WAL, the backups, the rollback directory and
the journal do not contain it in plain text, and the process list does not show it.
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
    """Uses passcodes of 8 digits, long enough to be distinguished from other data, and returns them."""
    counter = {"counter": 0} if kind == "hotp" else {}
    account = client.call("passcode.import", uri=uri(kind, digits=8, **counter))["id"]
    made = [client.call("passcode.get", account=account)["passcode"] for _ in range(PASSCODES if kind == "hotp" else 1)]
    client.call("account.remove", account=account)
    return {f"passcode {number} of {kind}": passcode.encode() for number, passcode in enumerate(made)}


def use_pingam(client, am):
    """Enrols and answers a push with a number; returns the stored and the temporary secrets."""
    enrolment = am.enrolment(combined=base32(secrets.token_bytes(20)))
    client.call("account.enrol", uri=enrolment)
    (device,) = am.devices.values()
    sent = am.push(numbers=([739_191, 57, 88], 739_191))
    client.call("notification.approve", notification=take(client, sent)["id"], number=739_191)
    assert answer_of(am, sent) == "approved"
    passing = {"an enrolment": enrolment, "its secret as text": b64(device["secret"]), "a message": sent["message"]}
    # The message contains its claims in Base64, so their plain text is a different string.
    return {"the secret of a device at PingAM": device["secret"]}, spelled(passing)


def use_code(client, sandbox):
    """Uses an authentication code, and returns it."""
    code = sandbox.code(userApproval="REQUIRED")["code"]
    client.call("authentication.deny", authentication=client.call("authentication.start", code=code)["id"])
    return {"a code": code.encode()}


def use_number(client, sandbox):
    """Answers with a number. Two digits occur anywhere, so it returns the request parameters around them."""
    sandbox.match_numbers()
    started, push = flows.push(client, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    client.call("notification.approve", notification=push["id"], number=number)
    return {"a number that was typed": f'"notification": "{push["id"]}", "number": {number}'.encode()}


def use_web_push(client, sandbox, relay):
    """Subscribes, answers a push that arrives by Web Push, and returns the auth secret as bytes and as text."""
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
    """Returns the contents of the daemon's files except the key file."""
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
    # The subscription is stored as text, because push senders get it: this canary may be in the daemon's memory.
    assert places(daemon.process.pid, text).keys() == text.keys()
    client.call("device.removeLocalData", confirm=True)
    lie_nowhere(daemon.process.pid, {**kept, **text})
