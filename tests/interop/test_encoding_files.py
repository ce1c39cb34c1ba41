"""Files of encodings: each format gives back what was written, and is what its tool writes and reads."""

from __future__ import annotations

import base64
import csv
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_files import converted, origin_in, same, some_encodings, write_json

from unveil.errors import InputError, SettingError
from unveil.files.encoded import Encodings, read_encodings, write_encodings
from unveil.interop.encoding_files import Told
from unveil.interop.formats import FORMATS, found_format

VECTORS = Path(__file__).parents[1] / "vectors" / "interop"
BOTH_WAYS = [name for name, one in FORMATS.items() if one.holds == "encodings" and one.reads and one.writes]
WITH_IDS = {"unveil", "primat", "primat-reversed", "pprl-services", "ul-mds", "ul-mds-csv"}
WITH_BLOCKS = {"unveil", "clkhash-blocks", "anonlink-encodings", "pprl-services"}


def own(path: Path, file: Encodings) -> Path:
    """A file of ours."""
    write_encodings(path, ids=file.ids, filters=file.filters, m=file.m, blocking=file.blocking, metadata=file.metadata)
    return path


def bits(path: Path) -> dict[str, list[int]]:
    """The bits that are set in each filter of a file of ours."""
    file = read_encodings(path)
    rows = np.unpackbits(file.filters.astype("<u8").view(np.uint8), axis=1, bitorder="little")
    return {one: np.flatnonzero(row).tolist() for one, row in zip(file.ids, rows, strict=True)}


@pytest.mark.parametrize("name", BOTH_WAYS)
@pytest.mark.parametrize("keys", [0, 3])
def test_every_format_gives_back_what_was_written(name: str, keys: int, tmp_path: Path) -> None:
    """Filters always; ids and blocks where the format has them, and ids from the table where it has none."""
    file = some_encodings(7, keys=keys, ids=["1", "=2", "x y", 'q"', "ä", "-6", "7"])
    table = tmp_path / "table.csv"
    with table.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([["record_id"], *([one] for one in file.ids)])
    out, back = tmp_path / f"out-{name}", tmp_path / "back.parquet"
    converted(own(tmp_path / "own.parquet", file), out, name)
    told = Told(bits=128, ids=None if name in WITH_IDS else table)
    converted(out, back, "unveil", source=name, told=told)
    again = read_encodings(back)
    assert list(file.ids) == list(again.ids)
    assert file.filters.tolist() == again.filters.tolist()
    if name in WITH_BLOCKS and keys:
        assert same(file, again)
    assert FORMATS[name].origin == again.origin or name == "unveil"


@pytest.mark.parametrize(
    "name", [name for name in BOTH_WAYS if name not in {"primat", "primat-reversed", "ul-mds-csv", "anonlink-binary"}]
)
def test_a_format_that_shows_is_found(name: str, tmp_path: Path) -> None:
    """Nobody should have to say what everybody can see."""
    out = tmp_path / "out"
    converted(own(tmp_path / "own.parquet", some_encodings(keys=1)), out, name)
    assert name == found_format(out)


@pytest.mark.parametrize("name", ["primat", "ul-mds-csv"])
def test_where_the_order_of_bits_does_not_show_a_person_is_asked(name: str, tmp_path: Path) -> None:
    """Read in the wrong order, every filter is wrong and none looks it."""
    out = tmp_path / "out.csv"
    converted(own(tmp_path / "own.parquet", some_encodings()), out, name)
    with pytest.raises(InputError, match="opposite order") as refused:
        converted(out, tmp_path / "back.parquet", "unveil")
    assert "--from primat, or --from ul-mds-csv" == refused.value.hint


def test_clks_are_written_in_the_letters_of_clkhash(tmp_path: Path) -> None:
    """The file that clkhash's command writes, byte for byte: json.dump of one object."""
    theirs = VECTORS / "clks-a.json"
    converted(theirs, tmp_path / "own.parquet", "unveil")
    converted(tmp_path / "own.parquet", tmp_path / "clks.json", "clkhash")
    assert theirs.read_bytes() == (tmp_path / "clks.json").read_bytes()


