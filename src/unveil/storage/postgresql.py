"""PostgreSQL, through psycopg; the connection comes back by itself after the server did."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Literal

from unveil.errors import StorageError
from unveil.storage.backend import ConstraintBroken, Transaction

if TYPE_CHECKING:
    import psycopg

#: Held by the one transaction that writes, as SQLite's lock is; any number that other programs are unlikely to take.
_WRITER: Final = 0x756E7665696C
_WAIT_MS: Final = 10_000
#: Writing a table anew waits for readers and holds up the party, so it waits shortly and is tried again later.
_SCRUB_WAIT_MS: Final = 500
_SESSION: Final = (
    "SET synchronous_commit = on",  # a commit is on the disk before it returns, whatever the server's default
    f"SET lock_timeout = {_WAIT_MS}",
    "SET client_min_messages = error",
)
_READ_SESSION: Final = (*_SESSION, "SET default_transaction_read_only = on")

_GONE: Final = ("the connection was lost", "check that the server runs; the next call connects again")
#: By the start of the SQLSTATE, the longest that fits: what happened, and what helps.
_CAUSES: Final = {
    "08": _GONE,
    "57P": _GONE,
    "28": ("the server refused the user", "check the user and password in the URL, and pg_hba.conf"),
    "3D": ("there is no such database", "createdb makes one"),
    "53100": ("the server's disk is full", "free some space on the server; nothing was lost"),
    "53": ("the server has no resources left", "try again later"),
    "25006": ("the server is read-only", "use the primary, not a standby"),
    "42501": ("the user lacks a permission", "the user must own the database or its schema"),
    "55P03": ("another process keeps it locked", "end the other process, or try again later"),
    "40": ("another transaction was in the way", "try again"),
}


class Postgresql:
    """One PostgreSQL database; threads take turns on one connection."""

    kind: Literal["postgresql"] = "postgresql"

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        self._psycopg = _driver()
        self._url = url
        self._session = _READ_SESSION if read_only else _SESSION
        self.place = _shown(self._psycopg, url)
        self._lock = threading.RLock()
        self._connection: psycopg.Connection[Any] | None = None

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A durable transaction; waits for another process that is writing."""
        with self._transaction("BEGIN", f"SELECT pg_advisory_xact_lock({_WRITER})") as transaction:
            yield transaction

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout."""
        with self._transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") as transaction:
            yield transaction

    def scrub(self, *, thorough: bool = False, patient: bool = True) -> bool:
        """
        Write the small table of nonces anew and drop its old file; VACUUM the table of sealed contents.

        VACUUM frees space without zeroing it, which is enough for contents that nothing opens any more, but not for
        the nonces. Thorough writes both tables anew. Neither touches the server's write-ahead log (pg_wal), its archive
        or its replicas: every nonce and every sealed body stays there until the server reuses the segment, usually
        after the next checkpoints. Where that matters, use SQLite, or keep pg_wal on an encrypted disk and archive
        nothing.
        """
        wait = _SCRUB_WAIT_MS if patient else 1
        with self._lock, self._translated():
            self._begin(f"SET lock_timeout = {wait}")
            try:
                self._begin("VACUUM (FULL) nonces")
                self._begin("VACUUM (FULL) bodies" if thorough else "VACUUM bodies")
            except self._psycopg.errors.LockNotAvailable:
                return False
            finally:
                self._begin(f"SET lock_timeout = {_WAIT_MS}")
        return True

    def size(self) -> int:
        """Bytes of this database at its server, without the server's write-ahead log."""
        with self.read() as transaction:
            found = transaction.row("SELECT pg_database_size(current_database())")
        return int(found[0]) if found else 0

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._drop()

    @contextmanager
    def _transaction(self, *begin: str) -> Iterator[Transaction]:
        with self._lock, self._translated():
            connection = self._begin(*begin)
            try:
                # Binary, so that a body does not travel as hexadecimal text of twice its length.
                with connection.cursor(binary=True) as cursor:
                    yield Transaction(cursor, "%s")
                    # A connection that dies in here leaves the caller not knowing; the log, read again, knows.
                    cursor.execute("COMMIT")
            except BaseException:
                with suppress(self._psycopg.Error):
                    connection.execute("ROLLBACK")
                raise

    def _begin(self, *statements: str) -> psycopg.Connection[Any]:
        """Run the first statements; on a connection that died while idle, once more on a fresh one."""
        fresh = self._connection is None
        try:
            return self._run(statements)
        except self._psycopg.OperationalError as error:
            if fresh or (error.sqlstate or "08")[:2] not in {"08", "57"}:
                raise
            self._drop()
            return self._run(statements)

    def _run(self, statements: tuple[str, ...]) -> psycopg.Connection[Any]:
        connection = self._open()
        try:
            for statement in statements:
                connection.execute(statement.encode())
        except self._psycopg.Error:
            with suppress(self._psycopg.Error):
                connection.execute("ROLLBACK")
            raise
        return connection

    def _open(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            # Autocommit: transactions are begun and ended by hand, and VACUUM must run outside any.
            connection = self._psycopg.connect(
                self._url, autocommit=True, connect_timeout=10, tcp_user_timeout=30_000, prepare_threshold=3
            )
            try:
                for statement in self._session:
                    connection.execute(statement.encode())
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.IntegrityError:
            raise ConstraintBroken(f"{self.place}: an index refused a row") from None
        except self._psycopg.Error as error:
            # The driver's own words may quote a row or the URL, so only its code is passed on.
            if self._connection is None or self._connection.broken or isinstance(error, self._psycopg.OperationalError):
                self._drop()
            raise self._failure(error) from None

    def _failure(self, error: psycopg.Error) -> StorageError:
        code = error.sqlstate or ("08000" if isinstance(error, self._psycopg.OperationalError) else "")
        fitting = [start for start in _CAUSES if code.startswith(start)]
        cause, hint = _CAUSES[max(fitting, key=len)] if fitting else ("the database refused", None)
        detail = f" (SQLSTATE {error.sqlstate})" if error.sqlstate else ""
        return StorageError(f"{self.place}: {cause}{detail}", hint=hint)

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(self._psycopg.Error):
                self._connection.close()
            self._connection = None


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        hint = "pip install 'unveil[postgres]', or use a SQLite file"
        raise StorageError("PostgreSQL needs the package psycopg, which is not installed", hint=hint) from None
    return psycopg


def _shown(driver: Any, url: str) -> str:
    """Host and database of a URL, without user or password; nothing of a URL that may have been mistyped."""
    from psycopg.conninfo import conninfo_to_dict

    try:
        parts = conninfo_to_dict(url)
    except driver.Error:
        raise StorageError("the PostgreSQL URL cannot be read", hint="postgresql://user@host:port/database") from None
    host, name = str(parts.get("host") or "localhost"), str(parts.get("dbname") or "")
    plain = re.fullmatch(r"[\w./-]*", host) and re.fullmatch(r"[\w-]*", name)
    return f"postgresql://{host}/{name}" if plain else "postgresql://…"
