"""What the functions take: a path, or anything that offers an Arrow stream; and what they warn of about it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa

from unveil.errors import SettingError
from unveil.files.arrow_text import is_text
from unveil.files.open_table import TableSource
from unveil.files.reading import AS_FOUND, Reading
from unveil.files.table import ArrowStream
from unveil.one_place.two_tables import NamedTable
from unveil.schema import Schema
from unveil.schema.attribute_roles import role_from_name

#: Names that everybody has: where one is missing, it may have been NA or None. Second names are missing often.
_NAMES: Final = frozenset({"given_name", "family_name"})


class UnveilWarning(UserWarning):
    """Something about the data or the result that a person should look at; it holds no value of a record."""


def warn(sentences: Iterable[str], *, level: int = 3) -> None:
    """Warn whoever called the function that calls this one."""
    for sentence in sentences:
        warnings.warn(sentence, UnveilWarning, stacklevel=level + 1)


def schema_named(schema: Schema | Path | str | None) -> Schema | None:
    """The schema that was handed in or named: a built-in one, or a file."""
    if schema is None or isinstance(schema, Schema):
        return schema
    return Schema.named(str(schema))


def table_named(
    table: TableSource,
    name: str,
    *,
    reading: Reading | None = None,
    record_id: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> NamedTable:
    """The table with the name that errors and warnings give it; what is said apart goes before what `reading` says."""
    how = reading or AS_FOUND
    if isinstance(table, str | Path):
        name = str(table)
    elif (how.encoding, how.delimiter, how.sheet, how.query, how.header) != (None, None, None, None, True):
        raise SettingError(
            f"{name} is a table in memory, and how a file is written was said of it",
            hint="a reading of it may say id, columns and dates alone",
        )
    elif not isinstance(table, ArrowStream):
        raise SettingError(
            f"{name} is of type {type(table).__name__}, which offers no Arrow stream",
            hint="hand in a path, or a data frame of pandas, polars, DuckDB or Arrow",
        )
    said = {**how.columns, **(columns or {})}
    return NamedTable(table, name, replace(how, id=record_id or how.id, columns=said))


def missing_names(table: NamedTable) -> list[str]:
    """
    What pandas may have made of a surname: its `read_csv` takes NA, None and null for missing values.

    A frame that was read with keep_default_na=False has empty text in the place of what is missing.
    """
    if not type(table.source).__module__.startswith("pandas"):
        return []
    reader = pa.RecordBatchReader.from_stream(table.source)
    named = [
        (at, field.name)
        for at, field in enumerate(reader.schema)
        if role_from_name(field.name) in _NAMES and (is_text(field.type) or pa.types.is_null(field.type))
    ]
    gaps = dict.fromkeys((name for _, name in named), 0)
    for batch in reader:
        for at, name in named:
            gaps[name] += batch.column(at).null_count
    return [
        f"{table.name}, column {name}: {count:,} values are missing; read_csv of pandas makes that of the names NA, "
        "None and null, too: read the file with keep_default_na=False, or hand in its path"
        for name, count in gaps.items()
        if count
    ]
