"""The systemd units: verification without warnings, and their exposure levels."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from harness.programs import PATIENCE

ROOT = Path(__file__).parents[2]
UNITS = ROOT / "systemd"
DOCUMENT = ROOT / "Sources/Programs/Daemon/Documentation.docc/Reliability.md"
COUNTING = "systemd 252"
"""The systemd version of the documented exposure levels. Other versions compute slightly different ones."""

# Maximum exposure level in tenths, the unit of systemd-analyze. Most points are for privileges, which a user's
# service manager does not have and cannot drop.
MOST = [
    ("system", "mfad.service", 8),
    ("system", "mfad-courier.service", 15),
    ("system", "mfad-key.service", 8),
    ("system", "mfad-backup.service", 8),
    ("system", "mfad-metrics.service", 8),
    ("user", "mfad.service", 30),
    ("user", "mfad-courier.service", 30),
    ("user", "mfad-key.service", 30),
    ("user", "mfa-agent.service", 30),
]


def analyze(directory, *words, user=False):
    """Runs `systemd-analyze` without a service manager and returns its result."""
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(directory), "SYSTEMD_COLORS": "0", "SYSTEMD_EMOJI": "0"}
    scope = ["--user"] if user else []
    return subprocess.run(
        ["systemd-analyze", *scope, *map(str, words)], env=environment, capture_output=True, text=True, timeout=PATIENCE
    )


def installed(directory, kind):
    """Copies the units and replaces their programs by an existing one, because `verify` requires the programs."""
    place = directory / kind
    place.mkdir()
    for unit in (UNITS / kind).iterdir():
        if unit.suffix in (".service", ".socket", ".timer"):
            (place / unit.name).write_text(re.sub(r"(?<==)/usr/bin/(mfa|authctl)\S*", "/bin/true", unit.read_text()))
    return place


@pytest.mark.parametrize("kind, name, most", MOST, ids=[f"{kind} {name}" for kind, name, _ in MOST])
def test_exposure_level_of_a_unit_is_within_its_limit(directory, kind, name, most):
    unit = installed(directory, kind) / name
    done = analyze(directory, "security", "--offline=true", f"--threshold={most}", unit, user=kind == "user")
    assert done.returncode == 0, done.stdout[-400:] + done.stderr


def test_exposure_levels_equal_the_documented_values(directory):
    if not analyze(directory, "--version").stdout.startswith(COUNTING + " "):
        pytest.skip(f"the figures are those of {COUNTING}")
    figures = {}
    for kind in ("system", "user"):
        place = installed(directory, kind)
        for name in [name for of, name, _ in MOST if of == kind]:
            words = ("security", "--offline=true", "--threshold=100", place / name)
            done = analyze(directory, *words, user=kind == "user")
            figures[kind, name] = re.search(rf"exposure level for {re.escape(name)}: ([0-9.]+)", done.stdout)[1]
    daemon, courier, key, backup, metrics = (figures["system", name] for _, name, _ in MOST[:5])
    of_user, courier_of_user, key_of_user, agent = (figures["user", name] for _, name, _ in MOST[5:])
    assert agent == key_of_user
    said = (f"system: daemon {daemon}, courier {courier}, key {key}, backup {backup}, metrics {metrics}; "
            f"user: daemon {of_user}, courier {courier_of_user}, agent and key {agent}")
    assert said in DOCUMENT.read_text() and COUNTING in DOCUMENT.read_text(), said


@pytest.mark.parametrize("kind", ["system", "user"])
def test_units_pass_systemd_analyze_verify(directory, kind):
    place = installed(directory, kind)
    done = analyze(directory, "verify", "--man=no", *sorted(place.iterdir()), user=kind == "user")
    # Ignore messages about units of other packages.
    complaints = [line for line in done.stderr.splitlines() if "mfa" in line or str(place) in line]
    assert (done.returncode, complaints) == (0, []), done.stderr


@pytest.mark.parametrize("kind, name", [("system", "mfad.service"), ("system", "mfad-courier.service"),
                                        ("user", "mfad.service"), ("user", "mfad-courier.service")])
def test_unit_allows_landlock_and_seccomp_calls(kind, name):
    allowed = [line.split("=", 1)[1].split() for line in (UNITS / kind / name).read_text().splitlines()
               if line.startswith("SystemCallFilter=") and "~" not in line]
    calls = {call for line in allowed for call in line}
    assert {"landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp"} <= calls


@pytest.mark.parametrize("kind, name", [(kind, name) for kind, name, _ in MOST])
def test_unit_has_no_start_limit(kind, name):
    unit = (UNITS / kind / name).read_text().split("[Service]")[0]
    assert "StartLimitIntervalSec=0" in unit.splitlines()


@pytest.mark.parametrize("unit", [path for path in sorted(UNITS.glob("*/*")) if path.suffix in (".service", ".socket", ".timer")],
                         ids=lambda path: f"{path.parent.name} {path.name}")
def test_unit_names_its_documentation(unit):
    (page,) = re.findall(r"^Documentation=(.+)$", unit.read_text(), re.M)
    manual = ["man:mfad(8)", "man:mfad-courier(8)", "man:mfa-agent(1)"]
    written = [f"articles/{path.name}" for path in DOCUMENT.parent.glob("*.md")] + ["README.md"]
    assert page in manual + [f"file:/usr/share/doc/mfad/{path}" for path in written]
