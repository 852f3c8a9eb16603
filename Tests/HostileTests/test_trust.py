"""The platform's keys: a server that cannot prove a stored key is not the platform."""

import os

import pytest

from harness import jose, tampering
from harness.client import RPCError
from harness.hostile.platform_keys import ANOTHER, FORGED_SETS, OTHER, failures, failures_from_now_on, named, trusts_nobody

NO_SETS = {
    "of another type": lambda p: p.key_set(typ="push+jwt"),
    "of no keys": lambda p: jose.compact({"alg": "ES256", "typ": "platform-keys+jwt"}, {"keys": [], "version": 9}, p.key, "ES256"),
    "in the open": lambda p: jose.dump({"keys": [named(p.key)], "version": 9}).decode(),
    "in HTML": lambda p: "<html>", "empty": lambda p: "", "half": lambda p: p.key_set()[:100],
    "of 65 keys": lambda p: p.key_set([named(p.key)] * 65),
}


@pytest.fixture
def known(stage):
    """A stage with one owner that trusts version 5 of the platform's keys, and a second owner without a device."""
    stage.platform.version = 5
    stage.configure()
    stage.daemon.socket.chmod(0o666)
    stage.second = stage.connect(OTHER)
    return stage


@pytest.mark.parametrize("forgery", FORGED_SETS)
def test_forged_key_set_is_rejected_if_platform_keys_are_stored(known, forgery):
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(FORGED_SETS[forgery](p)))
    expected = 10003 if forgery == "with crit" else 10017
    trusts_nobody(known, known.second, expected)
    known.platform.be_honest()
    known.pair()
    assert known.second.call("device.configure", geo="NorthAmerica")["deviceId"]


@pytest.mark.parametrize("nonsense", NO_SETS)
def test_malformed_key_set_is_rejected(known, nonsense):
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(NO_SETS[nonsense](p)))
    trusts_nobody(known, known.second, 10003)


def test_stored_platform_keys_survive_a_restart(known):
    known.restart()
    known.daemon.socket.chmod(0o666)
    for forgery in ("signed by another key", "with another's key, signed by that", "of an older version"):
        known.platform.forge("GET /platform-keys", lambda p, request: request.reply(FORGED_SETS[forgery](p)))
        trusts_nobody(known, known.connect(OTHER), 10017)


def test_new_platform_key_is_accepted_if_a_stored_key_signs_it(known):
    old, new = known.platform.key, jose.p256()
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(
        p.key_set([named(new), named(old)], version=6, key=old)))
    known.platform.key = new
    assert known.second.call("device.configure", geo="NorthAmerica")["deviceId"]
    # From now on version 5 is outdated for every owner.
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(p.key_set([named(old)], version=5, key=old)))
    trusts_nobody(known, known.connect(OTHER + 1), 10017)


def test_configured_owner_accepts_a_new_key_that_a_stored_key_signs(known):
    old, new = known.platform.key, jose.p256()
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(
        p.key_set([named(new), named(old)], version=6, key=old)))
    known.platform.key = new
    assert failures(known) == []
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply("nothing"))
    known.restart()
    assert failures(known) == []


@pytest.mark.parametrize("forgery", FORGED_SETS)
def test_configured_owner_rejects_a_forged_key_set(known, forgery):
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(FORGED_SETS[forgery](p)))
    known.platform.key, honest = ANOTHER, known.platform.key
    for _ in range(3):
        assert failures(known) == [10003]
    known.platform.key = honest
    assert failures(known) == []


WRITTEN = {
    "as it was kept before": lambda db, url, token: [
        db.execute("CREATE TABLE IF NOT EXISTS platform_key (platform TEXT NOT NULL, thumbprint TEXT NOT NULL, "
                   "jwk TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (platform, thumbprint)) STRICT"),
        db.executemany("INSERT INTO platform_key VALUES (?, ?, ?, 1)",
                       [(each, named(ANOTHER)["kid"], jose.dump(named(ANOTHER)).decode()) for each in (url, url + "/")])],
    "in the open": lambda db, url, token: [db.execute("UPDATE platform_key_set SET key_set = ?", (token.encode(),))],
    "that open by no key": lambda db, url, token: [db.execute("UPDATE platform_key_set SET key_set = ?", (os.urandom(400),))],
    "for another address": lambda db, url, token: [
        db.execute("UPDATE platform_key_set SET platform = platform || '/'")],
}


