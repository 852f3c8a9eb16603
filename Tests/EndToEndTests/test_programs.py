"""Basic behaviour of every program: options, invalid configurations, and linked libraries."""

import re
import shutil
import subprocess

import pytest

from harness.articles import ROOT
from harness.clock import Clock
from harness.process import Process
from harness.programs import AGENT, AUTHCTL, COURIER, DIRECTORY, MFAD, SANDBOX, environment, run

ALL = [MFAD, COURIER, AUTHCTL, AGENT, SANDBOX]
TOOLS = [DIRECTORY / "mfad-manual", DIRECTORY / "mfad-bench"]
"""Programs that no package installs."""


def name(program):
    return program.name


@pytest.mark.parametrize("program", ALL + TOOLS, ids=name)
def test_program_prints_its_version(program):
    done = run(program, "--version")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"{program.name} \d+\.\d+\.\d+\n", done.stdout)


@pytest.mark.parametrize("program", ALL, ids=name)
def test_installed_program_prints_the_date_of_its_commit(program, directory):
    copy = shutil.copy(program, directory)
    stamp = ROOT / "systemd" / "stamp"
    subprocess.run([stamp, copy], env=environment(SOURCE_DATE_EPOCH="1795251600"), check=True)
    assert re.fullmatch(rf"{program.name} \d+\.\d+\.\d+ \(2026-11-21\)\n", run(copy, "--version").stdout)


@pytest.mark.parametrize("program", ALL + TOOLS, ids=name)
def test_program_prints_its_usage(program):
    done = run(program, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.lower().startswith("usage: " + program.name) and done.stdout.endswith("\n")


@pytest.mark.parametrize("program", ALL + TOOLS, ids=name)
def test_unknown_option_exits_with_2_and_is_named_in_the_error(program):
    done = run(program, "--nonsense")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nonsense" in done.stderr.splitlines()[0] and program.name in done.stderr


@pytest.mark.parametrize("program", [MFAD, COURIER, AGENT, SANDBOX], ids=name)
def test_unknown_argument_is_reported_by_position_only(program):
    for words in (["nonsense"], ["nonsense", "--help"], ["-nonsense"], ["--NONSENSE"]):
        done = run(program, *words)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"{program.name}: error: unknown argument 1\n") and "nonsense" not in done.stderr.lower()


@pytest.mark.parametrize("program", ALL, ids=name)
def test_arguments_are_read_if_a_library_moves_the_environment(program):
    clock = Clock(FAKETIME="+0")
    started = Process([program, "", "nonsense"], env=environment(**clock.environment))
    try:
        # A program that lost its arguments would start to serve.
        assert started.wait() == 2
    finally:
        clock.forget(started.pid)
    assert str(started.journal)


@pytest.mark.parametrize("program", ALL, ids=name)
def test_program_exits_if_its_arguments_cannot_be_read(program):
    fault = ["--quiet=path-resolution", "-o", "/dev/null", "-P", "/proc/self/cmdline", "-e", "inject=open,openat:error=ENOENT"]
    done = run("strace", *fault, program, "--help")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"{program.name}: error: its arguments cannot be read: open: No such file or directory\n"


@pytest.mark.parametrize("option", ["--config", "--socket", "--state-directory", "--platform"])
def test_option_without_its_value_exits_with_2(option):
    done = run(MFAD, option)
    assert done.returncode == 2 and option in done.stderr


WRONG = [
    ("nonsense", 1, "key = value"),
    ("# comment\n\nlog_level = loud", 3, "error, warning, info or debug"),
    ("log_level = info\nlog_level = debug", 2, "line 1"),
    ("platfrom = https://example.com", 1, 'did you mean "platform"?'),
    ("platform = http://127.0.0.1:1", 1, "allow_loopback_http"),
    ("allow_loopback_http = yes\nplatform = http://example.com", 2, "http"),
    ("platform = Moon=https://example.com", 1, "<geo>=<url>"),
    ("platform_key = short", 1, "43"),
    ("socket = relative/path", 1, "absolute path"),
    ("max_connections = 0", 1, "1 to 4096"),
    ("max_connections = many", 1, "1 to 4096"),
    ("id_token_algorithm = none", 1, "RS256"),
    ("id_token_algorithm = HS256", 1, "RS256"),
    ("allow_loopback_http = true", 1, "yes or no"),
    ("geo = Atlantis", 1, "NorthAmerica"),
    ("issuer = https://example.com/?a", 1, "issuer"),
    ("scope = profile", 1, "openid"),
]


@pytest.mark.parametrize("text, line, allowed", WRONG, ids=[text for text, _, _ in WRONG])
@pytest.mark.parametrize("program", [MFAD, COURIER], ids=name)
def test_invalid_configuration_is_refused_with_line_and_allowed_values(directory, program, text, line, allowed):
    file = directory / "mfad.conf"
    file.write_text(text + "\n")
    done = run(program, "--config", file)
    assert done.returncode == 78
    assert f"{file}:{line}: " in done.stderr and allowed in done.stderr


@pytest.mark.parametrize("program", [MFAD, COURIER], ids=name)
def test_unreadable_configuration_is_refused(directory, program):
    done = run(program, "--config", directory / "missing.conf")
    assert done.returncode == 78 and f"{directory}/missing.conf: " in done.stderr


def test_check_config_creates_no_files(directory):
    file = directory / "mfad.conf"
    file.write_text(f"state_directory = {directory}/state\nsocket = {directory}/mfad.sock\n")
    done = run(MFAD, "--config", file, "--check-config")
    assert (done.returncode, done.stderr) == (0, "")
    assert [path.name for path in directory.iterdir()] == ["mfad.conf"]
    file.write_text("nonsense\n")
    assert run(MFAD, "--config", file, "--check-config").returncode == 78


FOREIGN = ("curl", "microhttpd", "sqlite3", "crypto", "ssl", "Foundation", "gnutls", "nghttp2", "systemd")
LINKED = {
    "mfad": {"sqlite3", "crypto"},
    "mfad-courier": {"curl", "gnutls", "microhttpd"},
    "authctl": set(),
    "mfa-agent": {"systemd"},
    "pingone-sandbox": {"sqlite3", "crypto", "curl", "microhttpd", "FoundationEssentials"},
}


def needed(program):
    """Returns the libraries that the program itself links, without indirect dependencies."""
    listing = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[lib(.+?)\.so", listing)


@pytest.mark.parametrize("program", ALL, ids=name)
def test_program_links_only_its_allowed_libraries(program):
    libraries = needed(program)
    assert libraries, "a program of this project is linked with the system's libraries"
    assert {one for one in libraries for foreign in FOREIGN if foreign in one} == LINKED[program.name]


LOADED = {
    "mfad": {"curl", "microhttpd", "ssl", "Foundation"},
    "mfad-courier": {"sqlite3", "Foundation"},
    "authctl": {"curl", "microhttpd", "ssl", "crypto", "sqlite3", "Foundation"},
    "mfa-agent": {"curl", "microhttpd", "ssl", "crypto", "sqlite3", "Foundation"},
}
"""Libraries that a program must not load, even indirectly."""


@pytest.mark.parametrize("program", [MFAD, COURIER, AUTHCTL, AGENT], ids=name)
def test_program_loads_no_forbidden_library(program):
    listing = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    loaded = re.findall(r"^\s*lib(\S+?)\.so", listing, re.M)
    assert "c" in loaded
    assert not {one for one in loaded for foreign in LOADED[program.name] if foreign in one}
