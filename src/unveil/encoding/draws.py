"""
Keyed choices: permutations and positions that everybody with the key draws alike.

The stream of a key is HMAC-SHA256(key, uint64_le(i)), i = 0, 1, 2, …, read as little-endian 64-bit words. It is as wide
as the key; a generator seeded with 32 or 64 bits could be searched.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from itertools import count, islice

import numpy as np
from numpy.typing import NDArray

_WORDS_PER_BLOCK = 4


def permutation(key: bytes, n: int) -> NDArray[np.int64]:
    """A permutation of 0 … n−1: the order that sorts the first n words of the key's stream, ties by position."""
    blocks = -(-n // _WORDS_PER_BLOCK)
    raw = b"".join(_block(key, i) for i in range(blocks))
    return np.argsort(np.frombuffer(raw, dtype="<u8")[:n], kind="stable")


def draw(key: bytes, below: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Independent numbers below the bound, with replacement, row by row."""
    numbers = np.fromiter(islice(_numbers(key, below), shape[0] * shape[1]), dtype=np.int64)
    return numbers.reshape(shape)


def draw_distinct(key: bytes, below: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """As `draw`, but a number that the row already has is skipped."""
    rows, t = shape
    out = np.empty(shape, dtype=np.int64)
    numbers = _numbers(key, below)
    for row in range(rows):
        chosen: dict[int, None] = {}
        while len(chosen) < t:
            chosen[next(numbers)] = None
        out[row] = tuple(chosen)
    return out


def _numbers(key: bytes, below: int) -> Iterator[int]:
    """Words of the stream mod the bound; words at or above the bound's last multiple are skipped (no modulo bias)."""
    limit = below * ((1 << 64) // below)
    for i in count():
        block = _block(key, i)
        for start in range(0, len(block), 8):
            word = int.from_bytes(block[start : start + 8], "little")
            if word < limit:
                yield word % below


def _block(key: bytes, i: int) -> bytes:
    return hmac.digest(key, i.to_bytes(8, "little"), "sha256")
