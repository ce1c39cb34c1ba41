"""
Wishes made even: records that have no partner are wished for as often as those that have one.

An owner sees which of its records it is asked about, and in which batch. Where likely members, records with a partner
in the other register, were asked about and others were not, a wish would tell that there is a partner. So among records
with the same past, further ones are drawn until both kinds are about equally likely to be asked about now; what an
owner has seen by the end is then about as likely for either kind.
"""

from __future__ import annotations

from collections.abc import Iterator

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


def further_wishes(
    member: Reals, wished: Counts, past: Counts, person: NDArray[np.int64], *, evenness: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """
    Rows to wish for besides, so that likely members and others are wished for at about the same rate.

    `member` is `membership`, `wished` how often each record is wished for in this batch, `past` in each one before
    (records × batches), `person` whose it is (`people_within`). All records of a person are wished for alike, as often
    as the one that is asked about most. Among people with the same past, and again among those of them who are wished
    for once, and twice, others are brought to `evenness` times the rate of members, and members to that of others. Who
    has several records is wished for in the first batch: of few people, a rate says little.
    """
    records = np.bincount(person)
    several = records > 1
    count = np.zeros(len(records), np.int64)
    np.maximum.at(count, person, wished)
    if not past.shape[1]:
        count[several] = np.maximum(count[several], 1)
    before = np.zeros((len(records), past.shape[1]), np.uint8)
    np.maximum.at(before, person, past)
    likely = _anyone(person, member)
    kinds = [np.flatnonzero(kind) for kind in (several, ~several)]
    groups = [kind[group] for kind in kinds for group in _same_past(before[kind])]
    for level in range(1, _LEVELS + 1):
        if level > 1 and not (count >= level).any():
            break
        for group in groups:
            rows = group[count[group] >= level - 1]
            count[rows[_drawn(likely[rows], count[rows] >= level, evenness, rng)]] += 1
    return np.repeat(np.arange(len(person)), np.maximum(count[person] - wished, 0))


def _anyone(group: NDArray[np.int64], likely: Reals) -> Reals:
    """For each group, how likely one of its members is what each of them is with this likelihood."""
    # Members are taken as independent.
    none = np.bincount(group, np.log1p(-np.minimum(likely, 1 - 1e-9)))
    return np.asarray(-np.expm1(none))


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
