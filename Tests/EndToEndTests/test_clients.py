"""Client packages: Python with pytest fixtures, JavaScript and Go, and an example in four languages."""

import contextlib
import re
import shutil
import subprocess
import sys

import pytest

from harness import flows, users
from harness.process import Process
from harness.programs import CLIENTS, DIRECTORY, PATIENCE, beginner, environment

ARTICLE = CLIENTS.parents[1] / "Programs" / "Daemon" / "Documentation.docc" / "Clients.md"


def snippets(language):
    """Returns the code blocks of the article in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", ARTICLE.read_text(encoding="utf-8"), re.M | re.S)


# Examples

PATH = f"{DIRECTORY}:{environment()['PATH']}"


@pytest.fixture(scope="session")
def commands(tmp_path_factory):
    """The command of each example. The Go example is built once."""
    program, cache = tmp_path_factory.mktemp("go") / "authenticator", tmp_path_factory.mktemp("go-cache")
    subprocess.run(
        ["go", "build", "-buildvcs=false", "-o", program, "./authenticator"], cwd=CLIENTS / "Go",
        env=environment(GOCACHE=str(cache), GOPROXY="off"), timeout=PATIENCE, check=True,
    )
    return {
        "go": [program],
        "js": ["node", CLIENTS / "JavaScript" / "authenticator.js"],
        "py": [sys.executable, "-m", "mfad.authenticator"],
        "sh": ["bash", CLIENTS / "authenticator.sh"],
    }


@pytest.fixture(params=["go", "js", "py", "sh"])
def play(request, commands):
    """Starts an example; returns a function that waits for its exit and returns status, output and errors."""
    with beginner() as begin:

        def play(at, *arguments, input=""):
            variables = {"MFAD_SOCKET": str(at), "PATH": PATH, "PYTHONDONTWRITEBYTECODE": "1"}
            variables["PYTHONPATH"] = str(CLIENTS / "Python")
            return begin([*commands[request.param], *arguments], input, **variables)

        yield play


@pytest.fixture
def configured(daemon):
    daemon.client().call("device.configure", geo=flows.GEO)
    return daemon.socket


def test_example_signs_on_approves_and_prints_a_passcode(play, configured, sandbox):
    password = sandbox.users["ann"]["password"]
    assert play(configured, "sign-on", "ann", input=password + "\n")() == (0, "signed on as ann\n", "")

    end = play(configured, "approve")
    started = sandbox.authenticate("ann")
    assert end() == (0, "approved: Sign-on request\n", "")
    assert sandbox.authentication(started)["status"] == "COMPLETED"

    status, output, errors = play(configured, "passcode")()
    assert (status, errors) == (0, "") and re.fullmatch(r"\d{6}\n", output)
    assert sandbox.check_passcode(sandbox.authenticate("ann"), output.strip())["status"] == "COMPLETED"


def test_example_reports_errors_without_the_password(play, configured, directory):
    for arguments, at in (
        (["sign-on", "ann"], configured),
        (["passcode"], configured),
        (["passcode"], directory / "nobody.sock"),
        (["approve", "everything"], configured),
        ([], configured),
    ):
        status, output, errors = play(at, *arguments, input="not her password\n")()
        assert status != 0 and output == "" and errors and "Traceback" not in errors, arguments
        assert "not her password" not in errors, arguments


def test_example_sends_nothing_to_a_socket_of_another_user(play, place, listen, listener):
    path = listen(users.ANN_UID)
    place.chmod(0o775)
    status, output, errors = play(path, "sign-on", "ann", input="her password\n")()
    assert status != 0 and output == "" and errors
    listener.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(1) == b""


def test_commands_of_the_article_run_the_examples(configured, sandbox, directory):
    folder = directory / "examples"
    shutil.copytree(CLIENTS, folder)
    (folder / "password.txt").write_text(sandbox.users["ann"]["password"] + "\n", encoding="utf-8")
    (block,) = snippets("sh")
    said = ""
    for line in block.splitlines():
        if line.endswith("approve"):
            sandbox.authenticate("ann")
        said += subprocess.run(
            ["bash", "-c", line], cwd=folder, stdout=subprocess.PIPE, text=True, timeout=PATIENCE, check=True,
            env=environment(MFAD_SOCKET=str(configured), PATH=PATH, GOCACHE=str(directory / "go"), GOPROXY="off"),
        ).stdout
    assert re.fullmatch(r"signed on as ann\napproved: Sign-on request\n\d{6}\n", said)


# The packages, used from an empty directory

PYTHON_NUMBER = """
import mfad, sys
with mfad.connect() as daemon:
    daemon.approve(daemon.next_push(), int(sys.argv[1]))
