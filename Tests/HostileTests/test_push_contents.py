"""The effects of a genuine push: the displayed texts, the stored data and the actions of the daemon."""

import hashlib

import pytest

from harness import jose

DANGEROUS = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F),
                              *range(0x2066, 0x206A), 0xFEFF, 0xE0001, 0xE0041]))


def process(stage, **claims):
    push = stage.platform.sign_push(stage.platform.push_claims(**claims))
    return stage.client.call("notification.process", payload=push)["notification"]


def get(stage, id):
    return stage.client.call("notification.get", notification=id)["notification"]


def test_control_and_bidirectional_characters_are_removed(paired):
    shown = process(paired, title=f"Si{DANGEROUS}gn on", body=f"{DANGEROUS}Do you\u202e approve?{DANGEROUS}",
                    category=f"BANNER{DANGEROUS}_BUTTONS")
    assert (shown["title"], shown["body"]) == ("Sign on", "Do you approve?")
    assert shown["category"] == "BANNER_BUTTONS"


def test_decision_contains_the_hash_of_the_shown_text(paired):
    numbers = {"type": "SELECT_NUMBER", "options": [42, 7, 99]}
    shown = process(paired, title=f"Si{DANGEROUS}gn on", body="Do you 👍🏽 approve? " * 40, numberMatching=numbers)
    paired.client.call("notification.approve", notification=shown["id"], number=42)
    text = "\n".join([shown["title"], shown["body"], "42,7,99"])
    assert len(shown["body"]) >= 400
    assert paired.platform.decisions[-1]["shown"] == jose.b64(hashlib.sha256(text.encode()).digest())


def test_decision_of_an_owner_with_a_pin_contains_no_hash_of_the_shown_text(paired):
    paired.client.call("lock.set", pin="280491")
    paired.client.call("event.subscribe", topics=["notification"])
    pushes = []
    for _ in range(2):
        paired.platform.deliver(paired.platform.sign_push(paired.platform.push_claims()))
        pushes.append(paired.client.event("notification", state="pending")["id"])
    paired.client.call("notification.deny", notification=pushes[0])
    given = {"method": "pin", "pin": "280491"}
    paired.client.call("notification.approve", notification=pushes[1], presence=given)
    decisions = paired.platform.decisions
    assert [decision["decision"] for decision in decisions] == ["deny", "approve"]
    assert not any("shown" in decision for decision in decisions)


def test_letters_of_all_languages_are_kept(paired):
    title = "Anmeldung für 安 — تسجيل الدخول — 👩‍👩‍👧 é"
    assert process(paired, title=title)["title"] == title


def test_texts_are_truncated_to_their_limits(paired):
    shown = process(paired, title="t" * 5000, body="b" * 5000, category="c" * 5000)
    assert (len(shown["title"]), len(shown["body"])) == (200, 400)
    assert len(shown["category"]) <= 200


def test_stacked_combining_marks_are_truncated(paired):
    shown = process(paired, title="e" + "\u0301" * 5_000)
    assert len(shown["title"].encode()) < 4000


def test_members_of_a_wrong_type_are_omitted_or_limited(paired):
    for claims in ({"title": 7}, {"title": None}, {"body": ["x"]}, {"category": {}}, {"timeout": "60"}, {"timeout": -5},
                   {"timeout": 2**63 - 1}, {"timeout": -(2**63)}, {"timeout": 1.5}):
        shown = process(paired, **claims)
        assert shown["state"] == "pending" and 1 <= shown["timeoutDuration"] <= 120, claims
        for name in ("title", "body", "category"):
            assert isinstance(shown.get(name, ""), str), claims


def context(size: int) -> dict:
    """A context with a JSON text of exactly SIZE bytes."""
    return {"k": "x" * (size - len('{"k":""}'))}


def test_contexts_up_to_8_kib_are_returned_verbatim_and_larger_ones_omitted(paired):
    fits, too_long = context(8192), context(8193)
    shown = process(paired, clientContext=fits, applicationContext=too_long)
    assert shown["clientContext"] == fits and "applicationContext" not in shown, shown.get("applicationContext")
    odd = {"b": 1.50, "a": [None, {"": "\u202e\u0007"}], "big": 12345678901234567890}
    assert process(paired, clientContext=odd)["clientContext"] == odd


