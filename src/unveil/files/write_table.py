"""Arrow tables as files, in the format that the name asks for: CSV that is safe to open, Parquet or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.files.write import write_rows

_NOT_WRITTEN = frozenset({".xlsx", ".xls", ".ods", ".gz", ".zst", ".bz2", ".zip", ".sqlite", ".db", ".duckdb", ".html"})
_ALSO = "with the ending .parquet, .feather or .json"
_AT_ONCE = 10_000


def check_format(path: Path) -> None:
    """Refuse a name that promises a format that is not written: a spreadsheet would not open it."""
    kind = path.suffix.lower()
    if kind in _NOT_WRITTEN:
        raise SettingError(f"{path}: tables are not written as {kind[1:]}", hint=f"name it {path.stem}.csv or {_ALSO}")


def write_table(path: Path, table: Any, *, ids: Sequence[str] = (), overwrite: bool = True) -> None:
    """
    Write a table; the file appears whole or not at all.

    `.parquet` is Parquet, `.feather` and `.arrow` an Arrow file, `.json` an array of objects, anything else CSV; ids
    are written to CSV so that `plain_id` gives them back.
    """
    kind = path.suffix.lower()
    check_format(path)
    if kind in {".feather", ".arrow"}:
        import pyarrow.feather

        with replacing(path, overwrite=overwrite) as temporary:
            pyarrow.feather.write_feather(table, str(temporary), compression="zstd")
    elif kind == ".parquet":
        import pyarrow.parquet as pq

        with replacing(path, overwrite=overwrite) as temporary:
            pq.write_table(table, temporary)
    elif kind == ".json":
        with replacing(path, overwrite=overwrite) as temporary:
            temporary.write_text(json.dumps(table.to_pylist(), ensure_ascii=False) + "\n", encoding="utf-8")
    else:
        parts = (part.to_pydict().values() for part in table.to_batches(max_chunksize=_AT_ONCE))
        rows = (row for part in parts for row in zip(*part, strict=True))
        write_rows(path, table.column_names, rows, ids=ids, overwrite=overwrite)
