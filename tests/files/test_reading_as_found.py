"""Files as they are: however a table is written, packed or named, the same records come out, and guesses are said."""

from __future__ import annotations

import bz2
import gzip
import io
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

from unveil.errors import InputError, SettingError
from unveil.files.read import OwnTable, read_column, read_own, read_records
from unveil.files.reading import Reading
from unveil.schema import parse

SCHEMA = parse('name = "t"\n[[attributes]]\nname = "name"\n[[attributes]]\nname = "town"\n')
ROWS = [["record_id", "name", "town"], ["1", "Jürgen Groß", "Köln"], ["2", "Renée", "Ærø"]]
EXPECTED = [("1", "Jürgen Groß", "Köln"), ("2", "Renée", "Ærø")]


def text(delimiter: str = ",", rows: list[list[str]] = ROWS) -> str:
    return "".join(delimiter.join(cells) + "\r\n" for cells in rows)


def cells(own: OwnTable) -> list[tuple[str, ...]]:
    records = own.records
    return list(zip(records.ids, *(column.values() for column in records.columns.values()), strict=True))


def read(folder: Path, data: bytes, name: str = "people.csv", **how: object) -> OwnTable:
    path = folder / name
    path.write_bytes(data)
    return read_own(path, SCHEMA, Reading(**how))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("codec", "said"),
    [
        ("utf-8", None),
        ("utf-8-sig", None),
        ("utf-16", "UTF-16"),
        ("utf-16-be", "UTF-16"),
        ("utf-16-le", "UTF-16"),
        ("utf-32", "UTF-32"),
        ("latin-1", "Windows-1252"),
        ("cp1252", "Windows-1252"),
    ],
)
def test_the_encoding_is_found_and_a_guess_is_said(tmp_path: Path, codec: str, said: str | None) -> None:
    """Half of the exports of hospitals are no UTF-8, and nobody knows in what they are."""
    own = read(tmp_path, text(";").encode(codec))
    assert EXPECTED == cells(own)
    assert ([] if said is None else [f"read as {said}"]) == [note.split(": ")[1].split(",")[0] for note in own.notes]


@pytest.mark.parametrize(
    ("codec", "words", "said"),
    [
        ("cp1250", ["Łukasz Wiśniewski", "Poznań", "Žižkov"], "Windows-1250"),
        ("cp850", ["Jürgen", "Köln", "Müller", "Straße"], "code page 850"),
        ("mac_roman", ["Jürgen", "Köln", "Müller", "Straße"], "Mac Roman"),
    ],
)
def test_other_code_pages_are_told_by_the_letters_they_make(
    tmp_path: Path, codec: str, words: list[str], said: str
) -> None:
    """Older systems export as they always did."""
    rows = [ROWS[0], *([str(at), word, "x"] for at, word in enumerate(words))]
    own = read(tmp_path, text(rows=rows).encode(codec))
    assert words == own.records.columns["name"].values()
    assert said in own.notes[0]


def test_an_encoding_that_is_named_is_taken(tmp_path: Path) -> None:
    """Whoever knows it better has the last word, and nothing is said then."""
    own = read(tmp_path, "record_id,name,town\n1,Łódź,x\n".encode("iso8859-2"), encoding="iso-8859-2")
    assert (["Łódź"], ()) == (own.records.columns["name"].values(), own.notes)


def test_a_code_page_that_spoils_utf8_is_warned_of(tmp_path: Path) -> None:
    """Jürgen would become JÃ¼rgen, and match nobody."""
    own = read(tmp_path, text().encode(), encoding="latin-1")
    assert "leave --encoding out" in own.notes[0]


@pytest.mark.parametrize("name", ["rot13", "base64", "idna", "nonsense"])
def test_what_is_no_encoding_of_text_is_refused(name: str) -> None:
    """Before a file is opened."""
    with pytest.raises(SettingError, match="--encoding"):
        Reading(encoding=name)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_what_stands_between_values_is_found_although_others_stand_in_them(tmp_path: Path, delimiter: str) -> None:
    """Most of the lines decide, not the first sign."""
    rows = [["record_id", '"name, of the person"', "name", "town"], *([str(at), "x", "y", "z"] for at in range(9))]
    assert 9 == len(read(tmp_path, text(delimiter, rows).encode()).records)


def test_without_known_columns_the_lines_tell_the_delimiter(tmp_path: Path) -> None:
    """unveil check knows no columns yet."""
    (tmp_path / "a.csv").write_text("Nr;Name, Vorname;Ort\n1;Ott, Eva;Ulm\n2;Abt, Udo;Ulm\n", encoding="utf-8")
    assert ["Ott, Eva", "Abt, Udo"] == read_column(tmp_path / "a.csv", "Name, Vorname")