def test_requests_of_the_real_models_are_read(tmp_path: Path) -> None:
    """Made by pprl-model and pprl-core from sets of bits."""
    found = json.loads((VECTORS / "ul-mds.json").read_text(encoding="utf-8"))
    request = write_json(tmp_path / "request.json", found["request"])
    for part, side in zip(("domain", "range"), found["bits"], strict=True):
        converted(request, tmp_path / "own.parquet", "unveil", told=Told(part=part))
        assert dict(side) == bits(tmp_path / "own.parquet")
        assert "ul-mds" == origin_in(tmp_path / "own.parquet")
    with pytest.raises(SettingError, match="two sides"):
        converted(request, tmp_path / "own.parquet", "unveil")


def test_a_request_of_ours_is_the_models(tmp_path: Path) -> None:
    """Field by field what the real model dumped: it forbids any other."""
    found = json.loads((VECTORS / "ul-mds.json").read_text(encoding="utf-8"))
    request = write_json(tmp_path / "request.json", found["request"])
    for part in ("domain", "range"):
        converted(request, tmp_path / f"{part}.parquet", "unveil", told=Told(part=part))
    sides = {"other": tmp_path / "range.parquet", "threshold": found["request"]["config"]["threshold"]}
    converted(tmp_path / "domain.parquet", tmp_path / "ours.json", "ul-mds-match", **sides)
    assert found["request"] == json.loads((tmp_path / "ours.json").read_text())


@pytest.mark.parametrize("flat", [True, False])
def test_records_of_pprl_services_are_read(*, flat: bool, tmp_path: Path) -> None:
    """Its own test has a filter of 64 bits in which 2, 8, 20 and 61 are set."""
    ids: dict[str, Any] = {"id.source": "A", "id.local": "ID0"} if flat else {"id": {"source": "A", "local": "ID0"}}
    attributes = {
        "bf": {"type": "BITSET_BASE64", "value": "BAEQAAAAACA="},
        "housenumber": {"type": "INT", "value": "1233"},
    }
    write_json(tmp_path / "records.json", [{**ids, "attributes": attributes}])
    converted(tmp_path / "records.json", tmp_path / "own.parquet", "unveil")
    assert {"ID0": [2, 8, 20, 61]} == bits(tmp_path / "own.parquet")


def test_filters_of_javas_bitset_are_read_and_written(tmp_path: Path) -> None:
    """Made by Java itself: PRIMAT keeps its filters in a BitSet and writes them so."""
    found = json.loads((VECTORS / "java-bitset.json").read_text())
    (tmp_path / "primat.csv").write_text("\n".join(found["lines"]))
    converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source="primat", told=Told(bits=found["m"]))
    assert found["bits"] == bits(tmp_path / "own.parquet")
    converted(tmp_path / "own.parquet", tmp_path / "back.csv", "primat")
    assert found["lines"] == (tmp_path / "back.csv").read_text().splitlines()


def test_lines_of_primat_are_read_with_and_without_a_header(tmp_path: Path) -> None:
    """Bits 0, 9 and 40 of 1,000, without the zero bytes that BitSet leaves out; and the same with bytes in reverse."""
    raw = bytes([1, 2, 0, 0, 0, 1, 0, 0, 0, 4])
    for source, one in (("primat", raw), ("primat-reversed", raw[::-1])):
        line = f"7,{base64.b64encode(one).decode()}\r\n"
        for text in (line, f"ID,BF\r\n{line}"):
            (tmp_path / "primat.csv").write_text(text, newline="")
            done = converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source=source)
            assert {"7": [0, 9, 40, 74]} == bits(tmp_path / "own.parquet")
            assert 128 == done.m
            assert any("--bits" in line for line in done.notes)
            converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source=source, told=Told(bits=1000))
            assert 1000 == read_encodings(tmp_path / "own.parquet").m


