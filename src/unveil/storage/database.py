"""
A party's database: opened by URL, claimed by one role, holding one log for each project.

`sqlite:///unit.db` is a file in the working directory, `sqlite:////srv/unit.db` one with an absolute path; a bare path
means the same. `postgresql://user@host/database` is a PostgreSQL database.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Final, Self

from unveil.errors import ClaimedError, NoLogError, SettingError, StorageError
from unveil.storage.backend import Backend, Transaction
from unveil.storage.log import chain
from unveil.storage.log.log import ProjectLog
from unveil.storage.log.residue import Residue
from unveil.storage.migrations import MIGRATIONS, check_version, migrate, version
from unveil.storage.passkeys import PasskeyStore
from unveil.storage.people import PeopleStore
from unveil.storage.postgresql import Postgresql
from unveil.storage.sqlite import Sqlite
from unveil.storage.tokens import TokenStore

_SQLITE: Final = "sqlite:///"
_POSTGRESQL: Final = ("postgresql://", "postgres://")


class Database:
    """Every project's log, and the tokens and people of one party; threads may share it, and others read beside it."""

    def __init__(self, backend: Backend, *, role: str, identity: str) -> None:
        self._backend, self._residue = backend, Residue(backend)
        self.role, self.identity = role, identity
        self.tokens = TokenStore(backend, unit=role)
        self.people = PeopleStore(backend, unit=role)
        self.passkeys = PasskeyStore(backend, unit=role)

    @classmethod
    def open(cls, url: str | Path, *, role: str, identity: str = "", demonstration: bool = False) -> Self:
        """
        Open a database, make or update its tables, and claim it for a role.

        A database that another role claimed is refused: a unit that sees another's rows sees what the protocol keeps
        from it. So is one of the same role under another identity, which is a name that lasts (the party's name in the
        project file, not a key that is renewed). `demonstration` allows both; logs stay apart all the same. Without an
        identity, the one that claimed the database for this role is taken.
        """
        backend = _backend(str(url), read_only=False)
        try:
            with backend.write() as transaction:
                migrate(transaction, backend.kind, backend.place)
                identity = _claim(transaction, backend.place, role, identity, demonstration=demonstration)
            database = cls(backend, role=role, identity=identity)
            database._residue.remove()
        except BaseException:
            backend.close()
            raise
        return database

    @classmethod
    def inspect(cls, url: str | Path) -> Self:
        """Open a database to read every role's logs, claiming and changing nothing."""
        backend = _backend(str(url), read_only=True)
        try:
            with backend.read() as transaction:
                present = _inspected_version(transaction, backend.place)
                check_version(present, backend.place)
        except BaseException:
            backend.close()
            raise
        if present < len(MIGRATIONS):
            backend.close()
            raise StorageError(f"{backend.place}: its tables are older", hint="start its unit once to update them")
        return cls(backend, role="", identity="")

    def project(self, name: str) -> ProjectLog:
        """The log of a project, made if there is none yet."""
        if not name or "\0" in name or not name.isprintable():
            raise SettingError("a project's name is empty or holds characters that cannot be printed")
        key = [self.role, self.identity, name]
        find = "SELECT id FROM projects WHERE role = ? AND identity = ? AND name = ?"
        with self._backend.read() as transaction:
            found = transaction.row(find, key)
        if found is None:
            with self._backend.write() as transaction:
                found = transaction.row(find, key) or self._begin(transaction, name)
        return ProjectLog(self._backend, self._residue, found[0], name, role=self.role, identity=self.identity)

    def logs(self) -> list[ProjectLog]:
        """The log of every project of every role, for an auditor."""
        with self._backend.read() as transaction:
            rows = transaction.rows("SELECT id, name, role, identity FROM projects ORDER BY id")
        return [
            ProjectLog(self._backend, self._residue, number, name, role=role, identity=identity)
            for number, name, role, identity in rows
        ]

    def strays(self) -> list[str]:
        """Rows that belong to no project: what is left when a project's own row was removed."""
        problems = []
        with self._backend.read() as transaction:
            for table in ("log", "bodies", "nonces", "outgoing", "erasures", "kept", "witnesses"):
                # The table's name is one of those above, not a value.
                query = f"SELECT count(*) FROM {table} WHERE project NOT IN (SELECT id FROM projects)"
                count = (transaction.row(query) or (0,))[0]
                if count:
                    problems.append(f"{count} rows of {table} belong to no project")
        return problems

    @property
    def kind(self) -> str:
        """Which database it is: sqlite or postgresql."""
        return self._backend.kind

    def size(self) -> int:
        """Bytes that it takes where it is kept."""
        return self._backend.size()

    def close(self) -> None:
        """Let go of the database; what erasures left in its files is removed first, if nobody reads them."""
        if self._residue.left:
            self._residue.remove(patient=False)
        self._backend.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, transaction: Transaction, name: str) -> tuple[int]:
        number = int((transaction.row("SELECT coalesce(max(id), 0) + 1 FROM projects") or (1,))[0])
        first = chain.genesis(self.role, self.identity, name)
        transaction.run(
            "INSERT INTO projects (id, role, identity, name, state, head_seq, head_hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [number, self.role, self.identity, name, "open", 0, first],
        )
        return (number,)


def _backend(url: str, *, read_only: bool) -> Backend:
    if url.startswith(_POSTGRESQL):
        return Postgresql(url, read_only=read_only)
    if "://" in url and not url.startswith(_SQLITE):
        # Not quoted: it may hold a password.
        raise SettingError(
            "the database's URL is of no known kind", hint="sqlite:///file or postgresql://user@host/database"
        )
    path = url.removeprefix(_SQLITE)
    if not path or "\0" in path:
        raise SettingError("the database's URL names no file", hint="sqlite:///file")
    return Sqlite(Path(path), read_only=read_only)


def _claim(transaction: Transaction, place: str, role: str, identity: str, *, demonstration: bool) -> str:
    """Record who uses the database and return its identity; refuse one that another uses."""
    if not role:
        raise SettingError("a database is opened for a role")
    claims = transaction.rows("SELECT role, identity FROM claims ORDER BY role, identity")
    own = [theirs for claimed, theirs in claims if claimed == role]
    if not identity and own:
        if len(own) > 1:
            raise ClaimedError(f"{place}: several parties of the role {role} use it", hint="say which one this is")
        identity = own[0]
    known = (role, identity) in claims
    others = [claim for claim in claims if claim[0] != role] if known else claims
    if others and not demonstration:
        owner = others[0][0] if others[0][0] != role else f"another {role}, {others[0][1] or 'unnamed'}"
        hint = "give every party a database of its own; only a demonstration may share one"
        raise ClaimedError(f"{place}: claimed by {owner}, this is {role} {identity}".rstrip(), hint=hint)
    if not known:
        transaction.run("INSERT INTO claims (role, identity) VALUES (?, ?)", [role, identity])
    return identity


def _inspected_version(transaction: Transaction, place: str) -> int:
    try:
        return version(transaction)
    except StorageError:
        raise
    except Exception:  # noqa: BLE001 - the drivers' errors differ, and may quote the URL
        raise NoLogError(f"{place}: holds no log of Unveil") from None
