"""Every command of the README's day is there with the options that it is written with, and its words are enough."""

import re
import shlex
from pathlib import Path

import pytest

from harness import articles
from harness.authctl import Authctl

README = Path(__file__).parents[2] / "README.md"


def commands():
    """The lines of shell that begin with authctl, without what is said of them."""
    text = README.read_text(encoding="utf-8")
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        for line in block.splitlines():
            words = shlex.split(line.split("|")[0], comments=True)
            words = words[1:] if words[:1] == ["sudo"] else words
            if words[:1] == ["authctl"]:
                yield words[1:]


def written():
    return sorted({tuple(words) for words in commands()})


def test_there_are_many():
    assert len(written()) > 45


MISSING = ["terminal", "aegis.json", "code.png", "inputs.json", "JSON"]
"""What a test has none of: who sits there, and the files and parameters that a reader puts in."""


@pytest.mark.parametrize("words", written(), ids=" ".join)
def test_a_command_is_understood_as_it_is_written(words, directory):
    articles.check_understood(words, directory, MISSING, alone=("help", "completion"))


def test_one_that_is_written_wrong_is_found(directory):
    for words in (["otp", "--wait-frsh", "10"], ["doctr"], ["deny", "--al"], ["sessions", "end", "a", "b"]):
        done = Authctl(directory / "nobody.sock").run(*words)
        assert done.status == 2 and not [each for each in MISSING if each in done.errors]
