"""
What the record unit knows about a pair beyond its similarity, as numbers that mean the same for every encoding.

The unit holds filters and hashed blocking keys. From these alone it can tell how similar a pair is compared with
strangers, which keys it shares and how rare they are, and whether either record has a better partner; and of the two
registers as a whole how many pairs are clear at first sight and how often there is a second that is alike. Nothing
new is disclosed for it. Similarity is rescaled so that 0 is two strangers and 1 is identical, and what hardening does
to the scale in between is undone: folding or diffusion changes the raw similarity, not this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded
from unveil.linkage.neighbours import at_random, rank, strangers
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Comparison, Pairs, Rows
from unveil.linkage.unhardened import agreement, unhardened
from unveil.models.as_many_matches import as_many_matches
from unveil.models.beyond_strangers import beyond_strangers
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
}  # fmt: skip
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
    comparison: Comparison, a: Encoded, b: Encoded, *, max_block: int, hardening: Sequence[Hardening] = ()
) -> Reals:
    """Return one row of evidence per pair, with the columns of RECORD_EVIDENCE."""
    pairs = comparison.pairs
    if not len(pairs):
        return np.empty((0, len(RECORD_EVIDENCE)))
    z, spread = _above_strangers(pairs, a.filters, b.filters, hardening)
    keys, rarest, rarity = _keys(pairs, a, b, max_block)
    others = _best_other(pairs.left, z), _best_other(pairs.right, z)
    left, right = z - others[0], z - others[1]
    margin = np.minimum(left, right)
    x, y = (
        bits.popcounts[rows].astype(np.float64) for bits, rows in ((a.filters, pairs.left), (b.filters, pairs.right))
    )
    total = np.maximum(x + y, 1)
    sizes = len(a.filters), len(b.filters)
    clear, copies = _clear(z, margin, min(sizes)), _copies(z, margin, others)
    rivalry = _rivalry(copies)
    left, right = left * rivalry, right * rivalry
    margin = np.minimum(left, right)
    everywhere = [float(np.log(sizes[0] * sizes[1])) / 2, clear, spread, copies]
    columns = [
        z, z / spread, z / spread - np.sqrt(2 * np.log(max(2, *sizes))),
        keys, np.full(len(z), float(a.keys.shape[1])), rarest, rarity,
        margin, np.maximum(left, right), 1 - rivalry * (margin <= 0),
        rivalry * np.minimum(np.maximum(rank(pairs.left, z), rank(pairs.right, z)), _LOWEST_RANK),
        np.abs(x - y) / total, 2 * np.minimum(x, y) / float(np.median(total)),
        *(np.full(len(z), value) for value in everywhere),
        *beyond_strangers(comparison.tail, pairs.similarity, float(np.sqrt(sizes[0] * sizes[1]))),
    ]  # fmt: skip
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def record_odds(
    tables: Tables, comparison: Comparison, a: Encoded, b: Encoded, *, max_block: int, hardening: Sequence[Hardening]
) -> Reals:
    """
    Return what these tables say about each pair, as one column of log odds.

    Labels move these odds for all pairs alike and never a table, so that evidence is looked up once and not kept.
    """
    evidence = record_evidence(comparison, a, b, max_block=max_block, hardening=hardening)
    return as_many_matches(tables.log_odds(evidence), comparison.tail, comparison.pairs.similarity)[:, None]


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


def _above_strangers(pairs: Pairs, a: Bits, b: Bits, hardening: Sequence[Hardening]) -> tuple[Reals, float]:
    """How similar each pair was before hardening, 0 as two strangers are and 1 identical; and strangers' spread."""
    if hardening:
        ones = a.popcounts[pairs.left].astype(np.float64) + b.popcounts[pairs.right]
        similarity = unhardened(agreement(ones * (1 - pairs.similarity), a.m), hardening)
        middle, spread = _strangers_unhardened(a, b, hardening)
    else:
        similarity = pairs.similarity
        middle, spread = _strangers(a, b)
    rest = max(1 - middle, 1e-3)
    return (similarity - middle) / rest, max(spread, _LEAST_SPREAD) / rest


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


def _keys(pairs: Pairs, a: Encoded, b: Encoded, max_block: int) -> tuple[Reals, Reals, Reals]:
    """Share of the keys that a pair agrees on, the rarest of them and all together, as −log of the share of records."""
    width = a.keys.shape[1]
    shared = np.zeros(len(pairs))
    rarest, rarity = np.zeros(len(pairs)), np.zeros(len(pairs))
    if not width:
        # Where there are no keys, that none is shared must say nothing.
        return shared + _NO_KEYS[0], rarest + _NO_KEYS[1], rarity + _NO_KEYS[2]
    blocks = Blocks.of(a.keys, b.keys, max_block=max_block)
    records = len(a.filters) + len(b.filters)
    for key in range(width):
        codes = blocks.left[pairs.left, key]
        agree = (codes >= 0) & (codes == blocks.right[pairs.right, key])
        members = _members(blocks.left[:, key]), _members(blocks.right[:, key])
        size = np.zeros(max(map(len, members)) + 1)
        for part in members:
            size[: len(part)] += part
        information = np.where(agree, -np.log(np.maximum(size[np.maximum(codes, 0)], 1) / records), 0.0)
        shared += agree
        rarest = np.maximum(rarest, information)
        rarity += information
    return shared / width, rarest, rarity


def _members(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(codes[codes >= 0]) if (codes >= 0).any() else np.zeros(1, np.int64)


def _best_other(rows: Rows, score: Reals) -> Reals:
    """The best score among the other pairs of the same record; strangers' (0) if there is none."""
    order = np.lexsort((-score, rows))
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
