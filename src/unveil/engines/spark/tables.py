"""Tables in Parquet: what tasks are given, and what they found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from unveil.engines.spark.plan import Assigned
from unveil.linkage.bits import Bits
from unveil.linkage.pairs import Pairs

#: What a task gives: its pairs, below a row that says how many it compared.
FOUND: Final = "left int, right int, similarity double, compared long"
_AT_ONCE: Final = 1 << 16
_FILES: Final = 16
_GIVEN: Final = pa.schema([("task", pa.int32()), ("row", pa.int32()), ("words", pa.binary()), ("codes", pa.binary())])


def write_given(folder: Path, assigned: Assigned, bits: Bits, codes: NDArray[np.int32]) -> None:
    """One side of all tasks: filters, and codes of the keys up to the one that is compared."""
    folder.mkdir()
    order = np.argsort(assigned.task, kind="stable")
    for number, part in enumerate(np.array_split(order, max(1, min(_FILES, len(order) // _AT_ONCE)))):
        with pq.ParquetWriter(folder / f"{number}.parquet", _GIVEN, compression="none") as file:
            for start in range(0, max(1, len(part)), _AT_ONCE):
                some = part[start : start + _AT_ONCE]
                rows = assigned.row[some]
                columns = [
                    pa.array(assigned.task[some]),
                    pa.array(rows),
                    _binary(np.ascontiguousarray(bits.words[rows], "<u8")),
                    _binary(np.ascontiguousarray(codes[rows], "<i4")),
                ]
                file.write_table(pa.Table.from_arrays(columns, schema=_GIVEN))


def given(table: pa.Table, m: int) -> tuple[NDArray[np.int32], Bits, NDArray[np.int64]]:
    """Rows, filters and codes of one side of a task."""
    rows = table["row"].to_numpy().astype(np.int32)
    words = _bytes(table["words"]).view("<u8").astype(np.uint64, copy=False).reshape(len(rows), -1)
    codes = _bytes(table["codes"]).view("<i4").astype(np.int64).reshape(len(rows), -1)
    return rows, Bits(words, m), codes


def result(left: NDArray[np.int32], right: NDArray[np.int32], pairs: Pairs, compared: int) -> pa.Table:
    """What a task found, in rows of the whole registers."""
    head = np.array([-1], np.int32)
    return pa.table(
        {
            "left": np.concatenate([head, left[pairs.left]]),
            "right": np.concatenate([head, right[pairs.right]]),
            "similarity": np.concatenate([[0.0], pairs.similarity]),
            "compared": np.concatenate([[compared], np.zeros(len(pairs), np.int64)]),
        }
    )


def read_found(folder: Path) -> Iterator[tuple[Pairs, int]]:
    """What all tasks found, some at a time, and how many were compared for it."""
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(1 << 18):
            left, right, similarity, compared = (column.to_numpy(zero_copy_only=False) for column in batch.columns)
            is_pair = left >= 0
            yield Pairs(left[is_pair], right[is_pair], similarity[is_pair]), int(compared.sum())


def _binary(rows: NDArray[Any]) -> pa.Array:
    """A column of bytes from rows of equal length."""
    data = rows.reshape(len(rows), -1).view(np.uint8) if rows.size else np.empty((len(rows), 0), np.uint8)
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * data.shape[1]
    return pa.Array.from_buffers(pa.binary(), len(rows), [None, pa.py_buffer(offsets), pa.py_buffer(data)])


def _bytes(column: pa.ChunkedArray) -> NDArray[np.uint8]:
    """The bytes of a column, one row after the other."""
    parts = [np.empty(0, np.uint8)]
    for chunk in column.chunks:
        _, offsets, data = chunk.buffers()
        if len(chunk) and data is not None:
            ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            parts.append(np.frombuffer(data, np.uint8)[ends[0] : ends[-1]])
    return np.concatenate(parts)
