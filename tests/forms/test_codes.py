"""Postal codes and codes of sex come out in one form."""

from __future__ import annotations

import pytest

from unveil.forms.column_forms import in_form
from unveil.records import Column
from unveil.schema import Attribute


def read(texts: list[str], **attribute: object) -> tuple[list[str], list[str]]:
    """The values that come out, and the warnings."""
    formed = in_form(Column.of(texts), Attribute.model_validate({"name": "x", **attribute}))
    return formed.column.values(), [one.in_rows(range(1, 1000)) for one in formed.findings if one.is_warning]


@pytest.mark.parametrize(
    "texts",
    [
        ["04103", "01067", "80331", "50667", "10115"],
        ["4103", "1067", "80331", "50667", "10115"],
        ["4103.0", "1067.0", "80331.0", "50667.0", "10115.0"],
        ["D-04103", "D-01067", "D-80331", "D-50667", "D-10115"],
        ["DE 04103", "D 01067", "80 331", " 50667", "10115"],
    ],
)
def test_zeros_that_a_spreadsheet_took_are_given_back(texts: list[str]) -> None:
    """Most of the column say how many digits there are."""
    assert (["04103", "01067", "80331", "50667", "10115"], []) == read(texts, type="postcode")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["sw1a 1aa", "SW1A1AA"], ["SW1A1AA", "SW1A1AA"]),
        (["02134-1234", "2134", "90210", "10001"], ["02134", "02134", "90210", "10001"]),
        (["00-950", "80-001", "950"], ["00950", "80001", "00950"]),
        (["1234 AB", "1234ab"], ["1234AB", "1234AB"]),
        (["8001", "1201", "3000"], ["8001", "1201", "3000"]),
    ],
)
def test_codes_of_several_countries_are_written_in_one_way(texts: list[str], expected: list[str]) -> None:
    """Blanks, signs and small letters differ from register to register."""
    assert expected == read(texts, type="postcode")[0]


def test_the_schema_may_say_how_long_codes_are() -> None:
    """Then two owners agree although one of them has short codes alone."""
    assert ["04103", "01067"] == read(["4103", "1067"], type="postcode", length=5)[0]


def test_codes_of_another_length_are_warned_of() -> None:
    """They may be of another country, or something else."""
    _, warnings = read(["80331"] * 20 + ["803310"] * 3, type="postcode")
    assert ["have another number of digits than 5: 3 postal codes (rows 21, 22, 23)"] == warnings
    _, warnings = read(["8033", "80331", "803", "803311"], type="postcode")
    assert "set length in the schema" in warnings[0]


@pytest.mark.parametrize(
    "texts",
    [
        ["m", "f", "x", ""],
        ["M", "W", "D", "U"],
        ["männlich", "weiblich", "divers", "unbekannt"],
        ["1", "2", "3", "9"],
        ["1.0", "2.0", "3.0", "0.0"],
        ["Male", "FEMALE", "other", "n/a"],
        ["Herr", "Frau", "divers", "keine"],
        ["homme", "femme", "x", "inconnu"],
        ["H", "F", "X", "-"],
        ["man", "vrouw", "x", "?"],
    ],
)
def test_sex_is_read_from_whichever_code_it_has(texts: list[str]) -> None:
    """Letters, words and numbers of several languages."""
    assert (["m", "f", "x", ""], []) == read(texts, type="sex")


def test_what_a_letter_means_is_decided_by_the_column() -> None:
    """Hombre and mujer: an M beside an H is a woman."""
    assert ["m", "f"] == read(["H", "M"], type="sex")[0]
    assert ["m", "f"] == read(["M", "F"], type="sex")[0]


def test_codes_that_do_not_tell_are_warned_of() -> None:
    """0 and 1 may be either, and guessing wrongly would set all men against all women."""
    values, warnings = read(["0", "1", "1"], type="sex")
    assert ["", "", ""] == values
    assert any("0 and 1 say not which" in warning for warning in warnings)
    _, warnings = read(["m", "f", "zz"], type="sex")
    assert ["cannot be read as a sex and count as missing, write m, f or x: 1 value (row 3)"] == warnings
