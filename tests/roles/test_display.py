import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil import schema as schemas
from unveil.roles.review_unit.display import (
    Hiding,
    ReviewablePair,
    Verdict,
    cells,
    opened,
    opened_further,
    share_opened,
)
from unveil.roles.review_unit.likeness import are_alike
from unveil.roles.review_unit.masking import Stage

SCHEMA = schemas.built_in()
STATES = {
    "first_name": "shown",
    "middle_name": "missing",
    "last_name": "equal",
    "year_of_birth": "shown",
    "city": "dissimilar",
    "zip": "shown",
    "place_of_birth": "equal",
}
PAIR = ReviewablePair(
    b"task",
    STATES,
    {"first_name": ("PAULA", "PAUL"), "year_of_birth": ("1976", "1977")},
    {"last_name": 3, "place_of_birth": 0},  # 0: its owner told no class
)
CROSSED = ReviewablePair(
    b"crossed",
    dict.fromkeys(SCHEMA.names, "missing") | {"first_name": "shown", "last_name": "shown"},
    {"first_name": ("MARTIN", "MARTINEZ"), "last_name": ("MARTINEZ", "MARTIN")},
)


def test_each_attribute_has_its_cell() -> None:
    """One line per attribute, in the schema's order, whatever is known of it."""
    expected = [
        ("first_name", "shown", "****A", "****·", "+", "one letter added at the end"),
        ("middle_name", "missing", "", "", "?", "missing on one or both sides"),
        ("last_name", "equal", "", "", "✓", "equal, a rare value"),
        ("year_of_birth", "shown", "***$", "***%", "✎", "one character replaced"),
        ("city", "dissimilar", "", "", "✗", "different"),
        ("zip", "withheld", "", "", "?", "withheld by an owner"),
        ("place_of_birth", "equal", "", "", "✓", "equal"),
    ]
    actual = [(c.attribute, c.state, c.left, c.right, c.icon, c.words) for c in cells(PAIR, SCHEMA, {})]
    assert expected == actual


def test_frequency_can_be_hidden() -> None:
    """A rare value that agrees narrows down who it is."""
    assert "equal" == cells(PAIR, SCHEMA, {}, Hiding(frequency=True))[2].words


def test_every_cell_has_a_sentence() -> None:
    """A screen reader would otherwise read out asterisks."""
    shown = cells(PAIR, SCHEMA, {"first_name": Stage.FULL})
    assert "first name: one letter added at the end; left PAULA, right PAUL." == shown[0].sentence
    assert "last name: equal, a rare value." == shown[2].sentence
    assert "year of birth: one character replaced; masked." == shown[3].sentence


def test_opening_goes_step_by_step_and_skips_steps_that_show_nothing() -> None:
    """A name's differing letters are shown from the start, so its first step opens it all."""
    once = opened_further(PAIR, SCHEMA, {}, "year_of_birth")
    assert {"year_of_birth": Stage.DIFFERING} == once
    assert {"year_of_birth": Stage.FULL} == opened_further(PAIR, SCHEMA, once, "year_of_birth")
    assert {"first_name": Stage.FULL} == opened_further(PAIR, SCHEMA, {}, "first_name")


@pytest.mark.parametrize("attribute", ["city", "zip", "middle_name", "last_name"])
def test_an_attribute_without_values_cannot_be_opened(attribute: str) -> None:
    """There is nothing that the review unit holds."""
    assert {} == opened_further(PAIR, SCHEMA, {}, attribute)


VAIN = ReviewablePair(
    b"vain",
    dict.fromkeys(SCHEMA.names, "missing") | {"first_name": "shown", "zip": "shown"},
    {"first_name": ("LARRY", "REBECCA"), "zip": ("27601", "27607")},
)


