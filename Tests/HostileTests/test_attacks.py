"""Whatever a member or the author of a page tries: others are answered meanwhile, and memory stays bounded."""

import pytest

from attacks import ATTACKS, SETTINGS, attacked

LONGEST_WAIT = 5.0
"""Seconds; far more than is wanted, since a machine that tests many things at once makes everybody wait."""

MOST_MEMORY = 64 << 20


@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_answered_and_memory_is_bounded(make_stage, name):
    wait, memory = attacked(make_stage(*SETTINGS), name)
    assert wait < LONGEST_WAIT
    assert memory < MOST_MEMORY
