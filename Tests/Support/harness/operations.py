"""All calls that write, with their preconditions, for tests with injected faults."""

import dataclasses
from collections.abc import Callable

from . import archive, flows, users
from .client import RPCError
from .host import PIN, configured, enrolled, guarded, local, paired, renewing, uri
from .signon import Application

OPERATIONS = {}

NOT_PLAYED = {
    "device.sendLogs": "asks the platform and stores nothing",
    "device.testPush": "asks the platform and stores nothing",
    "lock.now": "is of memory alone",
    "login.cancel": "is of memory alone",
    "login.resume": "goes the way of login.next, from another page",
    "login.start": "is of memory alone",
    "notification.act": "is notification.process and then an answer, which are both played",
    "notification.get": "is one of notification.list, which only reads",
    "service.doctor": "writes to find out whether that can be done, and changes nothing",
}
"""Calls that change something and are not tested, with the reason."""

READS = {
    "account.list", "audit.list", "audit.verify", "authentication.list", "backup.list", "event.subscribe",
    "event.unsubscribe", "notification.categories", "notification.list", "owner.list", "pairing.list", "rpc.discover",
    "service.metrics", "service.status", "session.list",
}
"""Calls that write nothing, as a separate test checks."""


@dataclasses.dataclass(frozen=True)
class Operation:
    """A call that writes. `begin` returns its parameters after preparations."""

    method: str
    before: Callable
    begin: Callable
    again: Callable | None = None
    """Returns the parameters for a repetition in another run; by default the same ones."""
    audited: bool = True
    is_whole: bool = False
    """True if it is one commit without network requests, so that it is atomic."""
    has_threads: bool = False
    """True if part of it runs on worker threads, in which faults are injected too."""


def operation(method, before, by=None, **options):
    """Registers an operation. `by` distinguishes several operations of one method."""

    def add(begin):
        OPERATIONS[f"{method}, {by}" if by else method] = Operation(method, before, begin, **options)
        return begin

    return add


# Local operations


@operation("account.enrol", local, is_whole=True)
def enrol(host):
    return {"uri": uri(label="bob")}


@operation("passcode.import", local, is_whole=True)
def import_one(host):
    return {"uri": uri("hotp", label="bob", counter=7, digits=8)}


@operation("account.import", local, is_whole=True)
def import_many(host):
    return {"data": "\n".join(uri(label=f"user{number}") for number in range(3)), "format": "uris"}


@operation("account.rename", local, is_whole=True)
def rename(host):
    return {"account": host.accounts["totp"], "nickname": "desk"}


@operation("account.remove", local, is_whole=True)
def remove(host):
    return {"account": host.accounts["totp"]}


@operation("passcode.get", local, audited=False, is_whole=True)
def count(host):
    return {"account": host.accounts["hotp"]}


@operation("device.setKeepOnReinstall", local, is_whole=True)
def keep(host):
    return {"keep": True}


@operation("lock.set", local, is_whole=True, has_threads=True)
def set_pin(host):
    return {"pin": PIN}


@operation("lock.clear", guarded, is_whole=True, has_threads=True)
def clear_pin(host):
    return {"current": PIN}


# The view unlocks as well, so its audit entries prove nothing.
@operation("lock.unlock", guarded, audited=False, is_whole=True, has_threads=True)
def unlock(host):
    return {"pin": PIN}


@operation("presence.set", guarded, is_whole=True)
def be_asked(host):
    return {"require": "all"}


# The file exists before the audit entry of its creation.
@operation("backup.create", local, has_threads=True)
def back_up(host):
    return {}


@operation("owner.erase", local)
def erase(host):
    return {"uid": users.BOB_UID, "confirm": True}


# Requests to the platform


@operation("device.configure", local)
def configure(host):
    return {"geo": flows.GEO}


@operation("device.removeLocalData", paired)
def remove_everything(host):
    return {"confirm": True}


@operation("device.info", paired, audited=False)
def ask(host):
    return {}


@operation("device.rotateKeys", paired)
def rotate(host):
    return {}


