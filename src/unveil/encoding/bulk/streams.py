"""
Kernels that go from tokens to bits: the definitions of `hashing` and `filters` for whole columns, bit for bit.

A row of uint64 words is a filter. Every kernel works on the rows from `start` to `stop` (see `compiled.shared`) and
hashes in the lanes of `sha256`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk.compiled import compiled
from unveil.encoding.bulk.grams import TOKEN_BYTES, Grams
from unveil.encoding.bulk.sha256 import (
    BLOCK_BYTES,
    LANES,
    Ints,
    Words,
    close,
    compress,
    key_states,
    scratch,
)

Filters = NDArray[np.uint64]

_COUNTER_BYTES = 4
#: Words of a block after the counter: the token and the bit that ends the message.
_TOKEN_WORDS = TOKEN_BYTES // 4 + 1
u32 = np.uint32


def prepared(grams: Grams) -> Words:
    """
    For every token the words of its HMAC block: the token and the bit that ends it, then the message's length in bits.

    Only the counter is missing. Counter and token always fit into one block.
    """
    n = len(grams.spelled)
    raw = np.zeros((n, _TOKEN_WORDS * 4), dtype=np.uint8)
    raw[:, :TOKEN_BYTES] = grams.spelled
    raw[np.arange(n), grams.lengths] = 0x80
    out = np.empty((n, _TOKEN_WORDS + 1), dtype=np.uint32)
    out[:, :_TOKEN_WORDS] = raw.view(">u4")
    out[:, _TOKEN_WORDS] = (BLOCK_BYTES + _COUNTER_BYTES + grams.lengths) * 8
    return out


@compiled
def fill_blocks(w: Words, counter: int, chosen: Ints, tokens: Words) -> None:
    """Put the message uint32_le(counter) ‖ token into the lane of every chosen token."""
    little = (counter & 255) << 24 | (counter & 0xFF00) << 8 | (counter >> 8 & 0xFF00) | counter >> 24
    for i in range((_TOKEN_WORDS + 1) * LANES, 15 * LANES):
        w[i] = u32(0)
    for lane in range(len(chosen)):
        w[lane] = u32(little)
        token = tokens[chosen[lane]]
        for i in range(_TOKEN_WORDS):
            w[(i + 1) * LANES + lane] = token[i]
        w[15 * LANES + lane] = token[_TOKEN_WORDS]


@compiled
def _set_bits(digest: Words, taken: Ints, rows: Ints, m: int, h: int, out: Filters) -> int:
    """Set the positions in the digests' sixteen words, as many as are still due; return how many lanes want more."""
    limit = m * (65536 // m)
    due = 0
    for lane in range(len(rows)):
        for i in range(16):
            # Two bytes of the digest, the earlier one worth less.
            half = np.int64(digest[(i // 2) * LANES + lane] >> u32(16 * (1 - i % 2))) & 0xFFFF
            word = half >> 8 | (half & 255) << 8
            if word < limit and taken[lane] < h:
                position = word % m
                out[rows[lane], position // 64] |= np.uint64(1) << np.uint64(position % 64)
                taken[lane] += 1
        due += taken[lane] < h
    return due


@compiled
def set_positions(
    chosen: Ints,
    keys: Ints,
    rows: Ints,
    tokens: Words,
    inner: Words,
    outer: Words,
    m: int,
    h: int,
    out: Filters,
    w: Words,
    v: Words,
) -> None:
    """
    Set in filter rows[j] the h positions of token chosen[j] under the HMAC states of lane keys[j].

    Words at or above m·⌊65536/m⌋ are skipped, so some streams run longer than others: blocks are made until all have h.
    """  # fmt: skip
    n = len(chosen)
    taken = np.empty(n, np.int64)
    for lane in range(n):
        taken[lane] = 0
    digest, ends = np.empty(8 * LANES, np.uint32), np.empty(8 * LANES, np.uint32)
    counter, due = 0, n
    while due:
        fill_blocks(w, counter, chosen, tokens)
        for i in range(8):
            for lane in range(n):
                digest[i * LANES + lane] = inner[i * LANES + keys[lane]]
                ends[i * LANES + lane] = outer[i * LANES + keys[lane]]
        compress(digest, w, v)
        close(digest, ends, w, v)
        due = _set_bits(digest, taken, rows, m, h, out)
        counter += 1


@compiled
def token_rows(start: int, stop: int, tokens: Words, key: Words, m: int, h: int, out: Filters) -> None:
    """Set the positions of token t, under one key, in out[t]."""
    w, v = scratch()
    inner, outer = np.empty(8 * LANES, np.uint32), np.empty(8 * LANES, np.uint32)
    key_states(key, inner, outer, w, v)
    for first in range(start, stop, LANES):
        n = min(LANES, stop - first)
        chosen, keys = np.empty(n, np.int64), np.empty(n, np.int64)
        for lane in range(n):
            chosen[lane], keys[lane] = first + lane, 0
        set_positions(chosen, keys, chosen, tokens, inner, outer, m, h, out, w, v)


@compiled
def _or(target: Filters, mask: Filters) -> None:
    for i in range(len(target)):
        target[i] |= mask[i]


@compiled
def value_rows(start: int, stop: int, first: Ints, last: Ints, ids: Ints, masks: Filters, out: Filters) -> None:
    """OR the masks of value v's tokens into out[v]."""
    for value in range(start, stop):
        for t in range(first[value], last[value]):
            _or(out[value], masks[ids[t]])


@compiled
def or_values(start: int, stop: int, codes: NDArray[np.int32], offsets: Ints, masks: Filters, out: Filters) -> None:
    """OR masks[offsets[a] + codes[a, row]] into out[row], for every attribute a."""
    for row in range(start, stop):
        for a in range(len(offsets)):
            _or(out[row], masks[offsets[a] + codes[a, row]])
