"""Commands for a running sandbox, and how they find it."""

import json
import os
import re
import shlex
import subprocess

import pexpect
import pyotp
import pytest

from harness import articles, flows
from harness.process import Process
from harness.programs import PATIENCE, SANDBOX, beginner, environment
from harness.sandbox import Refused, Sandbox


@pytest.fixture
def runtime(directory):
    path = directory / "runtime"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def sandbox(runtime):
    """A sandbox that commands find."""
    sandbox = Sandbox(XDG_RUNTIME_DIR=str(runtime))
    yield sandbox
    if sandbox.process.is_running:
        sandbox.stop()


@pytest.fixture
def begin(runtime):
    """Returns a function that starts a command. Its result waits for the end and returns status, output and errors."""
    with beginner() as begin:
        yield lambda *words: begin([SANDBOX, *words], XDG_RUNTIME_DIR=str(runtime))


@pytest.fixture
def say(begin):
    """Returns a function that runs a command, asserts success and returns the output."""

    def say(*words):
        status, output, errors = begin(*words)()
        assert (status, errors) == (0, ""), errors
        return output

    return say


def wrong_usage(program, problem):
    """Returns the error output of a program for wrong usage."""
    return f'{program}: error: {problem}\n{program}: hint: see "{program} --help"\n'


# Effects


def test_push_command_reports_the_answer(begin, paired, sandbox):
    for method, last, code in (("notification.approve", "COMPLETED", 0), ("notification.deny", "FAILED", 1)):
        end = begin("push", "ann", "--title", "Payroll", "--text", "Is it you?", "--wait")
        push = paired.event("notification", state="pending")
        assert (push["title"], push["body"]) == ("Payroll", "Is it you?")
        paired.call(method, notification=push["id"])
        status, output, _ = end()
        assert status == code and re.fullmatch(rf"\S{{36}} PUSH_CONFIRMATION_REQUIRED\n{last}\n", output)


def test_push_command_prints_the_number_before_the_answer(paired, sandbox, runtime):
    variables = environment(XDG_RUNTIME_DIR=str(runtime))
    command = Process([SANDBOX, "push", "ann", "--number", "--wait"], env=variables)
    push = paired.event("notification", state="pending")
    number = int(command.output.wait("number ").split()[1])
    paired.call("notification.approve", notification=push["id"], number=number)
    assert command.wait() == 0 and list(command.output)[-1] == "COMPLETED"


@pytest.mark.parametrize("option, has", [("--number", True), ("--no-number", False)])
def test_number_options_of_the_push_command_override_the_policy(say, paired, sandbox, option, has):
    if not has:
        sandbox.match_numbers()
    first, *rest = say("push", "ann", option).splitlines()
    push = paired.event("notification", state="pending")
    assert first.endswith(" PUSH_CONFIRMATION_REQUIRED")
    if has:
        (number,) = re.fullmatch(r"number (\d\d)", rest[0]).groups()
        paired.call("notification.approve", notification=push["id"], number=int(number))
    else:
        assert not rest
        paired.call("notification.approve", notification=push["id"])
    assert sandbox.authentication({"id": first.split()[0]})["status"] == "COMPLETED"


def test_push_command_fails_without_a_device_or_user(begin, sandbox):
    status, output, errors = begin("push", "ann")()
    assert status == 1 and output.endswith(" FAILED\n")
    assert errors == "pingone-sandbox push: error: The user has no device that can be used.\n"
    status, output, errors = begin("push", '" or username eq "ann')()
    assert (status, output) == (1, "") and "there is no user" in errors


def test_push_command_reports_that_the_device_makes_passcodes(begin, sandbox):
    sandbox.change_settings(policy={"totp": {"enabled": True}})
    device = sandbox.request("POST", sandbox.user_path("ann") + "/devices", {"type": "TOTP"})
    activate = f"{sandbox.user_path('ann')}/devices/{device['id']}"
    code = pyotp.TOTP(device["secret"]).now()
    sandbox.request("POST", activate, {"otp": code}, "application/vnd.pingidentity.device.activate+json")
    status, output, errors = begin("push", "ann")()
    assert status == 1 and output.endswith(" OTP_REQUIRED\n")
    assert errors == "pingone-sandbox push: error: ann's first device makes passcodes; no push was sent\n"


