"""The installed documentation: all its links lead to installed files."""

import re
import subprocess
from pathlib import Path

PROJECT = Path(__file__).parents[2]
DOCUMENTATION = PROJECT / "Sources" / "Programs" / "Daemon" / "Documentation.docc"
LINK = re.compile(r"\]\(([^)\s#]+)[^)]*\)|(?:src|href)=\"([^\"#]+)")


def links(file):
    """Returns the local link targets of a file."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.M | re.S)
    found = {one or other for one, other in LINK.findall(re.sub(r"`[^`]*`", "", text))}
    return {target for target in found if "://" not in target}


def dead(file):
    return [target for target in links(file) if not (file.parent / target).exists()]


def test_readme_links_have_existing_targets():
    assert len(links(PROJECT / "README.md")) > 15 and dead(PROJECT / "README.md") == []


def test_installed_articles_link_only_to_installed_files(directory):
    subprocess.run([PROJECT / "systemd" / "documentation", directory / "mfad"], check=True)
    readme, articles = directory / "mfad" / "README.md", directory / "mfad" / "articles"
    assert len(links(readme)) > 15 and all(target.startswith("articles/") for target in links(readme))
    written = {path.name for path in DOCUMENTATION.rglob("*") if path.is_file()}
    assert {path.name for path in articles.iterdir()} == written
    for file in [readme, *articles.glob("*.md")]:
        assert dead(file) == [], file.name
        assert "<doc:" not in file.read_text(encoding="utf-8")
    assert len(links(articles / "Documentation.md")) > 20
    assert [path for path in (directory / "mfad").rglob("*") if path.is_file() and path.stat().st_mode & 0o777 != 0o644] == []
