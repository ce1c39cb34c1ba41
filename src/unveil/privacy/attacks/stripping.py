"""
Undoing a diffusion, which is linear: filters are sums of rows of one matrix over GF(2), a row for each input bit.

Every input bit goes into few output bits, so that the matrix has light rows, and filters that are sums of them span a
code with light words. Where there are more output bits than input bits, elimination in a random order of columns
lets some of these words stand by themselves; after a few orders all are known, and which of them a filter is the sum of
are its input bits, in some order: the plain similarities are back. It needs more filters than there are input bits,
and no person who is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bits import pack, unpack

Bits = NDArray[np.uint8]
Words = NDArray[np.uint64]

#: Orders after which nothing lighter is expected, if the last ones found nothing.
_ENOUGH: Final = 8
#: A word that is at most so many times as heavy as a typical one is taken for a row of the matrix.
_TRUSTED: Final = 1.5


def stripped(
    bits: Bits, rng: np.random.Generator, *, orders: int = 60, told: Callable[[int, int], None] = lambda _, __: None
) -> Bits:
    """The input bits behind these filters, in an order of their own, up to flips; as many as were found."""
    # A bit that is flipped for all records alike would make the code an affine one.
    differences = bits ^ bits[:1]
    words = pack(light_words(differences, rng, orders=orders, told=told))
    pivots, turned = _eliminated(words, np.arange(bits.shape[1]), beside=pack(np.eye(len(words), dtype=np.uint8)))
    return _product(differences[:, pivots], unpack(turned, len(words)))


def light_words(
    bits: Bits, rng: np.random.Generator, *, orders: int = 60, told: Callable[[int, int], None] = lambda _, __: None
) -> Bits:
    """The lightest basis that was found of all that these rows add up to."""
    m = bits.shape[1]
    basis = _independent(pack(bits), most=min(bits.shape))
    best, since = basis, 0
    for number in range(orders):
        reduced = basis.copy()
        _eliminated(reduced, _order(best, m, rng))
        together = np.vstack([best, reduced])
        lightest = np.argsort(_weights(together), kind="stable")
        lighter = _independent(together[lightest], most=len(basis))
        since = 0 if _weights(lighter).sum() < _weights(best).sum() else since + 1
        best = lighter
        told(number + 1, orders)
        if since == _ENOUGH:
            break
    return unpack(best, m)


def _order(best: Words, m: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """
    Columns at random, those first that many known words share.

    A word stands by itself if it has one of the first columns that are independent. What is known already is to use up
    the columns that it alone is made of, so that words still unknown have few of them.
    """
    weights = _weights(best)
    trusted = best[weights <= _TRUSTED * np.median(weights)]
    shared = unpack(trusted, m).sum(axis=0, dtype=np.int64)
    return np.argsort(-shared + rng.random(m) * rng.choice([1.0, 2.0, m]), kind="stable")


def _independent(words: Words, *, most: int) -> Words:
    """The first words that are no sums of words before them."""
    left = words.copy()
    kept: list[int] = []
    for row in range(len(words)):
        if len(kept) == most:
            break
        bit = _first_bit(left[row])
        if bit is not None:
            kept.append(row)
            below = left[row + 1 :]
            below[_has(below, bit)] ^= left[row]
    return words[kept]


def _eliminated(words: Words, order: NDArray[np.int64], *, beside: Words | None = None) -> tuple[list[int], Words]:
    """
    Bring independent words into reduced form, in place: each has a column that no other has, the first in this order.

    Returns these columns, in the order of the words, and `beside` after the same steps.
    """
    other = words[:, :0] if beside is None else beside
    pivots, free = [0] * len(words), np.ones(len(words), bool)
    for column in order.tolist():
        has = _has(words, column)
        rows = np.flatnonzero(has & free)
        if not len(rows):
            continue
        row = int(rows[0])
        pivots[row], free[row], has[row] = column, False, False
        words[has] ^= words[row]
        other[has] ^= other[row]
        if not free.any():
            break
    return pivots, other


def _product(left: Bits, right: Bits) -> Bits:
    """The product over GF(2); sums of ones stay exact in float32 up to 16 million."""
    return (np.rint(left.astype(np.float32) @ right.astype(np.float32)).astype(np.int64) & 1).astype(np.uint8)


def _weights(words: Words) -> NDArray[np.int64]:
    return np.bitwise_count(words).sum(axis=1, dtype=np.int64)


def _first_bit(word: NDArray[np.uint64]) -> int | None:
    places = np.flatnonzero(word)
    if not len(places):
        return None
    lowest = int(word[places[0]])
    return int(places[0]) * 64 + (lowest & -lowest).bit_length() - 1


def _has(words: NDArray[np.uint64], bit: int) -> NDArray[np.bool_]:
    return (words[:, bit // 64] >> np.uint64(bit % 64)) & np.uint64(1) == 1
