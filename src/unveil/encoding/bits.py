"""Packed bits: bit i of a row is bit i % 64 of word i // 64, least significant first; little-endian on the wire."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import word_count

#: Unpacked or gathered rows that are held at a time stay below this, so that memory does not grow with the records.
CHUNK_BYTES = 1 << 24


def pack(unpacked: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Rows of zeros and ones as words; the bits past the last are zero."""
    n, m = unpacked.shape
    packed = np.zeros((n, word_count(m) * 8), dtype=np.uint8)
    packed[:, : -(-m // 8)] = np.packbits(unpacked, axis=1, bitorder="little")
    return packed.view("<u8").astype(np.uint64, copy=False)


def unpack(packed: NDArray[np.uint64], m: int) -> NDArray[np.uint8]:
    """The first m bits of every row as zeros and ones."""
    return np.unpackbits(wire(packed), axis=1, count=m, bitorder="little")


def wire(packed: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """The bytes of every row as they are sent: each word little-endian."""
    return np.ascontiguousarray(packed, dtype="<u8").view(np.uint8)


def chunks(n: int, row_bytes: int) -> Iterator[slice]:
    """Slices that cover n rows, each of at most CHUNK_BYTES (but at least eight rows)."""
    step = max(8, CHUNK_BYTES // max(1, row_bytes) // 8 * 8)
    for start in range(0, n, step):
        yield slice(start, min(n, start + step))


def or_rows(target: NDArray[np.uint64], rows: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
    """OR rows[codes[i]] into target[i], for every i."""
    for part in chunks(len(target), rows.shape[1] * 8):
        target[part] |= rows[codes[part]]
