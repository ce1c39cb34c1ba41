"""
The kernel of the keyed filters: for every pair a key, and under it the tokens of one value.

The keys are made here too: one for each pair and attribute, and all of them differ. They never leave the kernel.
"""

from __future__ import annotations

import numpy as np

from unveil.encoding.bulk.compiled import compiled
from unveil.encoding.bulk.sha256 import (
    BLOCK_BYTES,
    LANES,
    Bytes,
    Ints,
    Words,
    absorb,
    close,
    copy,
    joined,
    key_states,
    scratch,
)
from unveil.encoding.bulk.streams import Filters, set_positions


@compiled
def pair_rows(
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
    tokens: Words,
    m: int,
    h: int,
    out: Filters,
) -> None:
    """Set out[i] to the filter of value values[i] under the key HMAC(prk, pieces i of the texts)."""
    w, v = scratch()
    size = 8 * LANES
    root_inner, root_outer = np.empty(size, np.uint32), np.empty(size, np.uint32)
    inner, outer, digest = np.empty(size, np.uint32), np.empty(size, np.uint32), np.empty(size, np.uint32)
    keys = np.zeros(2 * size, np.uint32)  # a key fills half a block, and zeros the other half
    chosen, key, row = np.empty(LANES, np.int64), np.empty(LANES, np.int64), np.empty(LANES, np.int64)
    key_states(prk, root_inner, root_outer, w, v)
    for batch in range(start, stop, LANES):
        n = min(LANES, stop - batch)
        infos, starts = joined(texts, bounds, pieces[batch : batch + n])
        copy(digest, root_inner)
        absorb(digest, infos, starts, BLOCK_BYTES, w, v)
        close(digest, root_outer, w, v)
        copy(keys, digest)
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
