"""
In which order a byte of a filter is written, and filters as such bytes.

For the bits 0 and 9 of 16, most significant first writes 80 40 and least significant first 01 02. Nothing in the bytes
tells which of the two it is: whoever reads them has to know who wrote them.
"""

from __future__ import annotations

from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Words, word_count

BitOrder = Literal["most significant first", "least significant first"]

MOST: Final[BitOrder] = "most significant first"
LEAST: Final[BitOrder] = "least significant first"

#: Every byte with its bits the other way round.
_REVERSED: Final = np.packbits(
    np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), axis=1, bitorder="little"
).ravel()


def byte_count(m: int) -> int:
    """Bytes that hold m bits."""
    return -(-m // 8)


def filter_words(rows: NDArray[np.uint8], m: int, order: BitOrder) -> Words:
    """The filters of m bits in rows of ⌈m/8⌉ bytes."""
    if rows.ndim != 2 or rows.shape[1] != byte_count(m):  # noqa: PLR2004 - rows and bytes
        raise ValueError(f"filters of {m} bits need {byte_count(m)} bytes a row")
    padded = np.zeros((len(rows), word_count(m) * 8), np.uint8)
    padded[:, : rows.shape[1]] = _REVERSED[rows] if order == MOST else rows
    return padded.view("<u8").astype(np.uint64, copy=False)


def filter_rows(words: Words, m: int, order: BitOrder) -> NDArray[np.uint8]:
    """The filters of m bits as rows of ⌈m/8⌉ bytes."""
    rows = np.ascontiguousarray(words, "<u8").view(np.uint8)[:, : byte_count(m)]
    return _REVERSED[rows] if order == MOST else np.ascontiguousarray(rows)
