"""
Advice on the encoding, from what the layers found: do its parameters suit the data, and what is each attribute worth?

Both use the attribute unit's probabilities for the pairs that were opened, and no truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unveil.linkage.outcome import Outcomes, Reals

_LEAST = 0.5  # of a pair, added to each count so that no attribute seems perfect


@dataclass(frozen=True, slots=True)
class AttributeWorth:
    """How often an attribute agrees in matches (m) and in non-matches (u) among opened pairs."""

    name: str
    m: float
    u: float

    @property
    def weight(self) -> float:
        """log2(m / u) − log2((1 − m) / (1 − u)): bits between agreement and disagreement."""
        return float(np.log2(self.m / self.u) - np.log2((1 - self.m) / (1 - self.u)))


def attribute_worth(similarity: Reals, word: Outcomes, names: tuple[str, ...]) -> tuple[AttributeWorth, ...]:
    """Return each attribute's worth, counting every opened pair with its probability of being a match."""
    match = np.where(word.g, word.p, 1 - word.p)
    found = []
    for name, column in zip(names, similarity.T, strict=True):
        present = ~np.isnan(column)
        equal = column[present] == 1
        m, u = (
            float((weight[equal].sum() + _LEAST) / (weight.sum() + 2 * _LEAST))
            for weight in (match[present], 1 - match[present])
        )
        found.append(AttributeWorth(name, m, u))
    return tuple(found)


def suitability(similarity: Reals, word: Outcomes) -> float:
    """
    Return how well the record-level similarity tells apart what the attribute level calls matches and non-matches.

    It is the chance that a match is more similar than a non-match, among opened pairs: 1 if always, 0.5 if the encoding
    says nothing that the attribute level would confirm. Compare it between encodings of the same people.
    """
    if word.g.all() or not word.g.any():
        return 0.5
    order = np.argsort(similarity, kind="stable")
    rank = np.empty(len(order))
    rank[order] = np.arange(1, len(order) + 1)
    _, inverse, count = np.unique(similarity, return_inverse=True, return_counts=True)
    rank = (np.bincount(inverse, weights=rank) / count)[inverse]  # equals share their mean rank
    matches = int(word.g.sum())
    others = len(order) - matches
    return float((rank[word.g].sum() - matches * (matches + 1) / 2) / (matches * others))
