"""Blocks of other tools as blocking keys: who shared a block agrees in a column, and nobody else does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from own_files import converted, some_encodings, write_json

from unveil.errors import SettingError
from unveil.files.encoded import Encodings, read_encodings
from unveil.interop.blocks import KIND, SETS, blocks_of_keys, in_common_columns, keys_of_blocks
from unveil.interop.encoding_files import Told
from unveil.one_place.encoded_files import check_alike

#: Every record is in some blocks, whose names do not tell which of them exclude each other.
two_files = st.lists(st.lists(st.sets(st.integers(0, 12), max_size=4), min_size=1, max_size=10), min_size=2, max_size=2)


def file_with(blocks: list[list[str]]) -> Encodings:
    """A file of encodings with these blocks."""
    keys, kind = keys_of_blocks(blocks)
    file = some_encodings(len(blocks))
    return replace(file, blocking=keys, metadata={**file.metadata, **({KIND: kind} if kind else {})})


@given(two_files)
def test_records_agree_in_a_column_where_they_share_a_block(sides: list[list[set[int]]]) -> None:
    """And in as many columns as they share blocks: none is lost, and none is made."""
    assume(all(any(side) for side in sides))
    blocks = [[[f"({number}, 7)" for number in some] for some in side] for side in sides]
    left, right = in_common_columns(*(file_with(side) for side in blocks))
    for one, some in enumerate(blocks[0]):
        for other, others in enumerate(blocks[1]):
            agree = (left.blocking[one] == right.blocking[other]).all(axis=1) & left.blocking[one].any(axis=1)
            assert len(set(some) & set(others)) == agree.sum()


def test_our_own_keys_come_back_in_their_columns() -> None:
    """Written as blocks and read again: column and bytes, in the field that agreed before."""
    file = some_encodings(6, keys=3)
    keys, kind = keys_of_blocks(list(blocks_of_keys(file)))
    assert kind is None
    assert file.blocking.tolist() == keys.tolist()


def test_blocks_of_others_are_written_as_the_same_blocks() -> None:
    """By another name, but the same one in every file, and read again as what they were."""
    file = file_with([["(1, 2)", "(3, 4)"], ["(3, 4)"], []])
    names = list(blocks_of_keys(file))
    assert names[0][1] == names[1][0]
    assert [2, 1, 0] == list(map(len, names))
    keys, kind = keys_of_blocks(names)
    assert SETS == kind
    assert file.blocking.tolist() == keys.tolist()


def test_blocks_that_need_too_many_columns_are_refused() -> None:
    """A record in a hundred blocks is in no block."""
    file = file_with([[str(number) for number in range(100)]])
    with pytest.raises(SettingError, match="need 100 columns") as refused:
        in_common_columns(file, file)
    assert "--no-blocks" in str(refused.value.hint)


def test_a_file_without_blocks_is_not_compared_by_blocks() -> None:
    """Nobody would be found, without a word."""
    with pytest.raises(SettingError, match="has blocks of another tool"):
        check_alike(file_with([["(1, 2)"]]), file_with([[]]))


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
