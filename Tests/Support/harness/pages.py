"""A sign-on of pages, as a client walks it."""

from . import flows


def start(client, flow, hint=None, **options):
    """The first step of a flow that the sandbox plays from a file."""
    parameters = {"acr_values": flow, **({"login_hint": hint} if hint else {})}
    return client.call("login.start", method="davinci", parameters=parameters, **options)


def answer(client, step, values=None, action=None):
    """The step that follows."""
    return client.reply(begin(client, step, values, action))


def begin(client, step, values=None, action=None):
    """Answers a step; `reply` waits for what follows."""
    given = {"values": values, "action": action}
    return client.begin("login.next", login=step["login"], **{name: it for name, it in given.items() if it is not None})


def refusal(client, step, values=None, action=None):
    """The error of an answer that has to be refused."""
    return client.refused(begin(client, step, values, action))


def collector(step, key):
    return next(each for each in step["collectors"] if each["key"] == key)


def messages(step):
    """What is wrong with single fields."""
    return {each["key"]: each["message"] for each in step["collectors"] if "message" in each}


def types(step):
    return [each["type"] for each in step["collectors"]]


def actions(step):
    return {each["key"]: each["kind"] for each in step["actions"]}


def credentials(sandbox, user="ann"):
    """What a page with name and password wants."""
    return {"user.username": user, "user.password": sandbox.users[user]["password"]}


def sign_on(client, sandbox, flow, user="ann", **options):
    """The step after name and password."""
    return answer(client, start(client, flow, **options), credentials(sandbox, user))


def configured(daemon):
    """A connection to a daemon that can sign on."""
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    return client
