"""
People who log in at the pages of a unit: invited once, known by a password or passkey from then on, logged in for a
while.

An invitation and what a browser shows are random, so their SHA-256 is kept; passwords are people's own, so a slow hash
is (argon2id). Whoever tries passwords is locked out for longer and longer. Unknown names take as long as wrong
passwords.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import threading
from dataclasses import dataclass
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from unveil.errors import SettingError
from unveil.storage.backend import Backend, Row

PERSON_ROLES: Final = ("reviewer", "lead")
SHORTEST_PASSWORD: Final = 12  # characters
LONGEST_PASSWORD: Final = 256

_SECRET_BYTES: Final = 32
_IDLE: Final = 2 * 60 * 60  # seconds without a step until somebody must log in again
_LONGEST_VISIT: Final = 12 * 60 * 60
_FREE_FAILURES: Final = 4  # beyond these every failure locks
_FIRST_LOCK: Final = 60.0  # seconds; doubled by each further failure
_LONGEST_LOCK: Final = 60 * 60.0
_COLUMNS: Final = "id, project, role, name, invited_until, password, locked_until"
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=32 * 1024, parallelism=1)
_NOBODY: Final = _HASHER.hash(secrets.token_hex())  # checked where there is no such name


class LockedOut(SettingError):
    """Too many wrong passwords; another try is possible later."""


@dataclass(frozen=True, slots=True)
class KnownPerson:
    """Somebody who may log in; `joined` once the invitation was used."""

    id: str
    project: str
    role: str
    name: str
    invited_until: float
    joined: bool
    locked_until: float


class PeopleStore:
    """The people of one unit. `now` is in seconds since 1970."""

    def __init__(self, backend: Backend, *, unit: str) -> None:
        self._backend, self._unit = backend, unit
        self._trying = threading.Lock()  # one password at a time: tries side by side would all be before the lock

    def invite(self, project: str, role: str, name: str, *, until: float) -> str:
        """
        Invite somebody and return the secret of the invitation, which is kept nowhere.

        Whoever is there already gets a new invitation, and with it a new password; they stay the same in the log.
        """
        if role not in PERSON_ROLES:
            raise SettingError("a person is a reviewer or a lead")
        if not name.strip() or len(name) > 64 or not name.isprintable():  # noqa: PLR2004 - of the name
            raise SettingError("a person needs a name of at most 64 printable characters")
        secret = secrets.token_bytes(_SECRET_BYTES)
        hashed = hashlib.sha256(secret).digest()
        with self._backend.write() as transaction:
            found = transaction.row(
                "SELECT id FROM people WHERE unit = ? AND project = ? AND name = ?", [self._unit, project, name]
            )
            if found:
                transaction.run(
                    "UPDATE people SET role = ?, invitation = ?, invited_until = ? WHERE id = ?",
                    [role, hashed, until, found[0]],
                )
            else:
                transaction.run(
                    "INSERT INTO people (id, unit, project, role, name, invitation, invited_until, password, failures,"
                    " locked_until) VALUES (?, ?, ?, ?, ?, ?, ?, '', 0, 0)",
                    [secrets.token_hex(8), self._unit, project, role, name, hashed, until],
                )
        return base64.urlsafe_b64encode(secret).decode().rstrip("=")

    def join(self, invitation: str, password: str, now: float) -> KnownPerson | None:
        """Use an invitation, once, and set the password; None if it is unknown, used or too old."""
        check_password(password)
        hashed = _HASHER.hash(password)  # before it is known whether the invitation is good, so both take as long
        with self._backend.write() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS} FROM people WHERE unit = ? AND invitation = ? AND invited_until > ?",
                [self._unit, invitation_hash(invitation), now],
            )
            if row is None:
                return None
            transaction.run(
                "UPDATE people SET invitation = NULL, password = ?, failures = 0, locked_until = 0 WHERE id = ?",
                [hashed, row[0]],
            )
            transaction.run("DELETE FROM visits WHERE person = ?", [row[0]])
            transaction.run("DELETE FROM passkeys WHERE person = ?", [row[0]])
        return known_person(row, joined=True)

    def log_in(self, project: str, name: str, password: str, now: float) -> KnownPerson | None:
        """Whose password it is; None if name or password is wrong, LockedOut after too many tries."""
        with self._trying:
            return self._log_in(project, name, password, now)

    def _log_in(self, project: str, name: str, password: str, now: float) -> KnownPerson | None:
        with self._backend.read() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS} FROM people WHERE unit = ? AND project = ? AND name = ?",
                [self._unit, project, name],
            )
        if row is not None and row[6] > now:
            raise LockedOut("too many wrong passwords; try again later")
        right = _matches(row[5] if row is not None and row[5] else _NOBODY, password) and bool(row and row[5])
        if row is None:
            return None
        with self._backend.write() as transaction:
            if right:
                transaction.run("UPDATE people SET failures = 0, locked_until = 0 WHERE id = ?", [row[0]])
                return known_person(row)
            failures = int((transaction.row("SELECT failures FROM people WHERE id = ?", [row[0]]) or (0,))[0]) + 1
            lock = min(_LONGEST_LOCK, _FIRST_LOCK * 2 ** max(0, failures - _FREE_FAILURES - 1))
            until = now + lock if failures > _FREE_FAILURES else 0.0
            transaction.run("UPDATE people SET failures = ?, locked_until = ? WHERE id = ?", [failures, until, row[0]])
        return None

    def begin_visit(self, person: KnownPerson, now: float) -> str:
        """Log somebody in and return the secret that their browser shows from now on; kept nowhere."""
        secret = secrets.token_bytes(_SECRET_BYTES)
        with self._backend.write() as transaction:
            transaction.run("DELETE FROM visits WHERE expires <= ? OR seen <= ?", [now, now - _IDLE])
            transaction.run(
                "INSERT INTO visits (hash, person, seen, expires) VALUES (?, ?, ?, ?)",
                [hashlib.sha256(secret).digest(), person.id, now, now + _LONGEST_VISIT],
            )
        return base64.urlsafe_b64encode(secret).decode().rstrip("=")

    def visitor(self, secret: str, now: float) -> KnownPerson | None:
        """Who shows this secret; None if nobody is logged in with it (any more)."""
        hashed = _visit_hash(secret)
        if hashed is None:
            return None
        columns = ", ".join(f"p.{name}" for name in _COLUMNS.split(", "))
        with self._backend.read() as transaction:
            row = transaction.row(
                f"SELECT {columns}, v.seen FROM visits v JOIN people p ON p.id = v.person"
                " WHERE v.hash = ? AND p.unit = ? AND v.expires > ? AND v.seen > ?",
                [hashed, self._unit, now, now - _IDLE],
            )
        if row is None:
            return None
        if row[7] < now - _IDLE / 8:  # not at every step: it costs a write
            with self._backend.write() as transaction:
                transaction.run("UPDATE visits SET seen = ? WHERE hash = ?", [now, hashed])
        return known_person(row)

    def end_visit(self, secret: str) -> None:
        """Log out."""
        hashed = _visit_hash(secret)
        if hashed is not None:
            with self._backend.write() as transaction:
                transaction.run("DELETE FROM visits WHERE hash = ?", [hashed])

    def remove(self, number: str) -> bool:
        """Let somebody in no more; what they did stays in the log. False if there is nobody of that id."""
        with self._backend.write() as transaction:
            transaction.run("DELETE FROM visits WHERE person = ?", [number])
            transaction.run("DELETE FROM passkeys WHERE person = ?", [number])
            return transaction.run("DELETE FROM people WHERE unit = ? AND id = ?", [self._unit, number]) > 0

    def list(self) -> list[KnownPerson]:
        """Everybody, by project and name."""
        with self._backend.read() as transaction:
            rows = transaction.rows(
                f"SELECT {_COLUMNS} FROM people WHERE unit = ? ORDER BY project, name", [self._unit]
            )
        return [known_person(row) for row in rows]


def check_password(password: str) -> None:
    """SettingError if a password is too short or too long."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise SettingError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters")


def request_mark(secret: str) -> str:
    """What a page shows with every step of a visit, so that no other site can send one: it follows from the secret."""
    return hmac.new(secret.encode(), b"step", hashlib.sha256).hexdigest()


def invitation_hash(invitation: str) -> bytes:
    """What is kept of an invitation; of what is none, the hash of nobody's."""
    try:
        return hashlib.sha256(base64.urlsafe_b64decode(invitation + "=")).digest()
    except ValueError:
        return b""


def unguessable() -> str:
    """The hash of a password that nobody knows: trying one against it takes as long as against any."""
    return _HASHER.hash(secrets.token_hex())


def _visit_hash(secret: str) -> bytes | None:
    try:
        return hashlib.sha256(base64.urlsafe_b64decode(secret + "=")).digest()
    except ValueError:
        return None


def _matches(hashed: str, password: str) -> bool:
    try:
        return _HASHER.verify(hashed, password)
    except (VerificationError, InvalidHashError):
        return False


def known_person(row: Row, *, joined: bool | None = None) -> KnownPerson:
    """Somebody, from a row of the table."""
    number, project, role, name, invited_until, password, locked_until = row[:7]
    return KnownPerson(
        number, project, role, name, invited_until, bool(password) if joined is None else joined, locked_until
    )
