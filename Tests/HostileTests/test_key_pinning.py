"""A pinned key of the platform: only a server with this key, or a key that it signs, is the platform."""

import pytest

from harness import jose
from harness.hostile.platform import Platform
from harness.hostile.platform_keys import ANOTHER, FORGED_SETS, failures, failures_from_now_on, named, trusts_nobody


@pytest.fixture
def pinned(make_stage):
    platform = Platform()
    stage = make_stage(platform_key=named(platform.key)["kid"], platform=platform)
    return stage


def test_pinned_platform_is_trusted_and_reported_as_pinned(pinned):
    pinned.configure()
    assert pinned.client.call("service.status")["platform"]["pinned"] is True


@pytest.mark.parametrize("forgery", [name for name in FORGED_SETS if name not in ("of an older version", "with crit")])
def test_device_is_never_introduced_to_a_platform_without_the_pinned_key(pinned, forgery):
    pinned.platform.forge("GET /platform-keys", lambda p, request: request.reply(FORGED_SETS[forgery](p)))
    trusts_nobody(pinned, pinned.client, 10017)


def test_unpinned_platform_is_reported_as_unpinned(configured):
    assert configured.client.call("service.status")["platform"]["pinned"] is False


def pin(stage, key, how):
    """Configures a key of the platform. It takes effect after a restart or a reload."""
    stage.settings["platform_key"] = named(key)["kid"]
    getattr(stage, how)()


@pytest.mark.parametrize("how", ["restart", "reload"])
def test_pin_ends_the_trust_in_a_platform_with_another_key(stage, how):
    platform, genuine = stage.platform, stage.platform.key
    platform.key = ANOTHER
    stage.configure().pair()
    pin(stage, genuine, how)
    forged = platform.sign_push(platform.push_claims())
    assert stage.client.refusal("notification.process", payload=forged).code == 11009
    # The platform that was met first answers everything as before, also the long poll.
    platform.deliver(platform.sign_push(platform.push_claims()))
    assert failures(stage) == [10003]
    assert stage.client.call("notification.list")["notifications"] == []
    assert stage.client.call("service.status")["platform"]["pinned"] is False

    platform.outbox.clear()
    platform.key = genuine
    assert failures_from_now_on(stage) == []
    assert stage.client.call("service.status")["platform"]["pinned"] is True
    assert stage.client.refusal("notification.process", payload=forged).code == 11009
    push = stage.client.call("notification.process", payload=platform.sign_push(platform.push_claims()))
    assert push["notification"]["state"] == "pending"


def test_keys_signed_by_a_key_that_is_no_longer_pinned_are_not_trusted(make_stage):
    platform = Platform()
    old, new = platform.key, jose.p256()
    platform.forge("GET /platform-keys", lambda p, request: request.reply(p.key_set([named(new), named(old)], key=old)))
    platform.key = new
    stage = make_stage(platform_key=named(old)["kid"], platform=platform)
    stage.configure().pair()
    push = platform.sign_push(platform.push_claims())
    assert stage.client.call("notification.process", payload=push)["notification"]["state"] == "pending"
    # The pin no longer names the key that signed the set, but another key of that set.
    pin(stage, new, "restart")
    push = platform.sign_push(platform.push_claims())
    assert stage.client.refusal("notification.process", payload=push).code == 11009
