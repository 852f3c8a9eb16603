"""systemd/dependencies installs the packages for tests; fake package tools simulate the machine."""

import subprocess
from pathlib import Path

import pytest

from harness.programs import PATIENCE, environment

DEPENDENCIES = Path(__file__).parents[2] / "systemd" / "dependencies"
BROWSER = {"chromium", "chromium-driver"}

TOOLS = {
    "id": "echo 0",
    "dpkg-query": '! grep -qx "${@: -1}" missing || exit 1; printf "install ok installed"',
    "apt-cache": '[ -e lists ] && grep -qx "$2" offered && echo "  Candidate: 1.0" || echo "  Candidate: (none)"',
    "apt-get": 'case $1 in update) touch lists ;; install) shift; printf "%s\\n" "$@" | grep -v ^- >>installed ;; esac',
}


@pytest.fixture
def install(tmp_path):
    """Runs the script on a machine with these missing and available packages, and returns the installed ones."""
    for name, words in TOOLS.items():
        tool = tmp_path / name
        tool.write_text(f"#!/bin/bash\ncd {tmp_path}\n{words}\n")
        tool.chmod(0o755)

    def install(missing, offered):
        (tmp_path / "missing").write_text("".join(f"{name}\n" for name in missing))
        (tmp_path / "offered").write_text("".join(f"{name}\n" for name in offered))
        installed = tmp_path / "installed"
        installed.write_text("")
        variables = environment() | {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        subprocess.run([DEPENDENCIES, "--tests"], env=variables, capture_output=True, timeout=PATIENCE, check=True)
        return installed.read_text().split()

    return install


def test_browser_is_installed_if_available(install):
    assert sorted(install({"fish", *BROWSER}, BROWSER)) == sorted({"fish", *BROWSER})
    # From here on the package lists exist.
    assert sorted(install(BROWSER, BROWSER)) == sorted(BROWSER)
    assert install(set(), BROWSER) == []


def test_other_packages_are_installed_if_the_browser_is_unavailable(install):
    assert install({"fish", *BROWSER}, set()) == ["fish"]
    assert install(BROWSER, set()) == []
