"""
The kernel of the keyed filters: for every pair a key, and under it the tokens of one value.

The keys are made here too: one for each pair and attribute, and all of them differ. They never leave the kernel.
"""

from __future__ import annotations

import numpy as np

from unveil.encoding.compiled import compiled
from unveil.encoding.sha256 import BLOCK_BYTES, LANES, Bytes, Ints, Words, absorb, close, key_states, scratch
from unveil.encoding.streams import Filters, set_positions


@compiled
def _infos(head: Bytes, pairs: Bytes, bounds: Ints, tail: Bytes) -> tuple[Bytes, Ints]:
    """Head ‖ pair ‖ tail of every pair, one after another, and where each begins."""
    n = len(bounds) - 1
    around = len(head) + len(tail)
    out = np.empty(bounds[n] - bounds[0] + n * around, np.uint8)
    starts = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        starts[i] = at
        for piece in (head, pairs[bounds[i] : bounds[i + 1]], tail):
            out[at : at + len(piece)] = piece
            at += len(piece)
    starts[n] = at
    return out, starts


@compiled
def pair_rows(
    start: int,
    stop: int,
    prk: Words,
    head: Bytes,
    pairs: Bytes,
    bounds: Ints,
    tail: Bytes,
    values: Ints,
    first: Ints,
    last: Ints,
    ids: Ints,
    tokens: Words,
    m: int,
    h: int,
    out: Filters,
) -> None:
    """Set out[i] to the filter of value values[i] under the key HMAC(prk, head ‖ pair i ‖ tail)."""
    w, v = scratch()
    size = 8 * LANES
    root_inner, root_outer = np.empty(size, np.uint32), np.empty(size, np.uint32)
    inner, outer, keys = np.empty(size, np.uint32), np.empty(size, np.uint32), np.zeros(2 * size, np.uint32)
    chosen, key, row = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    key_states(prk, root_inner, root_outer, w, v)
    for batch in range(start, stop, LANES):
        n = min(LANES, stop - batch)
        infos, starts = _infos(head, pairs, bounds[batch : batch + n + 1], tail)
        digest = root_inner.copy()
        absorb(digest, infos, starts, BLOCK_BYTES, w, v)
        close(digest, root_outer, w, v)
        keys[:size] = digest
        key_states(keys, inner, outer, w, v)
        held = 0
        for lane in range(n):
            value = values[batch + lane]
            for t in range(first[value], last[value]):
                chosen[held], key[held], row[held] = ids[t], lane, batch + lane
                held += 1
                if held == LANES:
                    set_positions(chosen, key, row, tokens, inner, outer, m, h, out, w, v)
                    held = 0
        if held:
            set_positions(chosen[:held], key[:held], row[:held], tokens, inner, outer, m, h, out, w, v)
