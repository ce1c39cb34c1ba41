"""
The file of an owner's encodings: Parquet with fixed-size binary columns, readable by any Arrow implementation.

Columns: `record_id` (text); `filter` (bytes of the record-level filter); `block_0`, `block_1`, … (16 bytes per hashed
blocking key). Bit i of a filter is bit i mod 8 of byte i div 8, least significant first; a filter takes whole 64-bit
words. The metadata names format and version, filter length, record count, and what the writer adds: encoding
parameters without secrets, creation time, fingerprint of the parameters under the owner's key; of encodings that are
another tool's, whose (`origin`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.files.arrow_ids import ArrowIds
from unveil.files.arrow_text import column_text
from unveil.files.atomic import replacing
from unveil.files.parquet_pages import UnpackedSize, check_pages
from unveil.files.source import STANDARD, bytes_at, kind_of, opened
from unveil.protocol.messages import HASH, filter_bytes

FORMAT: Final = "unveil-encodings"
VERSION: Final = "1"
#: What the metadata calls the tool whose encodings these are; without it, they are our own.
ORIGIN: Final = "origin"
UNVEIL: Final = "unveil"

_PARQUET: Final = b"PAR1"
_PREFIX: Final = "unveil."
_OWN: Final = ("format", "version", "m", "records")
_ID: Final = "record_id"
_FILTER: Final = "filter"
_BLOCK: Final = "block_"
_MADE_BY_ENCODE: Final = "unveil encode makes such a file"
_LONGEST_FILTER: Final = 1 << 20
_PER_ID: Final = 8  # bytes that an id takes beside its text


@dataclass(frozen=True, slots=True, repr=False)
class Encodings:
    """An owner's encodings: filters (n, words) of m bits, hashed blocking keys (n, K, 16), and what the file says."""

    ids: Sequence[str]
    filters: NDArray[np.uint64]
    m: int
    blocking: NDArray[np.uint8]
    metadata: Mapping[str, str]

    @property
    def origin(self) -> str:
        """The tool whose encodings these are."""
        return self.metadata.get(ORIGIN, UNVEIL)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"Encodings(<{len(self.ids)} records, m={self.m}, {self.blocking.shape[1]} blocking keys>)"


def encodings_table(encodings: Encodings) -> Any:
    """An owner's encodings as the Arrow table that their file holds, with what it says about itself."""
    n, words = encodings.filters.shape
    m, blocking, metadata = encodings.m, encodings.blocking, encodings.metadata
    if words * 8 != filter_bytes(m) or len(encodings) != n or blocking.shape[::2] != (n, HASH):
        raise ValueError(f"{len(encodings)} ids, filters {encodings.filters.shape} for m={m}, keys {blocking.shape}")
    if reserved := set(metadata) & set(_OWN):
        raise ValueError(f"the file itself says {', '.join(sorted(reserved))}")
    own = dict(zip(_OWN, (FORMAT, VERSION, str(m), str(n)), strict=True))
    ids = encodings.ids.array.cast(pa.string()) if isinstance(encodings.ids, ArrowIds) else encodings.ids
    columns = {_ID: pa.array(ids, pa.string()), _FILTER: _packed(encodings.filters.astype("<u8", copy=False))}
    columns |= {f"{_BLOCK}{k}": _packed(blocking[:, k]) for k in range(blocking.shape[1])}
    fields = [pa.field(name, column.type, nullable=False) for name, column in columns.items()]
    said = {f"{_PREFIX}{key}": text for key, text in {**own, **metadata}.items()}
    return pa.Table.from_arrays(list(columns.values()), schema=pa.schema(fields, metadata=said))


def write_encodings(
    path: Path,
    *,
    ids: Sequence[str],
    filters: NDArray[np.uint64],
    m: int,
    blocking: NDArray[np.uint8],
    metadata: Mapping[str, str],
    overwrite: bool = True,
) -> None:
    """Write an owner's encodings; the file appears whole or not at all, readable by its owner alone."""
    table = encodings_table(Encodings(ids, filters, m, blocking, metadata))
    with replacing(path, overwrite=overwrite) as temporary:
        # Encodings look random: a dictionary or statistics of them cost space and tell nothing.
        pq.write_table(table, temporary, compression="zstd", use_dictionary=False, write_statistics=False)


def holds_encodings(path: Path) -> bool:
    """Whether this is a file of encodings, whole or damaged, rather than one of records or anything else."""
    if path == STANDARD or not path.is_file():
        return False
    with path.open("rb") as handle:
        if handle.read(len(_PARQUET)) != _PARQUET:
            return False
        try:
            metadata = pq.ParquetFile(handle).schema_arrow.metadata or {}
        except (pa.ArrowException, OSError, MemoryError, ValueError):
            return False
    return metadata.get(f"{_PREFIX}format".encode()) == FORMAT.encode()


