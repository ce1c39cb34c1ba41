"""The header is found below titles and empty lines, and in two rows where cells were merged."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbooks import number, row, text, workbook

from unveil.errors import InputError
from unveil.files.columns import FileColumns, read_columns
from unveil.files.first_rows import header_place
from unveil.files.reading import Reading

HEADER = "id;Vorname;Nachname;Ort;PLZ"
PEOPLE = "1;Ann;Smith;Leeds;04103\n2;Bob;Jones;York;04105\n3;Cy;Hill;Hull;04107\n"
NAMES = ["id", "Vorname", "Nachname", "Ort", "PLZ"]


def read(folder: Path, content: str, reading: Reading | None = None) -> FileColumns:
    path = folder / "people.csv"
    path.write_bytes(content.encode())
    return read_columns(path, reading or Reading())


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("Patients of the north clinic\n", ["1 line before the header is left out"]),
        ("Patients of the north clinic; 1 May 2024\n\n", ["1 line before the header is left out"]),
        ("Patients;;;;\n;;;;\nPrinted;2024;;;\n", ["2 lines before the header are left out"]),
        ("# made by a program\n# on a Monday\n", ["2 lines before the header are left out"]),
        ("\n\n", []),
        ("sep=;\n", []),
        (";Name;;Adresse;\n", ["the header has two rows, and columns are called as the lower one says"]),
    ],
)
def test_what_stands_before_the_header_is_left_out_and_said(tmp_path: Path, before: str, said: list[str]) -> None:
    """A report has a title; its words are not shown, for they may be a person's."""
    found = read(tmp_path, before + HEADER + "\n" + PEOPLE)
    assert NAMES == list(found.columns)
    assert ["04103", "04105", "04107"] == found.columns["PLZ"].values()
    assert said == [note.split(": ", 1)[1] for note in found.notes]
    assert not any("Patients" in note for note in found.notes)


def test_a_header_of_two_rows_is_named_by_the_lower_one(tmp_path: Path) -> None:
    """Groups of columns stand above their columns; two of one name are told apart by their groups."""
    upper, lower = "id;Person;;Mutter;PLZ", ";Vorname;Nachname;Nachname;"
    found = read(tmp_path, f"{upper}\n{lower}\n{PEOPLE}")
    assert ["id", "Vorname", "Person Nachname", "Mutter Nachname", "PLZ"] == list(found.columns)
    assert ["1", "2", "3"] == found.columns["id"].values()
    assert "the header has two rows" in found.notes[0]


def test_a_workbook_may_begin_with_a_title_and_with_a_page_about_it(tmp_path: Path) -> None:
    """Spreadsheets are made to be looked at."""
    people = row(text("id"), text("Nachname"), text("Ort")) + "".join(
        row(number(at), text("Smith"), text("Leeds")) for at in range(4)
    )
    sheets = {"About": row(text("A report")), "People": row(text("Patients")) + row() + people}
    found = read_columns(workbook(tmp_path / "a.xlsx", sheets))
    assert ["id", "Nachname", "Ort"] == list(found.columns)
    assert ["0", "1", "2", "3"] == found.columns["id"].values()
    assert 2 == len(found.notes)
    assert "sheet People is read, the first with a table of 2" in found.notes[0]


def test_formulas_without_results_are_told_of(tmp_path: Path) -> None:
    """A program that is no spreadsheet writes formulas, and nobody has computed them yet."""
    rows = row(text("id"), text("Nachname")) + row(number(1), '<c t="str"><f>UPPER("x")</f><v></v></c>')
    found = read_columns(workbook(tmp_path / "a.xlsx", {"A": rows}))
    assert "formulas have no results saved" in found.notes[0]


def test_a_column_without_a_name_is_left_out_and_said(tmp_path: Path) -> None:
    """An empty one is no loss."""
    found = read(tmp_path, "id;Vorname;;Ort;\n1;Ann;Smith;Leeds;\n2;Bob;Jones;York;\n")
    assert ["id", "Vorname", "Ort"] == list(found.columns)
    assert ["column 3 has no name in the header, and what stands there is left out"] == [
        note.split(": ", 1)[1] for note in found.notes
    ]


def test_lines_that_end_with_one_sign_more_than_the_header_are_read(tmp_path: Path) -> None:
    """Some programs end every line of a record with the delimiter."""
    found = read(tmp_path, HEADER + "\n" + PEOPLE.replace("\n", ";\n"))
    assert ["04103", "04105", "04107"] == found.columns["PLZ"].values()


@pytest.mark.parametrize(
    ("content", "problem", "hint"),
    [
        (HEADER + "\n" + PEOPLE + "Total: 3\n", "has 1 cell", "a total"),
        (HEADER + "\n" + PEOPLE + HEADER + "\n" + PEOPLE, "is the header once more", "take the line out"),
        ("id    Vorname    Ort\n1    Ann    Leeds\n", "but blanks", "fixed width"),
    ],
)
def test_lines_that_are_no_records_are_refused_with_the_cure(
    tmp_path: Path, content: str, problem: str, hint: str
) -> None:
    """They would be people who do not exist."""
    with pytest.raises(InputError, match=problem) as refused:
        read(tmp_path, content)
    assert hint in (refused.value.hint or "")


def test_a_total_at_the_end_is_told_of(tmp_path: Path) -> None:
    """It has as many cells as a record."""
    found = read(tmp_path, HEADER + "\n" + PEOPLE + "Total;3;;;\n")
    assert "row 4, the last one, seems to be a total" in found.notes[0]
    assert () == read(tmp_path, HEADER + "\n" + PEOPLE + "4;Sum;Total;Leeds;04107\n").notes


def test_what_old_programs_write_behind_a_text_is_no_record(tmp_path: Path) -> None:
    """The end of a file was a sign of its own once."""
    assert 3 == len(read(tmp_path, HEADER + "\n" + PEOPLE + "\x1a").columns["id"])


@pytest.mark.parametrize("sign", ["^", "~", "\x1f"])
def test_rare_signs_stand_between_values_where_no_usual_one_does(tmp_path: Path, sign: str) -> None:
    """They are in every line as often as in the header."""
    assert NAMES == list(read(tmp_path, (HEADER + "\n" + PEOPLE).replace(";", sign)).columns)


def test_a_first_row_that_may_be_a_person_is_never_taken_for_a_header_below_a_title() -> None:
    """Whatever is a header is shown on screens."""
    rows = [["id", "", "", "", ""], ["1", "Ann", "Smith", "Leeds", "04103"], ["2", "Bob", "Jones", "York", "04105"]]
    assert ("id", "", "", "", "") == header_place(rows).names
