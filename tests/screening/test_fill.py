"""How full an owner's filters are, and what is far from it."""

from __future__ import annotations

import numpy as np
import pytest

from unveil.linkage.bits import Bits
from unveil.screening.fill import differ, far_off, mean_fill


def test_the_mean_fill_is_the_share_of_ones() -> None:
    """Half of the filters have a quarter of their bits, the other half have all."""
    words = np.full((200, 2), 0xFFFF, np.uint64)
    words[100:] = np.iinfo(np.uint64).max
    assert pytest.approx(0.625) == mean_fill(Bits(words, 128))


def test_a_few_filters_say_nothing() -> None:
    """Their records may have gaps by chance."""
    assert mean_fill(Bits(np.zeros((99, 2), np.uint64), 128)) is None


def test_filters_from_a_fifth_to_three_fifths_are_usual() -> None:
    """Plain filters with gaps have .3, hardened ones about .5."""
    assert [True, True] == [far_off(fill) for fill in (0.1, 0.61)]
    assert [False] * 5 == [far_off(fill) for fill in (0.2, 0.3, 0.4, 0.5, 0.6)]


def test_owners_differ_by_more_than_a_tenth() -> None:
    """Whichever has more."""
    assert differ(0.3, 0.45)
    assert differ(0.45, 0.3)
    assert not differ(0.36, 0.45)
