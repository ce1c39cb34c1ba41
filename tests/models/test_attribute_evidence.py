"""What the attribute unit knows about a pair: levels, and their weights summed up by whose the attributes are."""

from __future__ import annotations

from math import exp, log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import Flags, Outcomes, Reals
from unveil.models.attribute_evidence import STEPS, SUMMARY, WeighedAttributes, attribute_evidence, summary
from unveil.models.levels import EQUAL, KIN, LEVELS, UNLIKE, Shares, adapted, forgetting, summed
from unveil.models.tables import Direction, Tables, Term
from unveil.schema import Attribute, Schema

seeds = st.integers(0, 2**32 - 1)


def by_name(odds: Reals, weight: Reals, personal: Flags, against: Reals | None = None) -> list[dict[str, float]]:
    against = np.zeros((2, len(odds))) if against is None else against
    return [dict(zip(SUMMARY, row, strict=True)) for row in summary(odds, weight, against, KIN, personal).tolist()]


def test_evidence_is_the_record_units_odds_and_a_level_for_each_attribute() -> None:
    """A coin toss says nothing, and even certainty is one piece of evidence among others: odds end at ±12."""
    record_level = Outcomes(np.array([True, True, False, True, False]), np.array([0.5, 0.9, 0.9, 1.0, 1.0]))
    similarity = np.array([[1.0, 0.0], [1.0, np.nan], [0.5, 1.0], [0.6, 0.7], [0.8, 0.9]])
    agreement = np.array([[3, 0], [0, 0], [0, 1], [0, 0], [0, 0]], np.uint8)
    evidence = attribute_evidence(similarity, agreement, record_level)
    assert [0.0, log(9), -log(9), 12.0, -12.0] == pytest.approx(evidence[:, 0].tolist())
    assert [[12, 1], [9, 0], [4, 10], [5, 6], [7, 8]] == evidence[:, 1:].tolist()


def test_the_summary_tells_a_person_from_a_home() -> None:
    """By hand: 3 and −1 are the person's, −2 and 0.5 the home's; beside it stands what all say against others."""
    weight, personal = np.array([[3.0, -2.0, -1.0, 0.5]]), np.array([True, False, True, False])
    (found,) = by_name(np.array([0.7]), weight, personal, np.array([[-1.5], [2.5]]))
    expected = {
        "record unit's odds": 0.7, "weight of person": 2.0, "weight of home": -1.5, "weight": 0.5,
        "against, of person": -1.0, "against, of home": -2.0, "for, of person": 3.0, "for, of home": 0.5,
        "worst of person": -1.0, "worst of home": -2.0, "second worst": -1.0, "best of person": 3.0,
        "against kin": -1.5, "against strangers": 2.5, "against either": -log(0.3 * exp(1.5) + 0.7 * exp(-2.5)),
    }  # fmt: skip
    assert expected == pytest.approx(found)


@given(seeds, st.integers(1, 12), st.integers(0, 5))
@settings(max_examples=50)
def test_the_summary_is_what_a_plain_sum_finds(seed: int, width: int, rows: int) -> None:
    """Also where all attributes are the person's or all the home's: what nobody has counts as nothing."""
    rng = np.random.default_rng(seed)
    weight, personal = rng.normal(0, 2, (rows, width)), rng.random(width) < rng.choice([0.0, 0.5, 1.0])
    odds = rng.normal(0, 3, rows)
    for row, found, above in zip(weight.tolist(), by_name(odds, weight, personal), odds.tolist(), strict=True):
        person = [one for one, own in zip(row, personal, strict=True) if own]
        home = [one for one, own in zip(row, personal, strict=True) if not own]
        assert above == found["record unit's odds"]
        assert sum(row) == pytest.approx(found["weight"])
        for whose, part in (("person", person), ("home", home)):
            assert sum(part) == pytest.approx(found[f"weight of {whose}"])
            assert sum(one for one in part if one < 0) == pytest.approx(found[f"against, of {whose}"])
            assert sum(one for one in part if one > 0) == pytest.approx(found[f"for, of {whose}"])
            assert min([0.0, *part]) == found[f"worst of {whose}"]
        assert max([0.0, *person]) == found["best of person"]
        assert sorted([*row, 0.0, 0.0])[1] == found["second worst"]


