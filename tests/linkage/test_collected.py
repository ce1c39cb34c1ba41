"""Pairs collected where memory is short: the same ones in the same order, and no more of them held at a time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import DTypeLike, NDArray

from unveil.linkage.collected import PAIR_BYTES, collected
from unveil.linkage.pairs import Pairs
from unveil.storage.columns_on_disk import ColumnsOnDisk

COLUMNS = ("left", "right", "similarity")
SHARED_FOLDER = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


class Counting(ColumnsOnDisk):
    """A room on the disk that counts its columns."""

    columns = 0

    def empty(self, count: int, kind: DTypeLike) -> NDArray[Any]:
        self.columns += 1
        return super().empty(count, kind)


def in_parts(numbers: list[int], cuts: list[int]) -> Iterator[Pairs]:
    """Distinct pairs in that order, cut into parts; some parts are empty."""
    rows = np.array(numbers, np.int64)
    left, right = (rows // 12).astype(np.int32), (rows % 12).astype(np.int32)
    similarity = np.random.default_rng(len(numbers)).random(len(numbers))
    borders = [0, *sorted(cut % (len(numbers) + 1) for cut in cuts), len(numbers)]
    for start, stop in pairwise(borders):
        yield Pairs(left[start:stop], right[start:stop], similarity[start:stop])


@SHARED_FOLDER
@given(
    st.lists(st.integers(0, 143), unique=True, max_size=144),
    st.lists(st.integers(0, 200), max_size=6),
    st.sampled_from([0, 1, 3 * PAIR_BYTES, 17 * PAIR_BYTES, 64 * PAIR_BYTES, 1 << 20]),
)
def test_pairs_in_a_room_are_those_in_memory_bit_for_bit(
    tmp_path: Path, numbers: list[int], cuts: list[int], memory: int
) -> None:
    """However few fit, and wherever parts and buckets end."""
    (tmp_path / "columns").mkdir(mode=0o700, exist_ok=True)
    room = Counting(tmp_path / "columns", memory=memory)
    expected, found = collected(in_parts(numbers, cuts)), collected(in_parts(numbers, cuts), room)
    for column in COLUMNS:
        before, after = getattr(expected, column), getattr(found, column)
        assert (before.dtype, before.tobytes()) == (after.dtype, after.tobytes())
    assert (room.columns > 0) == (len(numbers) * PAIR_BYTES > memory)


@pytest.mark.parametrize("wide", [True, False])
def test_memory_is_bounded_by_the_limit_and_the_records(
    tmp_path: Path,
    wide: bool,  # noqa: FBT001 - pytest passes it so
) -> None:
    """Pairs of 48 MB with a limit of 1 MB: every array that is made meanwhile is counted, mapped files are not."""
    parts, each, rows = 300, 10_000, 5_000
    room = ColumnsOnDisk(tmp_path, memory=1 << 20)
    tmp_path.chmod(0o700)

    def stream() -> Iterator[Pairs]:
        for part in range(parts):
            number = np.arange(part, parts * each, parts)  # every part has pairs of every record
            left = (number % rows if wide else number // 600).astype(np.int32)
            yield Pairs(left, number.astype(np.int32), number / (parts * each))

    tracemalloc.start()
    try:
        found = collected(stream(), room)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert parts * each == len(found)
    order = found.left.astype(np.int64) << 32 | found.right
    assert (order[1:] > order[:-1]).all()
    assert peak < 8 << 20
