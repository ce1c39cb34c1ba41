"""Worlds are as wide as the designs say, the same for the same seed, and true about who is who."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.lab.worlds import Design, draw_design, make_world
from unveil.lab.worlds.design import ATTRIBUTES, FURTHER, SPLIT
from unveil.lab.worlds.habits import HABITS
from unveil.lab.worlds.mistakes import MISTAKES, spoil
from unveil.lab.worlds.people import _commonest, id_numbers, inhabit
from unveil.lab.worlds.schemas import keys_of
from unveil.schema.definition import cross_check

SMALL = 600
PERFECT = replace(
    draw_design(1, largest=SMALL),
    attributes=("given_name", "family_name", "date_of_birth"),
    sizes=(300, 200),
    overlap=0.5,
    wrong=(0.0,) * 3,
    missing=(0.0,) * 3,
    moved=0.0,
    renamed=0.0,
    swapped=0.0,
    twice=0.0,
    habit="none",
    few_names=False,
    most_entries=2,
    linked_before=False,
)


EVERY_ATTRIBUTE = {*ATTRIBUTES, *FURTHER, *(part for parts, _ in SPLIT.values() for part in parts)}


def values(world_side: object, names: tuple[str, ...]) -> list[tuple[str, ...]]:
    columns = world_side.columns  # type: ignore[attr-defined]
    decoded = [np.array(columns[name].distinct, object)[columns[name].codes] for name in names]
    return list(zip(*decoded, strict=True))


def test_the_family_of_worlds_is_as_wide_as_it_claims() -> None:
    """Models learnt on it are to travel: every attribute, overlap, key and hardening must occur."""
    designs = [draw_design(seed) for seed in range(400)]
    assert EVERY_ATTRIBUTE == {name for design in designs for name in design.attributes}
    assert {False, True} == {design.linked_before for design in designs}
    assert {"none", "few", "usual", "many"} == {design.keys for design in designs}
    assert {"clean", "ordinary", "dirty", "awful", "ruined"} == {design.dirt for design in designs}
    hardenings = {"none", "xor-fold", "diffusion", "randomised-response", "balance", "protected"}
    assert hardenings == {one.hardening for one in designs}
    assert set(HABITS) == {one.habit for one in designs}
    assert {(few, most) for few in (False, True) for most in (2, 5)} == {(d.few_names, d.most_entries) for d in designs}
    assert (0.0, 1.0) == (min(one.overlap for one in designs), max(one.overlap for one in designs))
    assert 3 == min(len(one.attributes) for one in designs)
    assert max(len(one.attributes) for one in designs) >= 9
    assert min(min(one.sizes) for one in designs) < 300
    assert max(max(one.sizes) for one in designs) > 15_000


@given(st.integers(0, 10_000))
def test_every_schema_of_a_world_is_sound(seed: int) -> None:
    """A data manager's schema passes the same checks as any other, with keys that its attributes allow."""
    design = draw_design(seed, largest=250)
    world = make_world(replace(design, sizes=(200, 200)))
    assert [] == cross_check(world.schema)
    assert set(design.attributes) == set(world.schema.names)
    assert all(part.attribute in design.attributes for key in world.schema.blocking for part in key.parts())


def test_the_same_seed_gives_the_same_world() -> None:
    """Held-out worlds are named by their seeds alone."""
    one, two = (make_world(draw_design(7, largest=SMALL)) for _ in range(2))
    assert one.a.digest() == two.a.digest()
    assert one.b.digest() == two.b.digest()
    assert np.array_equal(one.truth, two.truth)


def test_without_mistakes_true_pairs_are_equal_and_as_many_as_designed() -> None:
    """The truth is about people, not about values: with nothing changed both say the same."""
    world = make_world(PERFECT)
    a, b = values(world.a, PERFECT.attributes), values(world.b, PERFECT.attributes)
    assert (300, 200, 100) == (len(a), len(b), len(world.truth))
    assert all(a[left] == b[right] for left, right in world.truth.tolist())


