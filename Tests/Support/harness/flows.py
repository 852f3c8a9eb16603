"""Initial steps of many tests, through public interfaces."""

GEO = "NorthAmerica"


def sign_on(client, sandbox, user, **options):
    """Signs a user on through the daemon and returns the last step."""
    step = client.call("login.start", method="signon", **options)
    values = {"username": user, "password": sandbox.users[user]["password"]}
    return client.call("login.next", login=step["login"], values=values)


def pair(client, sandbox, user="ann"):
    """Pairs a user by a pairing key and returns the account's ID. Configures the daemon if needed."""
    client.call("device.configure", geo=GEO)
    return client.call("pairing.pair", pairingKey=sandbox.pairing_key(user))["account"]


def push(client, sandbox, user="ann", **notification):
    """Starts a device authentication. Returns it and the received push. `client` must be subscribed."""
    started = sandbox.authenticate(user, notification or None)
    return started, client.event("notification", state="pending")
