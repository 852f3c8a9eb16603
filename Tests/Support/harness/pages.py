"""A sign-on with pages, from a client's view."""

from . import flows


def start(client, flow, hint=None, **options):
    """Returns the first step of a flow that the sandbox runs from a file."""
    parameters = {"acr_values": flow, **({"login_hint": hint} if hint else {})}
    return client.call("login.start", method="davinci", parameters=parameters, **options)


def answer(client, step, values=None, action=None):
    """Answers a step and returns the next one."""
    return client.reply(begin(client, step, values, action))


def begin(client, step, values=None, action=None):
    """Answers a step. `reply` waits for the next one."""
    given = {"values": values, "action": action}
    return client.begin("login.next", login=step["login"], **{name: it for name, it in given.items() if it is not None})


def refusal(client, step, values=None, action=None):
    """Returns the error of an answer that must be refused."""
    return client.refused(begin(client, step, values, action))


def collector(step, key):
    return next(each for each in step["collectors"] if each["key"] == key)


def messages(step):
    """Returns the error messages of fields."""
    return {each["key"]: each["message"] for each in step["collectors"] if "message" in each}


def types(step):
    return [each["type"] for each in step["collectors"]]


def actions(step):
    return {each["key"]: each["kind"] for each in step["actions"]}


def credentials(sandbox, user="ann"):
    """Returns the values for a page with name and password."""
    return {"user.username": user, "user.password": sandbox.users[user]["password"]}


def sign_on(client, sandbox, flow, user="ann", **options):
    """Returns the step after name and password."""
    return answer(client, start(client, flow, **options), credentials(sandbox, user))


def configured(daemon):
    """Returns a connection to a daemon that can sign on."""
    client = daemon.client()
    client.call("device.configure", geo=flows.GEO)
    return client
