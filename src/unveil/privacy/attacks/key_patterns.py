"""
Who is who by blocking keys: hashes hide values, and not who shares them with how many others.

Whoever holds a similar register forms the same blocks from its plaintext. A record is told by how large its blocks are,
by who else is in them, and how large those records' other blocks are, and so on: colours are refined until nothing
changes (as in tests of whether graphs are alike). One key alone gives away how frequent its most frequent values are.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.privacy.attacks.guesses import Guessed, Narrowed, guessed

Codes = NDArray[np.int64]
Colours = NDArray[np.uint64]

#: Rounds after which hardly a colour is split any more.
ROUNDS: Final = 4
_FREQUENT: Final = 100
_ODD: Final = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def codes_of(keys: NDArray[np.uint8]) -> Codes:
    """Hashed keys of shape (n, K, bytes) as numbers of blocks, -1 where a key is omitted."""
    out = np.full(keys.shape[:2], -1, np.int64)
    for key in range(keys.shape[1]):
        column = np.ascontiguousarray(keys[:, key])
        out[:, key] = np.unique(column.view(f"V{column.shape[1]}").ravel(), return_inverse=True)[1].ravel()
        out[~column.any(axis=1), key] = -1
    return out


def colours(blocks: Codes, *, rounds: int = ROUNDS) -> Colours:
    """
    For each record, of shape (n, K), what the sizes and neighbourhoods of its blocks tell: a number, equal if they are.

    Two registers of the same people come to the same colours, whatever their blocks are called. In the first round a
    record's colour is the sizes of its blocks; in every further one a block's colour is those of all records in it.
    """
    found = np.zeros(len(blocks), np.uint64)
    marks = _mixed(np.arange(blocks.shape[1], dtype=np.uint64))
    for _ in range(rounds):
        told = np.zeros(len(blocks), np.uint64)
        for key in range(blocks.shape[1]):
            there = blocks[:, key] >= 0
            column = blocks[there, key]
            total = np.zeros(int(column.max(initial=-1)) + 1, np.uint64)
            np.add.at(total, column, _mixed(found[there]))
            told[there] += _mixed(total[column] + marks[key])
        found = _mixed(found + told)
    return found


def narrowed(seen: Colours, register: Colours, truth: Codes) -> Narrowed:
    """
    How few entries of the register have a record's colour, where its own one is among them.

    `truth` is the entry of each record, -1 where it has none; whoever's entry has another colour is not found.
    """
    _, which, times = np.unique(register, return_inverse=True, return_counts=True)
    there = truth >= 0
    own = truth[there]
    found = register[own] == seen[there]
    sizes = np.where(found, times[which.ravel()[own]], len(register))
    if not len(sizes):
        return Narrowed(0, 0.0, 0.0)
    return Narrowed(len(sizes), float((sizes == 1).mean()), float(np.median(sizes)))


def told_apart(seen: Colours, register: Colours) -> Codes:
    """Pairs of a record and an entry (rows of two) whose colour nobody else has on either side."""
    alone = [np.unique(each, return_index=True, return_counts=True) for each in (seen, register)]
    (ours, rows), (theirs, entries) = ((values[times == 1], first[times == 1]) for values, first, times in alone)
    _, one, other = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    return np.stack([rows[one], entries[other]], axis=1)


def guessed_blocks(seen: Codes, register: Codes, truth: Codes, *, most: int = _FREQUENT) -> Guessed:
    """
    How often the most frequent blocks of one key, of shape (n,), are named by rank: the largest is the largest value's.

    `truth` is the value, as the register codes it, of each block's number; negative where the register lacks it.
    """
    sizes = [np.bincount(each[each >= 0], minlength=1) for each in (seen, register)]
    ranked = [np.argsort(-each, kind="stable")[:most] for each in sizes]
    few = min(map(len, ranked))
    return guessed(ranked[1][:few], truth[ranked[0][:few]])


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Other numbers, equal where these are, with nothing left of their order (the finish of splitmix64)."""
    x = numbers + _ODD[0]
    x = (x ^ (x >> np.uint64(30))) * _ODD[1]
    x = (x ^ (x >> np.uint64(27))) * _ODD[2]
    return np.asarray(x ^ (x >> np.uint64(31)), dtype=np.uint64)