@pytest.mark.parametrize("given", [";", "semicolon"])
def test_a_delimiter_may_be_said_by_sign_or_name(tmp_path: Path, given: str) -> None:
    """A tab is hard to type."""
    assert EXPECTED == cells(read(tmp_path, text(";").encode(), delimiter=given))


@pytest.mark.parametrize("given", ["", ";;", "x", '"', "\n"])
def test_what_cannot_stand_between_values_is_refused(given: str) -> None:
    """A letter or a quote would cut values apart."""
    with pytest.raises(SettingError, match="--delimiter"):
        Reading(delimiter=given)


def test_a_file_as_a_spreadsheet_writes_it_is_read(tmp_path: Path) -> None:
    """Its own line on the delimiter, text that must stay text, line breaks in cells, lines without their empty ends."""
    body = 'sep=;\r\nrecord_id;name;town;\r\n="01";"Ann ""Nan"" O\nNeill";="00501";\r\n2;Bo;Ulm\r\n'
    expected = [("01", 'Ann "Nan" O\nNeill', "00501"), ("2", "Bo", "Ulm")]
    assert expected == cells(read(tmp_path, body.encode()))


def test_a_file_without_a_header_has_numbered_columns(tmp_path: Path) -> None:
    """The first line is a person, and counts as row 1."""
    own = read(tmp_path, b"7;Ann;Ulm\n8;Bo;Wien\n", header=False, id="1", columns={"name": "2", "town": "3"})
    assert [("7", "Ann", "Ulm"), ("8", "Bo", "Wien")] == cells(own)
    with pytest.raises(InputError) as found:
        read(tmp_path, b"7;Ann;Ulm\n8;Bo;Wien\n", header=False)
    assert "--column attribute=number" in str(found.value.hint)


def test_rows_may_number_the_records(tmp_path: Path) -> None:
    """Not every export has an id; an empty line still counts as a row."""
    own = read(tmp_path, b"name,town\nAnn,Ulm\n\nBo,Wien\n", id="row")
    assert ("1", "3") == tuple(own.records.ids)


def test_a_column_may_be_called_otherwise(tmp_path: Path) -> None:
    """As it is said, for a file that is not one's own to change."""
    own = read(tmp_path, b"pid;Nachname;Ort\n1;Ott;Ulm\n", id="pid", columns={"name": "Nachname", "town": "Ort"})
    assert [("1", "Ott", "Ulm")] == cells(own)
    with pytest.raises(SettingError, match=r"no attribute nam \(did you mean name\?\)"):
        read(tmp_path, b"pid\n", columns={"nam": "Nachname"})
    with pytest.raises(SettingError, match="town is read from the column of another"):
        read(tmp_path, b"pid\n", columns={"name": "x", "town": "x"})


