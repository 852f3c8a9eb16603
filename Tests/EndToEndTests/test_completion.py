"""Shells complete the command lines of authctl: the real ones, by the scripts that it prints."""

import shlex
import subprocess

import pexpect
import pytest

from harness import flows
from harness.programs import AUTHCTL, PATIENCE, environment

SHELLS = ("bash", "fish", "zsh")


@pytest.fixture
def ready(paired, authctl):
    return authctl


@pytest.fixture(params=SHELLS)
def completed(request, authctl, tmp_path):
    """What a shell offers for a line that ends where the cursor stands."""
    shell = request.param
    script = tmp_path / f"authctl.{shell}"
    script.write_text(authctl.run("completion", shell).output)
    variables = environment(
        MFAD_SOCKET=str(authctl.socket), HOME=str(tmp_path), PATH=f"{AUTHCTL.parent}:/usr/bin:/bin", LC_ALL="C.UTF-8"
    )

    def by_bash(line):
        ask = f"source {script}; COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; _authctl"
        return run([shell, "--norc", "-c", ask + "; for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done"])

    def by_fish(line):
        return run([shell, "--no-config", "-c", f"source {script}; complete -C {shlex.quote(line)}"])

    def by_zsh(line):
        """The candidates as its completion system is given them: functions stand in tmp_path of what shows them."""
        stands = 'compdef() { }; _files() { }; _describe() { print -rl -- "${(@P)2}" }'
        words = " ".join(shlex.quote(word) for word in line.split(" "))
        return run([shell, "-f", "-c", f"{stands}; source {script}; words=({words}); CURRENT=$#words; _authctl"])

    def run(command):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=True)
        assert done.stderr == ""
        return done.stdout.splitlines()

    def offered(line):
        lines = {"bash": by_bash, "fish": by_fish, "zsh": by_zsh}[shell](line)
        return {"bash": lines, "fish": [line.split("\t")[0] for line in lines]}.get(
            shell, [line.replace("\\:", "\0").split(":")[0].replace("\0", ":") for line in lines]
        )

    offered.shell = shell
    return offered


def test_commands_and_options_are_completed(completed):
    assert sorted(completed("authctl acc")) == ["accounts"]
    assert sorted(completed("authctl accounts re")) == ["remove", "rename"]
    assert {"--next", "--wait", "--socket"} <= set(completed("authctl otp --"))
    assert "--next" not in completed("authctl otp --next --")
    assert completed("authctl watch --topic not") == ["notification"]
    assert set(completed("authctl push o")) == {"on", "off"}
    assert completed("authctl help pin se") == ["set"]


def test_names_are_those_of_now(completed, ready, paired, sandbox):
    assert completed("authctl otp a") == ["ann"]
    _, push = flows.push(paired, sandbox)
    # One that begins with a hyphen is no word of its own.
    assert completed(f"authctl deny {push['id'][:6]}") == [push["id"]]
    paired.call("passcode.import", uri="otpauth://totp/Some%20Firm:bob@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    label = next(a["label"] for a in paired.call("account.list")["accounts"] if a["kind"] == "OATH")
    found = completed("authctl otp ")
    assert "ann" in found
    assert len(found) == 2 and {name.replace("\\", "") for name in found} == {"ann", label}


def test_nobody_waits_for_a_daemon_that_is_gone(completed, daemon):
    daemon.stop()
    assert completed("authctl otp a") == [] or completed.shell == "fish"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_person_presses_the_key(shell, authctl, tmp_path):
    script = tmp_path / f"_authctl.{shell}"
    script.write_text(authctl.run("completion", shell).output)
    arguments = {"bash": ["--norc"], "fish": ["--no-config"], "zsh": ["-f"]}[shell]
    load = {"zsh": f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump; source {script}"}.get(shell, f"source {script}")
    variables = environment(HOME=str(tmp_path), PATH=f"{AUTHCTL.parent}:/usr/bin:/bin", TERM="dumb", LC_ALL="C.UTF-8")
    with pexpect.spawn(shell, arguments, env=variables, encoding="utf-8", timeout=PATIENCE, echo=False) as terminal:
        terminal.sendline(f"{load}; echo re''ady")
        terminal.expect("ready")
        terminal.send("authctl tenant-c\t--help\r")
        terminal.expect("usage: authctl tenant-check")


def test_what_is_no_shell_is_refused(authctl):
    assert authctl.run("completion", "tcsh").status == 2
