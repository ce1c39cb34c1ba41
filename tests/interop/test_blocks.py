"""Blocks of other tools as blocking keys: who shared a block agrees in a column, and nobody else does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from own_files import converted, write_json

from unveil.errors import InputError
from unveil.files.encoded import read_encodings
from unveil.interop.blocks import blocks_of_keys, keys_of_blocks
from unveil.interop.encoding_files import Told

FILE = Path("clknblocks.json")
#: As lambda-fold names them: the table, and a signature; a record is once in each table at most.
in_tables = st.lists(
    st.dictionaries(st.integers(0, 4), st.integers(0, 7), max_size=5).map(
        lambda chosen: [f"{table}{signature:05b}" for table, signature in chosen.items()]
    ),
    min_size=1,
    max_size=12,
)


@given(in_tables)
def test_records_agree_in_a_column_where_they_share_a_block(blocks: list[list[str]]) -> None:
    """And in as many columns as they share blocks."""
    keys, _ = keys_of_blocks(FILE, blocks)
    for one in range(len(blocks)):
        for other in range(len(blocks)):
            agree = (keys[one] == keys[other]).all(axis=1) & keys[one].any(axis=1)
            assert len(set(blocks[one]) & set(blocks[other])) == agree.sum()


@given(in_tables)
def test_our_keys_come_back_as_they_were(blocks: list[list[str]]) -> None:
    """Written as blocks and read again: column and bytes."""
    keys, tables = keys_of_blocks(FILE, blocks)
    again, _ = keys_of_blocks(FILE, list(blocks_of_keys(keys)))
    filled = keys[:, keys.any(axis=(0, 2))]
    assert len(tables) == keys.shape[1]
    assert filled.tolist() == again.tolist()


def test_names_that_do_not_tell_their_table_are_refused() -> None:
    """Put into columns at random, blocks would be lost without a word."""
    with pytest.raises(InputError, match="exclude each other") as refused:
        keys_of_blocks(FILE, [["name smith", "name smyth"], ["name smyth", "name jones"]])
    assert "--no-blocks" in str(refused.value.hint)


def test_blocks_stand_in_the_file_or_beside_it(tmp_path: Path) -> None:
    """anonlink's client writes them into a file of their own, by row."""
    clks, blocks = ["AAAAAAAAAAE=", "AAAAAAAAAAI="], [["001", "111"], ["101"]]
    inside = {"clknblocks": [[clk, *some] for clk, some in zip(clks, blocks, strict=True)]}
    by_row = {str(row): some for row, some in enumerate(blocks)}
    found = []
    for name, file in (("a", inside), ("b", {"encodings": clks, "blocks": by_row}), ("c", {"clks": clks})):
        path = write_json(tmp_path / f"{name}.json", file)
        beside = write_json(tmp_path / "blocks.json", {"blocks": by_row, "meta": {}}) if name == "c" else None
        converted(path, tmp_path / f"{name}.parquet", "unveil", told=Told(blocks=beside))
        found.append(read_encodings(tmp_path / f"{name}.parquet").blocking)
    assert (2, 2, 16) == found[0].shape
    assert all(np.array_equal(found[0], other) for other in found[1:])
    converted(tmp_path / "a.json", tmp_path / "none.parquet", "unveil", told=Told(no_blocks=True))
    assert 0 == read_encodings(tmp_path / "none.parquet").blocking.shape[1]
