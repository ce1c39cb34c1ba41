"""
Bit matrices: one filter per row, packed into 64-bit words.

Bit i of a filter is bit i % 64 (least significant first) of word i // 64. On the wire and on disk a row is its words in
little-endian order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]


@dataclass(frozen=True)
class Bits:
    """Filters of m bits each, as `words` of shape (n, ceil(m / 64))."""

    words: Words
    m: int

    def __post_init__(self) -> None:
        if self.words.ndim != 2 or self.words.shape[1] != word_count(self.m):  # noqa: PLR2004 - rows and words
            raise ValueError(f"filters of {self.m} bits need {word_count(self.m)} words a row")

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Bits(<{len(self)} filters of {self.m} bits>)"

    @cached_property
    def popcounts(self) -> NDArray[np.int32]:
        """Number of ones in each filter."""
        return np.bitwise_count(self.words).sum(axis=1, dtype=np.int32)

    @classmethod
    def from_bytes(cls, data: bytes | memoryview, m: int) -> Bits:
        """The filters in a wire column, without copying it."""
        words = np.frombuffer(data, dtype="<u8").reshape(-1, word_count(m))
        return cls(words, m)

    def to_bytes(self) -> bytes:
        """The wire column of these filters."""
        return np.ascontiguousarray(self.words, dtype="<u8").tobytes()


def word_count(m: int) -> int:
    """Words that hold m bits."""
    return -(-m // 64)


def dice(common: NDArray[np.integer], left: NDArray[np.integer], right: NDArray[np.integer]) -> NDArray[np.float64]:
    """
    Return the Dice similarity of filters with that many ones in common, left and right.

    2·|A∧B| / (|A| + |B|), and 0 where both are empty.
    """
    total = left.astype(np.int64) + right
    return np.divide(2.0 * common, total, out=np.zeros(total.shape), where=total > 0)
