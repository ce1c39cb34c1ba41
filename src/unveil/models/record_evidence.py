"""
What the record unit knows about a pair beyond its similarity, as numbers that mean the same for every encoding.

The unit holds filters and hashed blocking keys. From these alone it can tell how similar a pair is compared with
strangers, which keys it shares and how rare they are, and whether either record has a better partner; and of the two
registers as a whole how many pairs are clear at first sight and how often there is a second that is alike. Nothing
new is disclosed for it. Similarity is rescaled so that 0 is two strangers and 1 is identical, and what hardening does
to the scale in between is undone: folding or diffusion changes the raw similarity, not this one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded
from unveil.linkage.neighbours import at_random, by_score, places, strangers
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Comparison, Pairs, Rows
from unveil.linkage.strangers_by_keys import groups
from unveil.linkage.unhardened import agreement, unhardened
from unveil.models.as_many_matches import as_many_matches
from unveil.models.beyond_strangers import beyond_strangers, with_the_same_keys
from unveil.models.salted_parts import weakest_and_strongest
from unveil.models.tables import Direction, Tables
from unveil.schema import Hardening

#: What each column of `record_evidence` means, and whether more of it speaks for a match (1), against (−1), or either.
RECORD_EVIDENCE: Final[dict[str, Direction]] = {
    "similarity": 1, "similarity in spreads": 1, "above the best stranger": 1,
    "keys shared": 1, "number of keys": 0, "rarest key": 1, "rarity of keys": 1,
    "smaller margin": 1, "larger margin": 1, "best of both": 1, "worse rank": -1,
    "difference in ones": 0, "fewer ones": 0,
    "records": 0, "clear matches": 1, "spread of strangers": 0, "copies": 0,
    "more than strangers": 1, "strangers as alike": 1, "second entries": 0,
    "more with these keys": 1, "strangers with these keys": 1, "smaller lead": 1, "larger lead": 1,
    "weaker part": 1, "stronger part": 1,
}  # fmt: skip
_SLAB: Final = 1 << 16  # pairs of which evidence is held at once
_STRANGERS = 20_000
_SIGMA = (0.16, 0.5, 0.84)  # quantiles that are a standard deviation apart where similarity is normal
_LEAST_SPREAD = 0.01
_ODD = _STRANGERS // 20  # of these at either end
_CLEARLY = 4  # standard errors above nothing
_TYPICAL = 0.16  # agreement of strangers' plain filters: .158 among voters, .15 among generated people of both layouts
_LOWEST_RANK = 5  # ranks from here on are the same
_CLEAR = (0.5, 0.12)  # similarity and margin of a pair that is hardly ever wrong
_NO_KEYS = (0.3, 5.0, 6.0)  # what keys show in pairs that may be matches as well as not
_SECOND_ENTRIES = (0.18, 0.35)  # share of copies up to which kin explains them, and from which on it cannot
_STILL_SAID = 0.8
_ALIKE = 0.6  # similarity of another candidate that looks like a second entry of the same person


def record_evidence(
    comparison: Comparison,
    a: Encoded,
    b: Encoded,
    *,
    max_block: int,
    hardening: Sequence[Hardening] = (),
    slab: int = _SLAB,
) -> Reals:
    """Return one row of evidence per pair, with the columns of RECORD_EVIDENCE."""
    rows = evidence_in_slabs(comparison, a, b, max_block=max_block, hardening=hardening, slab=slab)
    return np.concatenate([np.empty((0, len(RECORD_EVIDENCE))), *rows])


def evidence_in_slabs(
    comparison: Comparison, a: Encoded, b: Encoded, *, max_block: int, hardening: Sequence[Hardening], slab: int = _SLAB
) -> Iterator[Reals]:
    """The rows of `record_evidence`, some at a time; how many at a time changes no bit of them."""
    pairs = comparison.pairs
    if not len(pairs):
        return
    known = _AllPairs.of(pairs, a, b, hardening, slab)
    keys = _Keys.of(a, b, max_block)
    records = float(np.sqrt(len(a.filters) * len(b.filters)))
    beyond = beyond_strangers(comparison.tail, pairs.similarity, records)
    with_keys = _with_the_same_keys(comparison, keys.blocks, records, beyond, slab)
    ahead = with_keys[0]
    rivals = [_best_other(rows, ahead, by_score(rows, ahead)) for rows in (pairs.left, pairs.right)]
    for some in _slabs(len(pairs), slab):
        z, left, right = known.z[some], *(known.z[some] - other[some] for other in known.others)
        left, right = left * known.rivalry, right * known.rivalry
        margin = np.minimum(left, right)
        x, y = (
            bits.popcounts[rows[some]].astype(np.float64)
            for bits, rows in ((a.filters, pairs.left), (b.filters, pairs.right))
        )
        leads = [known.rivalry * (with_keys[0][some] - rival[some]) for rival in rivals]
        columns = [
            z, z / known.spread, z / known.spread - known.best_stranger,
            *keys.columns(pairs.left[some], pairs.right[some]),
            margin, np.maximum(left, right), 1 - known.rivalry * (margin <= 0), known.rivalry * known.worse_rank[some],
            np.abs(x - y) / np.maximum(x + y, 1), 2 * np.minimum(x, y) / known.typical_ones,
            *(np.full(len(z), value) for value in (known.records, known.clear, known.spread, known.copies)),
            *(column[some] for column in (*beyond, *with_keys)),
            np.minimum(*leads), np.maximum(*leads),
            *weakest_and_strongest(
                (a.filters, b.filters), (pairs.left[some], pairs.right[some]), z, hardening, known.middle
            ),
        ]  # fmt: skip
        yield np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def record_odds(
    tables: Tables,
    comparison: Comparison,
    a: Encoded,
    b: Encoded,
    *,
    max_block: int,
    hardening: Sequence[Hardening],
    slab: int = _SLAB,
) -> Reals:
    """
    Return what these tables say about each pair, as one column of log odds.

    Labels move these odds for all pairs alike and never a table, so that evidence is looked up once and not kept.
    """
    rows = evidence_in_slabs(comparison, a, b, max_block=max_block, hardening=hardening, slab=slab)
    odds = np.concatenate([np.empty(0), *map(tables.log_odds, rows)])
    return as_many_matches(odds, comparison.tail, comparison.pairs.similarity)[:, None]


def _groups(blocks: Blocks, pairs: Pairs, slab: int) -> NDArray[np.int64]:
    found = np.empty(len(pairs), np.int64)
    for some in _slabs(len(pairs), slab):
        found[some] = groups(blocks.left[pairs.left[some]], blocks.right[pairs.right[some]])
    return found


def _with_the_same_keys(
    comparison: Comparison, blocks: Blocks, records: float, beyond: Sequence[Reals], slab: int
) -> tuple[Reals, Reals]:
    """What the pairs say that agree on the same keys as this one; of all pairs, where there are no keys."""
    tail, pairs = comparison.tail, comparison.pairs
    if tail is None or tail.by_keys is None:
        return beyond[0], beyond[1]
    group, step = _groups(blocks, pairs, slab), tail.step(pairs.similarity)
    return with_the_same_keys(tail.by_keys, group, step, records, (beyond[0], beyond[1]))


def _slabs(pairs: int, slab: int) -> Iterator[slice]:
    for start in range(0, pairs, slab):
        yield slice(start, min(start + slab, pairs))


@dataclass(frozen=True, slots=True)
class _AllPairs:
    """What can be told of a pair only once all are known: a few numbers for each, and of the registers as a whole."""

    z: Reals
    middle: float
    others: tuple[Reals, Reals]
    worse_rank: NDArray[np.int8]
    rivalry: float
    typical_ones: float
    records: float
    best_stranger: float
    clear: float
    spread: float
    copies: float

    @classmethod
    def of(cls, pairs: Pairs, a: Encoded, b: Encoded, hardening: Sequence[Hardening], slab: int) -> _AllPairs:
        z, middle, spread = _above_strangers(pairs, a.filters, b.filters, hardening, slab)
        sides = pairs.left, pairs.right
        orders = by_score(pairs.left, z), by_score(pairs.right, z)
        left, right = (_best_other(rows, z, order) for rows, order in zip(sides, orders, strict=True))
        others = left, right
        margin = np.minimum(z - others[0], z - others[1])
        sizes = len(a.filters), len(b.filters)
        copies = _copies(z, margin, others)
        ranks = (
            np.minimum(places(rows, order), _LOWEST_RANK).astype(np.int8)
            for rows, order in zip(sides, orders, strict=True)
        )
        ones = a.filters.popcounts[pairs.left] + b.filters.popcounts[pairs.right]
        return cls(
            z,
            middle,
            others,
            np.maximum(*ranks),
            rivalry=_rivalry(copies),
            typical_ones=float(np.median(np.maximum(ones, 1))),
            records=float(np.log(sizes[0] * sizes[1])) / 2,
            best_stranger=float(np.sqrt(2 * np.log(max(2, *sizes)))),
            clear=_clear(z, margin, min(sizes)),
            spread=spread,
            copies=copies,
        )


def _clear(z: Reals, margin: Reals, fewest: int) -> float:
    """The log odds of a record of the smaller side being in a pair that is clear at first sight."""
    clear = int(((z > _CLEAR[0]) & (margin > _CLEAR[1])).sum())
    return float(np.log((clear + 0.5) / (max(0, fewest - clear) + 0.5)))


def _rivalry(copies: float) -> float:
    """How much a better partner speaks against a pair: less, the more people stand in a register twice."""
    few, many = _SECOND_ENTRIES
    return 1 - _STILL_SAID * float(np.clip((copies - few) / (many - few), 0, 1))


def _copies(z: Reals, margin: Reals, others: tuple[Reals, Reals]) -> float:
    """The share of best pairs in which a record is alike to another one, too: a second entry, or kin."""
    best = (margin >= 0) & (z > _ALIKE)
    if not best.any():
        return 0.0
    return float(max((other[best] > _ALIKE).mean() for other in others))


def _above_strangers(
    pairs: Pairs, a: Bits, b: Bits, hardening: Sequence[Hardening], slab: int
) -> tuple[Reals, float, float]:
    """How similar each pair was before hardening, 0 as strangers are and 1 identical; strangers' middle and spread."""
    middle, spread = _strangers_unhardened(a, b, hardening) if hardening else _strangers(a, b)
    rest, z = max(1 - middle, 1e-3), np.empty(len(pairs))
    for some in _slabs(len(pairs), slab):
        similarity = pairs.similarity[some]
        if hardening:
            ones = a.popcounts[pairs.left[some]].astype(np.float64) + b.popcounts[pairs.right[some]]
            similarity = unhardened(agreement(ones * (1 - similarity), a.m), hardening)
        z[some] = (similarity - middle) / rest
    return z, middle, max(spread, _LEAST_SPREAD) / rest