@operation("device.setPushAllowed", paired, audited=False)
def forbid_pushes(host):
    return {"allowed": False}


@operation("device.setPushToken", paired, audited=False)
def set_token(host):
    return {"token": "a-token-of-a-relay", "provider": "FCM"}


@operation("payload.generate", configured, audited=False)
def payload(host):
    return {}


@operation("pairing.pair", configured)
def pair(host):
    return {"pairingKey": host.sandbox.pairing_key("ann")}


def waiting(host):
    return {"pairing": flows.sign_on(host.client, host.sandbox, "ann")["pairing"]["id"]}


operation("pairing.approve", configured)(waiting)
operation("pairing.ignore", configured)(waiting)


@operation("pairing.processIdToken", configured)
def id_token(host):
    made = host.client.call("payload.generate")["mobilePayload"]
    return {"idToken": Application(host.sandbox).sign_on("ann", made)[0]}


def password(host):
    login = host.client.call("login.start", method="signon")["login"]
    return {"login": login, "values": {"username": "ann", "password": host.sandbox.users["ann"]["password"]}}


operation("login.next", configured, again=password)(password)


def push(host):
    host.sandbox.wait_for_answers(150)
    return {"notification": flows.push(host.client, host.sandbox)[1]["id"]}


operation("notification.approve", paired)(push)
operation("notification.deny", paired)(push)


@operation("notification.process", paired)
def carried(host):
    host.daemon.stop()
    host.sandbox.wait_for_answers(150)
    host.sandbox.authenticate("ann")
    host.sandbox.stop()
    (token,) = [one["token"] for one in archive.things(host.data, "Notification")]
    host.start()
    return {"payload": token}


def code(host):
    return {"code": host.sandbox.code(userApproval="REQUIRED")["code"]}


def claimed(host):
    return {"authentication": host.client.call("authentication.start", **code(host))["id"]}


operation("authentication.start", paired)(code)
operation("authentication.approve", paired)(claimed)
operation("authentication.deny", paired)(claimed)


@operation("session.end", paired, audited=False)
def end_session(host):
    return {"session": host.client.call("session.list")["sessions"][0]["id"]}


@operation("session.logout", paired, audited=False)
def log_out(host):
    accounts = host.client.call("account.list")["accounts"]
    return {"account": next(each["id"] for each in accounts if each["kind"] != "OATH")}



def claims(host):
    """Parameters for the userinfo of the account, which requires a token refresh first."""
    (account,) = [each for each in host.client.call("account.list")["accounts"] if each["kind"] != "OATH"]
    return {"account": account["id"], "fresh": True}


def claims_again(host):
    """Like `claims`. A refresh token is valid once, so after a lost reply a new sign-on is needed."""
    try:
        host.client.call_patiently("session.userinfo", **claims(host))
    except RPCError as error:
        assert error.reason == "EXPIRED", error
        flows.sign_on(host.client, host.sandbox, "ann")
    return claims(host)


operation("session.userinfo", renewing, again=claims_again, audited=False)(claims)


# Requests to PingAM


def registration(host):
    return {"uri": host.am.enrolment()}


# The URI is valid once. After a lost reply, another one is needed.
operation("account.enrol", local, by="PingAM", again=registration)(registration)


@operation("notification.process", enrolled, by="PingAM", is_whole=True)
def brought(host):
    return {"payload": host.am.push()}


def push_of_am(host):
    return {"notification": host.client.call("notification.process", **brought(host))["notification"]["id"]}


operation("notification.approve", enrolled, by="PingAM")(push_of_am)
operation("notification.deny", enrolled, by="PingAM")(push_of_am)

_SILENT = {"notification.process", "notification.process, PingAM", "pairing.ignore", "payload.generate", "session.end"}
"""Calls without a request to the platform, although their preconditions need it."""

ASKING = sorted(
    name for name, each in OPERATIONS.items()
    if name not in _SILENT
    and (each.before not in (local, guarded) or name in ("account.enrol, PingAM", "device.configure"))
)
"""Calls with requests through the courier."""
