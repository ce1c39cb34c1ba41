"""Whether a column is what its attribute says, and what its values look like without a value."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.encoding.planning.column_fit import doubts
from unveil.encoding.planning.facts import facts_of
from unveil.encoding.planning.looks import ColumnLook, format_of, look_of
from unveil.lab.synthetic import generate
from unveil.records import Column
from unveil.schema import Attribute, built_in
from unveil.schema.attribute_roles import ROLES

CODES = [f"{letter}{number}.{number % 10}" for letter in "CEGIJ" for number in range(10, 60)]
WORDS = ["Stroke", "Diabetes mellitus", "Asthma", "Angina pectoris", "Migraine"] * 50
TOWNS = ["Heidelberg", "St. Ives", "Bad Ems", "Köln", "Tours"] * 50
DATES = [f"19{year}-05-{day:02}" for year in range(40, 90) for day in range(10, 15)]


def kinds(attribute: Attribute, values: Sequence[str]) -> list[str]:
    found = doubts(attribute, facts_of(Column.of(values)))
    assert not any(value in doubt.sentence for doubt in found for value in values if value)
    return [doubt.kind for doubt in found]


def city(column: str | None = None) -> Attribute:
    return Attribute(name="city", column=column)


def test_a_diagnosis_is_no_city() -> None:
    """By its name, whatever it is written like; codes of it by their digits too, under whichever name."""
    assert ["name"] == kinds(city("diagnosis"), WORDS)
    assert ["name", "contents"] == kinds(city("diagnosis"), CODES)
    assert ["contents"] == kinds(city(), CODES)
    assert [] == kinds(city(), TOWNS)


@pytest.mark.parametrize("column", ["City", "CITY", "c i t y", "town", "Wohnort", "ville", "suburb"])
def test_names_of_the_same_meaning_fit(column: str) -> None:
    """In other languages and spellings."""
    assert [] == kinds(city(column), TOWNS)


@pytest.mark.parametrize("column", ["zip", "place_of_birth", "mother_city", "ln", "remarks", "x"])
def test_other_names_do_not(column: str) -> None:
    """Where a name says something else, is somebody else's, or says nothing, a person has to look."""
    assert ["name"] == kinds(city(column), TOWNS)


def test_a_name_that_all_agreed_on_needs_no_meaning() -> None:
    """An attribute of no known role is read from the column of its name; from any other one, somebody must say so."""
    assert [] == kinds(Attribute(name="ward"), CODES)
    assert ["name"] == kinds(Attribute(name="ward", column="diagnosis"), CODES)
    assert ["name"] == kinds(Attribute(name="zip", role="town"), TOWNS)


@pytest.mark.parametrize(
    ("name", "values", "fits"),
    [
        ("first_name", DATES, False),
        ("year_of_birth", DATES, False),
        ("date_of_birth", DATES, True),
        ("zip", DATES, False),
        ("zip", [f"{number:05}" for number in range(300)], True),
        ("sex", ["m", "f", "d"] * 50, True),
        ("sex", ["1", "2", "9"] * 50, True),
        ("sex", ["positive", "negative"] * 50, False),
        ("street", [f"p{row}@example.org" for row in range(200)], False),
        ("street", [f"Main Road {row}" for row in range(200)], True),
        ("region", [f"+49 6221 55{row:04}" for row in range(90)], False),
        ("city", ["seen on admission, sent home with a letter to the general practitioner"] * 50, False),
        ("phone", [f"+49 6221 55{row:04}" for row in range(90)], True),
        ("city", [""] * 50, True),  # nothing leaves
    ],
)
def test_contents_that_do_not_fit_are_doubted(name: str, values: list[str], *, fits: bool) -> None:
    """By what the values are written like."""
    assert ([] if fits else ["contents"]) == kinds(Attribute(name=name), values)


@pytest.mark.parametrize(("layout", "schema"), [("voter", "person"), ("clinic", "clinic")])
def test_generated_people_raise_no_doubt(layout: str, schema: str) -> None:
    """Whoever is asked about everything looks at nothing."""
    people, linkage = generate(records=400, overlap=0.2, errors=2, seed=3, layout=layout), built_in(schema)
    for attribute in linkage.attributes:
        for side in (people.a, people.b):
            assert () == doubts(attribute, facts_of(side.columns[attribute.name])), attribute.name


@pytest.mark.parametrize("role", ROLES)
def test_every_role_can_be_doubted_and_believed(role: str) -> None:
    """A role without a rule would let anything pass, or fail at the owner's."""
    doubts(Attribute(name="x", role=role), facts_of(Column.of(TOWNS)))
    assert ["contents"] == kinds(Attribute(name="x", role=role), ["word " * 30] * 30)


def test_a_look_is_the_commonest_format_with_lengths_and_gaps() -> None:
    """Of ten records: six dates, three words, one gap."""
    column = Column.of(["1984-05-12"] * 5 + ["1901-01-31", "", "Ada", "ada", "Bo"])
    assert ColumnLook("9999-99-99", 0.6667, 2, 10, 0.1, 5) == look_of(column)
    assert ColumnLook("", 0.0, 0, 0, 1.0, 0) == look_of(Column.of(["", ""]))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("Ada-Marie O'Neil", "Aaa-Aaaaa A'Aaaa"),
        ("+49 (6221) 55", "+99 (9999) 99"),
        ("Ölçü", "Aaaa"),
        ("王小明", "xxx"),
        ("٣٤½", "999"),
        ("a\x1b[31m\u202e\x9b", "a??99a??"),
        ("x" * 30, "a" * 24 + "…"),
    ],
)
def test_a_format_is_classes_of_characters(value: str, expected: str) -> None:
    """Signs that a terminal would obey are none of them."""
    assert expected == format_of(value)


@given(st.text(min_size=1, max_size=60))
def test_a_format_holds_no_letter_and_no_digit_of_the_value(value: str) -> None:
    """A, a, x, 9, ? and a few signs, whatever the value."""
    assert re.fullmatch(r"[Aax9? \-./,'+@()_:&#]*…?", format_of(value))
    assert len(format_of(value)) <= 25


@given(st.text(string.ascii_letters, min_size=1, max_size=20))
def test_values_of_one_format_look_the_same(value: str) -> None:
    """So nothing of a value but its format is in it."""
    other = "".join("Q" if letter.isupper() else "q" for letter in value)
    assert format_of(value) == format_of(other)
