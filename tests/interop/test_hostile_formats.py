"""Whatever stands in a file: it is converted, or refused with a reason. It is never a defect, and nothing is left."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from own_files import converted

from unveil.errors import UnveilError
from unveil.interop.clkhash_schema import parse_clkhash_schema
from unveil.interop.encoding_files import Told
from unveil.interop.formats import FORMATS

KEYS = (
    "clks", "clknblocks", "encodings", "blocks", "entities", "domain", "range", "matches", "groups", "id", "value",
    "similarity_scores", "similarity", "attributes", "type", "id.local", "local", "record_id_a", "record_id_b",
)  # fmt: skip
leaves = (
    st.none() | st.booleans() | st.integers(-2, 10**12) | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "AAAA", "AAAAAAAAAAA=", "BITSET_BASE64", "0", "=", "é"]) | st.text(max_size=5)
)  # fmt: skip
json_values = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=2), inner, max_size=4)
    ),
    max_leaves=25,
)
READ = [name for name, one in FORMATS.items() if one.reads]
TARGETS = {"encodings": "unveil", "links": "unveil-links"}


def tried(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "theirs", Path(folder) / "own.parquet"
        path.write_bytes(data)
        try:
            converted(path, out, TARGETS[FORMATS[name].holds], source=name, told=Told(bits=64))
        except UnveilError as refused:
            assert not out.exists()
            assert re.search(r"\w", str(refused))
        else:
            assert out.exists()


@pytest.mark.parametrize("name", READ)
@settings(max_examples=40)
@given(value=json_values)
def test_any_json_is_converted_or_refused(name: str, value: object) -> None:
    """With the keys that the formats have, at any place and of any type."""
    tried(name, json.dumps(value).encode())


@pytest.mark.parametrize("name", READ)
@settings(max_examples=30)
@given(data=st.binary(max_size=80) | st.text('id,value\n\r"=AB01;\0', max_size=60).map(str.encode))
def test_any_bytes_are_converted_or_refused(name: str, data: bytes) -> None:
    """Text, half a table, or nothing of the kind."""
    tried(name, data)


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("mark", [b"PAR1", b"PK\x03\x04", b"ARROW1\0\0", b"\x1f\x8b", b"\xff\xff\xff\xff"])
def test_what_only_begins_like_a_file_is_refused(name: str, mark: bytes) -> None:
    """Libraries raise errors of every kind on these."""
    tried(name, mark + b"\x10" * 60)


@given(value=json_values)
def test_any_json_is_a_linkage_schema_or_refused(value: object) -> None:
    """Below the keys that make a schema of it."""
    text = json.dumps({"version": 3, "clkConfig": value, "features": [value, {"identifier": "x", "hashing": value}]})
    with pytest.raises(UnveilError):
        parse_clkhash_schema(text)
