"""Tables that a query brings from a database, `sqlite:PATH`, `duckdb:PATH` or `postgresql://…`; nothing is written."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from unveil.errors import InputError, SettingError
from unveil.files.source import opened

if TYPE_CHECKING:
    from unveil.files.arrow_rows import StreamTable

_NAMED: Final = re.compile(r"(sqlite|duckdb|postgres(?:ql)?):(.+)\Z", re.DOTALL)
_PASSWORD: Final = re.compile(r"/*[^/@]*:[^/@]*@")
_AT_ONCE: Final = 10_000
_HINT: Final = '--query "select * from people" for example; whoever links may read that table, and need not write'


def is_database(source: Path | str) -> bool:
    """Whether this names a database and not a file of records."""
    return bool(_NAMED.match(str(source))) and not Path(source).exists()


def queried(source: Path | str, query: str | None) -> StreamTable:
    """What the query brings, as text; columns of other types are refused where a schema needs them."""
    found = _NAMED.match(str(source))
    assert found is not None
    kind, place = found[1], found[2]
    if query is None:
        raise SettingError(f"{kind}: says where, and not what to read", hint=_HINT)
    name = Path(kind if kind.startswith("postgres") else place)
    read = {"sqlite": _sqlite, "duckdb": _duckdb}.get(kind, _postgresql)
    try:
        table = read(place, query)
    except ImportError:
        extra = "postgres" if read is _postgresql else "duckdb"
        raise SettingError(f"{kind} needs an extra that is not installed", hint=f"install unveil[{extra}]") from None
    except _errors() as error:
        # The kind of error alone: what a database says of a query may hold a value.
        raise InputError(
            name, f"the query failed ({type(error).__name__})", hint="try it at the database first"
        ) from None
    from unveil.files.arrow_rows import StreamTable

    return StreamTable.of(table, str(name))


def _errors() -> tuple[type[Exception], ...]:
    known: list[type[Exception]] = [sqlite3.Error, sqlite3.Warning]
    for library in ("duckdb", "psycopg"):
        try:
            known.append(__import__(library).Error)
        except ImportError:
            continue
    return tuple(known)


def _sqlite(place: str, query: str) -> Any:
    with opened(Path(place)):
        pass
    uri = f"{Path(place).resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        return _table(Path(place), connection.execute(query))


def _duckdb(place: str, query: str) -> Any:
    import duckdb

    with opened(Path(place)):
        pass
    settings: dict[str, Any] = {"enable_external_access": "false"}  # a query reads this database and no other file
    with closing(duckdb.connect(place, read_only=True, config=settings)) as connection:
        return connection.sql(query).to_arrow_table()


def _postgresql(place: str, query: str) -> Any:
    import psycopg

    if _PASSWORD.match(place):
        raise SettingError(
            "a password does not belong on a command line", hint="put it into ~/.pgpass, or the variable PGPASSWORD"
        )
    with psycopg.connect(f"postgresql://{place.lstrip('/')}") as connection:
        connection.read_only = True
        return _table(Path("postgresql"), connection.execute(query.encode()))


def _table(path: Path, cursor: Any) -> Any:
    """The rows of a cursor, as columns of text."""
    if cursor.description is None:
        raise InputError(path, "the query brings no table", hint=_HINT)
    names = [each[0] for each in cursor.description]
    import pyarrow as pa

    schema = pa.schema([(name, pa.large_string()) for name in names])
    return pa.Table.from_batches(_batches(path, cursor, names, schema), schema)


def _batches(path: Path, cursor: Any, names: Sequence[str], schema: Any) -> Iterator[Any]:
    row = 1
    while rows := cursor.fetchmany(_AT_ONCE):
        columns = zip(*rows, strict=True)
        import pyarrow as pa

        yield pa.record_batch(
            [[_text(path, value, row + at, name) for at, value in enumerate(column)]
             for name, column in zip(names, columns, strict=True)], schema=schema,
        )  # fmt: skip
        row += len(rows)


def _text(path: Path, value: object, row: int, column: str) -> str | None:
    """A value as text: whole numbers by their digits, days as 1944-01-09."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, datetime | date):
        return value.isoformat(*([" "] if isinstance(value, datetime) else []))
    if isinstance(value, int):
        return str(value)
    raise InputError(
        path, "is neither text nor a whole number nor a day", row=row, column=column, hint="cast it to text"
    )
