"""
Which attribute a bit of a record's filter is of, from records whose attributes' similarities are known.

Two records that agree in a name agree in the bits that are sampled from it. Whoever holds filters and, for some pairs,
the similarity of every attribute (a record and an attribute unit in one hand) regresses the agreement of each bit on
these: the attribute that counts most is the one that the bit is of. Then every attribute has a filter of its own.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

#: What is added to the variance of similarities, so that attributes that hardly vary do not seem to tell most.
_RIDGE: Final = 1e-3


def attribute_of_bits(
    left: NDArray[np.uint8], right: NDArray[np.uint8], similarity: NDArray[np.float64]
) -> NDArray[np.int64]:
    """
    For each bit the attribute that it is taken for.

    `left` and `right` are the bits of the records of each pair, of shape (pairs, m), and `similarity` that of each
    attribute, (pairs, D), NaN where it is not known.
    """
    known = np.where(np.isnan(similarity), np.nanmean(similarity, axis=0), similarity)
    centred = known - known.mean(axis=0)
    covariance = centred.T @ centred / len(centred)
    inverse = np.linalg.inv(covariance + _RIDGE * np.eye(len(covariance)))
    # A bit that is one in both says most: filters are less than half full.
    both = (left & right).astype(np.float64)
    together = centred.T @ (both - both.mean(axis=0)) / len(centred)
    slope = inverse @ together
    told = slope / np.sqrt(np.diag(inverse))[:, None]
    return told.argmax(axis=0).astype(np.int64)
