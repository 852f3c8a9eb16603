"""The tables of the user articles match the programs, and their examples run."""

import os
import re
import subprocess
import sys

import pexpect
import pytest
import yaml

from harness import articles, flows
from harness.authctl import Authctl
from harness.client import Client
from harness.programs import DIRECTORY, PATIENCE, environment

TROUBLES = articles.text("Troubleshooting")
INTERFACE = articles.blocks("InterfaceByExample")
PATH = f"{DIRECTORY}:{os.path.dirname(sys.executable)}:/usr/sbin:/usr/bin:/sbin:/bin"
TITLE, BODY = "Sign on", "Approve the sign-on to Payroll?"


def play(block, directory, socket):
    """Runs a shell block with the programs in PATH, and returns the finished process."""
    variables = environment(PATH=PATH, MFAD_SOCKET=str(socket))
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=directory, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )


# Tables


def test_error_table_lists_exactly_the_errors_of_the_interface(client):
    errors = client.call("rpc.discover")["components"]["errors"].values()
    given = [(each["code"], each["data"]["reason"], each["x-exit-code"]) for each in errors if "x-reserved" not in each]
    rows = articles.rows(TROUBLES, "code", "reason", "exit")
    assert sorted((int(code), reason, int(status)) for code, reason, status in rows) == sorted(given)


def test_cause_table_lists_each_cause_with_its_errors(client):
    errors = client.call("rpc.discover")["components"]["errors"].values()
    given = {(cause, each["data"]["reason"]) for each in errors for cause in each.get("x-causes", [])}
    rows = articles.rows(TROUBLES, "cause", "error")
    assert len({cause for cause, _ in rows}) == len(rows)
    assert {(cause, reason) for cause, reasons in rows for reason in reasons.split(", ")} == given


def test_error_and_cause_tables_give_a_next_step_in_each_row():
    errors = articles.rows(TROUBLES, "code", "reason", "exit", "meaning and usual causes", "next")
    causes = articles.rows(TROUBLES, "cause", "error", "meaning", "next")
    assert len(errors) > 40 and len(causes) > 20 and all(step for *_, step in errors + causes)


def help_of_authctl(directory):
    return Authctl(directory / "nobody.sock").run("--help").output


def test_exit_code_table_matches_the_help_of_authctl(directory):
    written = help_of_authctl(directory).split("exit codes:\n")[1]
    assert articles.rows(TROUBLES, "exit", "result") == re.findall(r"^  (\d+) +(.+)$", written, re.M)


def test_table_of_local_reasons_matches_the_help_of_authctl(directory):
    listed = re.search(r"one of these reasons:\n(.*?)\n\n", help_of_authctl(directory), re.S)[1]
    rows = articles.rows(TROUBLES, "reason", "exit")
    assert sorted(reason for reason, _ in rows) == sorted(re.split(r",\s+", listed.strip()))


# Examples


def test_interface_examples_print_the_documented_output(directory, daemon, sandbox):
    """Each shell block prints the members of the JSON block that follows it."""
    played = 0
    for (kind, block), (_, shown) in zip(INTERFACE, INTERFACE[1:]):
        if kind != "sh":
            continue
        if played == 1:
            daemon.client().call("pairing.pair", pairingKey=sandbox.pairing_key("ann"))
        done = play(block, directory, daemon.socket)
        assert done.returncode == 0, done.stderr
        printed, written = articles.documents(done.stdout), articles.documents(shown)
        assert len(printed) == len(written)
        for one, other in zip(written, printed):
            articles.check_alike(one, other)
        played += 1
    assert played == 4


@pytest.fixture
def program(directory, daemon, paired):
    """The example program of the article about the interface, running on a terminal."""
    ((_, text),) = [block for block in INTERFACE if block[0] == "python"]
    (directory / "answer.py").write_text(text)
    child = pexpect.spawn(
        sys.executable, ["answer.py"], cwd=str(directory), encoding="utf-8", timeout=PATIENCE,
        env=environment(MFAD_SOCKET=str(daemon.socket)), dimensions=(40, 120),
    )
    child.delaybeforesend = None
    yield child
    child.close(force=True)


def ask(sandbox):
    return sandbox.authenticate("ann", {"template": {"variables": {"title": TITLE, "body": BODY}}})


