"""
Wishes made even: records that have no partner are wished for as often as those that have one.

An owner sees which of its records it is asked about, and in which batch. Where likely members, records with a partner
in the other register, were asked about and others were not, a wish would tell that there is a partner. So among records
with the same past, further ones are drawn until both kinds are about equally likely to be asked about now; what an
owner has seen by the end is then about as likely for either kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.linkage.pairs import Rows

Counts = NDArray[np.uint8]
_LEVELS = 3  # wishes in one batch that are told apart: hardly any record is wished for more often at once
_FEWEST = 100  # records with the same past; fewer are taken together, for their rates would be chance
_PSEUDO = 2.0  # records of each kind that every group is thought to have besides, wished for as all of it are


def membership(rows: Rows, outcomes: Outcomes, size: int) -> Reals:
    """For each of an owner's records, how likely one of its candidates is its partner; 0 for one without any."""
    match = np.where(outcomes.g, outcomes.p, 1 - outcomes.p)
    none = np.zeros(size)
    # Candidates of one record speak against each other in the evidence already, so they are taken as independent.
    np.add.at(none, rows, np.log1p(-np.minimum(match, 1 - 1e-9)))
    return -np.expm1(none)


def repeated(keys: NDArray[np.uint8]) -> Flags:
    """
    Records that share two blocking keys (records × keys × bytes) with another one of the same register.

    Most of them are entered twice, in error or on purpose. Whether any is wished for tells more than about one record
    alone, so they are looked at by themselves.
    """
    found = np.zeros(len(keys), bool)
    given: NDArray[np.bool_] = np.asarray(np.any(keys, axis=2))
    for one, other in combinations(range(keys.shape[1]), 2):
        rows = np.flatnonzero(given[:, one] & given[:, other])
        both = np.concatenate([keys[rows, one], keys[rows, other]], axis=1)
        whole = both.view(np.dtype((np.void, both.shape[1]))).ravel()
        _, group, count = np.unique(whole, return_inverse=True, return_counts=True)
        found[rows[count[group] > 1]] = True
    return found


def further_wishes(
    member: Reals, wished: Counts, past: Counts, again: Flags, *, evenness: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """
    Rows to wish for besides, so that likely members and others are wished for at about the same rate.

    `member` is `membership`, `wished` how often each record is wished for in this batch, `past` in each one before
    (records × batches). Among records with the same past, and again among those of them that are wished for once, and
    twice, others are brought to `evenness` times the rate of members, and members to that of others. Those that are in
    a register `again` are all wished for in the first batch: of few, a rate says little.
    """
    count = wished.astype(np.int64)
    if not past.shape[1]:
        count[again] = np.maximum(count[again], 1)
    groups = [np.flatnonzero(kind)[group] for kind in (again, ~again) for group in _same_past(past[kind])]
    for level in range(1, _LEVELS + 1):
        if level > 1 and not (count >= level).any():
            break
        for group in groups:
            rows = group[count[group] >= level - 1]
            count[rows[_drawn(member[rows], count[rows] >= level, evenness, rng)]] += 1
    return np.repeat(np.arange(len(count)), count - wished)


def _same_past(past: Counts) -> Iterator[NDArray[np.int64]]:
    """Rows of records that were wished for alike in every batch before; rare pasts are taken together."""
    code = np.zeros(len(past), np.int64)
    for batch in past.T:
        _, code = np.unique(code * (_LEVELS + 1) + np.minimum(batch, _LEVELS), return_inverse=True)
    sizes = np.bincount(code)
    rare = sizes[code] < _FEWEST
    order = np.argsort(np.where(rare, -1, code), kind="stable")
    cuts = np.cumsum([rare.sum(), *sizes[sizes >= _FEWEST]])[:-1]
    yield from (part for part in np.split(order, cuts) if len(part))


def _drawn(member: Reals, wished: Flags, evenness: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Positions of what is drawn besides: of the kind that is wished for less, until that is often enough."""
    rest = np.flatnonzero(~wished)
    if not len(rest) or not wished.any():
        return rest[:0]
    other = 1 - member
    before = [_rates(kind, wished, rest[:0])[0] for kind in (member, other)]
    # The margin is for members alone: they are fewer, and the unit tends to think them wished for more than they are.
    scarce, ample, share = (member, other, 1.0) if before[0] < before[1] else (other, member, evenness)
    # At random, each as likely as it is of that kind: what is certain must not be all that is drawn.
    chance = np.maximum(scarce[rest], 1e-300)
    order = rest[np.argsort(rng.exponential(size=len(rest)) / chance, kind="stable")]
    enough = _rates(scarce, wished, order) >= share * _rates(ample, wished, order)
    return order[: int(np.argmax(enough))] if enough.any() else order


def _rates(kind: Reals, wished: Flags, order: NDArray[np.int64]) -> Reals:
    """At what rate a kind of record is wished for, with none, one, two and so on of these drawn besides."""
    drawn = np.concatenate([[0.0], np.cumsum(kind[order])])
    return (kind[wished].sum() + _PSEUDO * wished.mean() + drawn) / (kind.sum() + _PSEUDO)
