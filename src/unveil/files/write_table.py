"""Arrow tables as files, in the format that the name asks for: CSV that is safe to open, Parquet or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unveil.files.atomic import replacing
from unveil.files.write import write_rows

_AT_ONCE = 10_000


def write_table(path: Path, table: Any, *, ids: Sequence[str] = (), overwrite: bool = True) -> None:
    """
    Write a table; the file appears whole or not at all.

    `.parquet` is Parquet, `.json` an array of objects, anything else CSV; ids are written to CSV so that `plain_id`
    gives them back.
    """
    kind = path.suffix.lower()
    if kind == ".parquet":
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
