"""Completion of authctl and pingone-sandbox in real shells, with the scripts that the programs print."""

import shlex
import subprocess

import pexpect
import pytest

from harness import flows
from harness.programs import AUTHCTL, PATIENCE, SANDBOX, environment, run, wait_until

SHELLS = ("bash", "fish", "zsh")
PROGRAMS = {program.name: program for program in (AUTHCTL, SANDBOX)}


def write_script(program, shell, directory):
    """Writes the completion script of a program; zsh requires a file name that starts with an underscore."""
    done = run(PROGRAMS[program], "completion", shell)
    assert (done.returncode, done.stderr) == (0, "")
    script = directory / f"_{program}.{shell}"
    script.write_text(done.stdout)
    return script


@pytest.fixture
def ready(paired, authctl):
    return authctl


@pytest.fixture(params=SHELLS)
def completed(request, authctl, tmp_path):
    """Returns the candidates of a shell for a line with the cursor at its end."""
    shell = request.param
    variables = environment(
        MFAD_SOCKET=str(authctl.socket), HOME=str(tmp_path), PATH=f"{AUTHCTL.parent}:/usr/bin:/bin", LC_ALL="C.UTF-8"
    )

    def by_bash(script, program, line):
        ask = f"source {script}; COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}; _{program}"
        return said([shell, "--norc", "-c", ask + "; for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done"])

    def by_fish(script, _, line):
        return said([shell, "--no-config", "-c", f"source {script}; complete -C {shlex.quote(line)}"])

    def by_zsh(script, program, line):
        """Returns the candidates that the script passes to `_describe`, which a function replaces here."""
        stands = 'compdef() { }; _files() { }; _describe() { print -rl -- "${(@P)2}" }'
        words = " ".join(shlex.quote(word) for word in line.split(" "))
        return said([shell, "-f", "-c", f"{stands}; source {script}; words=({words}); CURRENT=$#words; _{program}"])

    def said(command):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=PATIENCE, check=True)
        assert done.stderr == ""
        return done.stdout.splitlines()

    def offered(line):
        program = line.split()[0]
        script = write_script(program, shell, tmp_path)
        lines = {"bash": by_bash, "fish": by_fish, "zsh": by_zsh}[shell](script, program, line)
        return {"bash": lines, "fish": [line.split("\t")[0] for line in lines]}.get(
            shell, [line.replace("\\:", "\0").split(":")[0].replace("\0", ":") for line in lines]
        )

    offered.shell = shell
    return offered


def test_authctl_commands_and_options_are_completed(completed):
    assert sorted(completed("authctl acc")) == ["accounts"]
    assert sorted(completed("authctl accounts re")) == ["remove", "rename"]
    assert {"--next", "--wait", "--socket"} <= set(completed("authctl otp --"))
    assert "--next" not in completed("authctl otp --next --")
    assert completed("authctl watch --topic not") == ["notification"]
    assert set(completed("authctl push o")) == {"on", "off"}
    assert completed("authctl help pin se") == ["set"]
    assert completed("authctl hel") == ["help"]


def test_sandbox_commands_and_options_are_completed(completed):
    assert completed("pingone-sandbox cl") == ["clock"]
    assert {"--data", "--write-config", "--version"} <= set(completed("pingone-sandbox --"))
    assert {"--drop", "--method", "--url"} <= set(completed("pingone-sandbox fault / --"))
    assert "--drop" not in completed("pingone-sandbox fault / --drop --")
    assert sorted(completed("pingone-sandbox fault / --method P")) == ["PATCH", "POST", "PUT"]
    assert sorted(completed("pingone-sandbox key ann --region A")) == ["AP", "AU"]
    assert sorted(completed("pingone-sandbox completion ")) == ["bash", "fish", "zsh"]
    # Repeatable options may be given twice, and no command may follow an option.
    assert sorted(completed("pingone-sandbox --user ann --us")) == ["--user", "--users"]
    assert "push" not in completed("pingone-sandbox --fresh ")


def test_completion_offers_current_names_of_the_daemon(completed, ready, paired, sandbox):
    # Completion waits one second for the daemon; on a busy machine the names may be missing.
    wait_until(lambda: completed("authctl otp a") == ["ann"])
    _, push = flows.push(paired, sandbox)
    # An id that begins with a hyphen is not completed as an argument.
    wait_until(lambda: completed(f"authctl deny {push['id'][:6]}") == [push["id"]])
    paired.call("passcode.import", uri="otpauth://totp/Some%20Firm:bob@example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    label = next(a["label"] for a in paired.call("account.list")["accounts"] if a["kind"] == "OATH")
    wait_until(lambda: "ann" in (found := completed("authctl otp ")) and len(found) == 2
               and {name.replace("\\", "") for name in found} == {"ann", label})


def test_completion_does_not_wait_for_a_stopped_daemon(completed, daemon):
    daemon.stop()
    assert completed("authctl otp a") == [] or completed.shell == "fish"


@pytest.mark.parametrize("typed, meant", [("authctl tenant-c", "authctl tenant-check"), ("pingone-sandbox pu", "pingone-sandbox push")])
@pytest.mark.parametrize("shell", SHELLS)
def test_tab_completes_a_command_in_an_interactive_shell(shell, typed, meant, tmp_path):
    script = write_script(typed.split()[0], shell, tmp_path)
    arguments = {"bash": ["--norc"], "fish": ["--no-config"], "zsh": ["-f"]}[shell]
    load = {"zsh": f"autoload -Uz compinit; compinit -u -d {tmp_path}/dump; source {script}"}.get(shell, f"source {script}")
    variables = environment(HOME=str(tmp_path), PATH=f"{AUTHCTL.parent}:/usr/bin:/bin", TERM="dumb", LC_ALL="C.UTF-8")
    with pexpect.spawn(shell, arguments, env=variables, encoding="utf-8", timeout=PATIENCE, echo=False) as terminal:
        terminal.sendline(f"{load}; echo re''ady")
        terminal.expect("ready")
        terminal.send(f"{typed}\t--help\r")
        terminal.expect(f"usage: {meant}")


@pytest.mark.parametrize("program", PROGRAMS)
def test_completion_rejects_an_unknown_shell(program):
    assert run(PROGRAMS[program], "completion", "tcsh").returncode == 2
