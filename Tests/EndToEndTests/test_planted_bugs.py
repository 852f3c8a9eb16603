"""The patches with bugs that the simulation must find still apply. A change that breaks a patch is noticed at once."""

import subprocess

import pytest

from harness.articles import ROOT
from harness.programs import PATIENCE

BUGS = sorted((ROOT / "Tests" / "Simulation" / "Planted").glob("*.patch"))


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.stem)
def test_injected_bug_patch_applies(bug):
    command = ["patch", "--dry-run", "--silent", "--force", "--strip=1", f"--input={bug}"]
    tried = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_ten_injected_bug_patches_exist():
    assert len(BUGS) == 10
