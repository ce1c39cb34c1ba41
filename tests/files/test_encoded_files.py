"""The file of encodings: what goes in comes out, and the bytes are those that the format says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from unveil.errors import InputError
from unveil.files.encoded import Encodings, read_encodings, write_encodings

METADATA = {"created": "2030-01-01T00:00:00+00:00", "fingerprint": "00ff"}


def encodings(n: int = 3, *, m: int = 128, keys: int = 2, seed: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {
        "ids": tuple(f"r{row}" for row in range(n)),
        "filters": rng.integers(0, 1 << 63, size=(n, m // 64), dtype=np.uint64),
        "m": m,
        "blocking": rng.integers(0, 256, size=(n, keys, 16), dtype=np.uint8),
        "metadata": METADATA,
    }


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    ids=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), unique=True, max_size=6),
    words=st.integers(1, 3),
    keys=st.integers(0, 3),
    data=st.data(),
)
def test_encodings_come_back_as_they_were(
    tmp_path: Path, ids: list[str], words: int, keys: int, data: st.DataObject
) -> None:
    """Bit for bit, for any ids and any shape, no records and no keys included."""
    filters = data.draw(hnp.arrays(np.uint64, (len(ids), words)))
    blocking = data.draw(hnp.arrays(np.uint8, (len(ids), keys, 16)))
    path = tmp_path / "e.parquet"
    write_encodings(path, ids=ids, filters=filters, m=64 * words, blocking=blocking, metadata=METADATA)
    found = read_encodings(path)
    assert tuple(ids) == found.ids
    assert 64 * words == found.m
    assert METADATA == found.metadata
    np.testing.assert_array_equal(filters, found.filters, strict=True)
    np.testing.assert_array_equal(blocking, found.blocking, strict=True)


def test_bits_are_stored_least_significant_first(tmp_path: Path) -> None:
    """Another implementation reads these bytes: bit 0 is the lowest bit of the first byte, bit 64 of the ninth."""
    filters = np.array([[1 | 1 << 9 | 1 << 63, 1 << 1]], dtype=np.uint64)
    blocking = np.arange(16, dtype=np.uint8).reshape(1, 1, 16)
    path = tmp_path / "e.parquet"
    write_encodings(path, ids=["a"], filters=filters, m=128, blocking=blocking, metadata=METADATA)
    table = pq.read_table(path)
    assert bytes.fromhex("01020000000000800200000000000000") == table["filter"][0].as_py()
    assert bytes(range(16)) == table["block_0"][0].as_py()
    assert [pa.string(), pa.binary(16), pa.binary(16)] == table.schema.types


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    """Format, version, length, count, and what the writer adds."""
    write_encodings(tmp_path / "e.parquet", **encodings(5))
    said = {key: text for key, text in pq.read_schema(tmp_path / "e.parquet").metadata.items() if b"unveil" in key}
    expected = {b"format": b"unveil-encodings", b"version": b"1", b"m": b"128", b"records": b"5"}
    expected |= {key.encode(): text.encode() for key, text in METADATA.items()}
    assert {b"unveil." + key: text for key, text in expected.items()} == said


def test_a_filter_length_between_words_is_kept(tmp_path: Path) -> None:
    """Hardening may give 100 bits: two words, of which the last 28 bits are 0."""
    values = encodings() | {"m": 100, "filters": np.array([[1, 1 << 35]] * 3, dtype=np.uint64)}
    write_encodings(tmp_path / "e.parquet", **values)
    assert 100 == read_encodings(tmp_path / "e.parquet").m
    values["filters"] = np.array([[1, 1 << 36]] * 3, dtype=np.uint64)
    write_encodings(tmp_path / "e.parquet", **values)
    with pytest.raises(InputError, match="beyond its length 100"):
        read_encodings(tmp_path / "e.parquet")


@pytest.mark.parametrize(
    "change",
    [{"m": 64}, {"m": 192}, {"ids": ("a",)}, {"blocking": np.zeros((3, 1, 8), np.uint8)}, {"metadata": {"m": "1"}}],
)
def test_values_that_do_not_fit_together_are_not_written(tmp_path: Path, change: dict[str, Any]) -> None:
    """A defect of the caller, found before there is a file."""
    with pytest.raises(ValueError, match=r"ids|itself"):
        write_encodings(tmp_path / "e.parquet", **encodings() | change)
    assert [] == list(tmp_path.iterdir())


def test_neither_values_nor_bits_show_in_a_repr() -> None:
    """A repr ends up in logs."""
    assert "Encodings(<3 records, m=128, 2 blocking keys>)" == repr(Encodings(**encodings()))


def rewritten(path: Path, change: dict[str, Any], **said: str) -> None:
    table = pq.read_table(path)
    for name, column in change.items():
        place = table.schema.names.index(name)
        table = table.set_column(place, pa.field(name, column.type, nullable=False), column)
    metadata = {**(table.schema.metadata or {}), **{f"unveil.{key}".encode(): text for key, text in said.items()}}
    pq.write_table(table.replace_schema_metadata(metadata), path)


@pytest.mark.parametrize(
    ("change", "said", "problem"),
    [
        ({}, {"format": "other"}, "not one of encodings"),
        ({}, {"version": "2"}, "another version"),
        ({}, {"m": "192"}, "other columns"),
        ({}, {"m": "0"}, "no length"),
        ({}, {"m": "99999999999"}, "no length"),
        ({}, {"m": "CANARY"}, "damaged"),
        ({}, {"records": "4"}, "says 4 records and holds 3"),
        ({"filter": pa.array([b"CANARY"] * 3)}, {}, "other columns"),
        ({"block_1": pa.array([1, 2, 3])}, {}, "other columns"),
        ({"record_id": pa.array(["CANARY"] * 3)}, {}, "same record id twice"),
    ],
)
def test_a_file_that_breaks_the_format_is_refused(
    tmp_path: Path, change: dict[str, Any], said: dict[str, str], problem: str
) -> None:
    """Another party made it: nothing in it is taken on trust."""
    path = tmp_path / "e.parquet"
    write_encodings(path, **encodings())
    rewritten(path, change, **said)
    with pytest.raises(InputError, match=problem) as found:
        read_encodings(path)
    assert "CANARY" not in str(found.value)


def test_files_of_records_are_no_encodings(tmp_path: Path) -> None:
    """The two are easily mixed up."""
    (tmp_path / "people.csv").write_text("record_id\nCANARY\n")
    pq.write_table(pa.table({"record_id": ["CANARY"]}), tmp_path / "people.parquet")
    for name in ("people.csv", "people.parquet"):
        with pytest.raises(InputError, match="encodings") as found:
            read_encodings(tmp_path / name)
        assert "unveil encode makes such a file" == found.value.hint


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_a_file_with_any_byte_changed_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Nothing but an InputError may come out of a damaged file."""
    path = tmp_path / "e.parquet"
    write_encodings(path, **encodings())
    sound = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(0, len(sound) - 1), min_size=1, max_size=3)):
        sound[place] = data.draw(st.integers(0, 255))
    path.write_bytes(sound)
    try:
        assert 3 == len(read_encodings(path))
    except InputError as error:
        assert error.hint