def test_kin_live_together_and_share_the_family_name() -> None:
    """Across the registers, without mistakes, moves or new names; some couples keep both names, but not their homes."""
    home = ("street", "postcode", "town")
    rates = (0.0,) * 5
    world = make_world(replace(PERFECT, attributes=("given_name", "family_name", *home), wrong=rates, missing=rates))
    a, b = values(world.a, home), values(world.b, home)
    assert (len(a), len(b)) == tuple(map(len, world.households))
    together = {(i, j) for i, j in np.argwhere(world.households[0][:, None] == world.households[1]).tolist()}
    kin = together - set(map(tuple, world.truth.tolist()))
    assert set(map(tuple, world.truth.tolist())) <= together
    assert len(kin) > 50
    assert {True} == {a[i] == b[j] for i, j in kin}
    for name, least, most in (("given_name", 0.0, 0.1), ("family_name", 0.85, 1.0)):
        one, other = (values(side, (name,)) for side in (world.a, world.b))
        assert least <= np.mean([one[i] == other[j] for i, j in kin]) <= most
    neighbours = {(i, j) for i, one in enumerate(a) for j, other in enumerate(b) if one == other}
    assert len(neighbours - together) < 0.02 * len(together)


@pytest.mark.parametrize("changes", [{"linked_before": True, "twice": 0.4}, {"moved": 0.5}])
def test_households_stand_in_the_order_of_the_records(changes: dict[str, float]) -> None:
    """Whoever is one person is of one household, with second entries, after a move, and where some were taken out."""
    world = make_world(replace(PERFECT, wrong=(0.3, 0.0, 0.0), **changes))  # type: ignore[arg-type]
    assert (len(world.a), len(world.b)) == tuple(map(len, world.households))
    assert len(world.truth) > 30
    left, right = world.truth.T
    np.testing.assert_array_equal(world.households[0][left], world.households[1][right])


def test_people_with_two_entries_have_every_pair_in_the_truth() -> None:
    """Duplicates within a register make several true pairs of one person."""
    world = make_world(replace(PERFECT, twice=0.5))
    a, b = values(world.a, PERFECT.attributes), values(world.b, PERFECT.attributes)
    expected = {(i, j) for i, one in enumerate(a) for j, other in enumerate(b) if one == other}
    assert expected == set(map(tuple, world.truth.tolist()))
    assert len(world.truth) > 150


@pytest.mark.parametrize("most", [2, 3, 5])
def test_people_have_up_to_the_most_entries_in_either_register(most: int) -> None:
    """And not only those: some have two, whatever the most; nobody has more."""
    world = make_world(
        replace(PERFECT, attributes=("given_name", "family_name", "id_number"), twice=0.6, most_entries=most)
    )
    for side in (world.a, world.b):
        entries = set(Counter(values(side, ("id_number",))).values())
        assert set(range(1, most + 1)) == entries
    numbers = [[number for (number,) in values(side, ("id_number",))] for side in (world.a, world.b)]
    same = {(i, j) for i, one in enumerate(numbers[0]) for j, other in enumerate(numbers[1]) if one == other}
    assert same == set(map(tuple, world.truth.tolist()))


def test_in_a_world_with_few_names_most_people_share_theirs() -> None:
    """At most 400 of each kind, where there would be more; who they are else is as in any world."""
    plain, few = (
        make_world(replace(PERFECT, sizes=(3000, 3000), overlap=0.0, few_names=choice)) for choice in (False, True)
    )
    for name, usual in (("given_name", 400), ("family_name", 1000)):
        assert len(plain.a.columns[name].distinct) > usual
        assert len({*few.a.columns[name].distinct, *few.b.columns[name].distinct}) <= 400
    assert len(few.a.columns["date_of_birth"].distinct) > 2000


def test_the_commonest_names_stay_and_stand_in_for_the_rest() -> None:
    """Whoever has one of them keeps it; all bearers of any other name get the same one of them."""
    name = np.repeat([7, 3, 9, 5, 1, 0], [50, 30, 20, 4, 2, 1])
    for seed in range(5):
        found = _commonest(name, 3, np.random.default_rng(seed))
        assert name[:100].tolist() == found[:100].tolist()
        assert {7, 3, 9} == set(found.tolist())
        assert [1, 1, 1] == [len(set(found[name == one].tolist())) for one in (5, 1, 0)]
    assert name.tolist() == _commonest(name, 6, np.random.default_rng(1)).tolist()


