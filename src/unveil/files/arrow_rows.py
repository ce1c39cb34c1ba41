"""Tables that offer themselves as an Arrow stream (pandas, polars, DuckDB, Arrow itself), and files that hold one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc

from unveil.errors import InputError
from unveil.files.arrow_ids import ArrowIds, checked_ids
from unveil.files.arrow_pages import FILE_MARK, check_messages
from unveil.files.arrow_text import as_text, check_type, column_text, is_text, unreadable_types
from unveil.files.header import column_positions
from unveil.files.parquet_pages import UnpackedSize
from unveil.files.source import TableBytes
from unveil.files.table import ArrowStream, RowBatch

_BATCH: Final = 1 << 16
_PER_VALUE: Final = 8  # bytes that a value takes beside its text
_DAMAGED: Final = "is a damaged Arrow file"
_AGAIN: Final = "export it again"


@dataclass(frozen=True, slots=True)
class StreamTable:
    """A table in memory that offers an Arrow stream."""

    stream: Any = field(repr=False)
    path: Path
    columns: Sequence[str]
    unreadable: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, stream: ArrowStream, name: str = "table") -> StreamTable:
        """The table; of what hands out its rows only once, they are kept."""
        kept = stream.read_all() if isinstance(stream, pa.RecordBatchReader) else stream
        schema = pa.RecordBatchReader.from_stream(kept).schema
        return cls(kept, Path(name), list(schema.names), unreadable_types(schema))

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches of rows."""
        yield from _batches(self.path, pa.RecordBatchReader.from_stream(self.stream), needed, None)

    def ids(self, name: str) -> ArrowIds:
        """The column that identifies a record, as it stands in memory."""
        return checked_ids(self.path, self._text(name), name)

    def own_values(self, names: Sequence[str]) -> dict[str, ArrowIds]:
        """Of these columns those in which every record has a value of its own, as they stand in memory."""
        found = {}
        for name in names:
            column = self._column(name)
            if not column.null_count and is_text(column.type) and pc.count_distinct(column).as_py() == len(column):
                found[name] = ArrowIds(column.combine_chunks())
        return found

    def _column(self, name: str) -> Any:
        reader = pa.RecordBatchReader.from_stream(self.stream)
        at = column_positions(self.path, list(reader.schema.names), [name])[0]
        kind = reader.schema.field(at).type
        check_type(self.path, kind, name)
        column = pa.chunked_array([batch.column(at) for batch in reader], kind)
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        return column.cast(pa.large_string()) if is_text(column.type) else column

    def _text(self, name: str) -> Any:
        column = self._column(name)
        if is_text(column.type):
            return column
        return pa.chunked_array([as_text(part) for part in column.chunks], pa.large_string())


@dataclass(frozen=True, slots=True)
class ArrowTable:
    """A file of Arrow's, read from `start` on: a Feather file, or a stream that was saved."""

    data: TableBytes
    start: int
    columns: Sequence[str]
    unreadable: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        """What errors call it."""
        return self.data.path

    @classmethod
    def of(cls, data: TableBytes, *, is_file: bool) -> ArrowTable:
        """The table."""
        start = FILE_MARK if is_file else 0
        with data.opened() as handle:
            reader = _reader(data.path, handle, start)
            try:  # names of a damaged file may be no text
                return cls(data, start, list(reader.schema.names), unreadable_types(reader.schema))
            except (pa.ArrowException, ValueError):
                raise InputError(data.path, _DAMAGED, hint=_AGAIN) from None

    def batches(self, needed: Sequence[str]) -> Iterator[RowBatch]:
        """The needed columns in batches of rows."""
        with self.data.opened() as handle:
            check_messages(self.path, handle, start=self.start)
            unpacked = UnpackedSize(self.path, handle.seek(0, 2))
            reader = _reader(self.path, handle, self.start)
            try:
                yield from _batches(self.path, reader, needed, unpacked)
            except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError):
                raise InputError(self.path, _DAMAGED, hint=_AGAIN) from None


def _reader(path: Path, handle: BinaryIO, start: int) -> Any:
    handle.seek(start)
    try:
        return pa.ipc.open_stream(handle)
    except (pa.ArrowException, OSError, MemoryError, ValueError, KeyError):
        raise InputError(path, _DAMAGED, hint=_AGAIN) from None


def _batches(path: Path, reader: Any, needed: Sequence[str], unpacked: UnpackedSize | None) -> Iterator[RowBatch]:
    schema = reader.schema
    places = column_positions(path, list(schema.names), needed)
    for name in needed:
        check_type(path, schema.field(name).type, name)
    row = 0
    for whole in reader:
        if unpacked is not None:
            whole.validate(full=True)  # in memory, it is whoever offers the stream who vouches for it
            unpacked.take(_PER_VALUE * whole.num_rows * len(needed))
        for start in range(0, whole.num_rows, _BATCH):
            part = whole.slice(start, _BATCH)
            columns = [
                column_text(path, part.column(place), name, row, unpacked)
                for place, name in zip(places, needed, strict=True)
            ]
            yield RowBatch(range(row + 1, row + part.num_rows + 1), columns)
            row += part.num_rows
