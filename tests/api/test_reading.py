"""What cannot be found in a file is said in Python as on the command line, for either file apart."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import polars as pl
import pytest
from frames import people, table

import unveil
from unveil.files.read import read_records
from unveil.schema import built_in

pytestmark = [
    pytest.mark.filterwarnings("ignore:attribute last_name is hardly ever equal"),
    pytest.mark.filterwarnings("ignore:the record ids follow the order"),
]


def _written(path: Path, *, codec: str, sign: str, header: bool = True) -> Path:
    """The people of file a as another program writes them."""
    columns = people().a.columns
    text = io.StringIO()
    writer = csv.writer(text, delimiter=sign, lineterminator="\n")
    if header:
        writer.writerow(["record_id", *columns])
    writer.writerows(zip(people().a.ids, *(column.values() for column in columns.values()), strict=True))
    path.write_bytes(text.getvalue().encode(codec))
    return path


def test_encode_takes_what_is_said_of_a_file(tmp_path: Path) -> None:
    """Without a header and with an odd sign nobody could find it out."""
    path = _written(tmp_path / "a.txt", codec="utf-16", sign=":", header=False)
    numbers = {name: str(2 + at) for at, name in enumerate(people().a.columns)}
    reading = unveil.Reading(encoding="utf-16", delimiter=":", header=False, id="1", columns=numbers)
    encoded = unveil.encode(path, key=unveil.Key.new(), reading=reading)
    assert len(people().a) == len(encoded)
    assert set(people().a.ids) == set(encoded.encodings.ids)


def test_link_takes_it_for_either_file_apart(tmp_path: Path) -> None:
    """What is said of one is not said of the other."""
    path = _written(tmp_path / "a.txt", codec="cp850", sign=":")
    reading = unveil.Reading(encoding="cp850", delimiter=":")
    key = unveil.Key.new()  # of other keys, other pairs are opened
    found = unveil.link(path, table("b"), schema="person", reading_a=reading, key=key)
    expected = unveil.link(table("a"), table("b"), schema="person", key=key)
    columns = ["record_id_a", "record_id_b"]
    assert pl.DataFrame(expected.links)[columns].equals(pl.DataFrame(found.links)[columns])


def test_profile_takes_it_and_says_how_a_file_was_read(tmp_path: Path) -> None:
    """A title above the header is no secret, and a guess is said."""
    path = tmp_path / "a.csv"
    path.write_bytes("People of the clinic\nNr:Nachname:Ort\n1:Müller:Köln\n2:Bär:Ulm\n".encode("latin-1"))
    found = unveil.profile(path, reading=unveil.Reading(delimiter=":"))
    assert ["Nr", "Nachname", "Ort"] == [one.name for one in found.columns]
    assert ["read as Windows-1252", "1 line before the header"] == [
        next(part for part in ("read as Windows-1252", "1 line before the header") if part in note)
        for note in found.notes
    ]


def test_what_comes_first_in_dates_is_said_in_a_word(tmp_path: Path) -> None:
    """Also as the command line has it."""
    path = tmp_path / "a.csv"
    path.write_text("record_id,name,birth\n1,Ann,01/02/1944\n2,Bob,03/04/1945\n")
    schema = unveil.Schema.model_validate({
        "name": "s", "attributes": [{"name": "name"}, {"name": "birth", "type": "date"}],
    })  # fmt: skip
    for said in ("month", "month-first"):
        reading = unveil.Reading(dates=said)  # type: ignore[arg-type] # the longer word is the command line's
        assert ["1944-01-02", "1945-03-04"] == read_records(path, schema, reading).columns["birth"].values()
    with pytest.raises(unveil.UnveilError, match="--dates"):
        unveil.Reading(dates="moth")  # type: ignore[arg-type]


def test_how_a_file_is_written_is_not_said_of_a_table_in_memory() -> None:
    """Nothing would come of it, and nobody would notice."""
    with pytest.raises(unveil.UnveilError, match="a table in memory"):
        unveil.encode(table("a"), key=unveil.Key.new(), schema=built_in(), reading=unveil.Reading(sheet="People"))