def test_mistakes_and_gaps_come_as_often_as_designed() -> None:
    """Rates are shares of values."""
    design = replace(PERFECT, sizes=(4000, 4000), overlap=1.0, wrong=(0.2, 0.0, 0.0), missing=(0.0, 0.3, 0.0))
    world = make_world(design)
    a, b = values(world.a, design.attributes), values(world.b, design.attributes)
    pairs = world.truth.tolist()
    differing = [np.mean([a[i][at] != b[j][at] for i, j in pairs]) for at in range(3)]
    assert 1 - 0.8**2 == pytest.approx(differing[0], abs=0.05)
    assert 0.0 == differing[2]
    assert 0.3 == pytest.approx(np.mean([one[1] == "" for one in a]), abs=0.03)


@pytest.mark.parametrize("attribute", sorted(EVERY_ATTRIBUTE))
def test_every_attribute_has_mistakes_that_change_most_values(attribute: str) -> None:
    """A mistake that leaves a value as it is would make worlds cleaner than they claim."""
    rng = np.random.default_rng(1)
    right = inhabit(400, rng).values[attribute]
    wrong = right.copy()
    spoil(attribute, wrong, np.arange(len(right)), rng)
    assert 1.0 == pytest.approx(sum(share for _, share in MISTAKES[attribute]))
    assert np.mean(right != wrong) > 0.85


def test_where_registers_were_linked_before_nobody_agrees_in_everything() -> None:
    """Identical pairs are often linked and taken out first; what is left has no clear pair."""
    design = replace(PERFECT, sizes=(600, 600), overlap=0.5, wrong=(0.3, 0.0, 0.0))
    before, after = (make_world(replace(design, linked_before=choice)) for choice in (False, True))
    for world, some_equal in ((before, True), (after, False)):
        a, b = (values(side, design.attributes) for side in (world.a, world.b))
        equal = [a[i] == b[j] for i, j in world.truth.tolist()]
        assert some_equal == any(equal)
        assert len(equal) > 50
    assert len(after.a) < len(before.a)


def test_a_date_or_street_in_several_columns_says_the_same() -> None:
    """Split columns are parts of the whole, not something else."""
    people = inhabit(300, np.random.default_rng(3)).values
    joined = ["-".join(one) for one in zip(*(people[part] for part in SPLIT["date_of_birth"][0]), strict=True)]
    assert people["date_of_birth"].tolist() == joined
    assert people["street"].tolist() == [
        " ".join(one) for one in zip(people["house_number"], people["road"], strict=True)
    ]


def test_numbers_of_persons_have_a_check_digit_and_are_nobody_elses() -> None:
    """Luhn: doubling every second digit from the right, the sum of digits is a multiple of ten."""
    numbers = id_numbers(500, np.random.default_rng(2)).tolist()
    assert 500 == len(set(numbers))
    for number in numbers:
        digits = [int(digit) for digit in reversed(number)]
        doubled = [digit if at % 2 == 0 else sum(divmod(2 * digit, 10)) for at, digit in enumerate(digits)]
        assert 0 == sum(doubled) % 10


def test_keys_are_taken_in_order_and_only_where_their_attributes_are() -> None:
    """A world without dates has no key with a date."""
    few = keys_of(("given_name", "family_name", "town"), 7)
    assert ["soundex(given_name)+soundex(family_name)", "family_name+town"] == [key.name for key in few]


def test_a_world_needs_enough_attributes_and_rates_for_each() -> None:
    """What cannot be told apart cannot be linked."""
    with pytest.raises(SettingError):
        Design(**{**{name: getattr(PERFECT, name) for name in PERFECT.__slots__}, "attributes": ("sex",)})
    with pytest.raises(SettingError):
        replace(PERFECT, overlap=1.5)
