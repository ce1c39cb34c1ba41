"""SQLite: the default database, one file beside its write-ahead log."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Literal
from urllib.parse import quote

from unveil.errors import StorageError
from unveil.files import private_file
from unveil.storage.backend import ConstraintBroken, Transaction

_BUSY_MS: Final = 10_000
#: A checkpoint that waits for a reader holds up the party, so it waits shortly and is tried again later.
_SCRUB_BUSY_MS: Final = 500
#: Larger pages carry large bodies faster, smaller ones small entries; 8 kB is good at both.
_PAGE_BYTES: Final = 8192
_WAL_BYTES: Final = 64 << 20

_PRAGMAS: Final = (
    f"PRAGMA busy_timeout = {_BUSY_MS}",
    f"PRAGMA page_size = {_PAGE_BYTES}",  # of a new file; must come before WAL
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk before it returns
    "PRAGMA secure_delete = ON",  # deleted bytes are overwritten with zeros
    "PRAGMA temp_store = MEMORY",  # no page is ever copied into a temporary file
    f"PRAGMA journal_size_limit = {_WAL_BYTES}",
)
_READ_PRAGMAS: Final = (f"PRAGMA busy_timeout = {_BUSY_MS}", "PRAGMA query_only = ON")

#: By SQLite's primary result code: what happened, and what helps.
_CAUSES: Final = {
    sqlite3.SQLITE_FULL: ("the disk is full", "free some space on its disk; nothing was lost"),
    sqlite3.SQLITE_READONLY: ("it cannot be written to", "the file and its folder must be writable by this user"),
    sqlite3.SQLITE_CANTOPEN: ("it cannot be opened", "the file and its folder must be writable by this user"),
    sqlite3.SQLITE_BUSY: ("another process keeps it locked", "end the other process, or try again later"),
    sqlite3.SQLITE_LOCKED: ("another process keeps it locked", "end the other process, or try again later"),
    sqlite3.SQLITE_PERM: ("access is denied", "the file and its folder must be writable by this user"),
    sqlite3.SQLITE_NOTADB: ("it is not a SQLite database", "give the path of another file"),
    sqlite3.SQLITE_CORRUPT: ("the file is damaged", "restore it from a backup"),
    sqlite3.SQLITE_IOERR: ("the disk reported an error", "check that the disk is not full and is healthy"),
    sqlite3.SQLITE_TOOBIG: ("a message is too large for SQLite", None),
}


class Sqlite:
    """One SQLite file; threads take turns on one connection."""

    kind: Literal["sqlite"] = "sqlite"

    def __init__(self, path: Path, *, read_only: bool = False) -> None:
        self._path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
        self.place = str(path)
        self._read_only = read_only
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        if not read_only:
            self._create()

    @contextmanager
    def write(self) -> Iterator[Transaction]:
        """A durable transaction; waits for another process that is writing."""
        with self._transaction("BEGIN IMMEDIATE") as transaction:
            yield transaction

    @contextmanager
    def read(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the database throughout."""
        with self._transaction("BEGIN") as transaction:
            yield transaction

    def scrub(self, *, thorough: bool = False, patient: bool = True) -> bool:
        """
        Copy the write-ahead log into the file and cut it to nothing; False when a reader keeps it from being cut.

        What was deleted or overwritten is zeros in the file (secure_delete), but the log holds the pages as they were
        before. Nothing more is left for a thorough run to do. A disk that keeps old blocks, as flash memory does, is
        beyond SQLite.
        """
        del thorough
        with self._lock, self._translated():
            connection = self._open()
            connection.execute(f"PRAGMA busy_timeout = {_SCRUB_BUSY_MS if patient else 0}")
            try:
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                connection.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
        return not busy

    def size(self) -> int:
        """Bytes of the file and of what lies beside it."""
        files = (self._path.with_name(self._path.name + ending) for ending in ("", "-wal", "-shm"))
        return sum(file.stat().st_size for file in files if file.exists())

    def close(self) -> None:
        """Close the connection; SQLite then removes its write-ahead log, unless another process reads."""
        with self._lock:
            self._drop()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self._lock, self._translated():
            connection = self._open()
            cursor = connection.cursor()
            cursor.execute(begin)
            try:
                yield Transaction(cursor, "?")
                cursor.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    if connection.in_transaction:
                        cursor.execute("ROLLBACK")
                raise
            finally:
                cursor.close()

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.IntegrityError:
            raise ConstraintBroken(f"{self.place}: an index refused a row") from None
        except sqlite3.Error as error:
            # A connection that met an error of the disk may hold stale state; the next call opens a fresh one.
            self._drop()
            raise self._failure(error) from None
        except OverflowError:
            raise StorageError(f"{self.place}: a number is too large for the database") from None

    def _failure(self, error: sqlite3.Error) -> StorageError:
        code = getattr(error, "sqlite_errorcode", None)
        cause, hint = _CAUSES.get((code or 0) & 0xFF, ("the database refused", None))
        name = getattr(error, "sqlite_errorname", type(error).__name__)
        return StorageError(f"{self.place}: {cause} ({name})", hint=hint)

    def _create(self) -> None:
        """Make the file, readable by its owner alone from the first moment; SQLite gives its other files that mode."""
        try:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            os.close(handle)
            folder = os.open(self._path.parent, os.O_RDONLY)
            try:
                os.fsync(folder)  # the name must survive a power cut as the contents do
            finally:
                os.close(folder)
        except FileNotFoundError:
            hint = "make the folder first; in a URL, an absolute path has four slashes: sqlite:////folder/file"
            raise StorageError(f"{self.place}: the folder {self._path.parent} does not exist", hint=hint) from None
        except OSError as error:
            hint = "the file and its folder must be writable by this user"
            raise StorageError(f"{self.place}: cannot be opened: {error.strerror}", hint=hint) from None

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and self._inode != self._present():
            # Written on, a deleted file would take entries that are lost with this process.
            self._drop()
        if self._connection is None:
            self._inode = self._present()
            if self._inode is None:
                raise StorageError(f"{self.place}: there is no such file", hint="was it moved or deleted?")
            self._check_private()
            uri = f"file:{quote(str(self._path))}?{self._mode()}"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            try:
                for pragma in _READ_PRAGMAS if self._read_only else _PRAGMAS:
                    connection.execute(pragma)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _check_private(self) -> None:
        """
        Refuse what others can read: once copied, it cannot be called back. SQLite's other files count as well.

        An auditor's copy on a medium that cannot be written to is read as it is, for its modes cannot be mended.
        """
        if self._read_only and not os.access(self._path.parent, os.W_OK):
            return
        for ending in ("", "-wal", "-shm", "-journal"):
            private_file.check_private(self._path.with_name(self._path.name + ending), error=StorageError)
        for folder in dict.fromkeys([self._path.parent, self._path.resolve().parent]):  # a link leads elsewhere
            private_file.check_folder(folder, error=StorageError)

    def _mode(self) -> str:
        """How the file is opened; never "rwc": one that went away is not made anew in silence."""
        if self._path.is_dir():
            raise StorageError(f"{self.place}: is a folder, not a database", hint="give the path of the file in it")
        if not self._read_only:
            return "mode=rw"
        if os.access(self._path.parent, os.W_OK):
            return "mode=ro"
        # SQLite keeps an index beside the file even for a reader, who cannot write one here. Without a write-ahead log
        # no party is at work on the file, so it may be read as it is.
        if self._path.with_name(self._path.name + "-wal").exists():
            raise StorageError(
                f"{self.place}: its write-ahead log cannot be read in a folder that this user cannot write to",
                hint="copy the file and its -wal into another folder, or back it up with SQLite's own command",
            )
        return "mode=ro&immutable=1"

    def _present(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _drop(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