def test_two_files_may_call_a_column_otherwise_under_one_schema(tmp_path: Path) -> None:
    """A schema made from both names both; a file with both must be told which one."""
    schema = parse(
        'name = "t"\n[input]\nid = "PatNr"\nother_ids = ["patient_id"]\n'
        '[[attributes]]\nname = "name"\ncolumn = "Nachname"\nother_columns = ["LastName"]\n'
    )
    for header in (b"PatNr,Nachname", b"patient_id,LastName"):
        (tmp_path / "a.csv").write_bytes(header + b"\n1,Ott\n")
        assert ["Ott"] == read_own(tmp_path / "a.csv", schema).records.columns["name"].values()
    (tmp_path / "a.csv").write_bytes(b"PatNr,Nachname,LastName\n1,Ott,Abt\n")
    with pytest.raises(SettingError, match="may be read from column Nachname or LastName"):
        read_own(tmp_path / "a.csv", schema)
    assert ["Abt"] == read_own(tmp_path / "a.csv", schema, Reading(columns={"name": "LastName"})).records.columns[
        "name"
    ].values()


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, zstd])
def test_packed_text_is_unpacked(tmp_path: Path, pack: object) -> None:
    """Whatever the file is called; the encoding is found in what it holds."""
    assert EXPECTED == cells(read(tmp_path, pack(text(";").encode("cp1252"))))  # type: ignore[operator]


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_packed_file_that_becomes_far_too_large_is_refused(
    tmp_path: Path, pack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for Parquet: a few kilobytes must not fill a machine."""
    monkeypatch.setattr("unveil.files.parquet_pages.ALWAYS_ALLOWED", 1 << 20)
    with pytest.raises(InputError, match="far larger than it is"):
        read(tmp_path, pack(text().encode() + b"\r\n" * (2 << 20)))  # type: ignore[operator]


def table() -> pa.Table:
    columns = {name: [row[at] for row in ROWS[1:]] for at, name in enumerate(ROWS[0])}
    return pa.table(columns | {"name": pa.array(columns["name"]).dictionary_encode()})


@pytest.mark.parametrize("packing", ["uncompressed", "zstd", "lz4"])
def test_an_arrow_file_is_read_like_any_other(tmp_path: Path, packing: str) -> None:
    """Feather is what it is called in Python and R."""
    pa.feather.write_feather(table(), tmp_path / "a.feather", compression=packing)
    assert EXPECTED == cells(read_own(tmp_path / "a.feather", SCHEMA))


def test_an_arrow_stream_that_was_saved_is_read(tmp_path: Path) -> None:
    """It has no directory at its end."""
    with pa.ipc.new_stream(tmp_path / "a.arrows", table().schema) as sink:
        sink.write_table(table())
    assert EXPECTED == cells(read_own(tmp_path / "a.arrows", SCHEMA))


@pytest.mark.parametrize("packing", ["zstd", "lz4"])
def test_an_arrow_file_that_becomes_far_too_large_is_refused_unopened(
    tmp_path: Path, packing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a reader takes memory for stands before each packed buffer."""
    huge = pa.table({name: ["x" * (2 << 20)] for name in ROWS[0]})
    path = tmp_path / "bomb.feather"
    pa.feather.write_feather(huge, path, compression=packing)
    assert path.stat().st_size < 1 << 17
    monkeypatch.setattr("unveil.files.parquet_pages.ALWAYS_ALLOWED", 1 << 20)
    with pytest.raises(InputError, match="far larger than it is"):
        read_own(path, SCHEMA)


def test_a_damaged_arrow_file_is_refused_wherever_it_is_damaged(tmp_path: Path) -> None:
    """Cut off or with a byte changed: records or an InputError, and nothing else."""
    path = tmp_path / "a.feather"
    pa.feather.write_feather(table(), path, compression="zstd")
    sound = path.read_bytes()
    for place in range(8, len(sound), 7):
        for data in (sound[:place], sound[:place] + bytes([sound[place] ^ 0x41]) + sound[place + 1 :]):
            path.write_bytes(data)
            try:
                read_own(path, SCHEMA)
            except InputError as error:
                assert "Jürgen" not in f"{error}{error.hint}"


def test_whatever_offers_an_arrow_stream_is_read() -> None:
    """Data frames of pandas and polars, results of DuckDB; a stream that flows once is kept."""

    class Frame:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return table().__arrow_c_stream__(requested_schema)

    for source in (table(), Frame(), table().to_reader()):
        assert EXPECTED == cells(read_own(source, SCHEMA))
    assert ["Köln", "Ærø"] == read_column(table(), "town")


def test_dates_and_numbers_of_arrow_are_the_text_that_everybody_writes(tmp_path: Path) -> None:
    """A day has no time; numbers that became floats because one is missing are whole; null is missing."""
    columns = {
        "record_id": pa.array([1.0, 2.0]),
        "name": pa.array([-9490, None], pa.date32()),
        "town": pa.array([-819936000, None], pa.timestamp("s")),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    expected = [("1", "1944-01-08", "1944-01-08"), ("2", "", "")]
    assert expected == cells(read_own(tmp_path / "a.parquet", SCHEMA)) == cells(read_own(pa.table(columns), SCHEMA))


def test_rows_of_arrow_make_no_object_per_value() -> None:
    """Only ids are objects: each is a record's own."""
    n = 20_000
    numbers = pa.array(range(n)).cast(pa.string())
    people = pa.table({"record_id": numbers, "name": pa.array(["a", "b"] * (n // 2)), "town": pa.nulls(n)})
    records = read_records(people, SCHEMA)
    assert (n, ("a", "b"), ("",)) == (
        len(records),
        records.columns["name"].distinct,
        records.columns["town"].distinct,
    )


def test_standard_input_is_read_like_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be read once only, and is needed twice: for the encoding and for the rows."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(text().encode("cp1252")))))
    own = read_own(Path("-"), SCHEMA)
    assert EXPECTED == cells(own)
    assert own.notes[0].startswith("standard input: read as Windows-1252")
