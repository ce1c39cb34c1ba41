"""
What the record unit knows about a pair beyond its similarity, as numbers that mean the same for every encoding.

The unit holds filters and hashed blocking keys. From these alone it can tell how similar a pair is compared with
strangers, which keys it shares and how rare they are, and whether either record has a better partner. Nothing
new is disclosed for it. Similarity is rescaled so that 0 is two strangers and 1 is identical, and what hardening does
to the scale in between is undone: folding or diffusion changes the raw similarity, not this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.bits import Bits, dice
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Pairs, Rows
from unveil.models.unhardened import agreement, unhardened
from unveil.schema import Hardening

#: What each column of `record_evidence` means.
RECORD_EVIDENCE: Final = (
    "similarity", "similarity²", "similarity³", "keys shared", "several keys", "all keys",
    "rarest key", "rarity of keys", "rarest key × similarity", "rarity of keys × similarity", "keys × similarity",
    "difference in ones", "ones", "fewer ones", "margin left", "margin right", "smaller margin", "larger margin",
    "best of both", "best of either", "smaller margin × similarity", "smaller margin²",
)  # fmt: skip
_FAR = 0.5  # margins beyond this say no more
_STRANGERS = 4096
_ODD = _STRANGERS // 20  # of these at either end
_CLEARLY = 4  # standard errors above nothing
_TYPICAL = 0.16  # agreement of strangers' plain filters: .158 among voters, .15 among generated people of both layouts


def record_evidence(
    pairs: Pairs, a: Encoded, b: Encoded, *, max_block: int, hardening: Sequence[Hardening] = ()
) -> Reals:
    """Return one row of evidence per pair, with the columns of RECORD_EVIDENCE."""
    if not len(pairs):
        return np.empty((0, len(RECORD_EVIDENCE)))
    z = _above_strangers(pairs, a.filters, b.filters, hardening)
    keys, rarest, rarity = _keys(pairs, a, b, max_block)
    left = z - _best_other(pairs.left, z)
    right = z - _best_other(pairs.right, z)
    margin = np.minimum(left, right)
    x, y = (
        bits.popcounts[rows].astype(np.float64) for bits, rows in ((a.filters, pairs.left), (b.filters, pairs.right))
    )
    total = np.maximum(x + y, 1)
    typical = float(np.median(total))
    near = np.clip(margin, -_FAR, _FAR)
    columns = [
        z, z**2, z**3, keys, (keys > 1 / max(1, a.keys.shape[1])), keys == 1,
        rarest, rarity, rarest * z, rarity * z, keys * z,
        np.abs(x - y) / total, total / typical - 1, 2 * np.minimum(x, y) / typical,
        left, right, margin, np.maximum(left, right),
        margin > 0, (left > 0) * 1.0 + (right > 0), margin * z, near**2 * np.sign(near),
    ]  # fmt: skip
    return np.stack([np.asarray(column, np.float64) for column in columns], axis=1)


def _above_strangers(pairs: Pairs, a: Bits, b: Bits, hardening: Sequence[Hardening]) -> Reals:
    """How similar each pair was before hardening: 0 as two strangers are on average, 1 identical."""
    if hardening:
        ones = a.popcounts[pairs.left].astype(np.float64) + b.popcounts[pairs.right]
        similarity = unhardened(agreement(ones * (1 - pairs.similarity), a.m), hardening)
        strangers = _strangers_unhardened(a, b, hardening)
    else:
        similarity, strangers = pairs.similarity, _strangers(a, b)
    return (similarity - strangers) / max(1 - strangers, 1e-3)


def _strangers(a: Bits, b: Bits) -> float:
    """The mean similarity of records paired at random, nearly all of them strangers to each other."""
    left, right = _at_random(a, b)
    common = np.bitwise_count(a.words[left] & b.words[right]).sum(axis=1, dtype=np.int64)
    return float(dice(common, a.popcounts[left], b.popcounts[right]).mean())


def _strangers_unhardened(a: Bits, b: Bits, hardening: Sequence[Hardening]) -> float:
    """The mean agreement of strangers before hardening; a typical one where hardening left nothing of it to see."""
    left, right = _at_random(a, b)
    differing = np.bitwise_count(a.words[left] ^ b.words[right]).sum(axis=1, dtype=np.int64)
    found = np.sort(agreement(differing.astype(np.float64), a.m))
    # Few of them are no strangers, but after hardening these stand out so far that a mean would follow them.
    typical = found[_ODD:-_ODD].mean(keepdims=True)
    if typical[0] < _CLEARLY * found.std() / np.sqrt(len(found)):
        return _TYPICAL
    return float(unhardened(typical, hardening)[0])


def _at_random(a: Bits, b: Bits) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(0)  # any pairs do, and always the same ones
    left, right = (rng.integers(0, len(bits), _STRANGERS) for bits in (a, b))
    return left, right


def _keys(pairs: Pairs, a: Encoded, b: Encoded, max_block: int) -> tuple[Reals, Reals, Reals]:
    """Share of the keys that a pair agrees on, the rarest of them and all together, as −log of the share of records."""
    width = a.keys.shape[1]
    shared = np.zeros(len(pairs))
    rarest, rarity = np.zeros(len(pairs)), np.zeros(len(pairs))
    if not width:
        return shared, rarest, rarity
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
