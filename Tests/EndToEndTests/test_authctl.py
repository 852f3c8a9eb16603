"""authctl in scripts: output and exit code of each command, against the real daemon."""

import json
import re

import pytest

from harness import flows
from harness.own_devices import the_account
from harness.programs import PATIENCE

COMMANDS = {"accounts", "approve", "code", "configure", "deny", "login", "notifications", "otp", "pair", "pairings"}
COMMANDS |= {"rpc", "status"}
LOCAL_TIME = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d\d:\d\d"


@pytest.fixture
def configured(client, authctl):
    client.call("device.configure", geo=flows.GEO)
    return authctl


@pytest.fixture
def ready(paired, authctl):
    """authctl with a daemon that is paired with ann."""
    return authctl


def password_lines(sandbox, *answers):
    values = [{"username": user, "password": password or sandbox.users[user]["password"]} for user, password in answers]
    return "".join(json.dumps({"values": value}) + "\n" for value in values)


def test_status_shows_the_status_of_the_daemon(authctl, daemon, client, sandbox):
    # The start-up check runs for a while after the start and changes the status.
    daemon.wait_checked()
    done = authctl.run("status", "--verbose")
    assert (done.status, done.errors) == (0, "")
    assert re.search(r"^owner +root \(0\), not configured, 0 paired, 0 pending, not polling$", done.output, re.M)
    assert re.search(rf"^platform +{sandbox.url}/?, pinned, not asked yet$", done.output, re.M)
    said, shown = client.call("service.status"), authctl.run("status", "--json").json
    assert {**shown, "uptime": 0} == {**said, "uptime": 0}


def test_configure_sets_the_geography(authctl, client):
    done = authctl.run("configure", flows.GEO)
    device = client.call("device.configure", geo=flows.GEO)["deviceId"]
    assert (done.status, done.output) == (0, f"configured for {flows.GEO}, device {device}\n")
    assert authctl.run("--json", "configure", flows.GEO).json == {"geo": flows.GEO, "deviceId": device}
    assert "configured for NorthAmerica" in authctl.run("status", "--verbose").output


def test_login_with_yes_pairs_from_standard_input(configured, client, sandbox):
    answers = password_lines(sandbox, ("ann", "wrong"), ("ann", None))
    done = configured.run("login", "--yes", input=answers)
    assert done.status == 0, done.errors
    (account,) = client.call("account.list")["accounts"]
    assert "(ann)" in done.output and account["id"][:8] in done.output
    assert "the username or password is not right" in done.errors
    password = sandbox.users["ann"]["password"]
    assert password not in done.output + done.errors


def test_login_without_yes_leaves_the_pairing_pending(configured, client, sandbox):
    done = configured.run("login", input=password_lines(sandbox, ("ann", None)))
    (pairing,) = client.call("pairing.list")["pairings"]
    assert done.status == 0 and pairing["id"] in done.output
    assert configured.run("pairings").output.endswith(f"  {pairing['id'][:8]}\n")
    assert configured.run("--json", "pairings").json == {"pairings": [pairing]}
    approved = configured.run("pairings", "approve", pairing["id"])
    assert approved.status == 0 and "(ann)" in approved.output
    assert len(client.call("account.list")["accounts"]) == 1
    assert configured.run("pairings").output == ""


def test_login_with_only_wrong_passwords_fails_and_leaves_no_sign_on_open(configured, client, sandbox):
    for _ in range(5):
        done = configured.run("login", "--yes", input=password_lines(sandbox, ("ann", "wrong")))
        assert done.status == 1 and "error: " in done.errors
    # An owner may have four sign-ons at most.
    assert client.call("login.start", method="signon")["node"] == "continue"


def test_pairings_ignore_drops_a_pairing(configured, client, sandbox):
    configured.run("login", input=password_lines(sandbox, ("ann", None)))
    (pairing,) = client.call("pairing.list")["pairings"]
    assert configured.run("pairings", "ignore", pairing["id"]).status == 0
    assert client.call("pairing.list") == {"pairings": []}


@pytest.mark.parametrize("place", ["argument", "standard input"])
def test_pair_accepts_a_key_as_argument_or_on_standard_input(configured, client, sandbox, place):
    key = sandbox.pairing_key("ann")
    done = configured.run("pair", key) if place == "argument" else configured.run("pair", input=key + "\n")
    assert done.status == 0 and "(ann)" in done.output
    (account,) = client.call("account.list")["accounts"]
    assert account["user"]["username"] == "ann"
    assert configured.run("accounts", "--json").json == {"accounts": [account]}
    assert configured.run("accounts").output.endswith(f"  {account['id'][:8]}\n")


