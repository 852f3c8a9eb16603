"""The articles of the documentation: tables, examples, and comparison of examples with actual output."""

import json
import re
import shlex
from pathlib import Path

from .authctl import Authctl

FOR_USERS = ["EveryDay", "Troubleshooting", "InterfaceByExample", "ContinuousIntegration", "SecurityInTenLines",
             "Administration"]

ROOT = Path(__file__).parents[3]

_FOLDER = ROOT / "Sources" / "Programs" / "Daemon" / "Documentation.docc"
_FILES = {file.stem: file for file in [ROOT / "README.md", *_FOLDER.rglob("*.md")]}


def names():
    return sorted(_FILES)


def text(name):
    return _FILES[name].read_text(encoding="utf-8")


def blocks(name):
    """Returns the fenced blocks of an article with their languages."""
    return re.findall(r"^```(\w+)\n(.*?)^```", text(name), re.M | re.S)


def shell_blocks():
    """Returns the shell blocks of the README and of the articles on commands and scripts."""
    names = ("README", "Commands", "ContinuousIntegration")
    return [block for name in names for kind, block in blocks(name) if kind == "sh"]


def headings(name):
    """Returns the anchors of its sections."""
    titles = re.findall(r"^#+ (.+)$", text(name), re.M)
    return {re.sub(r"[^\w-]", "", title.replace(" ", "-")) for title in titles}


def rows(text, *columns):
    """Returns the first cells of all tables with these first column titles, without code marks."""
    found = []
    for table in re.findall(r"(?:^\|.*\n)+", text, re.M):
        head, _, *lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in table.splitlines()]
        if tuple(head[: len(columns)]) == columns:
            found += [tuple(cell.replace("`", "") for cell in line[: len(columns)]) for line in lines]
    return found


_FOR_WORDS = {"GEO": "Europe", "N": "42", "PROVIDER": "POLL"}
"""Replacements for placeholders that need a valid value."""


def words(command):
    """Returns the arguments of authctl, split like in a shell."""
    words = shlex.split(re.split(r" [|&]", command)[0], comments=True)
    return [_FOR_WORDS.get(word, word) for word in words[words.index("authctl") + 1 :]]


def check_understood(words, directory, missing, alone=()):
    """Checks that a command gets as far as the daemon, or a file of the reader. Commands in `alone` need neither."""
    check_reached(words, Authctl(directory / "nobody.sock").run(*words), missing, alone)


def check_reached(words, done, missing, alone=()):
    """Checks that a run without a daemon got that far."""
    reached = done.status == (0 if words[0] in alone else 3)
    assert reached or (done.status == 2 and [each for each in missing if each in done.errors]), done.errors


def documents(text):
    """Parses a sequence of JSON texts."""
    found, decoder = [], json.JSONDecoder()
    while text := text.lstrip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:]
    return found


_MADE = [r"[\w-]{16}", r"[0-9a-f-]{36}", r"\d{6}", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"]
"""Patterns of identifiers, passcodes and times, which differ in each run."""

_MEASURED = {"validFrom", "validUntil", "remaining"}


def check_alike(written, came, name=""):
    """Checks that the result has the documented members and values, except generated and measured ones."""
    assert type(written) is type(came), f"{name} is {came!r} and not {written!r}"
    if isinstance(written, dict):
        assert set(written) == set(came), f"{name} has {sorted(came)} and not {sorted(written)}"
        for member, value in written.items():
            check_alike(value, came[member], member)
    elif isinstance(written, list):
        assert len(written) == len(came), name
        for one, other in zip(written, came):
            check_alike(one, other, name)
    elif isinstance(written, str) and (form := next((each for each in _MADE if re.fullmatch(each, written)), None)):
        assert re.fullmatch(form, came), f"{name} is {came!r}, nothing like {written!r}"
    elif name not in _MEASURED:
        assert written == came, f"{name} is {came!r} and not {written!r}"
