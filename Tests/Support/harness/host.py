"""A machine with several owners, their data and servers, which tests can restore repeatedly."""

import contextlib
import shutil
import sqlite3
import threading
import time

import pyotp

from . import flows, users
from .client import Disconnected, RPCError
from .daemon import Daemon
from .pingam import PingAM
from .programs import PATIENCE
from .sandbox import Sandbox

PIN = "280491"
SECRET = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
def uri(kind="totp", label="ann", **parameters):
    rest = "".join(f"&{name}={value}" for name, value in parameters.items())
    return f"otpauth://{kind}/ACME:{label}?secret={SECRET}&issuer=ACME{rest}"


class Host:
    """One daemon and one platform. Root owns data, user 1001 is a bystander, user 1002 may be erased."""

    def __init__(self, directory, path):
        self._path, self._saved = path, directory / "saved"
        self._state, self.data = directory / "state", directory / "sandbox.db"
        # The rollback counter, without which the daemon would detect the restored state.
        self._count = directory / "state-rollback"
        self.sandbox = Sandbox(data=self.data)
        self.am = PingAM()
        self.daemon = Daemon(
            directory, self.sandbox, socket=path / "control" / "mfad.sock", socket_group=users.GROUP,
            keep_session="yes", scope="openid profile offline_access", am_origin=self.am.url,
        )
        self.daemon.start()
        self.client = self.daemon.client()
        self.accounts = {
            kind: self.client.call("passcode.import", uri=uri(kind, **more))["id"]
            for kind, more in (("totp", {}), ("hotp", {"label": "counted", "counter": 0}))
        }
        for uid in (users.ANN_UID, users.BOB_UID):
            client = users.client_of(uid, self.daemon.socket)
            self._others = client.call("passcode.import", uri=uri("hotp", counter=0))["id"]
            if uid == users.ANN_UID:
                self._bystander = self._others
            client.close()

    # Lifecycle

    def save(self):
        """Saves the whole state for `restore`."""
        self.backup = self.client.call("backup.create")["file"]
        self.daemon.stop()
        self.sandbox.stop()
        self._saved.mkdir()
        shutil.copytree(self._state, self._saved / "state")
        shutil.copytree(self._count, self._saved / self._count.name)
        shutil.copy2(self.data, self._saved)
        self._am_saved, self._begun = self.am.save(), list(self.sandbox.begun)

    def restore(self, starts=True):
        """Restores the state of the daemon and the servers."""
        self.crash()
        for place in (self._state, self._count):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(self._saved / place.name, place)
        shutil.copy2(self._saved / self.data.name, self.data)
        self.am.restore(self._am_saved)
        self.sandbox.begun = list(self._begun)
        self.sandbox.start()
        if starts:
            self.start()

    def start(self):
        """Starts the daemon, which resumes pending work."""
        self.daemon.start()
        self.client = self.daemon.client()
        self.client.subscribe()

    def crash(self):
        """Kills the daemon and the sandbox."""
        if self.daemon.process.is_running:
            self.daemon.kill()
        if self.sandbox.process.is_running:
            self.sandbox.process.kill()
        for suffix in ("-wal", "-shm", "-journal"):
            self.data.with_name(self.data.name + suffix).unlink(missing_ok=True)

    def close(self):
        """Ends all programs."""
        self.crash()
        self.am.close()

    @contextlib.contextmanager
    def held(self):
        """Holds all replies of servers until the end of the block, so that requests stay in flight."""
        self.am.held = end = threading.Event()
        try:
            with self.sandbox.held():
                yield
        finally:
            self.am.held = None
            end.set()

    @property
    def files(self):
        """The files of the daemon's state."""
        names = ("mfad.db", "mfad.db-wal", "mfad.db-shm", "mfad.db-journal", "key", "backups", "backups/copy.db")
        counts = [f"{name}{ending}" for name in ("counter", "pin-0") for ending in ("", ".new")]
        return [
            self._state, *(self._state / name for name in names), self._count, *(self._count / name for name in counts)
        ]

    @property
    def count_file(self):
        """The file of the rollback counter, outside the state."""
        return self._count / "counter"

    def call(self, method, params):
        """Makes a call, and repeats it if rate limited. Returns the outcome, and the result or error if any."""
        try:
            return "done", self.client.call_patiently(method, **params)
        except RPCError as error:
            return "refused", error
        except Disconnected as error:
            return "gone", error

    # Visible state

    def view(self):
        """Returns root's data and the platform's state, without IDs, which differ between runs.

        Enters the PIN if there is one.
        """
        call = self.client.call
        status = call("service.status")
        pin = status["protection"]["pin"]
        if pin == "locked":
            self.client.call_patiently("lock.unlock", pin=PIN)
        accounts = call("account.list")["accounts"]
        return {
            "accounts": sorted((a["kind"], a["label"], a.get("nickname", ""), a.get("state", "")) for a in accounts),
            "notifications": sorted((n["title"], n["state"]) for n in call("notification.list")["notifications"]),
            "codes": sorted(code["status"] for code in call("authentication.list")["authentications"]),
            "pairings": len(call("pairing.list")["pairings"]),
            "sessions": len(call("session.list")["sessions"]),
            "owners": sorted(owner["uid"] for owner in call("owner.list")["owners"]),
            "backups": len(call("backup.list")["backups"]),
            "configured": status["owner"]["configured"],
            "has PIN": pin != "none",
            "presence": status["presence"]["required"],
            "PingAM": sorted(self.am.answers.values()),
            "platform": self.sandbox.outcomes() if self.sandbox.process.is_running else [],
        }

    def wait_for(self, *views):
        """Waits until the view is one of these, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while (view := self.view()) not in views:
            assert time.monotonic() < deadline, f"{view} is none of {views}"
            time.sleep(0.02)
        return view

    def check_others(self):
        """Checks that other owners still have their data, and that their passcodes never repeat."""
        client = users.client_of(users.ANN_UID, self.daemon.socket)
        (account,) = client.call("account.list")["accounts"]
        assert account["id"] == self._bystander
        counters = [client.call("passcode.get") for _ in range(2)]
        assert [each["counter"] for each in counters] == [0, 1]
        assert [each["passcode"] for each in counters] == [pyotp.HOTP(SECRET).at(number) for number in (0, 1)]
        client.close()
        assert self.client.call("audit.verify")["ok"] is True

    def check_file(self):
        """Checks the integrity of the database while the daemon is stopped."""
        with contextlib.closing(sqlite3.connect(self._state / "mfad.db")) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []


# Preconditions of operations


def local(host):
    """No owner has a platform."""


def guarded(host):
    """Root has a PIN."""
    host.client.call("lock.set", pin=PIN)


def configured(host):
    host.client.call("device.configure", geo=flows.GEO)


def paired(host):
    """Pairs ann by a sign-on, which also creates a session."""
    configured(host)
    pairing = flows.sign_on(host.client, host.sandbox, "ann")["pairing"]
    host.client.call("pairing.approve", pairing=pairing["id"])


def renewing(host):
    """Like `paired`, with an expired access token of the session."""
    host.sandbox.tokens(accessTokenSeconds=20)
    paired(host)


def enrolled(host):
    """A user of PingAM has this machine as push device."""
    host.client.call("account.enrol", uri=host.am.enrolment())