@given(seeds, st.integers(1, 12))
@settings(max_examples=50)
def test_more_weight_of_an_attribute_lowers_no_column(seed: int, width: int) -> None:
    """Tables rise along every column, so the whole rises with every attribute."""
    rng = np.random.default_rng(seed)
    weights, personal = rng.normal(0, 2, (3, 1, width)), rng.random(width) < 0.5
    more = weights + rng.exponential(2, (3, 1, 1)) * (np.arange(width) == rng.integers(width))
    low, high = (summary(np.zeros(1), one[0], one[1:].sum(axis=2), KIN, personal) for one in (weights, more))
    assert (high >= low - 1e-12).all()


# Prior knowledge

ROLES_USED = ("given_name", "family_name", "street")


def known(seed: int) -> Shares:
    """Shares of the levels for three roles."""
    rows = np.random.default_rng(seed).dirichlet(np.ones(LEVELS), (3, 3)) * 0.99 + 0.01 / LEVELS
    return Shares(dict(zip(ROLES_USED, rows, strict=True)), dict.fromkeys(ROLES_USED, np.array([10.0, 20.0, 20.0])))


def weight_alone() -> Tables:
    """Log odds of 1 where the weight of all attributes is above 0, else −1."""
    at = SUMMARY.index("weight")
    edges = tuple(np.array([0.0]) if name == "weight" else np.array([]) for name in SUMMARY)
    up: Direction = 1
    return Tables(SUMMARY, (up,) * len(SUMMARY), edges, (Term(at, at, np.array([[-1.0], [1.0]])),), 0.0)


def pairs(seed: int, count: int, width: int = 3) -> Reals:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.normal(0, 3, count), rng.integers(0, LEVELS, (count, width))])


def test_attributes_are_weighed_by_their_roles() -> None:
    """Named in the schema or seen from the name; what is whose follows from the role."""
    schema = Schema(
        name="some",
        attributes=(Attribute(name="surname"), Attribute(name="x", role="given_name"), Attribute(name="strasse")),
    )
    shares = known(1)
    prior = WeighedAttributes.of(schema, weight_alone(), shares)
    assert [False, True, False] == prior.personal.tolist()
    expected = [shares.shares[role].tolist() for role in ("family_name", "given_name", "street")]
    for found in (prior.known.shares, prior.here.shares):
        assert expected == found.transpose(1, 0, 2).tolist()


def test_log_odds_are_the_tables_of_the_summed_weights() -> None:
    """And the first columns that labels may give more weight to are the weights themselves."""
    prior = WeighedAttributes.of_roles(ROLES_USED, weight_alone(), known(2))
    features = pairs(3, 200)
    expected = summed(prior.here.together(), features[:, 1:].astype(np.int64))
    np.testing.assert_array_equal(expected, prior.columns(features)[:, : len(ROLES_USED)])
    assert np.where(expected.sum(axis=1) > 0, 1.0, -1.0).tolist() == prior.log_odds(features).tolist()
    assert 0 < (expected.sum(axis=1) > 0).sum() < 200


def test_a_look_at_the_pairs_starts_from_what_was_known_before_each_time() -> None:
    """Shares adapt to all pairs at hand; looking twice must not count the same pairs twice."""
    prior = WeighedAttributes.of_roles(ROLES_USED, weight_alone(), known(4))
    features = pairs(5, 3000)
    once = prior.settled(features)
    expected = adapted(features[:, 1:].astype(np.int64), features[:, 0], prior.known)
    assert expected.shift == once.here.shift == once.settled(features).here.shift
    again = once.settled(features).here
    np.testing.assert_array_equal(expected.shares, once.here.shares)
    np.testing.assert_array_equal(expected.shares, again.shares)
    assert expected.kin == once.here.kin == again.kin
    assert np.abs(once.here.shares[0] - prior.here.shares[0]).max() > 0.01
    np.testing.assert_array_equal(prior.known.shares, once.known.shares)


def test_labels_may_set_levels_apart_from_what_uncertain_pairs_have() -> None:
    """A further weight then says something about the rare level, and nothing about how many matches there are."""
    settled = WeighedAttributes.of_roles(ROLES_USED, weight_alone(), known(2)).settled(pairs(3, 200))
    features = pairs(3, 200)
    columns = settled.columns(features)
    assert len(ROLES_USED) * (1 + len(STEPS)) == columns.shape[1]
    for at, step in enumerate(STEPS):
        some = columns[:, len(ROLES_USED) * (1 + at)]
        assert 2 == len(np.unique(some.round(9)))
        assert (features[:, 1] >= step).tolist() == (some > some.min() + 1e-9).tolist()
    p = 1 / (1 + np.exp(-settled.log_odds(features)))
    np.testing.assert_allclose(0, (p * (1 - p)) @ columns, atol=1e-9)


