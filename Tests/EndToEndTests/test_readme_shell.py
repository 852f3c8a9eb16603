"""Shell blocks of the README and the articles for scripts run, or name existing scripts, units and packages."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from harness import articles, flows
from harness.process import Process
from harness.programs import DIRECTORY, MFAD, PATIENCE, environment, wait_until

ROOT = Path(__file__).parents[2]
README = articles.text("README")
PASSWORD = "Quite-Long-7"


def lines():
    """Yields the lines of the shell blocks, without comments and empty lines."""
    for block in articles.shell_blocks():
        yield from (line for line in block.splitlines() if line and not line.startswith("#"))


def line(part):
    """Returns the only line that contains this part."""
    (found,) = [each for each in lines() if part in each]
    return found


def words(text):
    return shlex.split(text, comments=True)


IN_THE_SOURCES = ("systemd/", "Tests/")
BY_ROOT = ("apt-get install", "cat /run/mfad/recovery-key", "usermod -aG mfad-users")
PLAYED = ("PASSWORD=", "install -m 600 ", "authctl ")


def test_each_shell_line_has_a_known_prefix():
    told = [each.removeprefix("sudo ") for each in lines()]
    assert [each for each in told if not each.startswith(IN_THE_SOURCES + BY_ROOT + PLAYED)] == []


def test_named_scripts_exist_and_are_executable():
    named = set(re.findall(r"\b((?:systemd|Tests)/[a-z]+)\b(?!\.|/)", "\n".join([README, *lines()])))
    assert len(named) >= 4
    for script in named:
        subprocess.run(["bash", "-n", ROOT / script], check=True, timeout=PATIENCE)
        assert (ROOT / script).stat().st_mode & 0o111, script


@pytest.mark.parametrize("name", articles.names())
def test_units_named_by_an_article_exist(name):
    units = {path.name for folder in ("system", "user") for path in (ROOT / "systemd" / folder).iterdir()}
    assert set(re.findall(r"\bmf[\w-]+\.(?:service|socket)\b", articles.text(name))) <= units
    for unit in re.findall(r"systemctl --user enable --now ([\w-]+)", articles.text(name)):
        assert (ROOT / "systemd/user" / f"{unit}.service").exists(), unit


def test_packages_and_group_of_the_installation_exist():
    control = (ROOT / "systemd/debian/control").read_text(encoding="utf-8")
    packages = re.findall(r"([\w-]+)_\*\.deb", "\n".join(lines()))
    assert packages and set(packages) <= set(re.findall(r"^Package: (\S+)$", control, re.M))
    preset = (ROOT / "systemd/system/mfad.sysusers.conf").read_text(encoding="utf-8")
    assert "mfad-users" in preset and "mfad-users" in line("usermod")


def test_readme_configuration_passes_check_config(directory):
    shown = "".join(re.findall(r"^```ini\n(.*?)^```", README, re.M | re.S))
    file = directory / "mfad.conf"
    file.write_text(re.sub("<[^>]+>", "0191c8a4-5a6e-7f1d-8c3b-5a6e7f1d8c3b", shown), encoding="utf-8")
    (command,) = re.findall(r"`(mfad --check-config --config) /etc/mfad/mfad.conf`", README)
    checked = subprocess.run(
        [MFAD, *command.split()[1:], file], env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert checked.returncode == 0, checked.stderr


@pytest.fixture
def shell(directory):
    """Returns a function that runs shell lines with the programs in PATH and a separate home directory."""
    for name in ("runtime", "home/.config"):
        (directory / name).mkdir(parents=True, mode=0o700)
    variables = environment(
        HOME=str(directory / "home"), XDG_RUNTIME_DIR=str(directory / "runtime"),
        MFAD_SOCKET=str(directory / "control" / "mfad.sock"), LC_ALL="C.UTF-8",
    )
    variables["PATH"] = f"{DIRECTORY}:{variables['PATH']}"

    def play(text):
        return subprocess.run(
            ["sh", "-c", text], cwd=directory, env=variables, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=PATIENCE, check=False,
        )

    play.variables, play.directory = variables, directory
    return play


@pytest.fixture
def signed_on(shell):
    """The sandbox and the daemon, started as in the article Sandbox, with ann paired by a script."""
    begun, daemon = next(text for kind, text in articles.blocks("Sandbox") if kind == "sh").splitlines()
    (shell.directory / "users.txt").write_text(f"ann:{PASSWORD}\n", encoding="utf-8")
    sandbox = Process([DIRECTORY / words(begun)[0], *words(begun)[1:]], env=shell.variables, cwd=shell.directory)
    sandbox.output.wait("{")
    options = words(daemon.replace("$PWD", str(shell.directory)))[1:]
    mfad = Process([DIRECTORY / "mfad", *options], env=shell.variables, cwd=shell.directory)
    wait_until(lambda: shell("authctl status").returncode == 0)
    configured = shell(f"authctl configure {flows.GEO}")
    assert configured.returncode == 0, configured.stderr
    paired = shell(line("PASSWORD=").replace("…", PASSWORD))
    assert paired.returncode == 0 and paired.stdout.startswith("paired with "), paired.stderr
    yield shell
    for process in (mfad, sandbox):
        process.kill()


def test_documented_script_approves_a_sandbox_push(signed_on):
    asked = Process([DIRECTORY / "pingone-sandbox", "push", "ann", "--wait"], env=signed_on.variables)
    approved = signed_on(line("case $? in"))
    assert json.loads(approved.stdout)["notification"]["state"] == "approved", approved
    assert asked.wait() == 0
    opened = signed_on("pingone-sandbox console")
    assert opened.returncode == 0 and opened.stdout.startswith("http://127.0.0.1:"), opened


def test_documented_script_reports_that_no_request_arrived(signed_on):
    waited = signed_on(line("case $? in").replace("--timeout 60", "--timeout 1"))
    assert waited.returncode == 0 and waited.stdout.splitlines()[-1] == "nobody asked", waited


def test_documented_script_signs_on_with_an_answers_file(signed_on):
    made = line("install -m 600")
    (inputs,) = re.findall(r"# write (\{.*\})", made)
    assert signed_on(made).returncode == 0
    file = signed_on.directory / "home/.config/inputs.json"
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text(inputs.replace("…", PASSWORD), encoding="utf-8")
    again = signed_on(line("login --answers"))
    assert again.returncode == 0 and "ann" in again.stdout, again
