"""
The port behind which SQLite and PostgreSQL stand.

All SQL of the room is written once, with `?` for values and the types BIGINT, DOUBLE PRECISION, TEXT and BYTEA, which
both databases take. A database is a connection that opens itself when it is needed, allows one writer at a time, and
turns every error of its driver into a StorageError that carries no value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from unveil.errors import StorageError

Row = tuple[Any, ...]


class Cursor(Protocol):
    """The part of a DB-API cursor that is used here."""

    @property
    def rowcount(self) -> int:
        """How many rows the last statement changed."""

    def execute(self, query: Any, parameters: Any = ..., /) -> Any:
        """Run one statement."""

    def executemany(self, query: Any, parameters: Any, /) -> Any:
        """Run one statement for many rows of values."""

    def fetchall(self) -> list[Any]:
        """The rows of the last statement."""


class Transaction:
    """Statements that take effect together or not at all."""

    def __init__(self, cursor: Cursor, placeholder: str) -> None:
        self._cursor, self._placeholder = cursor, placeholder

    def run(self, sql: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return how many rows it changed."""
        self._cursor.execute(self._dialect(sql), tuple(values))
        return self._cursor.rowcount

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for every row of values."""
        rows = [tuple(row) for row in rows]
        if rows:
            self._cursor.executemany(self._dialect(sql), rows)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Every row that a query gives."""
        self._cursor.execute(self._dialect(sql), tuple(values))
        return self._cursor.fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row that a query gives, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def _dialect(self, sql: str) -> str:
        # No statement of this room holds a question mark or a per cent sign of its own.
        return sql.replace("?", self._placeholder)


class Backend(Protocol):
    """One database, whichever it is."""

    @property
    def kind(self) -> Literal["sqlite", "postgresql"]:
        """Which database it is."""

    @property
    def place(self) -> str:
        """Its address as it may be shown: never a password."""

    def write(self) -> AbstractContextManager[Transaction]:
        """A transaction that is durable when the block ends well and leaves nothing when it does not."""

    def read(self) -> AbstractContextManager[Transaction]:
        """A transaction that sees one state of the database throughout and changes nothing."""

    def scrub(self, *, thorough: bool = False, patient: bool = True) -> bool:
        """
        Remove what deleted rows left behind in the database's files; False when a reader still holds on to it.

        Thorough also rewrites what the ordinary way leaves, and takes time in proportion to what is kept. Patient waits
        a moment for readers to let go.
        """

    def size(self) -> int:
        """Bytes that the database takes where it is kept, what is written ahead among them."""

    def close(self) -> None:
        """Let go of the connection; the next transaction would open it again."""


class ConstraintBroken(StorageError):
    """A unique index refused a row."""
