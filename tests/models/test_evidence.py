"""What the record unit knows about a pair means the same for every encoding, and is what a plain count would say."""

from __future__ import annotations

from functools import partial
from math import log, sqrt
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.neighbours import by_score
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import STEPS, Comparison, Pairs, Tail
from unveil.models.as_many_matches import as_many_matches
from unveil.models.beyond_strangers import beyond_strangers
from unveil.models.logistic import LogisticModel
from unveil.models.priors import load_tables
from unveil.models.record_evidence import RECORD_EVIDENCE, _best_other, _strangers, record_evidence, record_odds
from unveil.models.tables import KnownOdds
from unveil.schema import Hardening

Case = tuple[Pairs, Encoded, Encoded]
MANY = 1_000_000
MIDDLE, SPREAD = 0.2971, 0.1037  # of strangers, in no simple ratio to any similarity
seeds = st.integers(0, 2**32 - 1)


def encoded(n: int, keys: int, rng: np.random.Generator) -> Encoded:
    """Random filters; each key takes one of three values or is omitted (all zero)."""
    hashed = np.zeros((n, keys, 16), np.uint8)
    hashed[:, :, 5] = rng.integers(0, 4, (n, keys))
    return Encoded(Bits(rng.integers(0, 2**63, (n, 2), dtype=np.uint64), 128), hashed)