"""
JAVASCRIPT_NUMBER = f"""
import {{ connect }} from "{CLIENTS / 'JavaScript' / 'mfad.js'}";
const mfad = await connect();
await mfad.approve(await mfad.nextPush(), Number(process.argv.at(-1)));
mfad.close();
"""
GO_NUMBER = """package main

import (
	"mfad"
	"os"
	"strconv"
)

func main() {
	number, _ := strconv.Atoi(os.Args[1])
	daemon, err := mfad.Connect()
	if err != nil {
		panic(err)
	}
	push, err := daemon.NextPush(0)
	if err == nil {
		err = daemon.Approve(push, number)
	}
	if err != nil {
		panic(err)
	}
}
"""


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """The directory into which pip has installed the Python package."""
    site = tmp_path_factory.mktemp("site")
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-build-isolation", "--target", site]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, CLIENTS / "Python"], timeout=PATIENCE, check=True)
    return site


def test_python_code_of_the_article_runs(configured, installed, directory):
    (script,) = [each for each in snippets("python") if "import mfad" in each]
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=PATIENCE, check=True, cwd=directory,
        env=environment(MFAD_SOCKET=str(configured), PYTHONPATH=str(installed)),
    )
    assert done.stdout.startswith("10008 DEVICE_IS_NOT_PAIRED {"), done.stdout


@pytest.fixture
def examples(daemon, sandbox, paired, directory):
    """Returns a function that plays an example of the article, which approves a push and prints a passcode."""
    with beginner() as begin:

        def play(*command, **variables):
            end = begin(command, MFAD_SOCKET=str(daemon.socket), **variables)
            started = sandbox.authenticate("ann")
            status, output, errors = end()
            assert status == 0 and (found := re.match(r"Sign-on request (\d{6})", output)), errors
            assert sandbox.authentication(started)["status"] == "COMPLETED"
            assert sandbox.check_passcode(sandbox.authenticate("ann"), found[1])["status"] == "COMPLETED"

        yield play


def test_javascript_package_approves_and_makes_passcodes(examples, directory):
    (script,) = [each for each in snippets("js") if "@playwright" not in each]
    (directory / "example.mjs").write_text(script, encoding="utf-8")
    install = ["npm", "install", "--offline", "--no-audit", "--no-fund", CLIENTS / "JavaScript"]
    subprocess.run(install, cwd=directory, env=environment(HOME=str(directory)), timeout=PATIENCE, check=True)
    examples("node", directory / "example.mjs")


def test_packages_approve_with_the_number_of_the_sign_on_page(daemon, sandbox, paired, installed, directory):
    subprocess.run(["go", "mod", "init", "example"], cwd=directory, env=environment(GOCACHE=str(directory)), check=True)
    (directory / "main.go").write_text(GO_NUMBER, encoding="utf-8")
    replaced = ["-require=mfad@v0.0.0", f"-replace=mfad={CLIENTS / 'Go'}"]
    subprocess.run(["go", "mod", "edit", *replaced], cwd=directory, env=environment(GOCACHE=str(directory)), check=True)
    variables = environment(
        MFAD_SOCKET=str(daemon.socket), PYTHONPATH=str(installed), GOCACHE=str(directory / "go"), GOPROXY="off"
    )
    for command in (
        [sys.executable, "-c", PYTHON_NUMBER], ["node", "--input-type=module", "-e", JAVASCRIPT_NUMBER, "x"], ["go", "run", "."],
    ):
        started = sandbox.authenticate("ann", {"numberMatching": True})
        number = str(started["numberMatching"]["number"])
        subprocess.run([*command, number], cwd=directory, env=variables, timeout=PATIENCE, check=True)
        assert sandbox.authentication(started)["status"] == "COMPLETED", command


def test_types_of_the_javascript_module_declare_everything_that_it_exports():
    script = "import * as m from './mfad.js'; console.log(...Object.keys(m), ...Object.getOwnPropertyNames(m.Connection.prototype))"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], cwd=CLIENTS / "JavaScript",
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    )
    types = (CLIENTS / "JavaScript" / "mfad.d.ts").read_text(encoding="utf-8")
    assert {"connect", "nextPush", "approve", "passcode"} <= set(done.stdout.split())
    assert [name for name in done.stdout.split() if not re.search(rf"\b{name}\b", types)] == []


def test_playwright_test_of_the_article_is_valid_javascript(directory):
    (script,) = [each for each in snippets("js") if "@playwright" in each]
    (directory / "sign-on.spec.mjs").write_text(script, encoding="utf-8")
    subprocess.run(["node", "--check", directory / "sign-on.spec.mjs"], timeout=PATIENCE, check=True)


def test_go_package_approves_and_makes_passcodes(examples, directory):
    (program,) = snippets("go")
    (directory / "main.go").write_text(program, encoding="utf-8")
    replaced = ["-require=mfad@v0.0.0", f"-replace=mfad={CLIENTS / 'Go'}"]
    for words in (["mod", "init", "example"], ["mod", "edit", *replaced], ["build", "-o", "example"]):
        variables = environment(GOCACHE=str(directory / "go"), GOPROXY="off", GOFLAGS="-buildvcs=false")
        subprocess.run(["go", *words], cwd=directory, env=variables, timeout=PATIENCE, check=True)
    examples(directory / "example")


@pytest.fixture
def project(directory, installed):
    """Runs pytest in an empty directory, with the installed package."""
    path = directory / "project"
    path.mkdir()

    def run(*tests, **variables):
        (path / "test_project.py").write_text("\n".join(tests), encoding="utf-8")
        scratch = directory / "scratch"
        scratch.mkdir(exist_ok=True)
        variables = {"MFAD_PROGRAMS": str(DIRECTORY), "PYTHONPATH": str(installed), "TMPDIR": str(scratch)} | variables
        pytest_run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        process = Process(pytest_run, env=environment(PYTHONDONTWRITEBYTECODE="1", **variables), cwd=path)
        status = process.wait()
        return status, str(process.output)

    return run


def test_sign_on_test_of_the_article_has_at_most_12_lines_and_passes(project, directory):
    tests = [each for each in snippets("python") if "def test_" in each]
    assert [len(each.splitlines()) <= 12 for each in tests] == [True]
    status, output = project(*tests)
    assert status == 0 and "2 passed" in output, output
    assert list((directory / "scratch").glob("mfad-*")) == [], "something of the fixtures is left"


def test_fixtures_name_a_missing_program(project, directory):
    status, output = project("def test_anything(paired): pass", MFAD_PROGRAMS=str(directory))
    assert status == 1 and "pingone-sandbox is not on the PATH" in output, output


CRASH = """
import os, signal, socket, struct

def test_which_ends_the_daemon(mfad_daemon):
    with mfad_daemon.connect() as connection:
        peer = connection._socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        os.kill(struct.unpack("iII", peer)[0], signal.SIGKILL)
"""


def test_fixtures_report_a_daemon_that_crashed(project):
    status, output = project(CRASH)
    assert status == 1 and "mfad ended with -9" in output, output
