"""Evidence means the same for every encoding and every schema, and is what a plain count would say."""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from unveil.linkage.bits import Bits
from unveil.linkage.engine import Encoded
from unveil.linkage.outcome import Outcomes, Reals
from unveil.linkage.pairs import Pairs
from unveil.models.attribute_evidence import ATTRIBUTE_EVIDENCE, summary_evidence
from unveil.models.record_evidence import RECORD_EVIDENCE, _best_other, _strangers, record_evidence
from unveil.schema import Attribute, Schema

Case = tuple[Pairs, Encoded, Encoded]
MANY = 1_000_000
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


def column(evidence: Reals, name: str, names: tuple[str, ...] = RECORD_EVIDENCE) -> list[float]:
    values: list[float] = evidence[:, names.index(name)].tolist()
    return values


def strangers_are(similarity: float) -> Any:
    return patch("unveil.models.record_evidence._strangers", return_value=similarity)


cases = st.builds(case, seeds, st.integers(1, 7), st.integers(1, 7), st.integers(0, 4))


@given(cases, st.floats(0.05, 3.0))
def test_evidence_does_not_depend_on_the_scale_of_the_similarity(some: Case, factor: float) -> None:
    """Folding stretches or shrinks the distance to identical pairs; a model learnt on plain filters must still fit."""
    pairs, a, b = some
    stretched = Pairs(pairs.left, pairs.right, 1 - factor * (1 - pairs.similarity))
    with strangers_are(0.3):
        plain = record_evidence(pairs, a, b, max_block=MANY)
    with strangers_are(1 - factor * (1 - 0.3)):
        np.testing.assert_allclose(record_evidence(stretched, a, b, max_block=MANY), plain, rtol=1e-9, atol=1e-9)


@given(cases)
def test_swapping_the_owners_swaps_left_and_right_and_nothing_else(some: Case) -> None:
    """Who of the two is called first is an accident."""
    pairs, a, b = some
    order = np.lexsort((pairs.left, pairs.right))
    swapped = Pairs(pairs.right[order], pairs.left[order], pairs.similarity[order])
    with strangers_are(0.3):
        one, other = record_evidence(pairs, a, b, max_block=MANY)[order], record_evidence(swapped, b, a, max_block=MANY)
    left, right = RECORD_EVIDENCE.index("margin left"), RECORD_EVIDENCE.index("margin right")
    one[:, [left, right]] = one[:, [right, left]]
    np.testing.assert_allclose(other, one, rtol=1e-12, atol=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-9, 9)), max_size=40, unique_by=lambda one: one[1]))
def test_the_best_other_pair_is_what_a_plain_search_finds(listed: list[tuple[int, int]]) -> None:
    """For a record's best pair it is the second best, else the best; never less than a stranger."""
    expected = []
    for at, (row, _) in enumerate(listed):
        others = [value for i, (one, value) in enumerate(listed) if one == row and i != at]
        expected.append(max([0, *others]))
    rows = np.array([row for row, _ in listed], np.int32)
    scores = np.array([float(score) for _, score in listed])
    assert expected == _best_other(rows, scores).tolist()


def test_two_pairs_that_tie_are_each_others_best_other() -> None:
    """Neither of them has a margin, so neither looks like the only partner."""
    assert [0.5, 0.5, 0.5, 0.0] == _best_other(
        np.array([3, 3, 3, 1], np.int32), np.array([0.5, 0.5, 0.2, 0.9])
    ).tolist()


@given(cases)
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
    evidence = record_evidence(pairs, a, b, max_block=MANY)
    assert shared == pytest.approx(column(evidence, "keys shared"))
    assert rarest == pytest.approx(column(evidence, "rarest key"))
    assert rarity == pytest.approx(column(evidence, "rarity of keys"))
    several = [share * width > 1.5 for share in shared]
    assert several == [bool(value) for value in column(evidence, "several keys")]
    assert [width > 0 and share == 1 for share in shared] == [bool(value) for value in column(evidence, "all keys")]


def test_a_key_in_a_dropped_block_is_not_shared() -> None:
    """Blocks that were too large to compare say nothing, here as in the comparison."""
    pairs, a, b = case(1, keys=1)
    a.keys[:], b.keys[:] = 1, 1
    assert {1.0} == set(column(record_evidence(pairs, a, b, max_block=30), "keys shared"))
    assert {0.0} == set(column(record_evidence(pairs, a, b, max_block=29), "keys shared"))


@given(seeds, st.integers(0, 3))
def test_no_pair_gives_no_row(seed: int, keys: int) -> None:
    """Owners without candidates end a run; they do not break it."""
    rng = np.random.default_rng(seed)
    none = Pairs.concatenate([])
    for n in (0, 3):
        evidence = record_evidence(none, encoded(n, keys, rng), encoded(3, keys, rng), max_block=MANY)
        assert (0, len(RECORD_EVIDENCE)) == evidence.shape


@pytest.mark.parametrize("similarity", [0.0, 0.5, 1.0])
def test_evidence_is_finite_where_all_pairs_are_alike(similarity: float) -> None:
    """With every candidate identical, there is no distance to rescale by; empty filters have no ones to compare."""
    pairs, a, b = case(2)
    pairs.similarity[:] = similarity
    a.filters.words[:], b.filters.words[:] = 0, 0
    evidence = record_evidence(pairs, a, b, max_block=MANY)
    assert np.isfinite(evidence).all()
    assert {similarity} == set(column(evidence, "similarity"))


