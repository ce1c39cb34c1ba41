"""
The kernel of signs: for every pair a key, under it the streams of one value's tokens, and of these the majority.

The keys are made here too, as in `pair_streams`, and never leave the kernel. Nor do the streams: only sums are kept.
"""

from __future__ import annotations

from typing import Final

import numpy as np

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

#: What a stream is for: bits of tokens are added up, those of the whole set decide where that is even.
_TOKEN, _TIE, _MARK = 2, 1, 0
WORDS: Final = BLOCK // 64


def with_whole_sets(grams: Grams) -> tuple[Grams, Ints]:
    """Every value's tokens once each, then its whole set and no token; for each of the ids what its stream is for."""
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
def _word(digest: Words, lane: int, at: int) -> np.uint64:
    """Bits 64·at to 64·at + 63 of a lane's digest: byte 8·at is the lowest."""
    word = np.uint64(0)
    for half in range(2):
        # Shifts of 32 bits give 64, so that what leaves the word at the top has to be cut off.
        big = np.uint64(digest[(2 * at + half) * LANES + lane])
        big = big >> np.uint64(16) | big << np.uint64(16) & np.uint64(0xFFFF0000)
        big = big >> np.uint64(8) & np.uint64(0xFF00FF) | (big & np.uint64(0xFF00FF)) << np.uint64(8)
        word |= big << np.uint64(32 * half)
    return word


@compiled
def _add_bits(
    digest: Words, counts: Ints, rows: Ints, block: int, sums: Filters, ties: Filters, marks: Filters
) -> None:
    """
    Add the digests' bits of tokens to the sums of their rows, and put those of whole sets and of no token beside them.

    Bit p of a sum stands in sums[row, p]: a digest is added to 64 sums at a time, as on paper, with a carry.
    """
    planes = sums.shape[1]
    for lane in range(len(rows)):
        row, worth = rows[lane], counts[lane]
        for i in range(WORDS):
            word, at = _word(digest, lane, i), block * WORDS + i
            if worth == _TOKEN:
                for plane in range(planes):
                    before = sums[row, plane, at]
                    sums[row, plane, at] = before ^ word
                    word &= before
            elif worth == _TIE:
                ties[row, at] = word
            elif at == 0:
                marks[row] = word


@compiled
def _add_streams(
    chosen: Ints,
    lanes: Ints,
    counts: Ints,
    tokens: Words,
    inner: Words,
    outer: Words,
    sums: Filters,
    ties: Filters,
    marks: Filters,
    w: Words,
    v: Words,
) -> None:
    """Add the streams of these tokens, each under the HMAC states of its lane, to the sums of that lane."""
    digest, ends = np.empty(8 * LANES, np.uint32), np.empty(8 * LANES, np.uint32)
    for block in range(ties.shape[1] // WORDS):
        fill_blocks(w, block, chosen, tokens)
        for i in range(8):
            for lane in range(len(chosen)):
                digest[i * LANES + lane] = inner[i * LANES + lanes[lane]]
                ends[i * LANES + lane] = outer[i * LANES + lanes[lane]]
        compress(digest, w, v)
        close(digest, ends, w, v)
        _add_bits(digest, counts, lanes, block, sums, ties, marks)


@compiled
def _set_signs(
    sums: Filters, ties: Filters, sizes: Ints, marks: Filters, rows: int, start: int, words: int, out: Filters
) -> None:
    """Set out[start + i] to the signs of sums i, more than half of a value's tokens each, and to its mark."""
    every = ~np.uint64(0)
    for lane in range(rows):
        if sizes[lane] == 0:
            continue
        half, even = sizes[lane] // 2, every if sizes[lane] % 2 == 0 else np.uint64(0)
        for at in range(words):
            above, equal = np.uint64(0), every
            for plane in range(sums.shape[1] - 1, -1, -1):
                has, wants = sums[lane, plane, at], every if half >> plane & 1 else np.uint64(0)
                above |= equal & has & ~wants
                equal &= ~(has ^ wants)
            out[start + lane, at] = above | equal & even & ties[lane, at]
        out[start + lane, words] = marks[lane]


@compiled
def _planes(values: Ints, first: Ints, last: Ints) -> int:
    """Bits that the longest of these values' sums may have."""
    most, planes = 0, 1
    for value in values:
        most = max(most, last[value] - first[value])
    while most >> planes:
        planes += 1
    return planes


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
    size, words = 8 * LANES, (signs + BLOCK - 1) // BLOCK * WORDS
    root_inner, root_outer = np.empty(size, np.uint32), np.empty(size, np.uint32)
    inner, outer, digest = np.empty(size, np.uint32), np.empty(size, np.uint32), np.empty(size, np.uint32)
    keys = np.zeros(2 * size, np.uint32)  # a key fills half a block, and zeros the other half
    chosen, lanes, worth = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    planes = _planes(values[start:stop], first, last)
    sums, sizes = np.empty((LANES, planes, words), np.uint64), np.empty(LANES, np.int64)
    ties, marks = np.empty((LANES, words), np.uint64), np.empty(LANES, np.uint64)
    key_states(prk, root_inner, root_outer, w, v)
    for batch in range(start, stop, LANES):
        n = min(LANES, stop - batch)
        infos, starts = joined(texts, bounds, pieces[batch : batch + n])
        copy(digest, root_inner)
        absorb(digest, infos, starts, BLOCK_BYTES, w, v)
        close(digest, root_outer, w, v)
        copy(keys, digest)
        key_states(keys, inner, outer, w, v)
        sums[:] = np.uint64(0)
        held = 0
        for lane in range(n):
            value = values[batch + lane]
            # Beside the tokens stand their whole set and no token.
            sizes[lane] = max(0, last[value] - first[value] - 2)
            for t in range(first[value], last[value]):
                chosen[held], lanes[held], worth[held] = ids[t], lane, counts[t]
                held += 1
                if held == LANES:
                    _add_streams(chosen, lanes, worth, tokens, inner, outer, sums, ties, marks, w, v)
                    held = 0
        if held:
            _add_streams(chosen[:held], lanes[:held], worth[:held], tokens, inner, outer, sums, ties, marks, w, v)
        _set_signs(sums, ties, sizes, marks, n, batch, signs // 64, out)
