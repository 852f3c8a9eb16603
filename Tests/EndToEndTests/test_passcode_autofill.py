"""Passcodes of this machine in sign-on pages: only after user consent, and only for their issuer, user and device."""

from harness.foreign_pingone import ForeignPingOne
from harness.own_devices import active, add, client, daemon, settings, the_account


def page_of_passcode(client, pingone, user="ann"):
    step = client.call("login.start", method="signon", devices={"list": True})
    values = {"username": user, "password": pingone.users[user]["password"]}
    return client.call("login.next", login=step["login"], values=values)


def test_passcode_page_is_filled_after_user_consent(client, pingone):
    add(client, pingone)
    pingone.tenant.asks_for_passcode = True
    # The server accepts each time window once, and the activation has used the current one.
    active(pingone)[0]._last_window = None
    step = page_of_passcode(client, pingone)
    assert "otp.own" in [action["key"] for action in step["actions"]] and step["node"] == "continue"
    question = client.call("login.next", login=step["login"], action="otp.own")
    words = {each["key"]: each["value"] for each in question["collectors"]}
    assert words["issuer"] == pingone.issuer and the_account(client)["id"] in words["account"]
    assert client.call("login.next", login=step["login"], action="passcode.release")["node"] == "success"


def test_passcode_is_not_offered_for_another_device_or_user(make_daemon, settings, pingone):
    client = make_daemon(**settings).start().client()
    add(client, pingone)
    pingone.tenant.asks_for_passcode = True
    # The page asks for the passcode of another device of this user.
    other = pingone.devices.add("ann")
    other.created = 0
    pingone.devices.all.sort(key=lambda device: device.created)
    step = page_of_passcode(client, pingone)
    assert "otp.own" not in [action["key"] for action in step["actions"]]
    # The page asks for a passcode of another user.
    pingone.devices.remove(other)
    pingone.devices.add("bob")
    step = page_of_passcode(client, pingone, "bob")
    assert "otp.own" not in [action["key"] for action in step["actions"]]


def test_passcode_reference_in_a_field_is_filled_after_user_consent(client, pingone):
    account = add(client, pingone)["added"][0]["id"]
    pingone.tenant.asks_for_passcode = True
    for name in ("", account):
        active(pingone)[0]._last_window = None
        step = page_of_passcode(client, pingone)
        values = {"otp": {"passcode": name}}
        question = client.call("login.next", login=step["login"], values=values)
        assert [each["key"] for each in question["actions"]] == ["passcode.release", "passcode.keep"]
        assert account in question["collectors"][0]["value"]
        assert client.call("login.next", login=step["login"], action="passcode.release")["node"] == "success"
    step = page_of_passcode(client, pingone)
    refused = client.refusal("login.next", login=step["login"], values={"otp": {"passcode": "another"}})
    assert refused.code == -32602 and "passcodes for this issuer" in refused.message


def test_passcode_is_not_released_to_another_issuer(make_daemon, settings, pingone):
    with ForeignPingOne(asks_for_passcode=True) as other:
        other.tenant.client = pingone.tenant.client
        other.tenant.users["ann"] = pingone.users["ann"]
        other.devices.add("ann")
        client = make_daemon(**{**settings, "issuer": [pingone.issuer, other.issuer]}).start().client()
        account = add(client, pingone)["added"][0]["id"]
        step = client.call("login.start", method="signon", issuer=other.issuer)
        values = {"username": "ann", "password": pingone.users["ann"]["password"]}
        step = client.call("login.next", login=step["login"], values=values)
        assert [each["key"] for each in step["collectors"]] == ["otp"]
        assert "otp.own" not in [action["key"] for action in step["actions"]]
        for name in ("", account):
            refused = client.refusal("login.next", login=step["login"], values={"otp": {"passcode": name}})
            assert refused.code == -32602