def test_strangers_are_records_paired_at_random() -> None:
    """Neither the candidates at hand nor the share of matches among them moves the scale."""
    _, a, b = case(4, n=40, m=50)
    words = [(left & right, left, right) for left in a.filters.words for right in b.filters.words]
    alike = [2 * count(both) / (count(left) + count(right)) for both, left, right in words]
    assert float(np.mean(alike)) == pytest.approx(_strangers(a.filters, b.filters), abs=0.01)


def count(words: NDArray[np.uint64]) -> int:
    return sum(int(word).bit_count() for word in words)


# Attribute level

VALUES = st.sampled_from([float("nan"), 0.0, 0.3, 0.5499, 0.55, 0.6, 0.6999, 0.7, 0.9, 0.9999, 1.0])


def schema_of(weights: list[float]) -> Schema:
    return Schema(name="some", attributes=tuple(Attribute(name=f"a{i}", weight=w) for i, w in enumerate(weights)))


@st.composite
def compared(draw: Callable[..., list[float]]) -> tuple[Reals, NDArray[np.uint8], Outcomes, Schema]:
    """Pairs compared under a schema of 1 to 12 attributes."""
    weights = draw(st.lists(st.floats(0.1, 10.0), min_size=1, max_size=12))
    width = len(weights)
    rows = draw(st.lists(st.lists(VALUES, min_size=width, max_size=width), max_size=6))
    n = len(rows)
    classes = draw(st.lists(st.integers(0, 3), min_size=n * width, max_size=n * width))
    p = draw(st.lists(st.floats(0.5, 1.0), min_size=n, max_size=n))
    g = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    similarity = np.array(rows, np.float64).reshape(n, width)
    agreement = np.array(classes, np.uint8).reshape(n, width)
    return similarity, agreement, Outcomes(np.array(g, bool), np.array(p)), schema_of(weights)


@given(compared())
@settings(max_examples=60)
def test_every_attribute_is_equal_near_between_dissimilar_or_missing(
    some: tuple[Reals, NDArray[np.uint8], Outcomes, Schema],
) -> None:
    """The five weights add up to 7 whatever the schema, so that a model learnt on seven attributes carries over."""
    similarity, agreement, record_level, schema = some
    evidence = summary_evidence(similarity, agreement, record_level, schema)
    assert (len(similarity), len(ATTRIBUTE_EVIDENCE)) == evidence.shape
    assert np.isfinite(evidence).all()
    names = ("weight equal", "weight dissimilar", "weight near", "weight between", "weight missing")
    total = sum(evidence[:, ATTRIBUTE_EVIDENCE.index(name)] for name in names)
    np.testing.assert_allclose(total, np.full(len(similarity), 7.0))


@given(compared())
@settings(max_examples=60)
def test_shares_and_lowest_similarities_are_what_a_plain_count_finds(
    some: tuple[Reals, NDArray[np.uint8], Outcomes, Schema],
) -> None:
    """Shares are out of seven; missing values count as equal only for the lowest similarities."""
    similarity, agreement, record_level, schema = some
    evidence = summary_evidence(similarity, agreement, record_level, schema)
    width = similarity.shape[1]
    for row, classes, found in zip(similarity.tolist(), agreement.tolist(), evidence, strict=True):
        by_name = dict(zip(ATTRIBUTE_EVIDENCE, found.tolist(), strict=True))
        present = [value for value in row if value == value]  # noqa: PLR0124 - NaN differs from itself
        counts = {
            "share equal": row.count(1.0),
            "share dissimilar": sum(value < 0.55 for value in present),
            "share near": sum(0.7 <= value < 1 for value in present),
            "share missing": width - len(present),
            "rare agreements": sum(v == 1 and c == 3 for v, c in zip(row, classes, strict=True)),
            "common agreements": sum(v == 1 and c == 2 for v, c in zip(row, classes, strict=True)),
            "frequent agreements": sum(v == 1 and c == 1 for v, c in zip(row, classes, strict=True)),
        }
        assert {name: 7 * count / width for name, count in counts.items()} == pytest.approx(
            {name: by_name[name] for name in counts}
        )
        lowest = [*sorted(present), 1.0, 1.0, 1.0, 1.0][:4]
        assert lowest == [by_name[f"{rank}lowest{kind}"] for rank, kind in _RANKS]
        low, differing = counts["share dissimilar"], len(present) - counts["share equal"]
        flags = ("several dissimilar", "none dissimilar", "at most one differs")
        assert (low > 1, low == 0, differing <= 1) == tuple(bool(by_name[name]) for name in flags)


_RANKS = (("", " similarity"), ("second ", ""), ("third ", ""), ("fourth ", ""))


@given(compared(), st.floats(0.01, 100))
@settings(max_examples=40)
def test_only_the_proportions_of_the_weights_matter(
    some: tuple[Reals, NDArray[np.uint8], Outcomes, Schema], factor: float
) -> None:
    """A schema may weigh out of 1, 7 or 100."""
    similarity, agreement, record_level, schema = some
    other = schema_of([attribute.weight * factor for attribute in schema.attributes])
    np.testing.assert_allclose(
        summary_evidence(similarity, agreement, record_level, other),
        summary_evidence(similarity, agreement, record_level, schema),
    )


def test_the_odds_of_the_record_unit_are_signed_and_bounded() -> None:
    """A coin toss says nothing; even certainty is one piece of evidence among others."""
    record_level = Outcomes(np.array([True, True, False, True, False]), np.array([0.5, 0.9, 0.9, 1.0, 1.0]))
    evidence = summary_evidence(np.full((5, 2), 0.8), np.zeros((5, 2), np.uint8), record_level, schema_of([1.0, 2.0]))
    odds = column(evidence, "record unit's odds", ATTRIBUTE_EVIDENCE)
    assert [0.0, log(9) / 5, -log(9) / 5, 12 / 5, -12 / 5] == pytest.approx(odds)
