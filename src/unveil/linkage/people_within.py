"""
Which records of one register seem to be one person's, entered twice in error or on purpose.

Going by that register alone: who is in the other one must not show in it. Records that share two blocking keys are
taken for one person's, and records that share one and are alike; kin and namesakes now and then are, too. Where a key
is common, its records are not looked at by pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded
from unveil.linkage.neighbours import at_random
from unveil.linkage.outcome import Flags, Reals
from unveil.linkage.unhardened import agreement, unhardened
from unveil.schema import Hardening

_MOST_SHARING: Final = 20  # records that share a key, or it is too common to tell anything
_ALIKE: Final = 0.5  # from strangers (0) to equal filters (1), before hardening; a slip of the pen leaves .65 and more
_AT_ONCE: Final = 1 << 18
_STRANGERS: Final = 20_000


def people_within(side: Encoded, hardening: Sequence[Hardening] = ()) -> NDArray[np.int64]:
    """A number for each record: the same for records that seem to be one person's, or are joined by others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.concatenate([_sharing_two_keys(side.keys), _alike(side, hardening)], axis=1)
    size = len(side.keys)
    joined = coo_array((np.ones(ends.shape[1], np.uint8), (ends[0], ends[1])), shape=(size, size))
    number: NDArray[np.int64] = connected_components(joined, directed=False)[1].astype(np.int64)
    return number


def _sharing_two_keys(keys: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Each record and the first one that shares two keys with it (2 × pairs)."""
    given: Flags = np.asarray(np.any(keys, axis=2))
    ends = [np.empty((2, 0), np.int64)]
    for one, other in combinations(range(keys.shape[1]), 2):
        rows = np.flatnonzero(given[:, one] & given[:, other])
        both = np.concatenate([keys[rows, one], keys[rows, other]], axis=1)
        whole = both.view(np.dtype((np.void, both.shape[1]))).ravel()
        _, first, group = np.unique(whole, return_index=True, return_inverse=True)
        ends.append(np.stack([rows, rows[first[group]]]))
    return np.concatenate(ends, axis=1)


def _alike(side: Encoded, hardening: Sequence[Hardening]) -> NDArray[np.int64]:
    """Pairs of records that share a key and are alike (2 × pairs)."""
    ends = [np.empty((2, 0), np.int64)]
    if len(side.keys) > 1 and side.keys.shape[1]:
        bits = side.filters
        middle = float(np.median(_agreement(bits, *at_random(bits, bits, _STRANGERS), hardening)))
        blocks = Blocks.of(side.keys, side.keys, max_block=_MOST_SHARING**2)
        for pairs in map(np.stack, blocks.candidates(_AT_ONCE)):
            once = pairs[:, pairs[0] < pairs[1]].astype(np.int64)
            alike = _agreement(bits, once[0], once[1], hardening) >= middle + _ALIKE * (1 - middle)
            ends.append(once[:, alike])
    return np.concatenate(ends, axis=1)


def _agreement(bits: Bits, left: NDArray[np.int64], right: NDArray[np.int64], hardening: Sequence[Hardening]) -> Reals:
    differing = np.bitwise_count(bits.words[left] ^ bits.words[right]).sum(axis=1, dtype=np.int64)
    return unhardened(agreement(differing.astype(np.float64), bits.m), hardening)
