"""Signs on and pairs, approves the next push, or shows a passcode. Requires mfad.py in the same directory.

usage: authenticator.py sign-on USERNAME | approve | passcode; the password is the first line of standard input
"""

import sys

import mfad


def sign_on(daemon, username):
    step = daemon.call("login.start", method="signon")
    if step["node"] == "continue":
        values = {"username": username, "password": sys.stdin.readline().rstrip("\n")}
        step = daemon.call("login.next", login=step["login"], values=values)
    if step["node"] != "success":
        sys.exit(step.get("message") or step.get("title") or step["node"])
    if step.get("pairing"):
        daemon.call("pairing.approve", pairing=step["pairing"]["id"])
    print("signed on as", step["user"]["username"])


def approve(daemon):
    # For tests only: approves every push, without asking the user.
    changes = daemon.events("notification")
    waiting = daemon.call("notification.list", state="pending")["notifications"]
    push = waiting[0] if waiting else next(e.payload for e in changes if e.payload.get("state") == "pending")
    daemon.call("notification.approve", notification=push["id"])
    print("approved:", push["title"])


def passcode(daemon):
    print(daemon.call("passcode.get")["passcode"])


def main(arguments):
    with mfad.connect() as daemon:
        match arguments:
            case ["sign-on", username]:
                sign_on(daemon, username)
            case ["approve"]:
                approve(daemon)
            case ["passcode"]:
                passcode(daemon)
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (mfad.Error, TimeoutError) as error:
        sys.exit(str(error))
