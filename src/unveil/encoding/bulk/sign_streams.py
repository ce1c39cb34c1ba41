"""
The kernel of signs: for every pair a key, under it the streams of one value's tokens, and of these the majority.

The keys are made here too, as in `pair_streams`, and never leave the kernel. Nor do the streams: only sums are kept.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk.compiled import compiled
from unveil.encoding.bulk.grams import TOKEN_BYTES, Grams
from unveil.encoding.bulk.sha256 import (
    BLOCK_BYTES,
    LANES,
    Bytes,
    Ints,
    Words,
    absorb,
    close,
    compress,
    copy,
    joined,
    key_states,
    scratch,
)
from unveil.encoding.bulk.streams import Filters, fill_blocks
from unveil.encoding.signs import BLOCK, WHOLE, whole

#: What a token's bits count for; those of the whole set decide where the others are even.
_TOKEN, _TIE, _MARK = 2, 1, 0
_BYTE, _WORD = 8, 32

Sums = NDArray[np.int32]


def with_whole_sets(grams: Grams) -> tuple[Grams, Ints]:
    """Every value's tokens once each, then its whole set and no token; for each of the ids what its bits count for."""
    n, values = len(grams.spelled), len(grams.first)
    sizes = grams.last - grams.first
    owner = np.repeat(np.arange(values), sizes)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    once = np.unique(owner * max(1, n) + grams.ids[grams.first[owner] + within])
    owner, ids = once // max(1, n), once % max(1, n)
    filled = np.flatnonzero(np.bincount(owner, minlength=values))
    digests = b"".join(whole(tokens) for tokens in grams.sets() if tokens)
    spelled = np.zeros((n + len(filled) + 1, TOKEN_BYTES), dtype=np.uint8)
    spelled[:n] = grams.spelled
    spelled[n:-1, :WHOLE] = np.frombuffer(digests, dtype=np.uint8).reshape(-1, WHOLE)
    lengths = np.concatenate([grams.lengths, np.full(len(filled), WHOLE), [0]])
    of_all = np.concatenate([owner, filled, filled])
    order = np.argsort(of_all, kind="stable")
    ids = np.concatenate([ids, n + np.arange(len(filled)), np.full(len(filled), n + len(filled))])[order]
    counts = np.repeat([_TOKEN, _TIE, _MARK], [len(owner), len(filled), len(filled)])[order]
    borders = np.cumsum(np.bincount(of_all, minlength=values))
    first = np.concatenate([[0], borders[:-1]]).astype(np.int64)
    return Grams(spelled, lengths, ids, first, borders.astype(np.int64)), counts.astype(np.int64)


@compiled
def _add_bits(digest: Words, counts: Ints, rows: Ints, block: int, sums: Sums, marks: Filters) -> None:
    """Add the digests' bits to the sums of their rows; the first 64 bits of what counts for nothing are the mark."""
    for lane in range(len(rows)):
        row, worth = rows[lane], np.int32(counts[lane])
        if worth == 0:
            if block == 0:
                mark = np.uint64(0)
                for i in range(8):
                    byte = digest[i // 4 * LANES + lane] >> np.uint32(24 - 8 * (i % 4)) & np.uint32(255)
                    mark |= np.uint64(byte) << np.uint64(_BYTE * i)
                marks[row] = mark
            continue
        for i in range(8):
            word = digest[i * LANES + lane]
            at = block * BLOCK + _WORD * i
            for byte in range(4):
                part = np.int32(word >> np.uint32(24 - 8 * byte) & np.uint32(255))
                for bit in range(8):
                    sums[row, at + _BYTE * byte + bit] += worth * (part >> bit & 1)


@compiled
def _add_streams(
    chosen: Ints,
    lanes: Ints,
    counts: Ints,
    tokens: Words,
    inner: Words,
    outer: Words,
    blocks: int,
    sums: Sums,
    marks: Filters,
    w: Words,
    v: Words,
) -> None:
    """Add the streams of these tokens, each under the HMAC states of its lane, to the sums of that lane."""
    digest, ends = np.empty(8 * LANES, np.uint32), np.empty(8 * LANES, np.uint32)
    for block in range(blocks):
        fill_blocks(w, block, chosen, tokens)
        for i in range(8):
            for lane in range(len(chosen)):
                digest[i * LANES + lane] = inner[i * LANES + lanes[lane]]
                ends[i * LANES + lane] = outer[i * LANES + lanes[lane]]
        compress(digest, w, v)
        close(digest, ends, w, v)
        _add_bits(digest, counts, lanes, block, sums, marks)


@compiled
def _set_signs(sums: Sums, sizes: Ints, marks: Filters, rows: int, start: int, signs: int, out: Filters) -> None:
    """Set out[start + i] to the signs of sums i, more than half of a value's tokens each, and to its mark."""
    for lane in range(rows):
        if sizes[lane] == 0:
            continue
        for bit in range(signs):
            if sums[lane, bit] > sizes[lane]:
                out[start + lane, bit // 64] |= np.uint64(1) << np.uint64(bit % 64)
        out[start + lane, signs // 64] = marks[lane]


@compiled
def sign_rows(
    start: int,
    stop: int,
    prk: Words,
    texts: Bytes,
    bounds: Ints,
    pieces: Ints,
    values: Ints,
    first: Ints,
    last: Ints,
    ids: Ints,
    counts: Ints,
    tokens: Words,
    signs: int,
    out: Filters,
) -> None:
    """Set out[i] to the signs and the mark of value values[i] under the key HMAC(prk, pieces i of the texts)."""
    w, v = scratch()
    size, blocks = 8 * LANES, (signs + BLOCK - 1) // BLOCK
    root_inner, root_outer = np.empty(size, np.uint32), np.empty(size, np.uint32)
    inner, outer, digest = np.empty(size, np.uint32), np.empty(size, np.uint32), np.empty(size, np.uint32)
    keys = np.zeros(2 * size, np.uint32)  # a key fills half a block, and zeros the other half
    chosen, lanes, worth = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    sums, sizes = np.empty((LANES, blocks * BLOCK), np.int32), np.empty(LANES, np.int64)
    marks = np.empty(LANES, np.uint64)
    key_states(prk, root_inner, root_outer, w, v)
    for batch in range(start, stop, LANES):
        n = min(LANES, stop - batch)
        infos, starts = joined(texts, bounds, pieces[batch : batch + n])
        copy(digest, root_inner)
        absorb(digest, infos, starts, BLOCK_BYTES, w, v)
        close(digest, root_outer, w, v)
        copy(keys, digest)
        key_states(keys, inner, outer, w, v)
        for lane in range(n):
            for bit in range(blocks * BLOCK):
                sums[lane, bit] = 0
        held = 0
        for lane in range(n):
            value = values[batch + lane]
            # Beside the tokens stand their whole set and no token.
            sizes[lane] = max(0, last[value] - first[value] - 2)
            for t in range(first[value], last[value]):
                chosen[held], lanes[held], worth[held] = ids[t], lane, counts[t]
                held += 1
                if held == LANES:
                    _add_streams(chosen, lanes, worth, tokens, inner, outer, blocks, sums, marks, w, v)
                    held = 0
        if held:
            _add_streams(chosen[:held], lanes[:held], worth[:held], tokens, inner, outer, blocks, sums, marks, w, v)
        _set_signs(sums, sizes, marks, n, batch, signs, out)
