"""`Tests/measure`: the ratio of two measurements, and missed bounds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "Benchmarks"
sys.path.append(str(BENCHMARKS))

from row import A_SECOND, MICROSECONDS, Measurement, Row, at_least, at_most  # noqa: E402


def measured(figure, bound, ours, peers):
    return Measurement(Row(1, "something", figure, bound, None), ours, peers)


@pytest.mark.parametrize(
    ("figure", "bound", "ratio"),
    [
        (A_SECOND, at_least(1), 2),
        (A_SECOND, at_most(1), 0.5),
        (MICROSECONDS, at_least(1), 0.5),
        (MICROSECONDS, at_most(1), 2),
    ],
)
def test_ratio_means_better_for_at_least_and_worse_for_at_most(figure, bound, ratio):
    assert measured(figure, bound, (20, 40, 60), (10, 20, 30)).ratio == ratio


def test_bound_is_missed_only_beyond_the_spread_of_the_rounds():
    flat, wide = (90,) * 5, (60, 75, 90, 105, 120)
    assert measured(A_SECOND, at_least(1), flat, (100,) * 5).is_missed
    assert not measured(A_SECOND, at_least(1), wide, (100,) * 5).is_missed
    assert not measured(MICROSECONDS, at_most(1), flat, (100,) * 5).is_missed
    assert measured(MICROSECONDS, at_most(0.8), flat, (100,) * 5).is_missed


def test_bound_applies_to_the_value_itself_without_a_peer():
    assert measured(A_SECOND, at_least(200), (150,) * 5, (None,) * 5).is_missed
    assert measured(A_SECOND, at_least(200), (250,) * 5, (None,) * 5).cells[-1] == "yes"


def test_measure_lists_missing_packages(tmp_path):
    for tool in ("cc", "taskset"):
        (tmp_path / tool).symlink_to("/bin/true")
    done = subprocess.run(
        [sys.executable, BENCHMARKS], env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr == "Tests/measure: these packages are missing: fio, redis-server, openssh-client\n"
