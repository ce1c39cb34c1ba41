"""
Random hashing: from tokens to bit positions under a key.

Block i of the stream of token w under key k is HMAC-SHA256(k, uint32_le(i) ‖ utf8(w)), i = 0, 1, 2, … The blocks are
read as little-endian 16-bit words. Words at or above m·⌊65536/m⌋ are skipped, so that no position is favoured; the
first h words left, mod m, are the token's positions, with replacement. The stream keeps HMAC's full width: a seed of 32
or 48 bits in between could be tried out.

What stands here hashes token by token through a library: for small batches, and as the reference of `streams`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.hmac import HMAC
from numpy.typing import NDArray

from unveil.encoding.bits import chunks, pack
from unveil.linkage.bits import word_count

#: Tokens to hash, with the key to hash them under.
Job = tuple[bytes, Sequence[bytes]]

_WORDS_PER_BLOCK = 16
_WORD_VALUES = 1 << 16


def positions(jobs: Sequence[Job], *, m: int, h: int) -> NDArray[np.uint16]:
    """The h positions of every token of every job, one row per token, in order."""
    limit = m * (_WORD_VALUES // m)
    blocks = -(-h * _WORD_VALUES // (limit * _WORDS_PER_BLOCK))
    words = _stream(jobs, range(blocks))
    if limit < _WORD_VALUES:
        words = _first_below(words, jobs, limit=limit, h=h)
    return words[:, :h] % np.uint16(m) if m < _WORD_VALUES else words[:, :h]


def masks(places: NDArray[np.uint16], *, m: int) -> NDArray[np.uint64]:
    """For every row of positions the filter with these bits set."""
    out = np.empty((len(places), word_count(m)), dtype=np.uint64)
    for part in chunks(len(places), m):
        rows = places[part]
        out[part] = gathered(rows, np.arange(len(rows)), len(rows), m=m)
    return out


def gathered(places: NDArray[np.uint16], owner: NDArray[np.int64], n: int, *, m: int) -> NDArray[np.uint64]:
    """Return n filters: the positions in row i are set in filter owner[i]."""
    unpacked = np.zeros((n, m), dtype=np.uint8)
    unpacked[owner[:, None], places] = 1
    return pack(unpacked)


def streams(jobs: Sequence[Job], blocks: range) -> NDArray[np.uint8]:
    """These blocks of every token's stream as bytes, one row per token."""
    counters = [block.to_bytes(4, "little") for block in blocks]
    digests: list[bytes] = []
    append, sha256 = digests.append, SHA256()
    for key, tokens in jobs:
        # Copying a keyed HMAC is less than half the price of keying it again.
        copy = HMAC(key, sha256).copy
        for token in tokens:
            for counter in counters:
                mac = copy()
                mac.update(counter + token)
                append(mac.finalize())
    return np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 2 * _WORDS_PER_BLOCK * len(counters))


def _stream(jobs: Sequence[Job], blocks: range) -> NDArray[np.uint16]:
    """The same as words of 16 bits."""
    return streams(jobs, blocks).view("<u2").astype(np.uint16, copy=False)


def _first_below(words: NDArray[np.uint16], jobs: Sequence[Job], *, limit: int, h: int) -> NDArray[np.uint16]:
    """The first h words of every row's stream that lie below the limit; streams that run short are read on."""
    kept = words < limit
    while len(words) and kept.sum(axis=1).min() < h:
        block = words.shape[1] // _WORDS_PER_BLOCK
        words = np.hstack([words, _stream(jobs, range(block, block + 1))])
        kept = words < limit
    first = np.argsort(~kept, axis=1, kind="stable")[:, :h]
    return np.take_along_axis(words, first, axis=1)
