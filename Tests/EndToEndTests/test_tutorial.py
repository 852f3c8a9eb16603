"""The tutorial "PingOne sign-on with sessions" at a real terminal: sign-on, a wrong password, registration."""

import pytest

from harness import flows
from harness.programs import AUTHCTL, environment
from harness.tmux import Screen

pytestmark = pytest.mark.flows

FLOW = "sign-on-with-registration"


@pytest.fixture
def keeping(make_daemon, sandbox):
    daemon = make_daemon(keep_session="yes", scope="openid profile email").start()
    daemon.client().call("device.configure", geo=flows.GEO)
    return daemon


@pytest.fixture
def run(directory, keeping):
    """Returns a function that runs authctl in tmux."""
    screens = []

    def run(*arguments):
        screen = Screen(directory / f"tmux-{len(screens)}")
        screens.append(screen)
        variables = environment(MFAD_SOCKET=str(keeping.socket), TERM="screen", LANG="en_GB.UTF-8")
        screen.start([str(AUTHCTL), *arguments], variables)
        return screen

    yield run
    for screen in screens:
        screen.end()


@pytest.fixture
def login(run):
    return lambda *options: run("login", "--davinci", "--acr", FLOW, *options)


@pytest.fixture
def asked(sandbox):
    """The password prompt, which names the server."""
    return f"Password for {sandbox.url}:"


def messages(sandbox):
    return sandbox.request("GET", "/sandbox/messages")["messages"]


def test_wrong_password_is_reported_and_the_right_one_pairs_this_machine(login, keeping, sandbox, asked):
    screen = login()
    shown = screen.answer("Username:", "ann")
    assert "Sign On" in shown and "No account? Register now!" in shown and "Forgot password?" in shown
    screen.answer(asked, "wrong")
    shown = screen.answer("Username [ann]:", "")
    assert "Invalid username and/or password" in shown
    screen.answer(asked, sandbox.users["ann"]["password"])
    shown = screen.answer("[y/N]:", "y")
    assert "signed on as" in shown and shown.count("signing on at") == 1
    shown = screen.wait("ended with 0")
    assert "wrong" not in shown.replace("wrong input", "") and sandbox.users["ann"]["password"] not in shown
    (account,) = keeping.client().call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"


def test_new_user_registers_and_is_paired(login, keeping, sandbox, asked):
    screen = login()
    screen.answer("Username:", ":1")
    shown = screen.answer("Username:", "ann")
    assert "Registration" in shown
    screen.answer("Email Address:", "dora@example.test")
    screen.answer("Given Name:", "Dora")
    screen.answer("Family Name:", "Jones")
    screen.answer(asked, "short")
    screen.answer("again:", "short")
    # The user name is taken. The earlier input is offered again, except for passwords.
    shown = screen.answer("Username [ann]:", "dora")
    assert "unique" in shown
    for prompt in ("Email Address [dora@example.test]:", "Given Name [Dora]:", "Family Name [Jones]:"):
        screen.answer(prompt, "")
    screen.answer(asked, "short")
    screen.answer("again:", "short")
    shown = screen.answer("Username [dora]:", "")
    assert "shorter than the minimum" in shown or "password policy" in shown
    for prompt in ("Email Address [dora@example.test]:", "Given Name [Dora]:", "Family Name [Jones]:"):
        screen.answer(prompt, "")
    screen.answer(asked, "Quite-Long-7")
    screen.answer("again:", "Quite-Long-8")
    screen.answer(asked, "Quite-Long-7")
    screen.answer("again:", "Quite-Long-7")
    shown = screen.answer("Verification Code:", "000000x")
    assert "dora@example.test" in shown
    # A wrong code is not offered again.
    wrong = ["The verification code is wrong", "We sent a verification code to dora@example.test"]
    asking = ["other options:", "  :1  Resend", "Verification Code:"]
    screen.wait("\n".join([*wrong, *asking]))
    sent = len(messages(sandbox))
    screen.type(":1")
    # The page itself does not show that the code was sent again.
    screen.wait("\n".join(['after "Resend" the same page came again', "Verify Email", wrong[1], *asking]))
    assert len(messages(sandbox)) == sent + 1
    screen.type(messages(sandbox)[-1]["code"])
    screen.answer("[y/N]:", "y")
    screen.wait("ended with 0")
    (account,) = keeping.client().call("account.list")["accounts"]
    assert account["user"]["username"] == "dora"
    assert account["user"]["name"] == {"given": "Dora", "family": "Jones"}


def test_kept_session_signs_on_without_a_page_until_logout(login, run, keeping, sandbox, asked):
    screen = login("--yes")
    screen.answer("Username:", "ann")
    screen.answer(asked, sandbox.users["ann"]["password"])
    screen.wait("ended with 0")
    screen = login()
    shown = screen.wait("ended with 0")
    assert "signed on as" in shown and "Username" not in shown
    login("--force-auth").wait("Username:")
    run("logout").wait("ended with 0")
    login().wait("Username:")


def test_pages_are_shown_in_the_requested_locale(login):
    shown = login("--locale", "de-AT").wait("Benutzername:")
    assert "Anmelden" in shown and "Kein Konto? Jetzt registrieren!" in shown


def test_interrupted_login_is_ended_at_the_daemon(login, keeping):
    for _ in range(5):
        screen = login()
        screen.wait("Username:")
        screen.interrupt()
        screen.wait("ended with 130")
    assert keeping.client().call("login.start", method="signon")["node"] == "continue"