def test_otp_prints_only_a_passcode_that_pingone_accepts(ready, paired, sandbox):
    done = ready.run("otp")
    assert (done.status, done.errors) == (0, "") and re.fullmatch(r"\d{6}\n", done.output)
    assert sandbox.check_passcode(sandbox.authenticate("ann"), done.output.strip())["status"] == "COMPLETED"
    following = ready.run("otp", "--next").output.strip()
    assert sandbox.check_passcode(sandbox.authenticate("ann"), following)["status"] == "COMPLETED"


def test_otp_accepts_the_name_of_an_account(ready, paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    assert ready.run("otp").status == 17
    passcode = ready.run("otp", "bob").output.strip()
    assert sandbox.check_passcode(sandbox.authenticate("bob"), passcode)["status"] == "COMPLETED"


@pytest.mark.parametrize("verb", [["remove"], ["rename"]], ids=" ".join)
def test_account_changes_require_the_full_name(ready, paired, verb):
    name = ["other"] if verb == ["rename"] else ["--yes"]
    # The name is long enough that no id begins with a part of it by chance.
    paired.call("account.rename", account=the_account(paired)["id"], nickname="household")
    account = the_account(paired)
    assert ready.run("accounts", *verb, "", *name).status == 2
    assert ready.run("accounts", *verb, "ousehold", *name).status == (5 if verb == ["rename"] else 2)
    assert the_account(paired) == account
    # Commands that only read accept a part of the name.
    assert ready.run("otp", "ousehold").status == 0 and ready.run("otp", "").status == 2


def test_notifications_lists_requests_until_they_are_answered(ready, paired, sandbox):
    for verb, state, status in (("approve", "approved", "COMPLETED"), ("deny", "denied", "FAILED")):
        started, push = flows.push(paired, sandbox)
        listed = ready.run("notifications")
        assert re.fullmatch(rf".*  \d+ s ago  pending, ends in .*  {push['id'][:8]}\n", listed.output)
        done = ready.run(verb, push["id"])
        assert done.status == 0 and re.fullmatch(rf"{state}: .* \({push['id'][:8]}\)\n", done.output)
        assert sandbox.authentication(started)["status"] == status
        assert ready.run("notifications").output == ""
    listed = ready.run("notifications", "--all").output
    assert re.findall("  (denied|approved), ", listed) == ["denied", "approved"]


def test_approve_without_an_id_approves_the_only_request(ready, paired, sandbox):
    started, _ = flows.push(paired, sandbox)
    assert ready.run("approve", "--yes").status == 0
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_approve_without_an_id_fails_if_there_are_several_requests(ready, paired, sandbox):
    pushes = [flows.push(paired, sandbox)[1]["id"] for _ in range(2)]
    done = ready.run("approve", "--yes")
    assert done.status == 17 and all(push[:8] in done.errors for push in pushes)


@pytest.mark.parametrize("verb, status", [("approve", "COMPLETED"), ("deny", "FAILED")])
def test_wait_answers_the_next_request(ready, paired, sandbox, verb, status):
    beforehand = ["--yes"] if verb == "approve" else []
    running = ready.start(verb, "--wait", *beforehand, "--timeout", str(PATIENCE))
    started, push = flows.push(paired, sandbox)
    output, errors = running.communicate(timeout=PATIENCE)
    assert (running.returncode, errors) == (0, "") and push["id"][:8] in output
    assert sandbox.authentication(started)["status"] == status


def test_watch_prints_every_change(ready, paired, sandbox):
    _, first = flows.push(paired, sandbox)
    watching = ready.start("notifications", "--watch", "--json")
    begin = json.loads(watching.stdout.readline())
    assert begin == {"topic": "notification", "payload": first}
    started, push = flows.push(paired, sandbox)
    paired.call("notification.approve", notification=push["id"])
    states = [json.loads(watching.stdout.readline())["payload"]["state"] for _ in range(3)]
    assert states == ["pending", "sending", "approved"]
    watching.terminate()
    watching.communicate(timeout=PATIENCE)
    assert sandbox.authentication(started)["status"] == "COMPLETED"


def test_deny_can_report_fraud(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert ready.run("deny", "--report-fraud", push["id"]).status == 0
    denied = paired.call("notification.get", notification=push["id"])["notification"]
    assert denied["answer"]["reason"] == "REPORT_FRAUD"


def test_approve_requires_the_number_if_the_request_has_one(ready, paired, sandbox):
    sandbox.match_numbers()
    started, push = flows.push(paired, sandbox)
    number = sandbox.authentication(started)["numberMatching"]["number"]
    assert ready.run("approve", push["id"]).status == 16
    wrong = ready.run("approve", push["id"], "--number", (number + 1) % 100)
    assert wrong.status == 16 and "2 tries left" in wrong.errors
    assert ready.run("approve", push["id"], "--number", number).status == 0
    assert sandbox.authentication(started)["status"] == "COMPLETED"


@pytest.mark.parametrize("decision, status", [("--approve", "COMPLETED"), ("--deny", "DENIED")])
def test_code_decides_an_authentication_code(ready, paired, sandbox, decision, status):
    made = sandbox.code()
    undecided = ready.run("code", made["code"])
    assert undecided.status == 2 and "--approve" in undecided.errors
    assert ready.run("code", made["uri"], decision).status == 0
    assert sandbox.code_status(made) == status


def test_code_requires_a_user_if_there_are_several(ready, paired, sandbox):
    flows.pair(paired, sandbox, "bob")
    made = sandbox.code()
    undecided = ready.run("code", made["code"], "--approve")
    assert undecided.status == 17 and "(ann)" in undecided.errors and "(bob)" in undecided.errors
    bob = sandbox.users["bob"]["id"]
    assert ready.run("code", made["code"], "--approve", "--user", bob).status == 0
    assert sandbox.code_status(made) == "COMPLETED"


def test_rpc_calls_any_method(ready, paired):
    assert ready.run("rpc", "account.list").json == paired.call("account.list")
    account = paired.call("account.list")["accounts"][0]["id"]
    assert ready.run("rpc", "passcode.get", json.dumps({"account": account})).json["account"] == account
    assert ready.run("rpc", "passcode.get", "-", input=json.dumps({"account": account})).status == 0
    assert ready.run("rpc", "rpc.discover").json == paired.call("rpc.discover")
    assert ready.run("rpc", "account.nothing").status == 1
    assert ready.run("rpc", "account.list", "[1]").status == 2


def test_json_output_contains_the_error_of_the_daemon(ready, paired):
    done = ready.run("--json", "approve", "nothing")
    assert (done.status, done.errors) == (5, "")
    assert set(done.json) == {"error"}
    assert (done.json["error"]["code"], done.json["error"]["data"]["reason"]) == (11002, "NOT_FOUND")
    assert json.dumps(done.json["error"]) == str(paired.refusal("notification.approve", notification="nothing"))


def test_every_command_has_help(authctl):
    overview = authctl.run("--help")
    sections = overview.output.split("\n\noptions, before")[0].split("\n\n")[2:]
    lines = [line for section in sections for line in section.splitlines()[1:] if not line.startswith("   ")]
    commands = [re.match(r"  (\S+(?: \S+)?)  ", line).group(1).split() for line in lines]
    assert COMMANDS <= {words[0] for words in commands}
    for words in commands:
        for arguments in ([*words, "--help"], ["help", *words]):
            done = authctl.run(*arguments)
            assert (done.status, done.errors) == (0, ""), words
            assert done.output.startswith(f"usage: authctl {' '.join(words)}")


def test_watch_prints_changes_until_the_daemon_exits(daemon, ready, paired, sandbox):
    counted = paired.call("service.metrics")["requests"]["total"]
    watching = ready.start("watch", "--topic", "notification", "--topic", "account")
    # The subscription exists once the daemon counts one request more than this test has sent.
    while paired.call("service.metrics")["requests"]["total"] == counted + 1:
        counted += 1
    second = daemon.client()
    account = flows.pair(second, sandbox, "bob")
    assert watching.stdout.readline().startswith("account  PingOne NorthAmerica  ")
    _, push = flows.push(paired, sandbox)
    assert watching.stdout.readline().endswith(f"  {push['id'][:8]}\n")
    daemon.kill()
    output, errors = watching.communicate(timeout=PATIENCE)
    assert (watching.returncode, output) == (3, "")
    assert errors.startswith("authctl: error: the daemon closed the connection\n")


def test_root_can_list_audit_owners_and_metrics_and_erase_an_owner(ready, paired, sandbox):
    _, push = flows.push(paired, sandbox)
    assert ready.run("deny", push["id"], "--report-fraud").status == 0
    done = ready.run("audit", "--limit", 1)
    assert re.fullmatch(rf"TIME .*\n{LOCAL_TIME}  root \(0\)  notification\.deny  {push['id']}  DENIED_REPORT_FRAUD\n", done.output)
    assert ready.run("audit", "--json").json == paired.call("audit.list")
    assert re.fullmatch(rf"USER +ACCOUNTS  SINCE\nroot \(0\)  1         {LOCAL_TIME}\n", ready.run("owners").output)
    figures = dict(line.split(maxsplit=1) for line in ready.run("metrics").output.splitlines())
    assert (figures["owners"], figures["notifications"]) == ("1", "0 pending, 1 ever")
    lines = ready.run("metrics", "--openmetrics").output.splitlines()
    assert 'mfad_approvals_total{state="denied"} 1' in lines and lines[-1] == "# EOF"
    assert ready.run("owners", "erase", 0).status == 2
    erased = ready.run("owners", "erase", "root", "--yes")
    assert (erased.status, erased.output) == (0, "erased everything of root (0)\n")
    assert ready.run("owners", "--json").json == {"owners": []}
    assert paired.call("account.list") == {"accounts": []}
