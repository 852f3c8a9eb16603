"""Signs on and pairs, approves the next push, or shows a passcode. An example of a client.

usage: python -m mfad.authenticator sign-on USERNAME | approve | passcode; the password is the first line of standard input
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
    push = daemon.next_push(timeout=None)
    daemon.approve(push)
    print("approved:", push["title"])


def main(arguments):
    with mfad.connect() as daemon:
        match arguments:
            case ["sign-on", username]:
                sign_on(daemon, username)
            case ["approve"]:
                approve(daemon)
            case ["passcode"]:
                print(daemon.passcode())
            case _:
                sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except (mfad.Error, TimeoutError) as error:
        sys.exit(str(error))