@pytest.mark.parametrize("how", ["approve", "deny"])
def test_answered_push_does_not_become_pending_after_its_user_pairs_again(paired, how):
    push = paired.platform.sign_push(paired.platform.push_claims(timeout=600))
    shown = paired.client.call("notification.process", payload=push)["notification"]
    paired.client.call(f"notification.{how}", notification=shown["id"])
    (account,) = paired.client.call("account.list")["accounts"]
    paired.client.call("account.remove", account=account["id"], localOnly=True)
    paired.pair()
    for transport in ("by hand", "by the long poll"):
        if transport == "by the long poll":
            paired.restart()
            paired.platform.deliver(push)
        again = paired.client.call("notification.process", payload=push)["notification"]
        assert again["state"] == "cancelled", transport
        assert paired.client.refusal("notification.approve", notification=again["id"]).code == 10020
    assert len(paired.platform.decisions) == 1
    assert paired.client.call("notification.list", state="pending")["notifications"] == []


def test_push_received_twice_is_stored_once(paired):
    claims = paired.platform.push_claims()
    first, second = (paired.platform.sign_push(claims) for _ in "ab")
    shown = paired.client.call("notification.process", payload=first)["notification"]
    assert paired.client.call("notification.process", payload=second)["notification"] == shown
    paired.client.call("notification.deny", notification=shown["id"])
    again = paired.client.call("notification.process", payload=first)["notification"]
    assert (again["id"], again["state"]) == (shown["id"], "denied")
    paired.restart()
    assert paired.client.call("notification.process", payload=first)["notification"]["state"] == "denied"


def test_different_push_with_a_known_id_changes_nothing(paired):
    shown = process(paired, jti="same", title="first")
    other = process(paired, jti="same", title="second", numberMatching={"type": "ENTER_MANUALLY"})
    assert other == shown and get(paired, shown["id"])["title"] == "first"


def test_cancel_ends_only_a_push_of_its_own_user(paired):
    paired.pair("bob")
    mine = process(paired, jti="push-of-ann")
    cancel = paired.platform.push_claims(type="cancel", cancels="push-of-ann", sub="user-bob")
    error = paired.client.refusal("notification.process", payload=paired.platform.sign_push(cancel))
    assert error.code == 11009 and get(paired, mine["id"])["state"] == "pending"
    ended = process(paired, type="cancel", cancels="push-of-ann")
    assert (ended["id"], ended["state"], ended["type"]) == (mine["id"], "cancelled", "authCanceled")
    assert paired.client.refusal("notification.approve", notification=mine["id"]).code == 10020
    assert paired.platform.decisions == []


def test_cancel_that_precedes_its_push_is_remembered_for_its_user_only(paired):
    paired.pair("bob")
    assert process(paired, type="cancel", cancels="later") is None
    cancel = paired.platform.push_claims(type="cancel", cancels="other", sub="user-bob")
    assert paired.client.call("notification.process", payload=paired.platform.sign_push(cancel))["notification"] is None
    paired.restart()
    assert process(paired, jti="later")["state"] == "cancelled"
    assert process(paired, jti="other")["state"] == "pending"


def test_cancel_with_a_malformed_push_id_is_rejected(paired):
    for target in ("", "..", "a/b", "x" * 65, "x" * 10_000, "\u202e", 7, None):
        cancel = paired.platform.push_claims(type="cancel") | {"cancels": target}
        error = paired.client.refusal("notification.process", payload=paired.platform.sign_push(cancel))
        assert error.code in (10002, 11009), target


def test_number_choices_are_limited_to_ten_integers(paired):
    shown = process(paired, numberMatching={"type": "SELECT_NUMBER", "options": [*range(5000), "x", 1.5, None]})
    assert len(shown["numberMatching"]["options"]) <= 10
    assert all(type(option) is int for option in shown["numberMatching"]["options"])


def test_cancelled_silent_push_is_not_answered(paired):
    process(paired, type="cancel", cancels="silent-two")
    assert process(paired, type="silent", jti="silent-two")["state"] == "cancelled"
    # A push that is answered afterwards proves that no answer was sent before.
    shown = process(paired)
    paired.client.call("notification.deny", notification=shown["id"])
    assert [decision["decision"] for decision in paired.platform.decisions] == ["deny"]


def test_poll_advances_past_a_batch_of_malformed_pushes(paired):
    paired.client.call("event.subscribe", topics=["notification"])
    paired.platform.deliver("", "x", "a.b.c", "{}", 7, None, {"message": "x"}, "x" * 100_000, jose.random_id())
    paired.courier.wait_for(lambda request: request.query.get("after") == "c1")
    paired.platform.deliver(paired.platform.sign_push(paired.platform.push_claims(title="after the rubbish")))
    assert paired.client.event("notification")["title"] == "after the rubbish"
