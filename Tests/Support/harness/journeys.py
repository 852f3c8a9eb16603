"""Journeys step by step, and the contents of a step."""


def start(client, journey):
    return client.call("login.start", method="journey", journey=journey)


def actions(step):
    return [each["key"] for each in step["actions"]]


def play(client, journey, action):
    """Runs a journey of one step to its end."""
    return client.call("login.next", login=start(client, journey)["login"], action=action)


def shown(step):
    return [text for each in step["collectors"] for text in (each.get("label"), each.get("value"), each.get("message")) if text]