@pytest.mark.parametrize("stage", Stage)
def test_of_values_that_hardly_agree_nothing_is_shown_however_far_they_are_opened(stage: Stage) -> None:
    """Two strangers' names would be disclosed for nothing; the cell looks as if no value had been sent."""
    cell = cells(VAIN, SCHEMA, {"first_name": stage})[0]
    never_sent = cells(PAIR, SCHEMA, {})[4]
    assert ("dissimilar", "", "", "✗", "different", False) == (
        cell.state, cell.left, cell.right, cell.icon, cell.words, cell.can_open,
    )  # fmt: skip
    assert (cell.state, cell.rows, cell.icon, cell.said, cell.stage) == (
        never_sent.state, never_sent.rows, never_sent.icon, never_sent.said, never_sent.stage,
    )  # fmt: skip
    assert {} == opened_further(VAIN, SCHEMA, {}, "first_name")
    assert (False,) * 7 == opened(VAIN, SCHEMA, {"first_name": stage})[1]["first_name"]


@given(st.text(alphabet="ABCDE12", max_size=9), st.text(alphabet="ABCDE12", max_size=9), st.sampled_from(Stage))
def test_no_cell_shows_a_character_of_values_under_the_bound(left: str, right: str, stage: Stage) -> None:
    """The likeness of the values decides, not whatever the filters looked like."""
    pair = ReviewablePair(b"x", dict.fromkeys(SCHEMA.names, "missing") | {"zip": "shown"}, {"zip": (left, right)})
    cell = cells(pair, SCHEMA, {"zip": stage})[SCHEMA.names.index("zip")]
    if are_alike(left, right):
        assert "shown" == cell.state
        assert len(cell.left) == len(cell.right) > 0
    else:
        assert ((), ()) == cell.rows
        assert not any(sum(side["zip"]) for side in opened(pair, SCHEMA, {"zip": stage}))


def test_names_that_changed_places_share_one_cell() -> None:
    """Two cells that each look replaced would hide the plainest explanation."""
    cell, *rest = cells(CROSSED, SCHEMA, {})
    assert ("first_name", "last_name") == cell.attributes
    assert ("@@@@@@·· &&&&&&&&", "&&&&&&&& @@@@@@··") == (cell.left, cell.right)
    assert "first name and last name: first and last name swapped; masked." == cell.sentence
    assert len(SCHEMA.names) - 2 == len(rest)
    stages = opened_further(CROSSED, SCHEMA, {}, "last_name")
    assert dict.fromkeys(("first_name", "last_name"), Stage.FULL) == stages
    cell = cells(CROSSED, SCHEMA, stages)[0]
    assert ("MARTIN·· MARTINEZ", "MARTINEZ MARTIN··", False) == (cell.left, cell.right, cell.can_open)


def test_shares_count_both_records_and_all_shown_values() -> None:
    """PAULA shows one letter of five and PAUL none; the years show nothing until opened."""
    assert (0.2 + 0 + 0 + 0) / 4 == share_opened(PAIR, SCHEMA, {})
    assert (0.2 + 0 + 1 + 1) / 4 == share_opened(PAIR, SCHEMA, {"year_of_birth": Stage.FULL})
    left, right = opened(PAIR, SCHEMA, {})
    assert (False, False, False, False, True) == left["first_name"]
    assert (False,) * 4 == right["first_name"]


def test_a_pair_cannot_hold_values_that_are_not_shown() -> None:
    """The review unit must not even be handed them."""
    with pytest.raises(ValueError, match="city has values but is not shown"):
        ReviewablePair(b"x", {"city": "equal"}, {"city": ("ULM", "ULM")})
    with pytest.raises(ValueError, match="no known state"):
        ReviewablePair(b"x", {"city": "opened"}, {})


def test_a_verdict_is_at_least_as_likely_as_not() -> None:
    """Below one half the reviewer means the other label."""
    with pytest.raises(ValueError, match="p must lie"):
        Verdict(b"x", match=True, p=0.4)


def test_nothing_prints_its_values() -> None:
    """Pairs and cells end up in logs and tracebacks."""
    printed = repr(PAIR) + repr(cells(PAIR, SCHEMA, {"first_name": Stage.FULL}))
    assert "PAUL" not in printed
