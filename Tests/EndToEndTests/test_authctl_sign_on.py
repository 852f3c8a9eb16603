"""`authctl login`: forms, second factors, journeys and browsers, on a terminal and in scripts."""

import json
import re

import pexpect
import pytest

from harness import flows
from harness.authctl import Authctl
from harness.browser import Browser
from harness.programs import PATIENCE

pytestmark = pytest.mark.flows

WAITING = "waiting, Ctrl-C ends it: "


@pytest.fixture
def daemon(make_daemon, sandbox):
    """A daemon configured for both issuers, in the geography of the tests."""
    realm = f"{sandbox.url}/am/oauth2/realms/root/realms/alpha"
    cookie = sandbox.request("GET", "/am/json/realms/root/realms/alpha/serverinfo/*")["cookieName"]
    daemon = make_daemon(
        issuer=[sandbox.announcement["issuer"], realm], journey_server=f"{sandbox.url}/am", journey_cookie=cookie
    ).start()
    daemon.client().call("device.configure", geo=flows.GEO)
    return daemon


@pytest.fixture
def password(sandbox):
    return sandbox.users["ann"]["password"]


@pytest.fixture
def credentials(sandbox, password):
    """The first prompts and ann's answers. The password prompt names the server."""
    return [("Username: ", "ann"), (f"Password for {sandbox.url}: ", password)]


def answer(terminal, *answers):
    """Waits for each prompt and types its answer; takes pairs of prompt and answer."""
    for prompt, text in answers:
        terminal.expect_exact(prompt)
        terminal.sendline(text)


