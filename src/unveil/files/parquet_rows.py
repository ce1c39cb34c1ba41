"""Streaming a Parquet file: the needed columns as text, in batches of rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unveil.errors import InputError
from unveil.files.csv_rows import NOT_UTF8, TOO_LONG, RowBatch
from unveil.files.header import column_positions
from unveil.files.source import FIELD_LIMIT, opened

_BATCH: Final = 1 << 14
_DAMAGED: Final = "is a damaged Parquet file"
_AGAIN: Final = "export it again"


def parquet_batches(path: Path, needed: Sequence[str]) -> Iterator[RowBatch]:
    """The needed columns of a Parquet file in batches: integers as decimal text, null as the empty string."""
    with opened(path) as handle:
        # pyarrow's own messages may quote bytes of the file, so they are never passed on.
        try:
            file = pq.ParquetFile(handle)
            names = list(file.schema_arrow.names)
            column_positions(path, names, needed)
            _check_types(path, file.schema_arrow, needed)
            row = 0
            for part in file.iter_batches(batch_size=_BATCH, columns=list(needed)):
                columns = [_texts(path, part.column(name), name, row) for name in needed]
                yield RowBatch(range(row + 1, row + part.num_rows + 1), columns)
                row += part.num_rows
        except (pa.ArrowException, OSError, MemoryError, ValueError):
            raise InputError(path, _DAMAGED, hint=_AGAIN) from None


def parquet_names(path: Path) -> tuple[list[str], dict[str, str]]:
    """The names of a Parquet file's columns of text or whole numbers, and the type of each of the others."""
    with opened(path) as handle:
        try:
            schema = pq.ParquetFile(handle).schema_arrow
            other = {name: str(_kind(schema, name)) for name in schema.names if not _is_readable(_kind(schema, name))}
        except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError):
            raise InputError(path, _DAMAGED, hint=_AGAIN) from None
        return [name for name in schema.names if name not in other], other


def _check_types(path: Path, schema: Any, needed: Sequence[str]) -> None:
    for name in needed:
        kind = _kind(schema, name)
        if not _is_readable(kind):
            hint = "write the column as text, so that every value is exactly what a person would read"
            raise InputError(path, f"is of type {kind}; text or whole numbers are needed", column=name, hint=hint)


def _kind(schema: Any, name: str) -> Any:
    kind = schema.field(name).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_readable(kind: Any) -> bool:
    return bool(_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind))


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _texts(path: Path, column: Any, name: str, before: int) -> list[str]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    text = column.cast(pa.large_string())
    if (pc.max(pc.binary_length(text)).as_py() or 0) > 4 * FIELD_LIMIT:  # at most four bytes to a character
        row = before + 1 + pc.index(pc.greater(pc.binary_length(text), 4 * FIELD_LIMIT), value=True).as_py()
        raise InputError(path, TOO_LONG[0], row=row, column=name, hint=TOO_LONG[1])
    try:
        values: list[str] = text.fill_null("").to_pylist()
    except UnicodeDecodeError:
        raise InputError(path, NOT_UTF8[0], row=before + 1 + _first_broken(text), column=name) from None
    return values


def _first_broken(text: Any) -> int:
    for place in range(len(text)):
        try:
            text[place].as_py()
        except UnicodeDecodeError:
            return place
    return 0