# Attributes that one owner writes otherwise

NAME, FAMILY, HOME = range(3)
ALIKE, OTHER = EQUAL + 1, 2  # a frequent value that is equal, and one that has little in common


def told() -> WeighedAttributes:
    """What is known where kin share the family name and the home, and strangers nothing."""
    equal = {"given_name": (0.9, 0.05, 0.05), "family_name": (0.9, 0.8, 0.05), "street": (0.8, 0.9, 0.05)}
    shares = {role: np.stack([agreeing(one) for one in kinds]) for role, kinds in equal.items()}
    return WeighedAttributes.of_roles(
        ROLES_USED, weight_alone(), Shares(shares, dict.fromkeys(shares, np.full(3, 5.0)))
    )


def agreeing(equal: float) -> Reals:
    """Shares of the levels where so many values are equal."""
    found = np.full(LEVELS, 0.005)
    found[EQUAL:], found[1 : UNLIKE + 1] = equal / (LEVELS - EQUAL), (1 - equal) / UNLIKE
    return found / found.sum()


def alike(count: int, above: float, equal: tuple[float, float, float]) -> Reals:
    """So many pairs with that word from above, of which these shares are equal in name, family name and home."""
    rng = np.random.default_rng([count, *(int(100 * one) for one in equal)])
    levels = [rng.permutation(np.where(np.arange(count) < round(one * count), ALIKE, OTHER)) for one in equal]
    return np.column_stack([np.full(count, above), *levels])


def heard(*some: Reals) -> list[float]:
    """How far what is known of each attribute is listened to."""
    return told().settled(np.vstack(some)).heard.tolist()


STRANGERS = alike(300, -2.0, (0.02, 0.02, 0.02))


@pytest.mark.parametrize("at", [NAME, FAMILY, HOME])
@pytest.mark.parametrize(("unlike", "expected"), [(0.5, 1.0), (0.75, 0.5), (0.95, 0.0)])
def test_an_attribute_that_one_owner_writes_otherwise_is_not_heard(at: int, unlike: float, expected: float) -> None:
    """Of two hundred matches: unlike in half as people are, in nearly all as no people are."""
    equal = tuple(1 - unlike if at == other else 1.0 for other in range(3))
    rows = [alike(200, 2.0, (equal[0], equal[1], equal[2])), STRANGERS]
    rows[1][:, 1 + at] = OTHER  # the habit is that of all records
    assert [expected if at == other else 1.0 for other in range(3)] == pytest.approx(heard(*rows), abs=0.1)


@pytest.mark.parametrize("at", [NAME, FAMILY, HOME])
def test_a_difference_that_is_the_same_in_all_pairs_counts_for_nothing(at: int) -> None:
    """Other worlds' differences speak against a match; here one owner writes every value otherwise."""
    equal = tuple(0.0 if at == other else 1.0 for other in range(3))
    rows = np.vstack([alike(200, 2.0, (equal[0], equal[1], equal[2])), STRANGERS])
    rows[:, 1 + at] = OTHER
    assert told().here.together()[at, OTHER] < -1
    assert 0 == pytest.approx(told().settled(rows).here.together()[at, OTHER], abs=0.05)


def test_what_an_attribute_that_is_written_otherwise_tells_all_the_same_is_learnt_here() -> None:
    """One owner writes an initial alone: never equal, but a little more alike in matches, by the other attributes."""
    initial, none = OTHER + 1, OTHER
    rows = [alike(200, 2.0, (0.0, 1.0, 0.9)), STRANGERS.copy()]
    for some, share in zip(rows, (0.9, 0.05), strict=True):
        some[:, 1 + NAME] = np.where(np.arange(len(some)) < share * len(some), initial, none)
    settled = told().settled(np.vstack(rows))
    assert 0 == settled.heard[NAME]
    here = settled.here.against()[:, NAME]
    assert (here[:, initial] - here[:, none] > 2).all()
    assert (told().here.against()[:, NAME, initial] == told().here.against()[:, NAME, none]).all()
    assert (here[:, 0] <= 0).all()
    assert (np.diff(here[:, 1:], axis=1) >= 0).all()


