"""
Streaming a Parquet file: the needed columns as text, in batches of rows.

Text is read as distinct values and numbers of them, so a value that stands in a million rows is unpacked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from unveil.errors import InputError
from unveil.files.csv_rows import NOT_UTF8, TOO_LONG, RowBatch
from unveil.files.header import column_positions
from unveil.files.parquet_pages import UnpackedSize, check_pages
from unveil.files.source import FIELD_LIMIT, opened

_BATCH: Final = 1 << 14
_PER_VALUE: Final = 8  # bytes that a value takes beside its text
_DAMAGED: Final = "is a damaged Parquet file"
_AGAIN: Final = "export it again"


def parquet_batches(path: Path, needed: Sequence[str]) -> Iterator[RowBatch]:
    """The needed columns of a Parquet file in batches: integers as decimal text, null as the empty string."""
    with opened(path) as handle:
        # pyarrow's own messages may quote bytes of the file, so they are never passed on.
        try:
            file, unpacked = _checked(path, handle, needed)
            row = 0
            for part in file.iter_batches(batch_size=_BATCH, columns=list(needed)):
                columns = [texts(path, part.column(name), name, row, unpacked) for name in needed]
                yield RowBatch(range(row + 1, row + part.num_rows + 1), columns)
                row += part.num_rows
        except (pa.ArrowException, OSError, MemoryError, ValueError):
            raise InputError(path, _DAMAGED, hint=_AGAIN) from None


def _checked(path: Path, handle: BinaryIO, needed: Sequence[str]) -> tuple[Any, UnpackedSize]:
    """The file, once its columns are known to be what is needed and not to unpack to more than they may."""
    plain = pq.ParquetFile(handle)
    schema, metadata = plain.schema_arrow, plain.metadata
    column_positions(path, list(schema.names), needed)
    _check_types(path, schema, needed)
    unpacked = UnpackedSize(path, handle.seek(0, 2))
    check_pages(path, handle, metadata, needed)
    unpacked.take(_PER_VALUE * metadata.num_rows * len(needed))
    by_value = [name for name in needed if _is_text(_kind(schema, name))]
    return pq.ParquetFile(handle, metadata=metadata, read_dictionary=by_value), unpacked


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


def texts(path: Path, column: Any, name: str, before: int, unpacked: UnpackedSize) -> list[str]:
    """A column of a batch as text; `before` is the number of rows before it."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    numbers, where = np.unique(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), return_inverse=True)
    some = pa.array(numbers, mask=numbers < 0)
    text = column.dictionary.take(some).cast(pa.large_string())
    lengths = pc.binary_length(text).fill_null(0).to_numpy(zero_copy_only=False)
    if lengths.max(initial=0) > 4 * FIELD_LIMIT:  # at most four bytes to a character
        row = before + 1 + int(np.argmax(lengths[where] > 4 * FIELD_LIMIT))
        raise InputError(path, TOO_LONG[0], row=row, column=name, hint=TOO_LONG[1])
    unpacked.take(int(lengths[where].sum()))
    try:
        distinct: list[str] = text.fill_null("").to_pylist()
    except UnicodeDecodeError:
        row = before + 1 + int(np.argmax(np.isin(where, _broken(text))))
        raise InputError(path, NOT_UTF8[0], row=row, column=name, hint=NOT_UTF8[1]) from None
    return [distinct[number] for number in where.tolist()]


def _broken(text: Any) -> list[int]:
    """The places of what is not UTF-8."""
    broken = []
    for place in range(len(text)):
        try:
            text[place].as_py()
        except UnicodeDecodeError:
            broken.append(place)
    return broken
