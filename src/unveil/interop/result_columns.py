"""Columns of a table of results: ids as text, figures as numbers from 0 to 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from unveil.errors import InputError
from unveil.files.header import column_positions
from unveil.files.open_table import open_table
from unveil.files.parquet_pages import UnpackedSize, check_pages
from unveil.files.source import bytes_at, kind_of, opened

_PER_NUMBER: Final = 8  # bytes


def columns_of(path: Path, needed: Sequence[str]) -> list[list[str]]:
    """These columns of a table, as text as it stands there."""
    out: list[list[str]] = [[] for _ in needed]
    for batch in open_table(path, needed=needed).batches(needed):
        for place, texts in enumerate(out):
            texts.extend(batch.values(place))
    return out


def figures_of(path: Path, column: str) -> list[float]:
    """One column of figures, each from 0 to 1."""
    if kind_of(bytes_at(path)) == "parquet":
        return numbers_in(path, column, _parquet_numbers(path, column))
    return numbers_in(path, column, columns_of(path, [column])[0])


def numbers_in(path: Path, column: str, values: Sequence[str | float | None]) -> list[float]:
    """The numbers in a column, each from 0 to 1."""
    found = []
    for row, value in enumerate(values, 1):
        try:
            number = float(value) if value is not None else math.nan
        except ValueError:
            number = math.nan
        if not 0 <= number <= 1:
            raise InputError(path, "holds something else than a number from 0 to 1", row=row, column=column)
        found.append(number)
    return found


def _parquet_numbers(path: Path, column: str) -> list[float | None]:
    with opened(path) as handle:
        try:
            file = pq.ParquetFile(handle)
            column_positions(path, list(file.schema_arrow.names), [column])
            check_pages(path, handle, file.metadata, [column])
            UnpackedSize(path, handle.seek(0, 2)).take(_PER_NUMBER * file.metadata.num_rows)
            read = file.read(columns=[column]).column(0)
            numbers: list[float | None] = read.cast(pa.float64()).to_pylist()
        except (pa.ArrowException, OSError, MemoryError, ValueError):
            raise InputError(path, "holds no numbers that can be read, or is damaged", column=column) from None
    return numbers
