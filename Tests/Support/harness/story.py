"""A complete workflow in steps that can be resumed after any interruption."""

from . import flows
from .client import RPCError


class Story:
    """The requests of an owner. `answered` has the results that the daemon has confirmed."""

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.client = None
        self.answered = {}
        self._made = {}
        self.steps = [
            self.configure,
            self.pair_ann,
            self.approve_push,
            self.deny_push,
            self.claim_code,
            self.approve_code,
            self.pair_bob,
        ]

    def play(self, client, after_step=lambda name: None):
        """Runs or resumes all steps. Previously confirmed results must still exist."""
        self.client = client
        client.subscribe()
        for name, check in self._checks().items():
            if name in self.answered:
                check(self.answered[name])
        for step in self.steps:
            self.answered[step.__name__] = step()
            after_step(step.__name__)

    def _made_once(self, name, make):
        if name not in self._made:
            self._made[name] = make()
        return self._made[name]

    # Steps: each does the remaining work

    def configure(self):
        answer = self.client.call("device.configure", geo=flows.GEO)
        assert self.answered.get("configure", answer) == answer
        return answer

    def pair_ann(self):
        key = self._made_once("key", lambda: self.sandbox.pairing_key("ann"))
        return self._paired("ann", lambda: self.client.call("pairing.pair", pairingKey=key))

    def pair_bob(self):
        return self._paired("bob", self._sign_bob_on)

    def _sign_bob_on(self):
        waiting = self.client.call("pairing.list")["pairings"]
        pairing = waiting[0] if waiting else flows.sign_on(self.client, self.sandbox, "bob")["pairing"]
        if pairing is None:
            return {"account": self._account("bob")}
        return self.client.call("pairing.approve", pairing=pairing["id"])

    def _paired(self, user, pair):
        """Returns the account of a user. Pairs the user unless that is complete or in progress."""
        if self._account(user):
            return self._account(user)
        try:
            return pair()["account"]
        except RPCError as error:
            # The daemon completes work of a previous run automatically, maybe already now.
            if error.code in (10013, 10005, 11002):
                return self._account(user) or self.client.event("account", label=user)["id"]
            raise

    def _account(self, user):
        accounts = self.client.call("account.list")["accounts"]
        ours = [account["id"] for account in accounts if account["user"]["username"] == user]
        assert len(ours) <= 1, "a user is paired once"
        return ours[0] if ours else None

    def approve_push(self):
        return self._answer("first", "approve", "approved")

    def deny_push(self):
        return self._answer("second", "deny", "denied")

    def _answer(self, title, verb, state):
        variables = {"template": {"variables": {"title": title}}}
        self._made_once(title, lambda: self.sandbox.authenticate("ann", variables))
        push = self._push(title) or self.client.event("notification", title=title, state="pending")
        if push["state"] == "pending":
            return self.client.call(f"notification.{verb}", notification=push["id"])["notification"]
        if push["state"] == "sending":
            return self.client.event("notification", id=push["id"], state=state)
        return push

    def _push(self, title):
        pushes = self.client.call("notification.list")["notifications"]
        ours = [push for push in pushes if push["title"] == title]
        assert len(ours) <= 1, "a push is there once"
        return ours[0] if ours else None

    def claim_code(self):
        made = self._made_once("code", self.sandbox.code)
        return self.client.call("authentication.start", code=made["code"])

    def approve_code(self):
        claimed = self.answered["claim_code"]
        if claimed["status"] == "COMPLETED":
            return {"status": "COMPLETED"}
        try:
            return self.client.call("authentication.approve", authentication=claimed["id"])
        except RPCError as error:
            # The daemon delivers a decision of a previous run automatically, maybe already now.
            if error.code == 11003 and error.details == {"state": "COMPLETED"}:
                return {"status": "COMPLETED"}
            raise

    # Confirmed results exist as soon as the daemon serves again

    def _checks(self):
        return {
            "configure": lambda _: self._is_configured(),
            "pair_ann": lambda account: self._is_account("ann", account),
            "pair_bob": lambda account: self._is_account("bob", account),
            "approve_push": lambda push: self._is_push(push, "approved"),
            "deny_push": lambda push: self._is_push(push, "denied"),
            "claim_code": self._is_code,
        }

    def _is_configured(self):
        assert self.client.call("service.status")["owner"]["configured"] is True

    def _is_account(self, user, account):
        assert self._account(user) == account

    def _is_push(self, push, state):
        kept = self.client.call("notification.get", notification=push["id"])["notification"]
        assert kept == push and kept["state"] == state

    def _is_code(self, claimed):
        kept = self.client.call("authentication.list")["authentications"]
        assert [code["id"] for code in kept] == [claimed["id"]]
        if "approve_code" in self.answered:
            assert kept[0]["status"] == "COMPLETED"

    # Final checks

    def check_end(self):
        """Checks that both sides agree that everything was done exactly once."""
        sandbox = self.sandbox
        status = {title: sandbox.authentication(self._made[title])["status"] for title in ("first", "second")}
        assert status == {"first": "COMPLETED", "second": "FAILED"}
        assert sandbox.code_status(self._made["code"]) == "COMPLETED"
        assert (self._push("first")["state"], self._push("second")["state"]) == ("approved", "denied")
        for user in ("ann", "bob"):
            assert [device["status"] for device in sandbox.devices(user)] == ["ACTIVE"]
            self._made_once(f"passcode of {user}", lambda: self._check_passcode(user))

    def _check_passcode(self, user):
        passcode = self.client.call("passcode.get", account=self._account(user))["passcode"]
        checked = self.sandbox.check_passcode(self.sandbox.authenticate(user), passcode)
        assert checked["status"] == "COMPLETED"
        return checked