def _strangers(a: Bits, b: Bits) -> tuple[float, float]:
    """The middle and the spread of the similarity of records paired at random, nearly all strangers to each other."""
    low, middle, high = np.quantile(strangers(a, b, _STRANGERS), _SIGMA).tolist()
    return middle, (high - low) / 2


def _strangers_unhardened(a: Bits, b: Bits, hardening: Sequence[Hardening]) -> tuple[float, float]:
    """The same of their agreement before hardening; a typical middle where hardening left nothing of it to see."""
    left, right = at_random(a, b, _STRANGERS)
    differing = np.bitwise_count(a.words[left] ^ b.words[right]).sum(axis=1, dtype=np.int64)
    found = np.sort(agreement(differing.astype(np.float64), a.m))
    low, _, high = np.quantile(unhardened(found, hardening), _SIGMA).tolist()
    # Few of them are no strangers, but after hardening these stand out so far that a mean would follow them.
    typical = found[_ODD:-_ODD].mean(keepdims=True)
    if typical[0] < _CLEARLY * found.std() / np.sqrt(len(found)):
        return _TYPICAL, (high - low) / 2
    return float(unhardened(typical, hardening)[0]), (high - low) / 2


@dataclass(frozen=True, slots=True)
class _Keys:
    """Which keys two records share, and for each block what sharing it says: −log of the share of records in it."""

    blocks: Blocks
    says: tuple[Reals, ...]

    @classmethod
    def of(cls, a: Encoded, b: Encoded, max_block: int) -> _Keys:
        blocks, records = Blocks.of(a.keys, b.keys, max_block=max_block), len(a.filters) + len(b.filters)
        sizes = (_records(blocks.left[:, key], blocks.right[:, key]) for key in range(a.keys.shape[1]))
        return cls(blocks, tuple(-np.log(np.maximum(size, 1) / records) for size in sizes))

    def columns(self, left: Rows, right: Rows) -> tuple[Reals, Reals, Reals, Reals]:
        """Of each pair the share of the keys that it agrees on, the number of keys, the rarest, and all together."""
        width = len(self.says)
        shared, rarest, rarity = (np.zeros(len(left)) for _ in range(3))
        if not width:
            # Where there are no keys, that none is shared must say nothing.
            return shared + _NO_KEYS[0], shared, rarest + _NO_KEYS[1], rarity + _NO_KEYS[2]
        for key, says in enumerate(self.says):
            codes = self.blocks.left[left, key]
            agree = (codes >= 0) & (codes == self.blocks.right[right, key])
            information = np.where(agree, says[np.maximum(codes, 0)], 0.0)
            shared += agree
            rarest = np.maximum(rarest, information)
            rarity += information
        return shared / width, np.full(len(left), float(width)), rarest, rarity


def _records(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many records of both sides have each code."""
    codes = 1 + max(0, int(left.max(initial=0)), int(right.max(initial=0)))
    of_left, of_right = (np.bincount(side[side >= 0], minlength=codes) for side in (left, right))
    return of_left + of_right


def _best_other(rows: Rows, score: Reals, order: NDArray[np.int64]) -> Reals:
    """The best score among the other pairs of the same record, by `by_score`; strangers' (0) if there is none."""
    row, value = rows[order], score[order]
    first = np.ones(len(row), bool)
    first[1:] = row[1:] != row[:-1]
    starts = np.flatnonzero(first)
    several = np.diff(np.append(starts, len(row))) > 1
    second = np.zeros(len(starts))
    second[several] = value[starts[several] + 1]
    group = np.cumsum(first) - 1
    other = np.empty(len(row))
    other[order] = np.maximum(np.where(first, second[group], value[starts][group]), 0)
    return other
