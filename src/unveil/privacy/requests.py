"""The policies that KAPR compares: which values of a pair are provided to the review unit."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unveil.linkage.shown import EQUAL, SHOWN, states

RequestPolicy = Literal["all", "unequal", "between"]
Marks = NDArray[np.bool_]


def disclosed(
    similarity: ArrayLike, left: Marks, right: Marks, *, policy: RequestPolicy, lower: ArrayLike = 0.4
) -> tuple[Marks, Marks]:
    """
    Return which values of the left and of the right records are provided; every array has shape (n, D).

    `left` and `right` mark the values that are present, `similarity` is NaN where either is missing.

    - all: every value that is present
    - unequal: every present value unless the two are equal; a value without a counterpart is unequal
    - between: lower < similarity < 1, what the protocol does
    """
    state = states(similarity, lower)
    match policy:
        case "all":
            asked = np.ones(state.shape, dtype=bool)
        case "unequal":
            asked = state != EQUAL
        case "between":
            asked = state == SHOWN
    return asked & left, asked & right