def test_of_an_attribute_that_is_alike_and_never_equal_what_is_known_of_unequal_values_stays() -> None:
    """One owner writes the year alone: half of the date is there in every match, and no date is equal in any."""
    half = EQUAL - 2
    rows = [alike(200, 2.0, (0.95, 0.95, 0.0)), STRANGERS.copy()]
    for some, share in zip(rows, (1.0, 0.05), strict=True):
        some[:, 1 + HOME] = np.where(np.arange(len(some)) < share * len(some), half, OTHER)
    settled = told().settled(np.vstack(rows))
    assert [1.0] * 3 == settled.heard.tolist()
    before, here = (one.here.together()[HOME] for one in (told(), settled))
    assert here[half] > 1.5 > before[half]
    assert here[OTHER] < -1
    assert (np.diff(here[1:]) >= 0).all()


@given(seeds)
@settings(max_examples=30)
def test_what_is_never_equal_is_known_as_unequal_values_are(seed: int) -> None:
    """In the same proportions, for each kind of pair; and what is equal now and then as before."""
    before, found = told().known, pairs(seed, 50)[:, 1:].astype(np.int64)
    after = forgetting(before, found, np.ones(3), np.array([0.0, 1.0, 0.5]))
    lower = slice(0, EQUAL)
    ratio = after.shares[:, 0, lower] / before.shares[:, 0, lower]
    np.testing.assert_allclose(ratio, np.broadcast_to(ratio[:, :1], ratio.shape))
    assert (after.shares[:, 0, EQUAL:].sum(axis=1) < 0.05).all()
    np.testing.assert_array_equal(before.shares[:, 1], after.shares[:, 1])
    np.testing.assert_array_equal(before.firm[:, 1], after.firm[:, 1])
    np.testing.assert_allclose(1, after.shares.sum(axis=2))


@given(seeds)
@settings(max_examples=30)
def test_attributes_that_are_heard_are_known_as_before_and_others_as_alike_in_all_kinds(seed: int) -> None:
    """What is forgotten leaves shares that add up to 1, and no kind of pair more likely than another."""
    rng = np.random.default_rng(seed)
    before, found = told().known, pairs(seed, 200)[:, 1:].astype(np.int64)
    half = np.array([1.0, 0.0, rng.random()])
    after = forgetting(before, found, half, np.ones(3))
    np.testing.assert_array_equal(before.shares[:, 0], after.shares[:, 0])
    np.testing.assert_array_equal(before.firm[:, 0], after.firm[:, 0])
    np.testing.assert_array_equal(after.shares[0, 1], after.shares[1, 1])
    np.testing.assert_allclose(1, after.shares.sum(axis=2))
    assert (after.shares > 0).all()


def test_people_who_moved_do_not_silence_an_address() -> None:
    """Only movers were opened: the address is unlike in all of them, but equal among those who live together."""
    movers, kin = alike(200, 2.0, (1.0, 1.0, 0.0)), alike(60, -2.0, (0.0, 1.0, 1.0))
    assert [1.0, 1.0, 0.0] == heard(movers, STRANGERS)
    assert [1.0, 1.0, 1.0] == heard(movers, STRANGERS, kin)


@pytest.mark.parametrize("kin", [300, 600])
def test_a_given_name_that_kin_differ_in_is_heard_though_the_layer_above_takes_them_for_matches(kin: int) -> None:
    """Nearly all that it takes for matches differ in it; but by the other attributes they are kin."""
    rows = [alike(60, 2.0, (0.95, 0.95, 0.6)), alike(kin, 2.0, (0.0, 0.9, 1.0)), STRANGERS]
    taken = np.vstack(rows)
    assert (taken[taken[:, 0] > 0, 1] == OTHER).mean() > 0.8
    assert 1.0 == heard(*rows)[NAME]


def test_few_pairs_or_unlikely_ones_silence_no_attribute() -> None:
    """25 are too few to tell a habit from chance, and pairs that are hardly matches differ anyway."""
    assert [1.0] * 3 == heard(alike(25, 2.0, (1.0, 1.0, 0.0)), STRANGERS)
    assert [1.0] * 3 == heard(alike(500, -1.0, (0.0, 0.0, 0.0)))
    assert 0.0 == heard(alike(60, 2.0, (1.0, 1.0, 0.0)), STRANGERS)[HOME]
