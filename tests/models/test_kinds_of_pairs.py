"""Matches, kin, strangers and pairs by chance: what attributes say against each, and how many there are of each."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Reals
from unveil.models.levels import (
    ALIKE,
    CHANCE,
    EQUAL,
    KIN,
    KINDS,
    LEVELS,
    UNLIKE,
    Adapted,
    KnownShares,
    Levels,
    adapted,
    resembling,
    seeming_without,
    summed,
    weights,
)

NAMES, HOMES = 4, 2  # attributes of the person alone, and of the home, which kin share
ATTRIBUTES = NAMES + HOMES
seeds = st.integers(0, 2**32 - 1)
far = st.floats(-30, 30)
shares = st.floats(0.001, 0.999)


def row(equal: float) -> Reals:
    """Shares of the levels where values are equal this often, else nearly always unlike."""
    found = np.full(LEVELS, 0.002)
    found[EQUAL:] = equal / (LEVELS - EQUAL)
    found[1 : UNLIKE + 1] = (1 - equal) / UNLIKE
    return found / found.sum()


def truth() -> Reals:
    """By kind and attribute: kin have the same home, strangers who are asked about two of the names."""
    equal = {
        "match": [0.9] * NAMES + [0.8] * HOMES,
        "kin": [0.05] * NAMES + [0.95] * HOMES,
        "other": [0.95, 0.95, 0.05, 0.05] + [0.05] * HOMES,
        "chance": [0.03] * NAMES + [0.03] * HOMES,
    }
    return np.array([[row(share) for share in equal[kind]] for kind in KINDS])


def people(counts: tuple[int, ...], seed: int) -> tuple[Levels, Levels]:
    """So many pairs of each kind, their levels drawn from what is true, and which kind they are."""
    rng = np.random.default_rng(seed)
    kind = np.repeat(np.arange(len(counts)), counts)
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
    return here, here.shift + here.against_any(against)


@pytest.mark.parametrize("seed", range(4))
def test_kin_that_share_a_home_are_no_matches_though_the_layer_above_takes_them_for_such(seed: int) -> None:
    """It sees only how alike pairs are, and two of a household are about as alike as one person who has moved."""
    found, kind = people((300, 600, 600, 600), seed)
    above = np.where(kind >= 2, -2.0, 2.0)
    _, odds = said(found, above)
    assert (odds[kind == 0] > 0).mean() > 0.9
    assert all((odds[kind == one] > 0).mean() < 0.03 for one in (1, 2, 3))
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


@pytest.mark.parametrize("by_chance", [0, 4_000])
def test_pairs_by_chance_do_not_make_namesakes_look_like_one_person(by_chance: int) -> None:
    """
    Namesakes agree on two names, always; pairs that have nothing in common agree on none.

    Taken together they would say that such names are seldom equal in strangers, and so that whoever has them is one.
    """
    found, kind = people((200, 0, 600, by_chance), 7)
    here, odds = said(found, np.where(kind == 0, 0.0, -1.5))
    assert (odds[kind == 2] > 0).mean() < 0.02
    assert (odds[kind == 3] > 0).sum() <= 0.001 * by_chance
    assert abs(here.chance - by_chance / (600 + by_chance)) < 0.15


def test_pairs_that_agree_on_three_in_ten_attributes_resemble_a_match() -> None:
    """On one at least, however few there are; what is missing on either side does not count."""
    alike, unlike = ALIKE, ALIKE - 1
    rows = [
        ([unlike] * 5, 0), ([alike] + [unlike] * 4, 0), ([alike] * 2 + [unlike] * 3, 1), ([alike] + [unlike] * 2, 1),
        ([unlike] * 3, 0), ([0] * 3, 0), ([alike] + [0] * 4, 1), ([alike, unlike, unlike, 0, 0, 0, 0, 0], 1),
    ]  # fmt: skip
    for row, expected in rows:
        assert expected == resembling(np.array([row]))[0], row


def test_without_a_pair_everything_stays_as_it_was_thought() -> None:
    here, _ = said(np.empty((0, ATTRIBUTES), np.int64), np.empty(0))
    assert (KIN, 0.0, CHANCE) == (here.kin, here.shift, here.chance)
    np.testing.assert_allclose(known().shares, here.shares)


def test_a_pair_counts_for_its_own_kind_and_moves_no_other() -> None:
    """Clear ones of every kind in turn: the shares of the kind that they are come nearer to what is true."""
    for one, odds in ((0, 6.0), (1, -6.0), (2, -6.0), (3, -6.0)):
        found, _ = people(tuple(3000 * (one == other) for other in range(len(KINDS))), 1)
        here, _ = said(found, np.full(3000, odds))
        before, after = (np.abs(shares - truth()).max(axis=(1, 2)) for shares in (known().shares, here.shares))
        assert after[one] < 0.3 * before[one] + 0.005, KINDS[one]


def mixture(kin: float, chance: float) -> Adapted:
    return Adapted(known().shares, kin, 0.0, chance)


@given(st.tuples(far, far, far), shares, shares)
def test_log_odds_against_any_lie_between_all(against: tuple[float, float, float], kin: float, chance: float) -> None:
    """Whoever is of no other kind is a match; what speaks against one kind alone does not settle it."""
    found = float(mixture(kin, chance).against_any(np.array(against)[:, None])[0])
    assert min(against) - 1e-9 <= found <= max(against) + 1e-9
    for one, share in zip(against, ((1 - chance) * kin, (1 - chance) * (1 - kin), chance), strict=True):
        assert found <= one - np.log(share) + 1e-9


@given(st.tuples(far, far, far), shares, shares, st.tuples(*[st.floats(0, 10)] * 3))
def test_log_odds_against_any_never_fall_when_one_of_them_rises(
    against: tuple[float, float, float], kin: float, chance: float, more: tuple[float, float, float]
) -> None:
    """More evidence against kin, strangers or chance is more evidence for a match."""
    here, both = mixture(kin, chance), np.array([against, np.add(against, more)]).T
    for low, high in (here.against_any(both).tolist(), here.against_strangers(both).tolist()):
        assert low <= high + 1e-12


def test_log_odds_against_any_are_a_likelihood_ratio_with_a_mixture_below() -> None:
    """By hand: a match shows this 8, 2 and 5 times as often; half are by chance, a quarter of the rest are kin."""
    against = np.log([[8.0], [2.0], [5.0]])
    here = mixture(0.25, 0.5)
    assert np.log(1 / (0.125 / 8 + 0.375 / 2 + 0.5 / 5)) == pytest.approx(here.against_any(against)[0])
    assert np.log(0.875 / (0.375 / 2 + 0.5 / 5)) == pytest.approx(here.against_strangers(against)[0])


@given(seeds, st.floats(0.01, 0.99))
@settings(max_examples=30)
def test_weights_of_all_together_are_those_against_the_mixture(seed: int, share: float) -> None:
    """As many kin among the others as there are; pairs by chance are left out."""
    found = np.random.default_rng(seed).dirichlet(np.full(LEVELS, 0.5), (len(KINDS), 2)) + 1e-3
    here = Adapted(found, share, 0.0)
    np.testing.assert_array_equal(weights(found[0], share * found[1] + (1 - share) * found[2]), here.together())
    for at, weight in enumerate(here.against()):
        np.testing.assert_array_equal(weights(found[0], found[1 + at]), weight)


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