def end(terminal):
    """Returns the output until the program exits, and its exit code."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.signalstatus is None
    return terminal.before, terminal.exitstatus


def test_login_asks_for_every_kind_of_field_and_sends_each_answer(authctl, sandbox, credentials):
    with authctl.terminal("login", "--davinci", "--acr", "all-collectors") as terminal:
        answer(
            terminal,
            *credentials, (f"New password for {sandbox.url}: ", ""), ("Colour [2]: ", "blue"),
            ("Size [1]: ", ""), ("[2]: ", "1,3"), ("Days (several with commas): ", "tuesday"), ("[y/N]: ", "y"),
            ("[GB]: ", "ch"), ("Phone: ", "44 668 18 00"), ("(Enter for none): ", "7"), ("choose [1]: ", ""),
            ("Add a device: ", "1"), ("Use a device [2]: ", ""), ("A field of the future: ", ""),
            ("choose [2]: ", "1"), ("Nickname: ", "Annie"),
        )
        terminal.expect_exact('Enter for "Done": ')
        shown = terminal.before
        terminal.sendline("")
        terminal.expect_exact("signed on as")
    said = ["colour: blue", "size: small", "terms: true", "nickname: Annie", "newDevice: EMAIL", "set: blue small"]
    for text in said:
        assert text in shown
    assert "apple" in shown and "plum" in shown and "pear" not in shown and "tuesday" in shown
    assert re.search(r'phone: .*"countryCode":"CH"', shown) and "44 668 18 00" in shown
    assert "a***@example.com" in shown


def test_login_completes_when_its_push_is_approved_elsewhere(authctl, client, sandbox, credentials):
    flows.pair(client, sandbox)
    client.subscribe("notification")
    with authctl.terminal("login", "--davinci", "--acr", "mfa") as terminal:
        answer(terminal, *credentials, ("Device [1]: ", "1"))
        terminal.expect_exact(WAITING)
        push = client.event("notification", state="pending")
        client.call("notification.approve", notification=push["id"])
        shown, status = end(terminal)
    assert status == 0 and "signed on as" in shown


def test_login_allows_another_method_while_a_push_is_pending(authctl, client, sandbox, credentials):
    account = flows.pair(client, sandbox)
    with authctl.terminal("login", "--davinci", "--acr", "mfa") as terminal:
        answer(terminal, *credentials, ("Device [1]: ", "1"))
        terminal.expect_exact("1  Use a passcode")
        answer(terminal, (WAITING, "1"))
        terminal.expect("asscode.*: $")
        terminal.sendline(client.call("passcode.get", account=account)["passcode"])
        shown, status = end(terminal)
    assert status == 0 and "signed on as" in shown


def test_interrupted_login_leaves_no_sign_on_open(authctl, client, sandbox, credentials):
    flows.pair(client, sandbox)
    # An owner may have four sign-ons at most.
    for _ in range(5):
        with authctl.terminal("login", "--davinci", "--acr", "mfa") as terminal:
            answer(terminal, *credentials, ("Device [1]: ", "1"))
            terminal.expect_exact(WAITING)
            terminal.sendintr()
            terminal.expect(pexpect.EOF)
            terminal.close()
            assert terminal.signalstatus == 2
    assert client.call("login.start", method="signon")["node"] == "continue"


def test_interrupted_login_reports_that_the_request_here_stays_pending(authctl, client, sandbox, credentials):
    flows.pair(client, sandbox)
    client.subscribe("notification")
    sandbox.request("PUT", "/sandbox/signOnPolicies/Test", {"steps": ["LOGIN", "MFA"], "default": True})
    for asked in (False, True):
        with authctl.terminal("login") as terminal:
            answer(terminal, *credentials)
            terminal.expect(r"(\d)  Approve with this machine")
            own = terminal.match[1]
            terminal.expect_exact(WAITING)
            push = client.event("notification", state="pending")
            if asked:
                terminal.sendline(own)
                terminal.expect_exact("Approve this request?")
            terminal.sendintr()
            terminal.expect_exact('may still be pending: "authctl approve" shows it')
            terminal.expect(pexpect.EOF)
            terminal.close()
            assert terminal.signalstatus == 2
        assert client.call("notification.get", notification=push["id"])["notification"]["state"] == "pending"
        client.call("notification.deny", notification=push["id"])


def test_davinci_flow_pairs_this_machine(authctl, client, sandbox, password):
    line = json.dumps({"values": {"user.username": "ann", "user.password": password}})
    done = authctl.run("login", "--davinci", "--acr", "mobile-pairing", "--yes", input=line)
    assert done.status == 0, done.errors
    (account,) = client.call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"


def test_script_answers_a_journey_with_one_json_line_per_step(authctl, sandbox, password):
    lines = [
        {"values": {"IDToken1": "ann", "IDToken2": password}},
        {"values": {"IDToken1": "2"}},
    ]
    done = authctl.run(
        "login", "--journey", "journey-polling", "--json", input="".join(json.dumps(line) + "\n" for line in lines)
    )
    nodes = [json.loads(line) for line in done.output.splitlines()]
    assert done.status == 0 and done.errors == "", done
    assert nodes[0]["collectors"][0]["type"] == "NameCallback"
    assert any(each["type"] == "PollingWaitCallback" for node in nodes for each in node["collectors"])
    assert (nodes[-1]["node"], nodes[-1]["user"]["username"]) == ("success", "ann")
    assert password not in done.output


def test_login_accepts_the_link_of_an_email(authctl, sandbox):
    with authctl.terminal("login", "--journey", "journey-suspended") as terminal:
        answer(terminal, ("User Name: ", "ann"))
        terminal.expect_exact("address of the link in the e-mail: ")
        link = sandbox.request("GET", "/sandbox/messages")["messages"][-1]["link"]
        terminal.sendline("hello")
        answer(terminal, ("not an address\r\naddress of the link in the e-mail: ", link), ("choose [1]: ", ""))
        shown, status = end(terminal)
    assert status == 0 and "signed on as" in shown


def test_script_completes_a_browser_sign_on(authctl, client, sandbox, password):
    running = authctl.start("login", "--browser", "--json", "--yes")
    step = json.loads(running.stdout.readline())
    browser = Browser()
    browser.open(step["browserUrl"])
    browser.submit(username="ann", password=password)
    output, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (0, ""), output
    (account,) = client.call("account.list")["accounts"]
    assert json.loads(output)["account"] == account["id"]


def test_login_accepts_the_pasted_address_of_a_browser_on_another_machine(authctl, client, sandbox, password):
    with authctl.terminal("login", "--browser", columns=500) as terminal:
        terminal.expect(r"(http://\S+/authorize\?\S+)")
        address = terminal.match[1]
        terminal.expect_exact(WAITING)
        browser = Browser(stops_at="http://127.0.0.1:")
        browser.open(address)
        browser.submit(username="ann", password=password)
        terminal.sendline(browser.address)
        answer(terminal, ("[y/N]: ", "y"))
        shown, status = end(terminal)
    assert status == 0 and "paired with" in shown
    assert len(client.call("account.list")["accounts"]) == 1


def test_userinfo_shows_the_claims_and_logout_ends_the_session(make_daemon, sandbox, password):
    daemon = make_daemon(keep_session="yes", scope="openid profile email").start()
    authctl = Authctl(daemon.socket)
    assert authctl.run("configure", flows.GEO).status == 0
    line = json.dumps({"values": {"username": "ann", "password": password}})
    assert authctl.run("login", "--yes", input=line).status == 0
    shown = authctl.run("userinfo", "ann")
    assert shown.status == 0 and re.search(rf"^sub +{sandbox.users['ann']['id']}$", shown.output, re.M)
    assert authctl.run("userinfo", "--json").json["sub"] == sandbox.users["ann"]["id"]
    ended = authctl.run("logout")
    assert ended.status == 0 and ended.output.startswith("signed off from account ")
    assert authctl.run("userinfo").status == 5


def test_login_asks_again_after_an_answer_in_the_wrong_format(authctl, sandbox, password):
    with authctl.terminal("login", "--davinci", "--acr", "sign-on-with-registration") as terminal:
        answer(
            terminal,
            ("Username: ", ":1"), ("Username: ", "zoe"), ("Email Address: ", "nowhere"), ("Given Name: ", ""),
            ("Family Name: ", ""), (f"Password for {sandbox.url}: ", "Quite-Long-7"),
            ("Password, again: ", "Quite-Long-7"), ("Username [zoe]: ", ""),
        )
        # The server checks the format; its message appears above the prompt.
        terminal.expect_exact("Email Address [nowhere]: ")
        assert "ust be valid email address" in terminal.before
        answer(terminal, ("", "zoe@example.com"), ("Given Name: ", ""))


def denied(ran):
    """Checks that authctl ended with DENIED, and returns the message."""
    assert ran.status == 6, ran
    last = json.loads(ran.output.splitlines()[-1])["error"]
    assert last["data"]["reason"] == "DENIED"
    return last["message"]


def test_denied_sign_on_exits_with_6_for_every_method(authctl, client, sandbox, password):
    policy = {"steps": ["LOGIN", "AGREEMENT"], "default": True}
    sandbox.request("PUT", "/sandbox/signOnPolicies/Test", policy)
    lines = [{"values": {"username": "ann", "password": password}}, {"values": {"accept": False}}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    assert denied(authctl.run("login", "--json", input=text)) == "The user does not agree."

    ran = authctl.run("login", "--davinci", "--acr", "hostile-failed", "--json", input="{}\n")
    assert denied(ran) == "You must not"

    sandbox.tokens(deviceInterval=1)
    for way, decision in (("--browser", "cancel"), ("--device", "deny")):
        running = authctl.start("login", way, "--json", "--yes")
        step = json.loads(running.stdout.readline())
        browser = Browser()
        browser.open(step["browserUrl"])
        browser.submit(username="ann", password=password, decision=decision)
        output, _ = running.communicate(timeout=PATIENCE)
        assert running.returncode == 6, output
        assert json.loads(output.splitlines()[-1])["error"]["data"]["reason"] == "DENIED"
