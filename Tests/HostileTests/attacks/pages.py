"""Sign-on pages that are expensive to process."""

from harness.client import RPCError
from harness.hostile.issuer import Issuer

from .clients import at_once, members
from .registry import attack


def page(fields, values=None) -> dict:
    return {"id": "page", "eventName": "continue", "_links": {"next": {"href": f"{Issuer.ORIGIN}/davinci/next"}},
            "form": {"components": {"fields": fields}}, "formData": {"value": values or {}}}


def meet(stage, document: dict, values=None):
    """Signs on at a server that shows this page, and answers the page if possible."""
    stage.issuer.forge("authorize", lambda issuer, request: request.reply_json(document))
    stage.issuer.forge("next", lambda issuer, request: request.reply_json(document))
    with stage.connect() as client:
        node = client.call("login.start", method="davinci")
        if values and node["node"] == "continue":
            return client.call("login.next", login=node["login"], values=values)
        return node


@attack("a page with text that grows when its links are inserted", is_short=True)
def growing_text(stage):
    link = {"value": "x" * 100_000, "type": "link", "href": "https://issuer.test/" + "y" * 8000}
    rich = {"content": "{{a}}" * 25_000, "replacements": {"a": link}}
    node = meet(stage, page([{"type": "LABEL", "key": "text", "content": "text", "richContent": rich}]))
    assert node["cause"] == "TOO_LARGE"


@attack("a page with eight multi-select fields of 450 options", is_short=True)
def first_choices(stage):
    names = [f"o{number:03}" for number in range(450)]
    options = [{"value": name, "label": name} for name in names]
    fields = [{"type": "CHECKBOX", "inputType": "MULTI_SELECT", "key": f"choice{number}", "options": options}
              for number in range(8)]
    node = meet(stage, page(fields, {f"choice{number}": names * 2 for number in range(8)}))
    assert node["node"] == "continue"


@attack("a journey step with 1,000 rules for each value")
def many_rules(stage):
    rules = [f"r{number}" for number in range(1000)]
    policies = [{"policyRequirements": rules[start:start + 32], "params": {}} for start in range(0, 1000, 32)]
    callbacks = [{"type": "StringAttributeInputCallback", "input": [{"name": f"IDToken{number}", "value": ""}],
                  "output": [{"name": "policies", "value": policies}, {"name": "prompt", "value": "x"}]}
                 for number in range(24)]
    stage.courier.origins[Issuer.ORIGIN] = lambda request: request.reply_json({"authId": "a", "callbacks": callbacks})
    with stage.connect() as client:
        assert len(client.call("login.start", method="journey", journey="j")["collectors"]) == len(callbacks)


@attack("four sign-ons of each of twelve members at a page with many values")
def kept_pages(stage):
    """The page has almost as many values as its length permits; mfad shows all of them as `raw`."""
    fields = [{"type": "UNKNOWN", "key": f"k{number}", "values": [1] * 900, "text": "x" * 5400} for number in range(32)]
    stage.issuer.forge("authorize", lambda issuer, request: request.reply_json(page(fields)))
    nodes = []

    def sign_on(client):
        client.call("device.configure", geo="NorthAmerica")
        nodes.extend(client.call("login.start", method="davinci") for _ in range(4))

    at_once(members(stage, 12, 1), sign_on)
    kept = [node for node in nodes if node["node"] == "continue"]
    assert len(nodes) == 48 and len(kept) >= 12 and all(len(node["collectors"]) == 32 for node in kept)
    assert all(node["cause"] == "TOO_LARGE" for node in nodes if node not in kept)


@attack("four sign-ons of each of twelve members that wait at a page with many values")
def waiting_pages(stage):
    fields = [{"type": "UNKNOWN", "key": f"k{number}", "values": [1] * 600, "text": "x" * 1200} for number in range(32)]
    fields.append({"type": "POLLING", "key": "poll", "pollInterval": 2000, "pollRetries": 60, "challenge": "c",
                   "pollChallengeStatus": True})
    stage.issuer.forge("authorize", lambda issuer, request: request.reply_json(page(fields)))
    waiting = []

    def sign_on(client):
        client.call("device.configure", geo="NorthAmerica")
        for _ in range(4):
            node = client.call("login.start", method="davinci")
            if node["node"] == "continue":
                waiting.append(client.begin("login.next", login=node["login"]))

    at_once(members(stage, 12, 1), sign_on)
    assert len(waiting) >= 12


@attack("discovery documents with a value in every two bytes")
def values_without_end(stage):
    text = '{"x":[' + "1," * 340_000 + "1]}"
    stage.issuer.forge("discovery", lambda issuer, request: request.reply(text))

    def sign_on(client):
        client.call("device.configure", geo="NorthAmerica")
        for _ in range(5):
            try:
                client.call("login.start", method="davinci")
            except RPCError as error:
                assert error.reason == "SERVER_ERROR", error

    at_once(members(stage, 12, 1), sign_on)