@pytest.mark.parametrize(
    ("first", "count"), [("7,AQI=", 2), ("7,", 2), ("ID,bits", 1), ("key,filter", 1), ("key,BF_1", 1)]
)
def test_a_first_line_is_taken_for_a_header_only_if_it_is_one(first: str, count: int, tmp_path: Path) -> None:
    """A filter may be short, or empty; and where a line is left out, that is said."""
    (tmp_path / "primat.csv").write_text(f"{first}\n8,gEA=\n")
    done = converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source="primat")
    assert count == done.count
    assert (count == 1) == any("first line" in line for line in done.notes)


def test_of_several_filters_of_a_record_one_is_chosen(tmp_path: Path) -> None:
    """Filters of attributes are no filter of a record."""
    filters = [base64.b64encode(bytes([one] * 8)).decode() for one in (1, 2)]
    (tmp_path / "primat.csv").write_text(f"7,{filters[0]},{filters[1]}\n")
    with pytest.raises(InputError, match="2 filters"):
        converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source="primat")
    converted(tmp_path / "primat.csv", tmp_path / "own.parquet", "unveil", source="primat", told=Told(part="3"))
    assert {"7": [1, 9, 17, 25, 33, 41, 49, 57]} == bits(tmp_path / "own.parquet")


def codi_zip(path: Path, *, count: int = 4, said: int = 4, **more: bytes) -> Path:
    """A zip as a data owner of CODI makes it, of two schemas."""
    clks = json.loads((VECTORS / "clks-a.json").read_text())["clks"]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("output/name-sex-dob-zip.json", json.dumps({"clks": clks[:count]}))
        archive.writestr("output/name-sex-dob-phone.json", json.dumps({"clks": clks[count : 2 * count]}))
        archive.writestr("output/metadata-20260102.json", json.dumps({"number_of_records": said}))
        for name, data in more.items():
            archive.writestr(f"output/{name}.json", data)
    return path


def test_a_zip_of_codi_is_read_schema_by_schema(tmp_path: Path) -> None:
    """All schemas are over the same rows; each is a file of encodings."""
    path = codi_zip(tmp_path / "site.zip")
    with pytest.raises(InputError, match="2 schemas") as refused:
        converted(path, tmp_path / "own.parquet", "unveil")
    assert "--part names one: name-sex-dob-phone, name-sex-dob-zip" == refused.value.hint
    converted(path, tmp_path / "own.parquet", "unveil", told=Told(part="name-sex-dob-zip"))
    converted(VECTORS / "clks-a.json", tmp_path / "all.parquet", "unveil")
    assert read_encodings(tmp_path / "all.parquet").filters[:4].tolist() == (
        read_encodings(tmp_path / "own.parquet").filters.tolist()
    )
    assert "clkhash" == origin_in(tmp_path / "own.parquet")


def test_a_zip_whose_metadata_says_another_count_is_refused(tmp_path: Path) -> None:
    """It was put together from two runs, and its rows are nobody's."""
    with pytest.raises(InputError, match="says 5 records and holds 4"):
        converted(
            codi_zip(tmp_path / "site.zip", said=5), tmp_path / "own.parquet", "unveil",
            told=Told(part="name-sex-dob-zip"),
        )  # fmt: skip


def test_a_zip_bomb_is_refused(tmp_path: Path) -> None:
    """A few kilobytes that would become 200 megabytes."""
    path = codi_zip(tmp_path / "site.zip", bomb=b" " * (200 << 20))
    with pytest.raises(InputError, match="far larger than it is"):
        converted(path, tmp_path / "own.parquet", "unveil", told=Told(part="bomb"))
    assert not (tmp_path / "own.parquet").exists()


