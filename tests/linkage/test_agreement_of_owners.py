"""How often keys and attributes agree among pairs that are taken for the same person."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unveil.linkage.agreement_of_owners import (
    AttributeAgreement,
    KeyAgreement,
    attribute_agreements,
    key_agreements,
    likely,
)
from unveil.linkage.outcome import Outcomes

Hashes = NDArray[np.uint8]


def hashes(values: NDArray[np.int64], salt: int = 0) -> Hashes:
    """One key of 16 bytes for each value, equal for equal values; zeros for 0, an omitted key."""
    words = np.stack([values * 1_000_003 + salt, values * 7 + salt], axis=1).astype(np.uint64)
    words[values == 0] = 0
    return words.view(np.uint8).reshape(-1, 1, 16)


def agreement(left: Hashes, right: Hashes, pairs: int | None = None) -> KeyAgreement:
    rows = np.arange(len(left) if pairs is None else pairs, dtype=np.int32)
    (found,) = key_agreements(left, right, (rows, rows))
    return found


def test_agreeing_pairs_are_counted_among_those_that_both_have_the_key() -> None:
    """An omitted key neither agrees nor disagrees, though two of them are the same bytes."""
    left, right = hashes(np.array([1, 2, 3, 0, 0])), hashes(np.array([1, 2, 9, 4, 0]))
    assert KeyAgreement(pairs=3, agreeing=2, apart=False) == agreement(left, right)


def test_a_key_hardly_agrees_below_a_twentieth_of_twenty_pairs_or_more() -> None:
    """Fewer pairs may disagree by chance."""
    counts = [(20, 0), (100, 4), (19, 0), (100, 5)]
    assert [True, True, False, False] == [KeyAgreement(*each, apart=False).hardly for each in counts]


def test_owners_are_apart_where_many_common_values_of_each_are_nowhere_at_the_other() -> None:
    """No link is needed for that: nothing is linked where every key is written otherwise."""
    values = np.repeat(np.arange(1, 31), 10)
    assert agreement(hashes(values), hashes(values, salt=5), pairs=0).apart
    assert not agreement(hashes(values), hashes(values), pairs=0).apart


def test_short_keys_that_a_few_values_share_by_chance_are_apart_all_the_same() -> None:
    """Of many values with 16 bits each some meet; that must not hide that none is written alike."""
    rng = np.random.default_rng(3)
    common, other, rare = (rng.choice(1 << 16, n, replace=False) + 1 for n in (300, 300, 20_000))
    columns = [np.concatenate([np.repeat(some, 10), rare]) for some in (common, other)]
    one, two = (hashes(column) for column in columns)
    for side in (one, two):
        side.view(np.uint64)[:, 0, 1] = 1  # what stands behind a short key
    assert agreement(one, two, pairs=0).apart
    assert not agreement(one, one, pairs=0).apart


def test_rare_values_that_are_nowhere_at_the_other_owner_say_nothing() -> None:
    """Where nobody is shared, no telephone number is, and a household has no more than a few records."""
    values = np.repeat(np.arange(1, 101), 5)
    assert not agreement(hashes(values), hashes(values, salt=5), pairs=0).apart


def test_a_register_without_the_key_is_not_apart() -> None:
    """There is nothing to compare."""
    values = np.repeat(np.arange(1, 31), 10)
    assert not agreement(hashes(values), hashes(np.zeros(300, np.int64)), pairs=0).apart
    assert KeyAgreement(0, 0, apart=False) == agreement(hashes(values), hashes(np.zeros(300, np.int64)))


def test_registers_without_keys_have_no_agreement() -> None:
    """Then all pairs are compared."""
    nothing = np.zeros((4, 0, 16), np.uint8)
    assert [] == list(key_agreements(nothing, nothing, (np.zeros(0, np.int32), np.zeros(0, np.int32))))


def test_likely_pairs_are_matches_that_are_nearly_sure() -> None:
    """What is uncertain may be anybody."""
    outcomes = Outcomes(np.array([True, True, False]), np.array([0.95, 0.7, 0.99]))
    assert [True, False, False] == likely(outcomes).tolist()


def test_attributes_are_counted_where_both_values_are_there_apart_for_likely_pairs() -> None:
    """Similarities that are not known belong to missing values."""
    similarity = np.array([[1.0, 0.8], [np.nan, 0.8], [0.4, 1.0]])
    found = attribute_agreements(similarity, np.array([True, True, False]))
    assert [AttributeAgreement(1, 1, 1, 0), AttributeAgreement(2, 0, 1, 1)] == found


def test_an_attribute_that_is_equal_among_other_pairs_is_written_alike() -> None:
    """People who moved have another street, but those who live together have the same."""
    assert AttributeAgreement(50, 1, 100, 60).written_alike
    assert not AttributeAgreement(50, 0, 100, 0).written_alike
    assert not AttributeAgreement(50, 0, 0, 0).written_alike
