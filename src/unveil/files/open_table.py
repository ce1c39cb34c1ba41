"""`open_table`: a table of records wherever it stands, in a file, on standard input or in memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from unveil.errors import SettingError
from unveil.files.csv_rows import CsvTable
from unveil.files.database import is_database, queried
from unveil.files.reading import AS_FOUND, Reading
from unveil.files.source import bytes_at, kind_of
from unveil.files.table import ArrowStream, Table

#: What a table is read from: a file (`-` is standard input), or whatever offers an Arrow stream.
TableSource = Path | str | ArrowStream


def open_table(source: TableSource, reading: Reading = AS_FOUND, *, needed: Sequence[str] = ()) -> Table:
    """
    The table that stands there: text and packed text, Excel workbooks, Parquet, Arrow and Feather.

    A database brings what `reading.query` asks. What a file is, is told by its first bytes and not by its name. The
    `needed` columns help to tell how text is written.
    """
    # Arrow and workbooks are loaded by whoever has such a table: it takes longer than reading many a file of text.
    if not isinstance(source, Path | str):
        from unveil.files.arrow_rows import StreamTable

        return StreamTable.of(source)
    if is_database(source):
        return queried(source, reading.query)
    if reading.query is not None:
        hint = "name a database: sqlite:PATH, duckdb:PATH or postgresql://HOST/NAME"
        raise SettingError("--query is asked of a database, and this is a file", hint=hint)
    data = bytes_at(Path(source))
    kind = kind_of(data)
    if kind == "csv":
        return CsvTable.of(data, reading, needed)
    if kind == "parquet":
        from unveil.files.parquet_rows import ParquetTable

        return ParquetTable.of(data)
    if kind == "workbook":
        from unveil.files.workbook import WorkbookTable

        return WorkbookTable.of(data, reading)
    from unveil.files.arrow_rows import ArrowTable

    return ArrowTable.of(data, is_file=kind == "arrow file")
