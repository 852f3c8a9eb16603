"""Sign-on pages that are expensive to process."""

from harness.hostile.issuer import Issuer

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