def test_key_and_code_commands_create_usable_keys_and_codes(say, client, sandbox):
    client.call("device.configure", geo=flows.GEO)
    client.call("pairing.pair", pairingKey=say("key", "ann").strip())
    code, address = say("code", "--seconds", "600").splitlines()
    assert address.endswith(f"authentication_code={code}")
    assert client.call("authentication.start", code=code)["id"]
    made = json.loads(say("code", "--no-approval", "--json"))
    assert (made["userApproval"], made["lifeTime"]["duration"]) == ("NOT_REQUIRED", 1)
    assert say("key", "bob", "--region", "EU").startswith("02")


def test_clock_command_moves_the_clock_forward_and_back(say, sandbox):
    made = sandbox.code()
    assert say("clock") == "0 seconds ahead\n"
    assert say("clock", "+2m") == "120 seconds ahead\n"
    assert sandbox.code_status(made) == "EXPIRED"
    assert say("clock", "-1d") == "86280 seconds behind\n"
    assert json.loads(say("clock", "reset", "--json")) == {"lead": 0, "skew": 0}
    made = sandbox.code()
    assert sandbox.code_status(made) == "UNCLAIMED"
    for far in (10**9, -(10**9)):
        with pytest.raises(Refused):
            sandbox.request("POST", "/sandbox/clock", {"lead": far})
    with pytest.raises(Refused):
        sandbox.request("POST", "/sandbox/clock", {"skew": 60, "lead": 10**9})
    assert sandbox.request("GET", "/sandbox/clock") == {"lead": 0, "skew": 0}


EFFECTS = [
    (["--status", "503"], {"status": 503}), (["--delay", "5"], {"delayMs": 5}), (["--drop"], {"dropConnection": True}),
    (["--lose-reply"], {"loseReply": True}), (["--garbage"], {"garbage": "body"}),
    (["--garbage-bytes"], {"garbage": "connection"}),
]


@pytest.mark.parametrize("options, effect", EFFECTS, ids=str)
def test_fault_command_sets_lists_and_clears_faults(say, sandbox, options, effect):
    path = f"/v1/environments/{sandbox.environment}"
    said = say("fault", path, *options, "--count", 2, "--method", "GET")
    assert [json.loads(line) for line in said.splitlines()] == [{"path": path, "method": "GET", "count": 2, **effect}]
    if "status" in effect:
        with pytest.raises(Refused) as refused:
            sandbox.request("GET", path)
        assert refused.value.status == 503 and json.loads(say("fault"))["count"] == 1
    assert say("fault", "--clear") == ""
    assert sandbox.request("GET", path)["name"] == "Sandbox"


def test_fault_command_refuses_a_fault_that_cannot_match(begin, sandbox):
    for words, status in (
        (["device", "--drop"], 1), (["/sandbox", "--drop"], 1), (["/console/users", "--drop"], 1), (["/", "--drop", "--method", "get"], 2),
    ):
        assert begin("fault", *words)()[0] == status
    with pytest.raises(Refused):
        sandbox.fault("/", method="get", dropConnection=True)
    assert sandbox.request("GET", "/sandbox/faults") == {"faults": []}


def test_commands_of_the_sandbox_article_run_as_written(begin, sandbox):
    (block,) = [text for kind, text in articles.blocks("Sandbox") if kind == "sh" and "push" in text]
    lines = [shlex.split(line, comments=True)[1:] for line in block.splitlines()]
    assert [line[0] for line in lines] == ["push", "key", "code", "console", "clock", "fault"]
    for words in lines:
        status, _, errors = begin(*words)()
        # No user has a device.
        assert (status, "no device" in errors) == ((1, True) if words[0] == "push" else (0, False))


def test_surplus_argument_is_reported_by_position_only(begin):
    """The argument may be a secret. Directly after an option, it is reported as a surplus value of this option."""
    for words, program, place in (
        (["push", "--wait", "ann", "s3cret"], "pingone-sandbox push", 3), (["key", "ann", "s3cret"], "pingone-sandbox key", 2),
        (["s3cret"], "pingone-sandbox", 1),
    ):
        assert begin(*words)() == (2, "", wrong_usage(program, f"unknown argument {place}"))
    assert "--wait takes no value" in begin("push", "ann", "--wait", "s3cret")()[2]


