"""The manual pages are generated from the tables of the programs, without warnings of mandoc and groff."""

import re
import subprocess
from pathlib import Path

import pytest

from harness.programs import AGENT, AUTHCTL, COURIER, DIRECTORY, MFAD, PATIENCE, SANDBOX, environment, run

ARTICLE = Path(__file__).parents[2] / "Sources" / "Programs" / "Daemon" / "Documentation.docc" / "Configuration.md"
KEYS = Path(__file__).parents[2] / "Sources" / "Base" / "Configuration" / "ConfigurationKey.swift"
PAGES = {
    "authctl.1", "mfa-agent.1", "pingone-sandbox.1", "mfad.conf.5", "mfad-api.7", "mfad.8", "mfad-courier.8",
}


def write(directory, article=ARTICLE):
    return run(DIRECTORY / "mfad-manual", "--into", directory, "--article", article, "--date", "2026-11-21")


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    directory = tmp_path_factory.mktemp("manual")
    done = write(directory)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return directory


def rendered(page):
    """Returns the page as plain text for a wide terminal, without overstriking."""
    done = subprocess.run(
        ["mandoc", "-T", "ascii", "-O", "width=200", page],
        env=environment(), capture_output=True, text=True, timeout=PATIENCE, check=True,
    )
    return re.sub(".\b", "", done.stdout)


def test_manual_has_a_page_for_every_program_and_interface(pages):
    assert {page.name for page in pages.iterdir()} == PAGES


@pytest.mark.parametrize("name", sorted(PAGES))
def test_page_causes_no_mandoc_or_groff_warning(pages, name):
    lint = ["mandoc", "-T", "lint", "-W", "warning", pages / name]
    show = ["groff", "-ww", "-man", "-Tascii", "-z", pages / name]
    for command in (lint, show):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "mfad 0.1.0" in rendered(pages / name) and "2026-11-21" in rendered(pages / name)


@pytest.mark.parametrize("program, name", [(MFAD, "mfad.8"), (COURIER, "mfad-courier.8"), (AGENT, "mfa-agent.1"), (SANDBOX, "pingone-sandbox.1")])
def test_page_explains_each_option_of_the_help(pages, program, name):
    options = re.findall(r"^  (--\S+)", run(program, "--help").stdout, re.M)
    text = rendered(pages / name)
    assert options
    for option in options:
        assert re.search(rf"^ +(-\w, )?{option}\b", text, re.M), option


def test_page_explains_each_command_with_its_usage_and_options(pages):
    text = rendered(pages / "authctl.1")
    listed = run(AUTHCTL, "completion", "words", "--", "help", "").stdout.splitlines()
    words = [line.split("\t")[0] for line in listed]
    assert len(words) > 30
    for word in words:
        usage = run(AUTHCTL, "help", word)
        if usage.returncode == 0:
            assert usage.stdout.splitlines()[0].removeprefix("usage: ").replace("…", "...") in text
            for option in re.findall(r"^  (?:-\w, )?(--[\w-]+)", usage.stdout, re.M):
                assert option in text


def test_page_explains_each_sandbox_command_with_its_options(pages):
    text = rendered(pages / "pingone-sandbox.1")
    listed = run(SANDBOX, "--help").stdout.split("Commands, ")[1]
    words = re.findall(r"^  (\w+) ", listed, re.M)
    assert len(words) >= 5
    for word in words:
        usage = run(SANDBOX, word, "--help").stdout
        assert usage.splitlines()[0].removeprefix("usage: ").replace("…", "...") in text
        for option in re.findall(r"^  (--[\w-]+)", usage, re.M):
            assert re.search(rf"^ +(-\w, )?{option}\b", text, re.M), option
    assert len(re.findall(r"^ +-h, --help\b", text, re.M)) == 1 + len(words)


def test_page_explains_each_method_and_parameter(pages, client):
    text = rendered(pages / "mfad-api.7")
    methods = client.call("rpc.discover")["methods"]
    assert methods
    for method in methods:
        assert re.search(rf"^ +{re.escape(method['name'])}$", text, re.M), method["name"]
        for parameter in method["params"]:
            assert re.search(rf"^ +{parameter['name']}\b", text, re.M)


def test_page_explains_exactly_the_configuration_keys(pages):
    text = rendered(pages / "mfad.conf.5")
    definition = r'(?:(?:flag|text|optionalText|number|path|url)\(|ConfigurationKey\(\s*name: )"([a-z_]+)"'
    allowed = re.findall(definition, KEYS.read_text())
    keys = re.findall(r"^ {7}([a-z_]+)\b(?=\n|  | [^:]+$)", text.split("KEYS")[1].split("SEE ALSO")[0], re.M)
    assert len(allowed) > 30 and set(keys) == set(allowed)


def test_generator_reports_missing_and_unknown_keys_in_the_article(tmp_path):
    lines = ARTICLE.read_text().splitlines()
    article = tmp_path / "article.md"
    article.write_text("\n".join(line for line in lines if not line.startswith("| `proxy`")))
    done = write(tmp_path, article)
    assert done.returncode == 1 and "does not explain proxy" in done.stderr
    article.write_text("\n".join([*lines, "| `proxies` | many | none | reload |"]))
    done = write(tmp_path, article)
    assert done.returncode == 1 and "nothing reads proxies" in done.stderr
