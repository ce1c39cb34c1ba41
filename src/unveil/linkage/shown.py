"""
What a reviewer may be shown of each attribute, decided from its similarity before any value is sent.

Only values that are alike but not equal are asked for: equal ones and dissimilar ones say enough by a word. Filters of
unrelated values have bits in common by chance, more of them the fuller they are, so alike means: more than by chance.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.linkage.bits import Words

EQUAL: Final = 0
DISSIMILAR: Final = 1
MISSING: Final = 2
SHOWN: Final = 3

_ENOUGH: Final = 30  # values that a bound is learnt from
#: Standard deviations above what is expected of unrelated values.
DEVIATIONS: Final = 3

#: Name of each state by its code, as messages and displays write it.
STATES: Final = ("equal", "dissimilar", "missing", "shown")

#: Characters of a shown value that are never masked, because they are layout rather than content.
SEPARATORS: Final = frozenset("-/ ")


def states(similarity: ArrayLike, lower: ArrayLike) -> NDArray[np.uint8]:
    """
    Return the state of each pair and attribute as a code, an index into STATES.

    EQUAL at 1, SHOWN for lower < similarity < 1 (both strict), DISSIMILAR at or below lower, MISSING where the
    similarity is NaN. `lower` is one bound, one for each attribute (the last axis), or one for each value.
    """
    sim = np.asarray(similarity, dtype=np.float64)
    code = np.where(sim > np.asarray(lower, dtype=np.float64), SHOWN, DISSIMILAR)
    code = np.where(sim >= 1.0, EQUAL, code)
    return np.where(np.isnan(sim), MISSING, code).astype(np.uint8)


def learnt_bounds(
    similarity: NDArray[np.float64], g: NDArray[np.bool_], *, lower: float, quantile: float
) -> NDArray[np.float64]:
    """
    Return for each attribute the similarity up to which its values are not worth showing, at least `lower`.

    It is the quantile of the attribute's similarity among unequal values of pairs that are non-matches by now:
    neighbouring ZIP codes of strangers look alike, so only closer ones can tell a reviewer anything. Fewer than 30
    such values teach nothing, and `lower` stays.
    """
    bounds = np.full(similarity.shape[1], lower)
    for column in range(similarity.shape[1]):
        values = similarity[~g, column]
        values = values[~np.isnan(values) & (values < 1)]
        if len(values) >= _ENOUGH:
            bounds[column] = max(lower, float(np.quantile(values, quantile)))
    return bounds


def chance_bounds(left: Words, right: Words, m: int) -> NDArray[np.float64]:
    """
    Return for each pair and attribute the similarity that unrelated filters of that fill hardly ever exceed.

    With a and b ones among m bits, c common ones are expected by chance: c = a·b/m, with the variance of the
    hypergeometric distribution, a·b·(m − a)·(m − b) / (m²·(m − 1)). The bound is 2·(c + 3·σ) / (a + b), and 1 at most.
    Filters have shape (n, D, words). A missing value needs no bound: it is 0.
    """
    a = np.bitwise_count(left).sum(axis=2, dtype=np.int64).astype(np.float64)
    b = np.bitwise_count(right).sum(axis=2, dtype=np.int64).astype(np.float64)
    spread = np.sqrt(a * b * (m - a) * (m - b) / (m**2 * max(1, m - 1)))
    common = a * b / m + DEVIATIONS * spread
    both = (a > 0) & (b > 0)
    return np.minimum(1.0, np.divide(2 * common, a + b, out=np.zeros_like(a), where=both))
