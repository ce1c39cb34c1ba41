"""
Whether nobody seems to be in both registers: as many pairs are as alike within each of them as across.

Within a register nobody is anybody's match, and yet there are pairs that look like one: namesakes born in the same
year, twins, second entries under another number. Of two registers that share nobody there are as many across. What a
model links then is what it would link within either of them, however sure it is.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from unveil.linkage.pairs import STEPS, Pairs, Tail

_LARGE: Final = 10_000  # records of the smaller register: among fewer, attributes and reviewers tell more than counts
_FEW: Final = 0.05  # links for each record of the smaller register: more are no chance
_EXPLAINED: Final = 0.5  # of the pairs that are so alike, as many are expected among strangers
_AT_LEAST: Final = 5  # of them; fewer say nothing about so few links
_CLEARLY: Final = 3.0  # standard errors, at any similarity, by which there are more across than strangers explain
_IDENTICAL: Final = 185  # step from which on hardly anybody is a stranger
_SOME: Final = 3  # pairs across that are identical: somebody is shared, or entered twice at both


def nobody_shared(tail: Tail | None, linked: Pairs, sizes: tuple[int, int]) -> bool:
    """Whether strangers explain all of these links; False where counts do not tell."""
    if tail is None or min(sizes) < _LARGE or not 0 < len(linked) <= _FEW * min(sizes):
        return False
    if tail.across[_IDENTICAL] >= _SOME:
        return False
    steps = np.arange(tail.lowest, STEPS + 1)
    across, home = tail.across[steps], tail.at_home[:, steps].min(axis=0)
    # Each pair at home stands for `worth` across; all pairs of a register are found twice.
    chance = across + np.maximum(1.0, 2 * tail.worth.max()) * home
    if ((across - home) > _CLEARLY * np.sqrt(np.maximum(chance, 1.0))).any():
        return False
    # How alike the pairs are of which there are as many as links.
    alike = np.flatnonzero(across >= len(linked))
    return bool(len(alike)) and bool(home[alike[-1]] >= max(_AT_LEAST, _EXPLAINED * across[alike[-1]]))