def case(seed: int, n: int = 6, m: int = 5, keys: int = 3) -> Case:
    """Two small owners and about half of all their pairs, no two equally similar."""
    rng = np.random.default_rng(seed)
    a, b = encoded(n, keys, rng), encoded(m, keys, rng)
    kept = np.sort(rng.permutation(n * m)[: 1 + n * m // 2])
    similarity = rng.permutation(n * m)[: len(kept)] / (n * m)
    return Pairs((kept // m).astype(np.int32), (kept % m).astype(np.int32), similarity), a, b


def compared(pairs: Pairs, tail: Tail | None = None) -> Comparison:
    """A comparison that found these pairs."""
    return Comparison(pairs, len(pairs), tail=tail)


def column(evidence: Reals, name: str) -> list[float]:
    values: list[float] = evidence[:, list(RECORD_EVIDENCE).index(name)].tolist()
    return values


def strangers_are(middle: float = MIDDLE, spread: float = SPREAD) -> Any:
    return patch("unveil.models.record_evidence._strangers", return_value=(middle, spread))


def some_tail(rng: np.random.Generator) -> Tail:
    """Counts of any kind, of which as many reach a step as the next one or more."""
    counts = np.sort(rng.integers(0, 5000, (3, STEPS + 1)).astype(np.float64), axis=1)[:, ::-1]
    return Tail(0.2, counts[0], counts[1:], np.array([1.0, 2.0]))


cases = st.builds(case, seeds, st.integers(1, 7), st.integers(1, 7), st.integers(0, 4))


@given(cases, st.floats(0.1, 3.0))
@settings(max_examples=50)
def test_evidence_does_not_depend_on_the_scale_of_the_similarity(some: Case, factor: float) -> None:
    """Folding stretches or shrinks the distance to identical pairs; a model learnt on plain filters must still fit."""
    pairs, a, b = some
    stretched = Pairs(pairs.left, pairs.right, 1 - factor * (1 - pairs.similarity))
    with strangers_are():
        plain = record_evidence(compared(pairs), a, b, max_block=MANY)
    with strangers_are(1 - factor * (1 - MIDDLE), factor * SPREAD):
        np.testing.assert_allclose(
            record_evidence(compared(stretched), a, b, max_block=MANY), plain, rtol=1e-9, atol=1e-9
        )


@given(cases, st.integers(1, 12), st.sampled_from([(), (Hardening(method="diffusion", t=3, m=128),)]))
@settings(max_examples=50)
def test_the_size_of_a_slab_changes_no_bit(some: Case, slab: int, steps: tuple[Hardening, ...]) -> None:
    """Evidence is made slab by slab so that memory does not follow the candidates; all at once is the reference."""
    pairs, a, b = some
    tables, tail = load_tables("record"), some_tail(np.random.default_rng(slab))
    for make in (record_evidence, partial(record_odds, tables)):
        whole, in_slabs = (
            make(compared(pairs, tail), a, b, max_block=MANY, hardening=steps, slab=size) for size in (MANY, slab)
        )
        assert whole.tobytes() == in_slabs.tobytes()


@given(cases)
@settings(max_examples=50)
def test_swapping_the_owners_changes_nothing(some: Case) -> None:
    """Who of the two is called first is an accident."""
    pairs, a, b = some
    order = np.lexsort((pairs.left, pairs.right))
    swapped = Pairs(pairs.right[order], pairs.left[order], pairs.similarity[order])
    with strangers_are():
        one, other = (
            record_evidence(compared(pairs), a, b, max_block=MANY)[order],
            record_evidence(compared(swapped), b, a, max_block=MANY),
        )
    np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12)


@given(cases)
@settings(max_examples=50)
def test_similarity_margins_and_ranks_are_what_a_plain_search_finds(some: Case) -> None:
    """Above strangers, above the best other candidate of either record, and the place among them."""
    pairs, a, b = some
    with strangers_are():
        evidence = record_evidence(compared(pairs), a, b, max_block=MANY)
    z = ((pairs.similarity - MIDDLE) / (1 - MIDDLE)).tolist()
    spread, most = SPREAD / (1 - MIDDLE), max(2, len(a.filters), len(b.filters))
    assert z == pytest.approx(column(evidence, "similarity"))
    assert [one / spread for one in z] == pytest.approx(column(evidence, "similarity in spreads"))
    chance = sqrt(2 * log(most))
    assert [one / spread - chance for one in z] == pytest.approx(column(evidence, "above the best stranger"))
    margins, ranks = [], []
    for at, score in enumerate(z):
        sides = [[z[i] for i, row in enumerate(rows) if row == rows[at] and i != at] for rows in both_sides(pairs)]
        margins.append(sorted(score - max([0.0, *others]) for others in sides))
        ranks.append(min(5, max(sum(other > score for other in others) for others in sides)))
    rivalry = rivalry_in(evidence)
    assert [rivalry * low for low, _ in margins] == pytest.approx(column(evidence, "smaller margin"))
    assert [rivalry * high for _, high in margins] == pytest.approx(column(evidence, "larger margin"))
    best = [1.0 if low > 0 else 1 - rivalry for low, _ in margins]
    assert best == pytest.approx(column(evidence, "best of both"))
    assert [rivalry * rank for rank in ranks] == pytest.approx(column(evidence, "worse rank"))


def rivalry_in(evidence: Reals) -> float:
    """A better partner says nearly all below 18 % of copies, a fifth from 35 % on, and in between in proportion."""
    copies = column(evidence, "copies")
    return 1 - 0.8 * min(1.0, max(0.0, (copies[0] - 0.18) / 0.17)) if copies else 1.0


def both_sides(pairs: Pairs) -> tuple[list[int], list[int]]:
    return pairs.left.tolist(), pairs.right.tolist()


@given(cases)
@settings(max_examples=50)
def test_what_is_known_of_both_registers_is_the_same_for_every_pair(some: Case) -> None:
    """How large they are, how many pairs are clear at first sight, how often there is a second that is alike."""
    pairs, a, b = some
    with strangers_are():
        evidence = record_evidence(compared(pairs), a, b, max_block=MANY)
    sizes = len(a.filters), len(b.filters)
    z, margin = (np.array(column(evidence, name)) for name in ("similarity", "smaller margin"))
    margin = margin / rivalry_in(evidence)
    clear = int(np.sum((z > 0.5) & (margin > 0.12)))
    expected = {
        "records": log(sizes[0] * sizes[1]) / 2,
        "clear matches": log((clear + 0.5) / (max(0, min(sizes) - clear) + 0.5)),
        "spread of strangers": SPREAD / (1 - MIDDLE),
        "number of keys": a.keys.shape[1],
    }
    for name, value in expected.items():
        assert [value] * len(z) == pytest.approx(column(evidence, name))
    best = [at for at in range(len(z)) if z[at] > 0.6 and margin[at] >= 0]
    doubled = [
        sum(any(rows[i] == rows[at] and i != at and z[i] > 0.6 for i in range(len(z))) for at in best)
        for rows in both_sides(pairs)
    ]
    assert [max(doubled) / len(best) if best else 0.0] * len(z) == pytest.approx(column(evidence, "copies"))


def test_ones_are_compared_with_each_other_and_with_what_is_usual() -> None:
    """A filter with few ones has few values in it: three pairs of 2 and 6, 4 and 4, 6 and 6 ones."""
    words = [[np.array([[2**ones - 1]], np.uint64) for ones in side] for side in ((2, 4, 6), (6, 4, 6))]
    a, b = (Encoded(Bits(np.concatenate(side), 64), np.empty((3, 0, 16), np.uint8)) for side in words)
    rows = np.arange(3, dtype=np.int32)
    evidence = record_evidence(compared(Pairs(rows, rows, np.array([0.5, 0.6, 0.7]))), a, b, max_block=MANY)
    assert [4 / 8, 0.0, 0.0] == pytest.approx(column(evidence, "difference in ones"))
    assert [2 * 2 / 8, 2 * 4 / 8, 2 * 6 / 8] == pytest.approx(column(evidence, "fewer ones"))


@given(cases, seeds)
@settings(max_examples=50)
def test_what_strangers_say_stands_in_the_last_columns(some: Case, seed: int) -> None:
    """By the size of both registers, and for every pair the same where these were not looked into."""
    pairs, a, b = some
    tail = some_tail(np.random.default_rng(seed))
    for known in (tail, None):
        evidence = record_evidence(compared(pairs, known), a, b, max_block=MANY)
        expected = beyond_strangers(known, pairs.similarity, sqrt(len(a.filters) * len(b.filters)))
        for name, values in zip(("more than strangers", "strangers as alike", "second entries"), expected, strict=True):
            assert values.tolist() == pytest.approx(column(evidence, name))


@given(cases, seeds)
@settings(max_examples=25)
def test_odds_are_those_of_the_tables_moved_by_the_counts(some: Case, seed: int) -> None:
    """One column, looked up once; the model takes it as it is, and a pair that was more of a match stays so."""
    pairs, a, b = some
    tables, model = load_tables("record"), LogisticModel(KnownOdds())
    for tail in (some_tail(np.random.default_rng(seed)), None):
        evidence = record_evidence(compared(pairs, tail), a, b, max_block=MANY)
        odds = record_odds(tables, compared(pairs, tail), a, b, max_block=MANY, hardening=())
        assert (len(pairs), 1) == odds.shape
        before = tables.log_odds(evidence)
        np.testing.assert_array_equal(as_many_matches(before, tail, pairs.similarity), odds[:, 0])
        np.testing.assert_array_equal(odds[:, 0], model.settled(odds).log_odds(odds))
        assert (np.diff(odds[np.argsort(before), 0]) >= 0).all()
        assert 0 == model.prior.columns(odds).shape[1]
        if tail is None:
            np.testing.assert_array_equal(before, odds[:, 0])


def test_without_candidates_there_are_no_odds() -> None:
    rng = np.random.default_rng(1)
    nobody, tail = Pairs.concatenate([]), some_tail(rng)
    sides = encoded(3, 1, rng), encoded(2, 1, rng)
    odds = record_odds(load_tables("record"), compared(nobody, tail), *sides, max_block=MANY, hardening=())
    assert (0, 1) == odds.shape


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9)), max_size=40, unique_by=lambda one: one[1]))
def test_the_best_other_pair_is_what_a_plain_search_finds(listed: list[tuple[int, int]]) -> None:
    """For a record's best pair it is the second best, else the best; never less than a stranger."""
    expected = []
    for at, (row, _) in enumerate(listed):
        others = [value for i, (one, value) in enumerate(listed) if one == row and i != at]
        expected.append(max([0, *others]))
    rows = np.array([row for row, _ in listed], np.int32)
    scores = np.array([float(score) for _, score in listed])
    assert expected == _best_other(rows, scores, by_score(rows, scores)).tolist()


