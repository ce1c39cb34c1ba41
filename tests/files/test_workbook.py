"""Excel workbooks are read as people see them: days, zeros of a format, the sheet in front."""

from __future__ import annotations

from pathlib import Path

import pytest
from workbooks import DAY, FIVE_DIGITS, OWN_DAY, WORD_AND_NUMBER, number, row, text, workbook

from unveil.errors import InputError, SettingError
from unveil.files.columns import read_columns
from unveil.files.read import read_own
from unveil.files.reading import Reading
from unveil.schema import parse

HEADER = row(text("id"), text("name"), text("born"), text("zip"))
SCHEMA = parse('name = "t"\n[input]\nid = "id"\n[[attributes]]\nname = "name"\n[[attributes]]\nname = "born"\n')


def columns(path: Path, **how: object) -> dict[str, list[str]]:
    found = read_columns(path, Reading(**how))  # type: ignore[arg-type]
    return {name: column.values() for name, column in found.columns.items()}


def test_cells_are_read_as_people_see_them(tmp_path: Path) -> None:
    """A day is kept as a number and a format; so are the zeros of a postal code. An error is a missing value."""
    path = workbook(
        tmp_path / "a.xlsx",
        {
            "People": HEADER
            + row(number(1), '<c t="s"><v>0</v></c>', number(16080, DAY), number(4103, FIVE_DIGITS))
            + row(number("2.0"), '<c t="s"><v>1</v></c>', number(16080.75, OWN_DAY), number(4103))
            + row(number("3E0"), '<c t="e"><v>#N/A</v></c>', '<c t="d"><v>1944-01-09T00:00:00</v></c>', number(1.5))
            + row(number(4), '<c t="str"><v>Ott &amp; Abt</v></c>', number(59, DAY), number(16080, WORD_AND_NUMBER))
        },
        shared="<si><t>Ann</t></si><si><r><t>Bo</t></r><r><t xml:space='preserve'> Lee</t></r><rPh><t>x</t></rPh></si>",
    )
    expected = {
        "id": ["1", "2", "3", "4"],
        "name": ["Ann", "Bo Lee", "", "Ott & Abt"],
        "born": ["1944-01-09", "1944-01-09", "1944-01-09", "1900-02-28"],
        "zip": ["04103", "4103", "1.5", "16080"],
    }
    assert expected == columns(path)


def test_days_may_be_counted_from_1904(tmp_path: Path) -> None:
    """As older Macs did."""
    rows = row(text("id"), text("born")) + row(text("a"), number(14618, DAY))
    path = workbook(tmp_path / "a.xlsx", {"S": rows}, about='<workbookPr date1904="1"/>')
    assert ["1944-01-09"] == columns(path)["born"]


def test_cells_that_are_not_there_are_empty_and_rows_are_counted_from_the_header(tmp_path: Path) -> None:
    """Spreadsheets leave out what is empty, also a whole row; its number still counts."""
    rows = (
        '<row r="3"><c r="B3" t="inlineStr"><is><t>id</t></is></c>'
        '<c r="D3" t="inlineStr"><is><t>name</t></is></c></row>'
        '<row r="5"><c r="B5"><v>7</v></c></row><row r="6"><c r="D6"><v>8</v></c></row>'
    )
    path = workbook(tmp_path / "a.xlsx", {"S": rows})
    with pytest.raises(InputError, match="has no id") as found:
        read_own(path, parse('name = "t"\n[input]\nid = "id"\n[[attributes]]\nname = "name"\n'))
    assert 3 == found.value.row


def test_the_first_sheet_that_people_see_is_read_and_said(tmp_path: Path) -> None:
    """Another one can be named; what is hidden is not taken by itself."""
    sheets = {"Old": row(text("no"), text("x")), "People": HEADER + row(text("1")), "More": HEADER + row(text("2"))}
    path = workbook(tmp_path / "a.xlsx", sheets, hidden="Old")
    own = read_own(path, SCHEMA)
    assert (("1",), "sheet People is read, the first of 2") == (
        own.records.ids,
        own.notes[0].split(": ")[1].split(";")[0],
    )
    assert ("2",) == read_own(path, SCHEMA, Reading(sheet="More")).records.ids
    with pytest.raises(SettingError, match=r"no sheet Mores \(did you mean More\?\)"):
        read_own(path, SCHEMA, Reading(sheet="Mores"))


def test_a_sheet_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    """As text has."""
    path = workbook(tmp_path / "a.xlsx", {"S": row(number(1), text("Ann")) + row(number(2), text("Bo"))})
    assert {"1": ["1", "2"], "2": ["Ann", "Bo"]} == columns(path, header=False)


def test_a_row_that_is_wider_than_the_header_is_refused(tmp_path: Path) -> None:
    """What stands beside a table is no part of it."""
    path = workbook(tmp_path / "a.xlsx", {"S": HEADER + row(*[text("x")] * 5)})
    with pytest.raises(InputError, match="has 5 cells, the header has 4") as found:
        columns(path)
    assert 1 == found.value.row


@pytest.mark.parametrize(
    "rows",
    [
        row('<c t="s"><v>7</v></c>'),
        row('<c r="ZZZZ1"><v>1</v></c>', '<c t="s"><v>x</v></c>'),
        row("<c><v>1</v>"),
        '<row r="x"/>',
    ],
)
def test_a_damaged_workbook_is_refused(tmp_path: Path, rows: str) -> None:
    """Nothing but an InputError comes out of it."""
    with pytest.raises(InputError, match="damaged workbook"):
        columns(workbook(tmp_path / "a.xlsx", {"S": rows}))


def test_a_workbook_with_entities_or_far_too_much_in_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few kilobytes must not fill a machine, in either way."""
    path = workbook(tmp_path / "a.xlsx", {"S": HEADER + row(text("x" * (2 << 20)))})
    monkeypatch.setattr("unveil.files.parquet_pages.ALWAYS_ALLOWED", 1 << 20)
    with pytest.raises(InputError, match="far larger than it is"):
        columns(path)
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst><si><t>&b;</t></si></sst>'
    path = workbook(tmp_path / "b.xlsx", {"S": HEADER + row(text("1"))}, shared=bomb)
    with pytest.raises(InputError, match="damaged workbook"):
        columns(path)


def test_any_byte_of_a_workbook_may_be_changed(tmp_path: Path) -> None:
    """Records or an InputError, and never a value in it."""
    path = workbook(tmp_path / "a.xlsx", {"S": HEADER + row(number(1), text("CANARY"), number(16080, DAY))})
    sound = path.read_bytes()
    for place in range(0, len(sound), 13):
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0x15]) + sound[place + 1 :])
        try:
            read_own(path, SCHEMA)
        except InputError as error:
            assert "CANARY" not in f"{error}{error.hint}"
