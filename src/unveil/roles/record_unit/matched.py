"""From decisions about pairs to links: who stands once in a register is linked once, and nobody if nobody is shared."""

from __future__ import annotations

import numpy as np

from unveil.linkage.clusters import symmetric_best, without_rivals
from unveil.linkage.layer import Layer
from unveil.linkage.model import Model
from unveil.linkage.nobody_shared import nobody_shared
from unveil.linkage.outcome import Flags, Outcomes, log_odds
from unveil.linkage.pairs import Comparison, Pairs


def linked(
    comparison: Comparison, layer: Layer[Model], sizes: tuple[int, int], *, one_to_one: bool
) -> tuple[Flags, bool]:
    """
    Which pairs are linked, and whether that is none because nobody seems to be in both registers.

    With the one-to-one step only each other's best are, and otherwise rivals go where people stand once.
    """
    pairs = comparison.pairs
    matched = layer.g.copy()
    at = np.flatnonzero(matched)
    if one_to_one:
        matched[at] = symmetric_best(pairs.left[at], pairs.right[at], pairs.similarity[at])
    elif layer.model.calibrated:
        odds = log_odds(Outcomes(layer.g[at], layer.p[at]))
        matched[at] = without_rivals(pairs.left[at], pairs.right[at], odds)
    at = np.flatnonzero(matched)
    links = Pairs(pairs.left[at], pairs.right[at], pairs.similarity[at])
    nobody = layer.model.calibrated and nobody_shared(comparison.tail, links, sizes)
    return (np.zeros_like(matched), True) if nobody else (matched, False)