def read_encodings(path: Path) -> Encodings:
    """The encodings in a file that write_encodings wrote; anything else is an InputError."""
    if kind_of(bytes_at(path)) != "parquet":
        raise InputError(path, "is not a file of encodings", hint=_MADE_BY_ENCODE)
    with opened(path) as handle:
        try:
            file = pq.ParquetFile(handle)
            said = _said(path, file.schema_arrow.metadata)
            m, count = _sizes(path, said, file)
            keys = _check_columns(path, file.schema_arrow, m)
            _check_sizes(path, handle, file)
            table = pq.ParquetFile(handle, metadata=file.metadata, read_dictionary=[_ID]).read()
            ids = _ids(path, table.column(_ID))
            filters = _unpacked(table.column(_FILTER)).view("<u8").astype(np.uint64, copy=False)
            blocks = [_unpacked(table.column(f"{_BLOCK}{k}")) for k in range(keys)]
        except (pa.ArrowException, OSError, MemoryError, ValueError):
            raise InputError(path, "is damaged", hint="encode the records again") from None
    blocking = np.stack(blocks, axis=1) if blocks else np.zeros((count, 0, HASH), dtype=np.uint8)
    _check_contents(path, ids, filters, m)
    rest = {key: text for key, text in said.items() if key not in _OWN}
    return Encodings(tuple(ids), filters, m, blocking, rest)


def _check_sizes(path: Path, handle: BinaryIO, file: Any) -> None:
    """Refuse a file that would become far larger than it is: encodings look random and hardly shrink."""
    schema = file.schema_arrow
    check_pages(path, handle, file.metadata, schema.names)
    width = sum(schema.field(name).type.byte_width for name in schema.names if name != _ID)
    UnpackedSize(path, handle.seek(0, 2)).take(file.metadata.num_rows * (width + _PER_ID))


def _ids(path: Path, column: Any) -> list[str]:
    unpacked = UnpackedSize(path, path.stat().st_size)
    found: list[str] = []
    for chunk in column.chunks:
        found += column_text(path, chunk, _ID, len(found), unpacked).values()
    return found


def _packed(rows: NDArray[Any]) -> Any:
    """One fixed-size binary cell per row of the array."""
    raw = np.ascontiguousarray(rows).view(np.uint8)
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(raw.shape[1]), len(raw), [None, pa.py_buffer(raw)])


def _unpacked(column: Any) -> NDArray[np.uint8]:
    """The bytes of a fixed-size binary column, one row per cell."""
    width = column.type.byte_width
    parts = [
        np.frombuffer(chunk.buffers()[1], dtype=np.uint8)[chunk.offset * width : (chunk.offset + len(chunk)) * width]
        for chunk in column.chunks
    ]
    return np.concatenate([np.zeros(0, dtype=np.uint8), *parts]).reshape(-1, width)


def _said(path: Path, metadata: Mapping[bytes, bytes] | None) -> dict[str, str]:
    said = {
        key.decode().removeprefix(_PREFIX): text.decode()
        for key, text in (metadata or {}).items()
        if key.startswith(_PREFIX.encode())
    }
    if said.get("format") != FORMAT:
        raise InputError(path, "is a Parquet file, but not one of encodings", hint=_MADE_BY_ENCODE)
    if said.get("version") != VERSION:
        raise InputError(path, f"is in another version of the format than {VERSION}", hint="update Unveil")
    return said


def _sizes(path: Path, said: Mapping[str, str], file: Any) -> tuple[int, int]:
    m, count = int(said.get("m", "0")), int(said.get("records", "-1"))
    if not 0 < m <= _LONGEST_FILTER:
        raise InputError(path, "says no length of its filters that could be", hint=_MADE_BY_ENCODE)
    if count != file.metadata.num_rows:
        raise InputError(path, f"says {count} records and holds {file.metadata.num_rows}", hint=_MADE_BY_ENCODE)
    return m, count


def _check_columns(path: Path, schema: Any, m: int) -> int:
    """The number of blocking keys, once every column is known to be what the format says."""
    keys = len(schema.names) - 2
    wanted = {_ID: pa.string(), _FILTER: pa.binary(filter_bytes(m))} | {
        f"{_BLOCK}{k}": pa.binary(HASH) for k in range(keys)
    }
    if {field.name: field.type for field in schema} != wanted or any(field.nullable for field in schema):
        raise InputError(path, "has other columns than a file of encodings", hint=_MADE_BY_ENCODE)
    return keys


def _check_contents(path: Path, ids: Sequence[str], filters: NDArray[np.uint64], m: int) -> None:
    if len(set(ids)) != len(ids):
        raise InputError(path, "has the same record id twice", hint="encode the records again")
    beyond = filter_bytes(m) * 8 - m
    if beyond and np.any(filters[:, -1] >> np.uint64(64 - beyond)):
        raise InputError(path, f"has a filter with bits beyond its length {m}", hint="encode the records again")
