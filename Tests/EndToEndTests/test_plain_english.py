"""Counts old-style clauses (`what is owed`, `whoever asks`) in comments, articles, messages and names.

`Tests/Fixtures/plain-english.json` stores the count of each area. It must not rise. MFAD_RECORD=1 stores a lower count.
"""

import ast
import json
import os
import re
import subprocess

import pytest

from harness import articles
from harness.articles import ROOT

COUNTS = ROOT / "Tests/Fixtures/plain-english.json"
LAYERS = ("Base", "C", "Core", "Formats", "Interface", "Programs", "Providers", "System")

OPENING = re.compile(r"(?:Where|Of|By|That)\b")
CLAUSE = re.compile(r"\b(?:what|whatever|who|whoever|whom|whomever|whose)\b", re.I)
CODE = re.compile(r"``.*?``|`[^`]*`|<doc:[^>]*>|\]\([^)]*\)", re.S)
LINE_COMMENTS = re.compile(r"(?:^[ \t]*(?://[/!]?|#(?!!))(?:[ \t].*)?\n)+", re.M)
TRAILING_COMMENT = re.compile(r"^[^\"\n]*\S[^\"\n]*?[ \t](?://|#) ([^\"\n]+)$", re.M)
BLOCK_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
STRING = re.compile(r'"""(.*?)"""|"((?:[^"\\\n]|\\.)*)"', re.S)
SQL = re.compile(r"\b(?:SELECT|UPDATE|DELETE|WHERE) ")
INTERPOLATION = re.compile(r"\\\((?:[^()]|\([^()]*\))*\)")


def files(*folders, suffixes):
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return sorted(path for path in found if path.suffix in suffixes and "Documentation.docc" not in path.parts)


def sentences(text):
    """Yields the sentences of a text. A blank line also ends a sentence."""
    paragraphs = re.split(r"\n[ \t]*(?://[/!]?|#)?[ \t]*\n|\n[ \t/#]*(?:[-*|]|\d+\.) ", CODE.sub("X", text))
    for paragraph in paragraphs:
        plain = re.sub(r"^[ \t]*(?://[/!]?|#+)", "", paragraph, flags=re.M)
        yield from (each.strip(" -*|>()") for each in re.split(r"(?<=[.!?:;])\s+", " ".join(plain.split())))


def comments(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        yield from (ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, nodes))
    yield from LINE_COMMENTS.findall(text)
    yield from TRAILING_COMMENT.findall(text)
    yield from BLOCK_COMMENT.findall(text) if path.suffix in (".c", ".h") else ()


def strings(path):
    """Returns the string literals of a Swift file that have at least three words and are not SQL."""
    code = re.sub(r"^[ \t]*//.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
    literals = (INTERPOLATION.sub("X", one or other) for one, other in STRING.findall(code))
    joined = (re.sub(r"\\\n\s*", "", literal) for literal in literals)
    return [text for text in joined if len(text.split()) > 2 and not SQL.search(text)]


def article(name):
    """Returns an article without its headings and its code."""
    return re.sub(r"^```.*?^```|^#.*?$|^    .*?$", "", articles.text(name), flags=re.M | re.S)


def names_of_tests():
    for path in files("Tests", suffixes=(".swift",)):
        yield from re.findall(r'@(?:Test|Suite)\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
    for path in files("Tests", suffixes=(".py",)):
        yield from (name.replace("_", " ") for name in re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))


def areas():
    code = (".swift", ".c", ".h", ".py")
    texts = {f"comments {layer}": map(comments, files(f"Sources/{layer}", suffixes=code)) for layer in LAYERS}
    texts["comments Tests"] = map(comments, files("Tests", suffixes=code))
    texts["comments systemd"] = map(comments, files("systemd", suffixes=("", ".conf", ".service", ".socket")))
    descriptions = files("Sources/Interface/ControlAPI", suffixes=(".swift",))
    messages = [path for path in files("Sources", suffixes=(".swift",)) if path not in descriptions]
    texts |= {"descriptions": map(strings, descriptions), "messages": map(strings, messages)}
    return texts | {"test names": [names_of_tests()], "articles": [map(article, articles.names())]}


def old_style(texts):
    # A text begins with a sentence; after a colon or a semicolon a lower-case word begins none.
    found = (each for group in texts for text in group for each in sentences(text[:1].upper() + text[1:]))
    return [each for each in found if OPENING.match(each) or CLAUSE.search(each)]


AREAS = areas()


@pytest.mark.parametrize("area, texts", AREAS.items(), ids=AREAS)
def test_number_of_old_style_sentences_equals_the_stored_count(area, texts):
    counts, found = json.loads(COUNTS.read_text(encoding="utf-8")), old_style(texts)
    if os.environ.get("MFAD_RECORD"):
        counts[area] = min(len(found), counts.get(area, len(found)))
        COUNTS.write_text(json.dumps(counts, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    assert len(found) == counts[area], "\n".join(found[:20])


def test_no_sentence_of_an_article_has_more_than_30_words():
    for name in articles.names():
        prose = re.sub(r"^\|.*$", "", article(name), flags=re.M)
        assert [each for each in sentences(prose) if len(each.split()) > 30] == [], name


def git(*words):
    command = ["git", "-c", f"safe.directory={ROOT}", *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_commit_subject_has_a_module_and_at_most_65_characters():
    first = git("log", "--diff-filter=A", "--format=%h", "--", str(COUNTS))
    for subject in git("log", "--no-merges", "--format=%s", f"{first[-1]}..HEAD") if first else []:
        assert re.match(r"\w[\w+/-]*(?:, \w+)*: [a-z]\w+ \S", subject), subject
        assert len(subject) <= 65 and not CLAUSE.search(subject), subject
