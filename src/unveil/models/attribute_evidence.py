"""
What the attribute unit knows about a pair, as numbers that mean the same for every schema.

Instead of one column per attribute these count and weigh what agrees, nearly agrees, disagrees or is missing, so that a
model learnt on one set of attributes carries over to another. What the record unit decided about the pair, and how
surely, is evidence too (`record_level`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Outcomes, Reals, log_odds
from unveil.schema import Schema

#: What each column of `summary_evidence` means.
ATTRIBUTE_EVIDENCE: Final = (
    "record unit's odds", "record unit's odds²", "weighted similarity", "weighted similarity²",
    "weight equal", "weight dissimilar", "weight near", "weight between", "weight missing",
    "share equal", "share dissimilar", "share near", "share missing",
    "rare agreements", "common agreements", "frequent agreements",
    "lowest similarity", "second lowest", "third lowest", "fourth lowest",
    "heaviest dissimilar", "several dissimilar", "none dissimilar", "at most one differs",
)  # fmt: skip
_NEAR = 0.7
_LOW = 0.55  # just above the similarity of unrelated filters that are 40 % full
_LOWEST = 4


def summary_evidence(similarity: Reals, agreement: NDArray[np.uint8], record_level: Outcomes, schema: Schema) -> Reals:
    """Return one row of evidence per pair, with the columns of ATTRIBUTE_EVIDENCE. Shares are out of 7 attributes."""
    weight = np.array([attribute.weight for attribute in schema.attributes])
    count = len(weight)
    weight = 7 * weight / weight.sum()
    missing, equal = np.isnan(similarity), similarity == 1
    filled = np.where(missing, 0.0, similarity)
    low = (filled < _LOW) & ~missing
    near = (filled >= _NEAR) & ~equal & ~missing
    between = ~(missing | equal | low | near)
    present = np.maximum((weight * ~missing).sum(axis=1), 0.1)
    score = (filled * weight).sum(axis=1) / present
    odds = np.clip(log_odds(record_level), -12, 12) / 5
    lowest = np.sort(np.where(missing, 1.0, similarity), axis=1)[:, :_LOWEST]
    lowest = np.pad(lowest, ((0, 0), (0, _LOWEST - lowest.shape[1])), constant_values=1.0)
    parts = [(weight * marks).sum(axis=1) for marks in (equal, low, near, between, missing)]
    shares = [7 * marks.sum(axis=1) / count for marks in (equal, low, near, missing)]
    ranks = [7 * ((agreement == rank) & equal).sum(axis=1) / count for rank in (3, 2, 1)]
    differing = low.sum(axis=1)
    columns = [
        odds, odds**2, score, score**2, *parts, *shares, *ranks, *lowest.T,
        (weight * low).max(axis=1), differing > 1, differing == 0, (~equal & ~missing).sum(axis=1) <= 1,
    ]  # fmt: skip
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)