@pytest.mark.parametrize("way", WRITTEN)
def test_platform_keys_written_into_the_database_are_not_trusted(stage, way):
    platform = stage.platform
    stage.configure().pair()
    claims = platform.push_claims()
    platform.forge("GET /platform-keys", lambda p, request: request.reply("nothing"))
    stage.daemon.stop()
    with tampering.opened(stage.daemon.state / "mfad.db") as database:
        token = platform.key_set([named(ANOTHER)], version=9, key=ANOTHER)
        WRITTEN[way](database, platform.URL, token)
    stage.start()
    forged = platform.sign_push(claims, key=ANOTHER, kid=named(ANOTHER)["kid"])
    assert stage.client.refusal("notification.process", payload=forged).code == 11009
    # The daemon requests damaged keys again.
    platform.be_honest()
    assert failures_from_now_on(stage) == []
    push = stage.client.call("notification.process", payload=platform.sign_push(platform.push_claims()))
    assert push["notification"]["state"] == "pending"


@pytest.mark.parametrize("erased", [0, OTHER])
def test_erasing_an_owner_keeps_the_platform_keys(known, erased):
    known.second.call("device.configure", geo="NorthAmerica")
    clients = {0: known.client, OTHER: known.second}
    clients.pop(erased).call("device.removeLocalData", confirm=True)
    (stays,) = clients.values()
    # If the keys had been deleted, another platform would be accepted as the first one.
    known.platform.forge("GET /platform-keys", lambda p, request: request.reply(p.key_set([named(ANOTHER)], key=ANOTHER)))
    known.pair("bob", client=stays)
    known.restart()
    known.daemon.socket.chmod(0o666)
    known.pair("carol", client=known.connect(OTHER if erased == 0 else None))


def test_refused_introduction_does_not_configure_the_owner(stage):
    refusal = {"code": "INVALID_DATA", "message": "no", "details": [{"code": "BUNDLE_ID"}]}
    stage.platform.forge("POST /trust", lambda x: x.answer(400, refusal))
    assert stage.client.refusal("device.configure", geo="NorthAmerica").code == 10006
    stage.platform.forge("POST /trust", lambda x: x.answer(403, {"code": "ACCESS_FAILED"}))
    assert stage.client.refusal("device.configure", geo="NorthAmerica").code == 10017
    assert stage.client.call("service.status")["owner"]["configured"] is False


def test_second_configure_with_another_geography_is_refused(configured):
    before = len(configured.courier.requests)
    assert configured.client.refusal("device.configure", geo="Europe").code == 10019
    assert configured.client.call("device.configure", geo="NorthAmerica")["deviceId"] == configured.device
    assert len(configured.courier.requests) == before


def test_concurrent_configure_calls_create_one_device(stage):
    held = stage.platform.hold("POST /trust")
    clients = [stage.connect() for _ in range(8)]
    numbers = [client.begin("device.configure", geo="NorthAmerica") for client in clients]
    first = held.next()
    assert stage.client.refusal("device.configure", geo="Europe").code == 10019
    first.answer_honestly()
    devices = {client.reply(number)["deviceId"] for client, number in zip(clients, numbers)}
    assert len(devices) == 1 and len(stage.platform.devices) == 1 and held.empty()


def two_introductions(stage):
    """Starts the introduction of two owners at once. The test holds the platform's responses."""
    held = stage.platform.hold("POST /trust")
    stage.daemon.socket.chmod(0o666)
    first, second = stage.client, stage.connect(OTHER)
    number = first.begin("device.configure", geo="NorthAmerica")
    of_first = held.next()
    return first, number, of_first, second, second.begin("device.configure", geo="NorthAmerica"), held.next()


def test_failed_introduction_keeps_the_keys_that_another_owner_verified(stage):
    first, number, of_first, second, other, of_second = two_introductions(stage)
    of_second.answer_honestly()
    assert second.reply(other)["deviceId"]
    of_first.request.fail("unreachable")
    with pytest.raises(RPCError) as caught:
        first.reply(number)
    assert caught.value.code == 10004
    stage.platform.be_honest()
    stage.pair(client=second)
    # The first verified key is still the only one.
    stage.platform.key = jose.p256()
    assert first.refusal("device.configure", geo="NorthAmerica").code == 10017


def test_first_platform_that_proves_its_key_is_kept_after_concurrent_introductions(stage):
    genuine, stage.platform.key = stage.platform.key, ANOTHER
    first, number, of_first, second, other, of_second = two_introductions(stage)
    stage.platform.key = genuine
    # Neither platform has proved its key yet, so a third one is still possible.
    third = stage.connect(OTHER + 1)
    stage.platform.be_honest()
    assert third.call("device.configure", geo="NorthAmerica")["deviceId"]
    for client, request, exchange in ((first, number, of_first), (second, other, of_second)):
        status, body = exchange.honest()
        exchange.reply(exchange.seal(exchange.sign(exchange.claims(status, body), ANOTHER)))
        with pytest.raises(RPCError) as caught:
            client.reply(request)
        assert caught.value.code == 10017
    stage.pair(client=third)
