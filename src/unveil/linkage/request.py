"""
What a reviewer may be shown of each attribute, decided from its similarity before any value is sent.

Only values that are alike but not equal are asked for: equal ones and dissimilar ones say enough by a word.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

EQUAL: Final = 0
DISSIMILAR: Final = 1
MISSING: Final = 2
SHOWN: Final = 3

#: Name of each state by its code, as messages and displays write it.
STATES: Final = ("equal", "dissimilar", "missing", "shown")

#: Characters of a shown value that are never masked, because they are layout rather than content.
SEPARATORS: Final = frozenset("-/ ")


def states(similarity: ArrayLike, lower: ArrayLike) -> NDArray[np.uint8]:
    """
    Return the state of each pair and attribute as a code, an index into STATES.

    EQUAL at 1, SHOWN for lower < similarity < 1 (both strict), DISSIMILAR at or below lower, MISSING where the
    similarity is NaN. `lower` is one bound, or one for each attribute (the last axis).
    """
    sim = np.asarray(similarity, dtype=np.float64)
    code = np.where(sim > np.asarray(lower, dtype=np.float64), SHOWN, DISSIMILAR)
    code = np.where(sim >= 1.0, EQUAL, code)
    return np.where(np.isnan(sim), MISSING, code).astype(np.uint8)