@pytest.mark.parametrize("cut", [30, 300, 3000])
def test_a_damaged_zip_is_refused(cut: int, tmp_path: Path) -> None:
    """Wherever the damage is."""
    path = codi_zip(tmp_path / "site.zip", count=40, said=40)
    data = bytearray(path.read_bytes())
    data[cut : cut + 40] = b"\xff" * 40
    path.write_bytes(data)
    with pytest.raises(InputError):
        converted(path, tmp_path / "own.parquet", "unveil", source="codi", told=Told(part="name-sex-dob-zip"))


def test_ids_come_from_the_table_that_was_encoded(tmp_path: Path) -> None:
    """Row by row, so that a table of another length is another table."""
    clks = json.loads((VECTORS / "clks-a.json").read_text())["clks"][:3]
    path = write_json(tmp_path / "clks.json", {"clks": clks})
    (tmp_path / "people.csv").write_text("PatNr;name\n9;A\n7;B\n8;C\n")
    converted(path, tmp_path / "own.parquet", "unveil", told=Told(ids=tmp_path / "people.csv", id_column="PatNr"))
    assert ["9", "7", "8"] == list(read_encodings(tmp_path / "own.parquet").ids)
    converted(path, tmp_path / "own.parquet", "unveil")
    assert ["1", "2", "3"] == list(read_encodings(tmp_path / "own.parquet").ids)
    (tmp_path / "people.csv").write_text("PatNr;name\n9;A\n7;B\n")
    with pytest.raises(SettingError, match=r"2 records, and .* 3 encodings"):
        converted(path, tmp_path / "own.parquet", "unveil", told=Told(ids=tmp_path / "people.csv", id_column="PatNr"))


@pytest.mark.parametrize(
    "text",
    [
        '{"clks": []}', '{"clks": [""]}', '{"clks": ["AAAA", 1]}', '{"clks": {"0": "AAAA"}}', '{"clknblocks": [[]]}',
        '{"clknblocks": [["AAAA", ["x"]]]}', '{"encodings": ["AAAA"], "blocks": {"1": ["x"]}}',
        '{"encodings": ["AAAA"], "blocks": {"-1": ["x"]}}', '{"encodings": ["AAAA"], "blocks": [["x"]]}',
        '{"entities": [{"id": "1"}]}', '{"entities": [{"value": "AAAA"}]}', '{"entities": [7]}', "7", "[]",
        '[{"attributes": 3, "id": {"local": "1"}}]',
        '[{"attributes": {"a": {"type": "BITSET_BASE64", "value": 1}}, "id": 3}]',
    ],
)  # fmt: skip
def test_odd_files_are_refused_with_a_reason(text: str, tmp_path: Path) -> None:
    """Whatever is wrong with them, nothing is written."""
    path = tmp_path / "odd.json"
    path.write_text(text)
    with pytest.raises(InputError):
        converted(path, tmp_path / "own.parquet", "unveil")
    assert not (tmp_path / "own.parquet").exists()


def test_anonlink_is_given_nothing_that_it_cannot_compare(tmp_path: Path) -> None:
    """It wants whole words of 64 bits."""
    path = own(tmp_path / "own.parquet", some_encodings(m=1000))
    with pytest.raises(SettingError, match="multiple of 64 bits, and these have 1000"):
        converted(path, tmp_path / "clks.json", "clkhash")


def test_binary_says_what_the_service_must_be_told(tmp_path: Path) -> None:
    """How many there are and how long they are stands in headers."""
    done = converted(own(tmp_path / "own.parquet", some_encodings()), tmp_path / "clks.bin", "anonlink-binary")
    expected = {"Content-Type": "application/octet-stream", "Hash-Count": "5", "Hash-Size": "16"}
    assert expected == done.headers
    assert 5 * 16 == (tmp_path / "clks.bin").stat().st_size
    with pytest.raises(SettingError, match="does not say how long"):
        converted(tmp_path / "clks.bin", tmp_path / "again.parquet", "unveil", source="anonlink-binary")
    with pytest.raises(InputError, match="no number of CLKs of 136 bits"):
        converted(
            tmp_path / "clks.bin", tmp_path / "again.parquet", "unveil", source="anonlink-binary", told=Told(bits=136)
        )
