"""
The kernels of salted diffusion: what a value draws is read from its stream, and 64 records at a time are mixed by it.

A bit of a record is the XOR of some of its bits, the same ones for all records of a group. So 64 filters are turned on
their side, one word for each position; whole words are XORed, and the result is turned back.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk.compiled import compiled

Words = NDArray[np.uint64]
Ints = NDArray[np.int64]

WORD = 64


@compiled
def rows_of(stream: Words, below: int, sources: Ints, flips: Words) -> int:
    """
    Read rows of distinct numbers below the bound, and what flips a row, until sources are full; how many were found.

    A row of the stream has one more word than a row of sources, and is left out if it holds a number twice.
    """
    rows, t = sources.shape
    found, bound = 0, np.uint64(below)
    for start in range(0, len(stream), t + 1):
        if found == rows:
            break
        twice = False
        for i in range(t):
            number = np.int64(stream[start + i] % bound)
            for j in range(i):
                twice |= sources[found, j] == number
            sources[found, i] = number
        if not twice:
            flips[found] = np.uint64(0) - (stream[start + t] & np.uint64(1))
            found += 1
    return found


@compiled
def _turned(block: Words) -> None:
    """Swap bit j of word i with bit i of word j, for all of 64 words."""
    width, mask = 32, np.uint64(0xFFFFFFFF)
    while width:
        shift = np.uint64(width)
        for i in range(WORD):
            if not i & width:
                swapped = (block[i] >> shift ^ block[i | width]) & mask
                block[i] ^= swapped << shift
                block[i | width] ^= swapped
        width //= 2
        mask ^= mask << np.uint64(width)


@compiled
def mix(filters: Words, rows: Ints, sources: Ints, flips: Words, out: Words) -> None:
    """Put into the out of each of these rows the XORs of its bits that sources name, flipped."""
    length, t = sources.shape
    size, target = filters.shape[1], (length + WORD - 1) // WORD
    turned, mixed = np.empty((size, WORD), np.uint64), np.zeros((target, WORD), np.uint64)
    flat, block = turned.reshape(size * WORD), mixed.reshape(target * WORD)
    for start in range(0, len(rows), WORD):
        n = min(WORD, len(rows) - start)
        for word in range(size):
            for i in range(WORD):
                turned[word, i] = filters[rows[start + i], word] if i < n else np.uint64(0)
            _turned(turned[word])
        for bit in range(length):
            value = flips[bit]
            for i in range(t):
                value ^= flat[sources[bit, i]]
            block[bit] = value
        for bit in range(length, target * WORD):
            block[bit] = np.uint64(0)
        for word in range(target):
            _turned(mixed[word])
            for i in range(n):
                out[rows[start + i], word] = mixed[word, i]