def test_example_program_approves_and_denies(program, sandbox):
    ((_, shown),) = [block for block in INTERFACE if block[0] == "text"]
    started = ask(sandbox)
    for line in shown.splitlines():
        question, _, answer = line.partition("] ")
        program.expect_exact(question)
        if answer:
            program.sendline(answer)
    assert sandbox.authentication(started)["status"] == "COMPLETED"
    started = ask(sandbox)
    program.expect_exact("approve? [y/n] ")
    program.sendline("n")
    program.expect_exact("denied")
    assert sandbox.authentication(started)["status"] == "FAILED"


def test_example_program_submits_the_number_of_a_request(program, sandbox):
    sandbox.match_numbers("ENTER_MANUALLY")
    started = ask(sandbox)
    program.expect_exact("approve? [y/n] ")
    program.sendline("y")
    program.expect_exact("number: ")
    program.sendline(str(started["numberMatching"]["number"] + 1))
    program.expect_exact("the number does not match the sign-on page")


def test_example_event_has_the_members_of_a_real_event(paired, daemon, sandbox):
    (shown,) = [block for _, block in INTERFACE if '"topic"' in block and block.startswith("{")]
    watching = Client(daemon.socket)
    watching.subscribe("notification")
    ask(sandbox)
    payload = watching.event("notification", state="pending")
    watching.close()
    (event,) = articles.documents(shown)
    articles.check_alike(event["payload"], payload)


def test_continuous_integration_script_runs_in_an_empty_directory(directory):
    """The script stops at the first failing line, so each line is a check."""
    job = "".join(block for kind, block in articles.blocks("ContinuousIntegration") if kind == "bash")
    done = play(job, directory, directory / "nobody.sock")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("true\n") >= 6 and "NOT_FOUND" in done.stdout


def test_troubleshooting_script_handles_the_exit_code(directory):
    (block,) = [block for kind, block in articles.blocks("Troubleshooting") if kind == "sh"]
    done = play(block, directory, directory / "nobody.sock")
    assert (done.returncode, done.stdout) == (0, "try again later\n")


# Commands and links


def test_continuous_integration_article_contains_a_valid_workflow():
    (written,) = [block for kind, block in articles.blocks("ContinuousIntegration") if kind == "yaml"]
    # YAML 1.1 parses the key "on" as true.
    document = {"on" if key is True else key: value for key, value in yaml.safe_load(written).items()}
    assert set(document) == {"on", "jobs"}
    (job,) = document["jobs"].values()
    assert job["runs-on"] and re.fullmatch(r"debian:1[23]", job["container"])
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs and all(set(step) in ({"run"}, {"uses"}) for step in job["steps"])
    for run in runs:
        subprocess.run(["bash", "-n", "-c", run], check=True, timeout=PATIENCE)
    control = (articles.ROOT / "systemd/debian/control").read_text(encoding="utf-8")
    packages = re.findall(r"ci/packages/(\S+)_\*\.deb", " ".join(runs))
    assert packages and set(packages) <= set(re.findall(r"^Package: (\S+)$", control, re.M))


def commands():
    """Returns the commands of the articles, from blocks and sentences."""
    for name in articles.FOR_USERS:
        written = re.findall(r"`((?:sudo )?authctl [^`]+)`", articles.text(name))
        for kind, block in articles.blocks(name):
            written += [line for line in block.splitlines() if kind == "sh" and line.startswith(("authctl ", "sudo authctl "))]
        yield from written


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_article_command_is_accepted_by_authctl(command, directory):
    articles.check_understood(articles.words(command), directory, ("terminal", "export.json", "code.png"))


@pytest.mark.parametrize("name", articles.names())
def test_article_links_have_existing_targets(name):
    for target, heading in re.findall(r"doc:([\w-]+)(?:#([\w-]+))?", articles.text(name)):
        assert target in articles.names(), target
        assert not heading or heading in articles.headings(target), f"{target}#{heading}"


@pytest.mark.parametrize("name", articles.FOR_USERS)
def test_documentation_page_links_each_user_article(name):
    assert f"- <doc:{name}>" in articles.text("Documentation")


def test_probe_for_monitoring_exits_with_1_for_a_warning_and_2_for_a_failure(directory, daemon):
    (script,) = [block for kind, block in articles.blocks("Monitoring") if block.startswith("#!/bin/sh")]
    done = play(script, directory, daemon.socket)
    assert done.stdout.startswith("MFAD WARNING\n") and done.returncode == 1, done.stdout
    daemon.stop()
    done = play(script, directory, daemon.socket)
    assert done.stdout.startswith("MFAD CRITICAL\n") and done.returncode == 2, done.stdout
