"""Matches, kin and strangers: what attributes say against each of the others, and how many there are of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Reals
from unveil.models.levels import (
    EQUAL,
    KIN,
    KINDS,
    LEVELS,
    UNLIKE,
    Adapted,
    KnownShares,
    Levels,
    adapted,
    against_either,
    seeming_without,
    summed,
    weights,
)

NAMES, HOMES = 3, 2  # attributes of the person alone, and of the home, which kin share
ATTRIBUTES = NAMES + HOMES
seeds = st.integers(0, 2**32 - 1)
far = st.floats(-30, 30)


def row(equal: float) -> Reals:
    """Shares of the levels where values are equal this often, else nearly always unlike."""
    found = np.full(LEVELS, 0.002)
    found[EQUAL:] = equal / (LEVELS - EQUAL)
    found[1 : UNLIKE + 1] = (1 - equal) / UNLIKE
    return found / found.sum()


def truth() -> Reals:
    """By kind and attribute: kin have other names and mostly the same home, strangers mostly neither."""
    equal = {
        "match": [0.9] * NAMES + [0.8] * HOMES,
        "kin": [0.08] * NAMES + [0.9] * HOMES,
        "other": [0.1] * NAMES + [0.05] * HOMES,
    }
    return np.array([[row(share) for share in equal[kind]] for kind in KINDS])


def people(counts: tuple[int, int, int], seed: int) -> tuple[Levels, Levels]:
    """So many pairs of each kind, their levels drawn from what is true, and which kind they are."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(3), counts)
    true, found = truth(), np.empty((len(kind), ATTRIBUTES), np.int64)
    for at in range(ATTRIBUTES):
        for one, count in enumerate(counts):
            found[kind == one, at] = rng.choice(LEVELS, count, p=true[one, at])
    return found, kind


def known(worth: float = 50.0) -> KnownShares:
    """What is known before: half of what is true, and half nothing."""
    return KnownShares(0.5 * truth() + 0.5 / LEVELS, np.full((len(KINDS), ATTRIBUTES), worth))


def said(found: Levels, odds: Reals) -> tuple[Adapted, Reals]:
    """What these pairs teach, and the log odds of each by that."""
    here = adapted(found, odds, known())
    against = np.stack([summed(weight, found).sum(axis=1) for weight in here.against()])
    return here, here.shift + against_either(against, here.kin)


@pytest.mark.parametrize("seed", range(4))
def test_kin_that_share_a_home_are_no_matches_though_the_layer_above_takes_them_for_such(seed: int) -> None:
    """It sees only how alike pairs are, and two of a household are about as alike as one person who has moved."""
    found, kind = people((300, 600, 600), seed)
    above = np.where(kind == 2, -2.0, 2.0)
    _, odds = said(found, above)
    assert (odds[kind == 0] > 0).mean() > 0.95
    assert (odds[kind == 1] > 0).mean() < 0.03
    assert (odds[kind == 2] > 0).mean() < 0.03
    same_home = (found[:, NAMES:] >= EQUAL).all(axis=1) & (found[:, :NAMES] <= UNLIKE).all(axis=1)
    assert (kind[same_home] == 1).sum() > 200
    assert odds[same_home].max() < 0


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("seed", range(3))
def test_the_share_of_kin_is_found(share: float, seed: int) -> None:
    """Among those who are no matches, however many of them there are; 0.3 is what is thought before a look."""
    kin = int(share * 1000)
    found, kind = people((400, kin, 1000 - kin), seed)
    here, _ = said(found, np.where(kind == 0, 1.5, -1.5))
    assert share == pytest.approx(here.kin, abs=0.1)


def test_without_a_pair_everything_stays_as_it_was_thought() -> None:
    here, _ = said(np.empty((0, ATTRIBUTES), np.int64), np.empty(0))
    assert (KIN, 0.0) == (here.kin, here.shift)
    np.testing.assert_allclose(known().shares, here.shares)


def test_a_pair_counts_for_its_own_kind_and_moves_no_other() -> None:
    """Clear matches, kin and strangers in turn: the shares of the kind that they are come nearer to what is true."""
    for one, odds in ((0, 6.0), (1, -6.0), (2, -6.0)):
        counts = tuple(3000 * (one == other) for other in range(3))
        found, _ = people((counts[0], counts[1], counts[2]), 1)
        here, _ = said(found, np.full(3000, odds))
        before, after = (np.abs(shares - truth()).max(axis=(1, 2)) for shares in (known().shares, here.shares))
        assert after[one] < 0.3 * before[one], KINDS[one]


@given(far, far, st.floats(0.001, 0.999))
def test_log_odds_against_either_lie_between_both(kin: float, stranger: float, share: float) -> None:
    """Whoever is neither kin nor a stranger is a match; what speaks against one alone does not settle it."""
    found = float(against_either(np.array([[kin], [stranger]]), share)[0])
    assert min(kin, stranger) - 1e-9 <= found <= max(kin, stranger) + 1e-9
    assert found <= kin - np.log(share) + 1e-9
    assert found <= stranger - np.log(1 - share) + 1e-9


@given(far, far, st.floats(0.001, 0.999), st.floats(0, 10), st.floats(0, 10))
def test_log_odds_against_either_never_fall_when_one_of_both_rises(
    kin: float, stranger: float, share: float, more: float, further: float
) -> None:
    """More evidence against kin or against strangers is more evidence for a match."""
    low, high = against_either(np.array([[kin, kin + more], [stranger, stranger + further]]), share).tolist()
    assert low <= high + 1e-12


def test_log_odds_against_either_are_a_likelihood_ratio_with_a_mixture_below() -> None:
    """By hand: a match shows this 8 times as often as kin and 2 times as often as strangers; a quarter are kin."""
    found = against_either(np.log([[8.0], [2.0]]), 0.25)
    assert np.log(1 / (0.25 / 8 + 0.75 / 2)) == pytest.approx(found[0])


@given(seeds, st.floats(0.01, 0.99))
@settings(max_examples=30)
def test_weights_of_all_together_are_those_against_the_mixture(seed: int, share: float) -> None:
    """As many kin among the others as there are."""
    shares = np.random.default_rng(seed).dirichlet(np.full(LEVELS, 0.5), (3, 2)) + 1e-3
    here = Adapted(shares, share, 0.0)
    np.testing.assert_array_equal(weights(shares[0], share * shares[1] + (1 - share) * shares[2]), here.together())
    for at, weight in enumerate(here.against()):
        np.testing.assert_array_equal(weights(shares[0], shares[1 + at]), weight)


@pytest.mark.parametrize("at", range(ATTRIBUTES))
def test_what_pairs_seem_to_be_by_all_other_attributes_does_not_depend_on_this_one(at: int) -> None:
    """Else an attribute would confirm itself; the others do tell."""
    found, kind = people((200, 200, 200), 3)
    here = Adapted(known().shares, KIN, 0.0)
    changed = found.copy()
    changed[:, at] = np.random.default_rng(1).integers(0, LEVELS, len(found))
    one, other = (seeming_without(at, some, np.zeros(len(found)), here, known()) for some in (found, changed))
    np.testing.assert_array_equal(one, other)
    assert one[kind == 0].mean() > 0.7
    assert one[kind != 0].mean() < 0.3
