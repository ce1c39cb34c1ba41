"""
Values from how often their encodings occur: the oldest attack, and why no two pairs share a key.

Equal values have equal filters under one key. The most frequent filter is the most frequent value's, the next one the
next one's: with a register of people of the same place their ranks name most of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words

Codes = NDArray[np.int64]


def guessed_by_frequency(encodings: Words, register: Codes) -> Codes:
    """
    For each encoding of one attribute, of shape (n, words), the code of the value that it is taken for; -1 for none.

    `register` has the code of the value of each entry of the attacker's register, -1 where it is missing. Filters
    without a one are missing values. Filters are ranked by how often they occur, values likewise, and rank names rank.
    """
    there = np.flatnonzero(encodings.any(axis=1))
    out = np.full(len(encodings), -1, np.int64)
    if not len(there):
        return out
    rows = np.ascontiguousarray(encodings[there]).view(f"V{encodings.shape[1] * 8}").ravel()
    _, which, times = np.unique(rows, return_inverse=True, return_counts=True)
    values, frequency = np.unique(register[register >= 0], return_counts=True)
    of_rank = values[np.argsort(-frequency, kind="stable")]
    rank = np.empty(len(times), np.int64)
    rank[np.argsort(-times, kind="stable")] = np.arange(len(times))
    named = np.append(of_rank, -1)[np.minimum(rank, len(of_rank))]
    out[there] = named[which.ravel()]
    return out
