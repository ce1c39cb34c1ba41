"""
Passkeys of people who log in at the pages: public keys alone, each for one name of the unit's.

Whoever has an invitation may join by a passkey in place of a password. A new invitation replaces whatever there was.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from unveil.storage.backend import Backend
from unveil.storage.people import KnownPerson, invitation_hash, known_person, unguessable

_COLUMNS: Final = "p.id, p.project, p.role, p.name, p.invited_until, p.password, p.locked_until"


@dataclass(frozen=True, slots=True)
class Passkey:
    """A public key; `count` is how often its device says it was used, `host` the name it is for."""

    credential: bytes
    public_key: bytes
    count: int
    host: str


class PasskeyStore:
    """The passkeys of one unit's people. `now` is in seconds since 1970."""

    def __init__(self, backend: Backend, *, unit: str) -> None:
        self._backend, self._unit = backend, unit

    def invited(self, invitation: str, now: float) -> KnownPerson | None:
        """Whose invitation it is, without using it; None if it is unknown, used or too old."""
        with self._backend.read() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS} FROM people p WHERE p.unit = ? AND p.invitation = ? AND p.invited_until > ?",
                [self._unit, invitation_hash(invitation), now],
            )
        return None if row is None else known_person(row)

    def join(self, invitation: str, passkey: Passkey, now: float) -> KnownPerson | None:
        """Use an invitation, once, and keep the passkey; None if it is unknown, used or too old."""
        nobodys = unguessable()  # their name is answered as any other is, by whoever tries passwords
        with self._backend.write() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS} FROM people p WHERE p.unit = ? AND p.invitation = ? AND p.invited_until > ?",
                [self._unit, invitation_hash(invitation), now],
            )
            taken = transaction.row("SELECT person FROM passkeys WHERE hash = ?", [_hash(passkey.credential)])
            if row is None or taken is not None:
                return None
            transaction.run(
                "UPDATE people SET invitation = NULL, password = ?, failures = 0, locked_until = 0 WHERE id = ?",
                [nobodys, row[0]],
            )
            transaction.run("DELETE FROM visits WHERE person = ?", [row[0]])
            transaction.run("DELETE FROM passkeys WHERE person = ?", [row[0]])
            transaction.run(
                "INSERT INTO passkeys (hash, person, public_key, used, host) VALUES (?, ?, ?, ?, ?)",
                [_hash(passkey.credential), row[0], passkey.public_key, passkey.count, passkey.host],
            )
        return known_person(row, joined=True)

    def find(self, credential: bytes, host: str) -> tuple[KnownPerson, Passkey] | None:
        """Whose passkey it is, and the key; None if nobody of this unit has it, or it is for another name."""
        with self._backend.read() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS}, k.public_key, k.used FROM passkeys k JOIN people p ON p.id = k.person"
                " WHERE k.hash = ? AND k.host = ? AND p.unit = ?",
                [_hash(credential), host, self._unit],
            )
        if row is None:
            return None
        return known_person(row), Passkey(credential, bytes(row[7]), int(row[8]), host)

    def used(self, passkey: Passkey, count: int) -> bool:
        """Note that it was used; False if somebody used it meanwhile, as a copy of it might be."""
        with self._backend.write() as transaction:
            done = transaction.run(
                "UPDATE passkeys SET used = ? WHERE hash = ? AND used = ?",
                [count, _hash(passkey.credential), passkey.count],
            )
        return done > 0


def _hash(credential: bytes) -> bytes:
    return hashlib.sha256(credential).digest()