# Finding the sandbox


def test_url_option_selects_one_of_several_sandboxes(begin, say, runtime, sandbox):
    other = Sandbox(XDG_RUNTIME_DIR=str(runtime))
    status, output, errors = begin("clock")()
    assert (status, output) == (1, "") and sandbox.url in errors and other.url in errors
    say("clock", "+1h", "--url", other.url.replace("127.0.0.1", "localhost"))
    assert say("clock", "--url", sandbox.url + "/") == "0 seconds ahead\n"
    other.stop()
    assert say("clock") == "0 seconds ahead\n"
    assert f"no sandbox of yours is running at {other.url}" in begin("clock", "--url", other.url)()[2]
    for wrong in ("localhost", sandbox.url.removeprefix("http://")):
        status, _, errors = begin("clock", "--url", wrong)()
        assert status == 2 and f'not "{wrong}"' in errors
    for elsewhere in (sandbox.url.replace("127.0.0.1", "example.com"), sandbox.url.replace("http:", "https:")):
        assert begin("clock", "--url", elsewhere)()[0] == 1


def test_killed_sandbox_is_not_found_by_commands(begin, say, runtime, sandbox):
    sandbox.process.kill()
    assert len(list((runtime / "pingone-sandbox").iterdir())) == 1
    assert "no sandbox of yours is running" in begin("clock")()[2]
    sandbox.start()
    assert say("clock") == "0 seconds ahead\n"
    sandbox.stop()
    assert not list((runtime / "pingone-sandbox").iterdir())


def test_announcement_file_is_private_to_the_user(runtime, sandbox):
    (file,) = (runtime / "pingone-sandbox").iterdir()
    assert json.loads(file.read_text()) == sandbox.announcement
    assert [path.stat().st_mode & 0o777 for path in (file.parent, file)] == [0o700, 0o600]


def test_runtime_directory_writable_by_others_is_not_trusted(begin, runtime, sandbox):
    (runtime / "pingone-sandbox").chmod(0o770)
    assert "no sandbox of yours is running" in begin("clock")()[2]
    other = Sandbox(XDG_RUNTIME_DIR=str(runtime))
    other.process.journal.wait("no command will find this sandbox")
    assert len(os.listdir(runtime / "pingone-sandbox")) == 1
    other.stop()


def test_url_option_finds_a_sandbox_with_another_runtime_directory(begin, say):
    assert "hint: --url URL" in begin("clock")()[2]
    other = Sandbox()
    assert say("clock", "--url", other.url) == "0 seconds ahead\n"
    other.stop()


def test_sandbox_shows_a_table_at_a_terminal(runtime):
    variables = environment(XDG_RUNTIME_DIR=str(runtime))
    terminal = pexpect.spawn(str(SANDBOX), ["--user", "cleo:Quite-Long-7"], env=variables, encoding="utf-8", timeout=PATIENCE)
    terminal.expect(r"URL +(http://127\.0\.0\.1:\d+)\r\n")
    url = terminal.match[1]
    terminal.expect(r"user +password\r\ncleo +Quite-Long-7\r\n")
    for command in ("console", "key cleo", "push cleo"):
        terminal.expect_exact(f"pingone-sandbox {command} --url {url}")
    assert "{" not in terminal.before
    terminal.sendintr()
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0


@pytest.mark.parametrize("variables", [{}, {"XDG_RUNTIME_DIR": "/nowhere"}], ids=["not named", "not there"])
def test_commands_find_the_sandbox_without_a_runtime_directory(variables):
    sandbox = Sandbox(**variables)
    try:
        command = [SANDBOX, "clock", "--url", sandbox.url]
        done = subprocess.run(
            command, env=environment(**variables), capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "0 seconds ahead\n", "")
    finally:
        sandbox.stop()


def test_command_reports_a_sandbox_that_does_not_respond(begin, sandbox):
    sandbox.fault("/v1/environments", dropConnection=True)
    status, _, errors = begin("key", "ann")()
    assert status == 1 and f"{sandbox.url} does not respond" in errors
