"""Attacks by local users and authors of pages: other owners are answered meanwhile, and memory stays bounded."""

import os

import pytest

from attacks import ATTACKS, SETTINGS, SHORT, attacked, most_memory

LONGEST_WAIT = float(os.environ.get("MFAD_TEST_LONGEST_WAIT", "5"))
"""Limit in seconds. The default is generous, because a machine that runs many tests at once delays everything."""

TRIALS = 3
"""Number of trials. Other load of the machine delays a caller in one trial, an effective attack in each."""

PLAYED = [name if name in SHORT else pytest.param(name, marks=pytest.mark.slow) for name in ATTACKS]


@pytest.mark.parametrize("name", PLAYED)
def test_attack_does_not_delay_other_owners_or_exhaust_memory(make_stage, name):
    waits = []
    while not waits or waits[-1] >= LONGEST_WAIT:
        assert len(waits) < TRIALS, f"others waited for {waits} seconds"
        outcome = attacked(make_stage(**SETTINGS), name)
        assert outcome.memory < most_memory(name)
        waits.append(max(outcome.reading, outcome.writing))