def test_two_pairs_that_tie_are_each_others_best_other() -> None:
    """Neither of them has a margin, so neither looks like the only partner."""
    rows, scores = np.array([3, 3, 3, 1], np.int32), np.array([0.5, 0.5, 0.2, 0.9])
    assert [0.5, 0.5, 0.5, 0.0] == _best_other(rows, scores, by_score(rows, scores)).tolist()


@given(cases)
@settings(max_examples=50)
def test_keys_shared_and_their_rarity_are_what_a_plain_count_finds(some: Case) -> None:
    """−log of the share of all records that have the same key; omitted keys agree with nothing."""
    pairs, a, b = some
    width, records = a.keys.shape[1], len(a.filters) + len(b.filters)
    both = np.concatenate([a.keys, b.keys])
    shared, rarest, rarity = [], [], []
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        information = [
            -log(sum(bytes(one[key]) == bytes(a.keys[left, key]) for one in both) / records)
            for key in range(width)
            if a.keys[left, key].any() and bytes(a.keys[left, key]) == bytes(b.keys[right, key])
        ]
        shared.append(len(information) / max(1, width))
        rarest.append(max(information, default=0.0))
        rarity.append(sum(information))
    evidence = record_evidence(compared(pairs), a, b, max_block=MANY)
    if not width:  # that none is shared says nothing then
        shared, rarest, rarity = ([usual] * len(pairs) for usual in (0.3, 5.0, 6.0))
    assert shared == pytest.approx(column(evidence, "keys shared"))
    assert rarest == pytest.approx(column(evidence, "rarest key"))
    assert rarity == pytest.approx(column(evidence, "rarity of keys"))


