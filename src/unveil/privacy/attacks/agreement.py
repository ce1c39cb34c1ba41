"""How much filters of one side agree with each other: what an attacker sees, and what it expects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class View:
    """
    One way in which records are alike: seen among the filters, and expected among entries of the attacker's register.

    Both are square, with zeros on the diagonal. `noise` is the variance of what is seen around what is expected of the
    same two people.
    """

    seen: Matrix
    expected: Matrix
    noise: float


def signs(bits: NDArray[np.uint8]) -> Matrix:
    """Bits as +1 and -1: their products are XORs, and means of products are agreements."""
    return (1 - 2 * bits.astype(np.int8)).astype(np.float32)


def agreements(bits: NDArray[np.uint8]) -> Matrix:
    """1 - 2d/m for every two rows, that differ in d of m bits; 0 for a row and itself."""
    each = signs(bits)
    out: Matrix = each @ each.T
    out /= np.float32(bits.shape[1])
    np.fill_diagonal(out, 0)
    return out
