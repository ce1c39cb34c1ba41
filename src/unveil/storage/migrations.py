"""
The tables, as numbered steps that are applied when a database is opened.

A step is never edited once it is released: a change of the tables is a new step at the end. All steps that a database
lacks are applied in one transaction, so a crash leaves the old tables or the new ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from unveil.errors import StorageError
from unveil.storage.backend import Transaction


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: statements for both databases, then those that only PostgreSQL needs."""

    statements: tuple[str, ...]
    postgresql: tuple[str, ...] = ()


_FIRST: Final = Migration(
    (
        # Who may use this database; more than one row only where parties are demonstrated side by side.
        "CREATE TABLE claims (role TEXT NOT NULL, identity TEXT NOT NULL, PRIMARY KEY (role, identity))",
        # One row per log: its last entry's number and hash, so that a tail cut off is noticed.
        """CREATE TABLE projects (
            id BIGINT PRIMARY KEY, role TEXT NOT NULL, identity TEXT NOT NULL, name TEXT NOT NULL,
            state TEXT NOT NULL, head_seq BIGINT NOT NULL, head_hash BYTEA NOT NULL, UNIQUE (role, identity, name))""",
        # Small rows, written once and never changed.
        """CREATE TABLE log (
            project BIGINT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, sender TEXT NOT NULL,
            message_id TEXT NOT NULL, time DOUBLE PRECISION NOT NULL, arrived BYTEA NOT NULL, stored BYTEA NOT NULL,
            stub BYTEA NOT NULL, attached BYTEA NOT NULL, hash BYTEA NOT NULL, PRIMARY KEY (project, seq))""",
        "CREATE UNIQUE INDEX log_by_message ON log (project, sender, message_id) WHERE message_id <> ''",
        # Contents, sealed, and the nonces that open them; see contents.py. Rows of bodies go, rows of nonces do not.
        """CREATE TABLE bodies (
            project BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL, body BYTEA NOT NULL,
            PRIMARY KEY (project, seq, part))""",
        """CREATE TABLE nonces (
            project BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL, nonce BYTEA NOT NULL,
            PRIMARY KEY (project, seq, part))""",
        """CREATE TABLE outgoing (
            project BIGINT NOT NULL, position BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL,
            recipient TEXT NOT NULL, message_id TEXT NOT NULL, commitment BYTEA NOT NULL, delivered BIGINT NOT NULL,
            PRIMARY KEY (project, position), UNIQUE (project, seq, part), UNIQUE (project, recipient, message_id))""",
        "CREATE INDEX outgoing_waiting ON outgoing (project, recipient, position) WHERE delivered = 0",
        # Which entries' contents were erased, and by which entry of the log.
        """CREATE TABLE erasures (
            project BIGINT NOT NULL, seq BIGINT NOT NULL, erased_by BIGINT NOT NULL, PRIMARY KEY (project, seq))""",
        # What a closed project keeps.
        """CREATE TABLE kept (
            project BIGINT NOT NULL, name TEXT NOT NULL, nonce BYTEA NOT NULL, body BYTEA NOT NULL,
            PRIMARY KEY (project, name))""",
        """CREATE TABLE tokens (
            id TEXT PRIMARY KEY, unit TEXT NOT NULL, project TEXT NOT NULL, role TEXT NOT NULL, hash BYTEA NOT NULL,
            issued DOUBLE PRECISION NOT NULL, expires DOUBLE PRECISION NOT NULL)""",
    ),
    # Encodings and nonces do not compress; trying to would cost most of the time of an append.
    postgresql=(
        "ALTER TABLE bodies ALTER COLUMN body SET STORAGE EXTERNAL",
        "ALTER TABLE kept ALTER COLUMN body SET STORAGE EXTERNAL",
    ),
)

_SECOND: Final = Migration(
    (
        # outgoing.delivered was 0 or 1. Now it is 0, or the number of the entry whose hash covers the delivery: of all
        # that was delivered so far, the next one. Whether a closed project sent a message is in its last hash already.
        """UPDATE outgoing SET delivered = (SELECT p.head_seq + 1 FROM projects p WHERE p.id = outgoing.project)
            WHERE delivered = 1 AND project IN (SELECT id FROM projects)""",
        "CREATE INDEX outgoing_delivered ON outgoing (project, delivered) WHERE delivered <> 0",
    ),
)

_THIRD: Final = Migration(
    (
        # Of each other party, the head of its log as it was told last; see witness.py.
        """CREATE TABLE witnesses (
            project BIGINT NOT NULL, party TEXT NOT NULL, head BYTEA NOT NULL, PRIMARY KEY (project, party))""",
    ),
)

_FOURTH: Final = Migration(
    (
        # How a body is sealed: 1, encrypted alone, as all were so far; 2, authenticated too. See log/contents.py.
        "ALTER TABLE bodies ADD COLUMN form BIGINT NOT NULL DEFAULT 1",
    ),
)

_FIFTH: Final = Migration(
    (
        # People who log in at pages. Of an invitation the hash stays until it is used, of a password a slow hash.
        """CREATE TABLE people (
            id TEXT PRIMARY KEY, unit TEXT NOT NULL, project TEXT NOT NULL, role TEXT NOT NULL, name TEXT NOT NULL,
            invitation BYTEA, invited_until DOUBLE PRECISION NOT NULL, password TEXT NOT NULL,
            failures BIGINT NOT NULL, locked_until DOUBLE PRECISION NOT NULL, UNIQUE (unit, project, name))""",
        # Who is logged in, by the hash of what their browser shows.
        """CREATE TABLE visits (
            hash BYTEA PRIMARY KEY, person TEXT NOT NULL, seen DOUBLE PRECISION NOT NULL,
            expires DOUBLE PRECISION NOT NULL)""",
    ),
)

_SIXTH: Final = Migration(
    (
        # Public keys by which people log in, by the hash of their id; each is for one name of the unit's.
        """CREATE TABLE passkeys (
            hash BYTEA PRIMARY KEY, person TEXT NOT NULL, public_key BYTEA NOT NULL, used BIGINT NOT NULL,
            host TEXT NOT NULL)""",
    ),
)

MIGRATIONS: Final = (_FIRST, _SECOND, _THIRD, _FOURTH, _FIFTH, _SIXTH)


def version(transaction: Transaction) -> int:
    """How many steps a database has had; it has the table `meta` already."""
    found = transaction.row("SELECT value FROM meta WHERE name = ?", ["version"])
    return int(found[0]) if found else 0


def migrate(
    transaction: Transaction,
    kind: Literal["sqlite", "postgresql"],
    place: str,
    steps: Sequence[Migration] = MIGRATIONS,
) -> None:
    """Apply the steps that a database lacks; one with more steps than these is refused untouched."""
    transaction.run("CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    present = version(transaction)
    check_version(present, place, most=len(steps))
    for step in steps[present:]:
        for statement in step.statements + (step.postgresql if kind == "postgresql" else ()):
            transaction.run(statement)
    if present == 0:
        transaction.run("INSERT INTO meta (name, value) VALUES (?, ?)", ["version", str(len(steps))])
    elif present < len(steps):
        transaction.run("UPDATE meta SET value = ? WHERE name = ?", [str(len(steps)), "version"])


def check_version(present: int, place: str, *, most: int = len(MIGRATIONS)) -> None:
    """Refuse a database that a later release of Unveil wrote: its rows may mean what this one does not know."""
    if present > most:
        problem = f"{place}: made by a later release of Unveil (tables {present}, this one knows {most})"
        raise StorageError(problem, hint="use that release, or a later one")
