"""An owner's records as clkhash reads them: the columns that a linkage schema names, each value as it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from unveil.errors import InputError, KeyFileError
from unveil.files import key_file, private_file
from unveil.files.encoded import ORIGIN, Encodings
from unveil.files.open_table import TableSource, open_table
from unveil.files.reading import ROW, Reading
from unveil.interop.bit_order import MOST
from unveil.interop.clkhash_encoder import UnfitRecord, clkhash_filters
from unveil.interop.clkhash_hashing import secret_fingerprint
from unveil.interop.clkhash_schema import ClkhashSchema
from unveil.interop.origins import BIT_ORDER, FORMAT
from unveil.protocol.messages import HASH
from unveil.records import Column, Records

_ID: Final = "record_id"
_LONGEST_SECRET: Final = 4096
_HOW_TO_KEEP: Final = "put the secret that the parties agreed on into a file of your own, of mode 600"


@dataclass(frozen=True, slots=True, repr=False)
class ClkhashTable:
    """Records for a linkage schema, the number of each row, and what to say about how they were read."""

    path: Path
    records: Records
    rows: Sequence[int]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        return f"ClkhashTable(<{len(self.records)} records>)"


def read_secret(path: Path) -> bytes:
    """The secret in a private file, without the end of its line; it never stands on a command line."""
    data = private_file.read(path, longest=_LONGEST_SECRET + 1, error=KeyFileError, hint=_HOW_TO_KEEP)
    if len(data) > _LONGEST_SECRET:
        raise KeyFileError(f"{path}: is longer than {_LONGEST_SECRET} bytes", hint=_HOW_TO_KEEP)
    if data.startswith(key_file.MARK.encode()):
        problem = f"{path}: is a key file of Unveil, and clkhash takes the secret itself"
        raise KeyFileError(problem, hint=_HOW_TO_KEEP)
    secret = data.removesuffix(b"\n").removesuffix(b"\r")
    if not secret:
        raise KeyFileError(f"{path}: holds no secret", hint=_HOW_TO_KEEP)
    try:
        secret.decode()
    except UnicodeDecodeError:
        raise KeyFileError(f"{path}: is not UTF-8 text", hint=_HOW_TO_KEEP) from None
    return secret


def read_for_clkhash(source: TableSource, schema: ClkhashSchema, reading: Reading) -> ClkhashTable:
    """The records in a table; columns are found by the identifiers of the schema, in whatever order they stand."""
    names = list(dict.fromkeys(feature.identifier for _, feature in schema.hashed))
    sources = [reading.columns.get(name, name) for name in names]
    table = open_table(source, reading, needed=sources)
    id_column = reading.id or (_ID if _ID in table.columns else ROW)
    by_row = id_column == ROW and ROW not in table.columns
    texts: list[list[str]] = [[] for _ in sources]
    ids: list[str] = []
    rows: list[int] = []
    for batch in table.batches([*sources, *([] if by_row else [id_column])]):
        for place, column in enumerate(texts):
            column.extend(batch.values(place))
        rows.extend(batch.rows)
        ids.extend(map(str, batch.rows) if by_row else map(str.strip, batch.values(len(sources))))
    if not rows:
        raise InputError(table.path, "has a header and no records")
    if len(set(ids)) != len(ids) or "" in ids:
        hint = "ids must be unique: name another column with --id, or number the rows with --id row"
        raise InputError(table.path, "has records without an id, or two with the same", column=id_column, hint=hint)
    columns = {name: Column.of(column) for name, column in zip(names, texts, strict=True)}
    return ClkhashTable(table.path, Records(ids, columns), rows, tuple(table.notes))


def clkhash_encoded(table: ClkhashTable, schema: ClkhashSchema, secret: bytes, *, now: datetime) -> Encodings:
    """The CLKs of these records, in their order, with what the file says about itself."""
    import numpy as np

    records = table.records
    try:
        filters = clkhash_filters(records, schema, secret)
    except UnfitRecord as found:
        hint = "mend the value, or say missingValue in the schema for those that are missing"
        row = table.rows[found.record]
        raise InputError(table.path, found.problem, row=row, column=found.column, hint=hint) from None
    metadata = {
        "created": now.isoformat(timespec="seconds"),
        "fingerprint": secret_fingerprint(schema, secret),
        "schema_fingerprint": schema.fingerprint(),
        ORIGIN: "clkhash",
        FORMAT: "unveil encode --clkhash-schema",
        BIT_ORDER: MOST,
    }
    return Encodings(records.ids, filters, schema.config.length, np.zeros((len(records), 0, HASH), np.uint8), metadata)
