"""
Streaming a Parquet file: the needed columns as text, in batches of rows.

Text is read as distinct values and numbers of them, so a value that stands in a million rows is unpacked once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.parquet as pq

from unveil.errors import InputError
from unveil.files.arrow_text import check_type, column_text, is_text, unreadable_types
from unveil.files.header import column_positions
from unveil.files.parquet_pages import UnpackedSize, check_pages
from unveil.files.source import TableBytes
from unveil.files.table import RowBatch

_BATCH: Final = 1 << 14
_PER_VALUE: Final = 8  # bytes that a value takes beside its text
_DAMAGED: Final = "is a damaged Parquet file"
_AGAIN: Final = "export it again"


@dataclass(frozen=True, slots=True)
class ParquetTable:
    """A Parquet file: its columns by name, and those that cannot be read with the reason."""

    data: TableBytes
    columns: Sequence[str]
    unreadable: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """What errors call it."""
        return self.data.path

    @classmethod
    def of(cls, data: TableBytes) -> ParquetTable:
        """The table."""
        with data.opened() as handle:
            try:
                schema = pq.ParquetFile(handle).schema_arrow
                return cls(data, list(schema.names), unreadable_types(schema))
            except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError):
                raise InputError(data.path, _DAMAGED, hint=_AGAIN) from None

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches: whole numbers as decimal text, null as the empty string."""
        path = self.path
        with self.data.opened() as handle:
            # pyarrow's own messages may quote bytes of the file, so they are never passed on.
            try:
                file, unpacked = _checked(path, handle, needed)
                row = 0
                for part in file.iter_batches(batch_size=_BATCH, columns=list(needed)):
                    columns = [column_text(path, part.column(name), name, row, unpacked) for name in needed]
                    yield RowBatch(range(row + 1, row + part.num_rows + 1), columns)
                    row += part.num_rows
            except (pa.ArrowException, OSError, MemoryError, ValueError):
                raise InputError(path, _DAMAGED, hint=_AGAIN) from None


def _checked(path: Path, handle: BinaryIO, needed: Sequence[str]) -> tuple[Any, UnpackedSize]:
    """The file, once its columns are known to be what is needed and not to unpack to more than they may."""
    plain = pq.ParquetFile(handle)
    schema, metadata = plain.schema_arrow, plain.metadata
    column_positions(path, list(schema.names), needed)
    for name in needed:
        check_type(path, schema.field(name).type, name)
    unpacked = UnpackedSize(path, handle.seek(0, 2))
    check_pages(path, handle, metadata, needed)
    unpacked.take(_PER_VALUE * metadata.num_rows * len(needed))
    by_value = [name for name in needed if is_text(schema.field(name).type)]
    return pq.ParquetFile(handle, metadata=metadata, read_dictionary=by_value), unpacked
