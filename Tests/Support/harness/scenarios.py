"""Preconditions of the examples of `rpc.discover`."""

from . import users
from .browser import Browser
from .examples import Example
from .signon import Application

SCENARIOS = {}
"""Functions that prepare the example of a method, and return the actual IDs and secrets for it."""


def example(method):
    def add(prepare):
        SCENARIOS[method] = prepare
        return prepare

    return add


def nothing(stage):
    """Prepares nothing."""
    return {}


SCENARIOS |= dict.fromkeys(
    (
        "account.enrol", "account.import", "device.configure", "device.setKeepOnReinstall", "event.subscribe", "lock.set", "presence.set",
        "notification.categories", "passcode.import", "rpc.discover", "service.metrics",
    ),
    nothing,
)


@example("account.list")
def a_named_account(stage):
    stage.user.call("account.rename", account=stage.pair(), nickname="desk")
    return {}


@example("account.rename")
@example("account.remove")
def an_account(stage):
    return {"a1": stage.pair()}


@example("device.info")
@example("device.rotateKeys")
@example("device.sendLogs")
@example("device.setPushAllowed")
@example("device.setPushToken")
@example("device.testPush")
@example("passcode.get")
@example("service.doctor")
@example("service.status")
def somebody_is_paired(stage):
    stage.pair()
    return {}


@example("audit.verify")
def a_sound_audit(stage):
    for _ in range(12):
        stage.user.refusal("login.cancel", login="nothing")
    return {}


@example("audit.list")
def a_denial(stage):
    push = stage.push()
    stage.user.call("notification.deny", notification=push, reason="REPORT_FRAUD")
    return {"n1": push}


@example("authentication.start")
def a_code(stage):
    stage.pair()
    return {"4F7K2M9Q": stage.sandbox.code(userApproval="REQUIRED")["code"]}


@example("authentication.approve")
@example("authentication.deny")
@example("authentication.list")
def a_claimed_code(stage):
    return {"c1": stage.claim()}


@example("lock.now")
@example("lock.unlock")
def a_pin(stage):
    stage.user.call("lock.set", **Example("lock.set").params({}))
    return {}


@example("lock.clear")
def a_pin_that_was_given(stage):
    a_pin(stage)
    stage.user.call("lock.unlock", **Example("lock.unlock").params({}))
    return {}


@example("login.start")
@example("payload.generate")
def somebody_is_configured(stage):
    stage.configure()
    return {}


@example("device.removeLocalData")
def an_account_and_three_pushes(stage):
    stage.pair()
    for _ in range(3):
        stage.ask()
        stage.user.event("notification", state="pending")
    return {}


@example("event.unsubscribe")
def a_subscription(stage):
    return {"s1": stage.user.subscribe()}


@example("login.cancel")
def a_sign_on(stage):
    stage.configure()
    return {"l1": stage.user.call("login.start", method="signon")["login"]}


@example("login.next")
def a_sign_on_with_its_password(stage):
    return {**a_sign_on(stage), "…": stage.sandbox.users["ann"]["password"]}


@example("login.resume")
def a_browser_that_was_sent_back(stage):
    stage.configure()
    step, browser = stage.user.call("login.start", method="redirect"), Browser(stops_at="http://127.0.0.1:")
    browser.open(step["browserUrl"])
    browser.submit(username="ann", password=stage.sandbox.users["ann"]["password"])
    return {"l1": step["login"], "http://127.0.0.1/callback?code=x&state=y": browser.address}


@example("notification.approve")
@example("notification.deny")
@example("notification.get")
@example("notification.list")
def a_push(stage):
    return {"n1": stage.push()}


@example("notification.process")
def a_push_by_another_transport(stage):
    return {"eyJ….eyJ….sig": stage.carried()}


@example("notification.act")
def a_push_by_another_transport_and_the_platform(stage):
    token = stage.carried()
    # The push must arrive before the platform starts, which would deliver it by polling.
    stage.user.call("notification.process", payload=token)
    stage.come_back()
    return {"eyJ….eyJ….sig": token}


@example("backup.create")
def a_state(stage):
    stage.user.call("account.enrol", uri=Example("account.enrol").params({})["uri"])
    return {}


@example("backup.list")
def a_backup(stage):
    a_state(stage)
    stage.connect(0).call("backup.create")
    return {}


@example("owner.erase")
def an_owner_to_erase(stage):
    stage.connect(users.ANN_UID).call("account.enrol", uri=Example("account.enrol").params({})["uri"])
    return {}


@example("owner.list")
def one_owner(stage):
    stage.user.call("account.enrol", uri=Example("account.enrol").params({})["uri"])
    return {}


@example("pairing.approve")
@example("pairing.ignore")
@example("pairing.list")
def a_pairing_that_waits(stage):
    return {"p1": stage.ask_to_pair()}


@example("pairing.pair")
def a_pairing_key(stage):
    stage.configure()
    return {"01882778807215": stage.sandbox.pairing_key("ann", region="EU")}


@example("pairing.processIdToken")
def an_id_token(stage):
    stage.configure()
    payload = stage.user.call("payload.generate")["mobilePayload"]
    token, _ = Application(stage.sandbox).sign_on("ann", payload)
    return {"eyJ….eyJ….sig": token}


@example("session.list")
def a_session(stage):
    stage.pair_by_sign_on()
    return {}


@example("session.end")
def a_session_by_its_id(stage):
    stage.pair_by_sign_on()
    return {"s1": stage.user.call("session.list")["sessions"][0]["id"]}


@example("session.logout")
@example("session.userinfo")
def a_session_by_its_account(stage):
    return {"a1": stage.pair_by_sign_on()}