def test_a_key_in_a_dropped_block_is_not_shared() -> None:
    """Blocks that were too large to compare say nothing, here as in the comparison."""
    pairs, a, b = case(1, keys=1)
    a.keys[:], b.keys[:] = 1, 1
    assert {1.0} == set(column(record_evidence(compared(pairs), a, b, max_block=30), "keys shared"))
    assert {0.0} == set(column(record_evidence(compared(pairs), a, b, max_block=29), "keys shared"))


@given(seeds, st.integers(0, 3))
def test_no_pair_gives_no_row(seed: int, keys: int) -> None:
    """Owners without candidates end a run; they do not break it."""
    rng = np.random.default_rng(seed)
    none = Pairs.concatenate([])
    for n in (0, 3):
        evidence = record_evidence(compared(none), encoded(n, keys, rng), encoded(3, keys, rng), max_block=MANY)
        assert (0, len(RECORD_EVIDENCE)) == evidence.shape


@pytest.mark.parametrize("similarity", [0.0, 0.5, 1.0])
def test_evidence_is_finite_where_all_pairs_are_alike(similarity: float) -> None:
    """With every candidate identical, there is no distance to rescale by; empty filters have no ones to compare."""
    pairs, a, b = case(2)
    pairs.similarity[:] = similarity
    a.filters.words[:], b.filters.words[:] = 0, 0
    evidence = record_evidence(compared(pairs), a, b, max_block=MANY)
    assert np.isfinite(evidence).all()
    assert {similarity} == set(column(evidence, "similarity"))


def test_strangers_are_records_paired_at_random() -> None:
    """Neither the candidates at hand nor the share of matches among them moves the scale: their middle and spread."""
    _, a, b = case(4, n=40, m=50)
    words = [(left & right, left, right) for left in a.filters.words for right in b.filters.words]
    alike = [2 * count(both) / (count(left) + count(right)) for both, left, right in words]
    middle, spread = _strangers(a.filters, b.filters)
    assert float(np.median(alike)) == pytest.approx(middle, abs=0.005)
    assert float(np.std(alike)) == pytest.approx(spread, rel=0.1)


def count(words: NDArray[np.uint64]) -> int:
    return sum(int(word).bit_count() for word in words)
