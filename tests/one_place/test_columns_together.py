"""Two files of which one has in several columns what the other has in one: they are read together, and that is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from silent_loss import Row, people
from test_silent_loss import same_encodings, save

from unveil.encoding.planning import proposal
from unveil.files.reading import Reading
from unveil.one_place.two_tables import NamedTable, TwoTables, read_two
from unveil.schema import BlockingKey, Schema


@pytest.fixture(autouse=True)
def fixed_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocking keys of a kind: choosing takes most of the time."""

    def keys(_: object, __: object, schema: Schema, ___: object) -> tuple[BlockingKey, ...]:
        return (BlockingKey(fields=schema.names[:2]),)

    monkeypatch.setattr(proposal, "proposed_keys", keys)


def whole(form: str, called: str) -> list[Row]:
    """The same people with their names in one column."""
    rows = []
    for row in people():
        rest = {name: value for name, value in row.items() if name not in {"first_name", "last_name"}}
        rows.append({**rest, called: form.format(**row)})
    return rows


def both(folder: Path, ours: list[Row], theirs: list[Row]) -> TwoTables:
    paths = save(folder / "a.csv", ours, "utf-8"), save(folder / "b.csv", theirs, "utf-8")
    return read_two(NamedTable(paths[0], "a"), NamedTable(paths[1], "b"))


@pytest.mark.parametrize(
    ("form", "called", "parts"),
    [
        ("{last_name}, {first_name}", "Name", "last_name, first_name"),
        ("{first_name} {last_name}", "patient name", "first_name, last_name"),
        ("{last_name} {first_name}", "Nom et prénom", "last_name, first_name"),
    ],
)
@pytest.mark.parametrize("ours_is_whole", [True, False])
def test_whole_names_meet_given_and_family_names(
    tmp_path: Path, form: str, called: str, parts: str, *, ours_is_whole: bool
) -> None:
    """In the order in which they stand there, whichever file has them; what tells names apart is said to be less."""
    sides = [whole(form, called), people()]
    found = both(tmp_path, *(sides if ours_is_whole else reversed(sides)))
    assert same_encodings(found) > 0.99
    assert any(f"{parts} are read as one" in line for line in found.chosen)
    assert any("better two columns" in sentence for sentence in found.warnings)


def test_ids_that_repeat_are_told_of_and_rows_numbered(tmp_path: Path) -> None:
    """Whoever joins links to records by them must know."""
    rows = people()
    rows[3]["record_id"] = rows[2]["record_id"]
    found = both(tmp_path, rows, people())
    assert "1" == found.records[0].ids[0]
    assert any("column record_id: is empty in a record, or the same in two" in one for one in found.warnings)


def test_no_mark_of_a_person_is_taken_for_a_record_id(tmp_path: Path) -> None:
    """It would stand in the links, and be missing from what people are told apart by."""
    rows = [{name: value for name, value in row.items() if name != "record_id"} for row in people()]
    for at, row in enumerate(rows):
        row["email"] = f"p{at}@example.org"
    path = tmp_path / "a.csv"
    path.write_text(";".join(rows[0]) + "\n" + "".join(";".join(row.values()) + "\n" for row in rows))
    other = save(tmp_path / "b.csv", people(), "utf-8")
    found = read_two(NamedTable(path, "a"), NamedTable(other, "b"))
    assert np.array_equal(["1", "2", "3"], list(found.records[0].ids[:3]))


def test_dates_are_read_as_is_said_without_a_schema_too(tmp_path: Path) -> None:
    """`--dates` decides where no date tells."""
    rows = [{**row, "date_of_birth": f"0{1 + at % 9}/0{1 + at % 7}/1944"} for at, row in enumerate(people())]
    paths = [save(tmp_path / f"{name}.csv", rows, "utf-8") for name in "ab"]
    a = NamedTable(paths[0], "a", Reading(dates="day"))
    b = NamedTable(paths[1], "b", Reading(dates="month"))
    found = read_two(a, b)
    values = [side.columns["date_of_birth"].values() for side in found.records]
    assert ["1944-02-02", "1944-03-03", "1944-01-08"] == [values[0][at] for at in (1, 2, 7)]
    assert "1944-08-01" == values[1][7]
