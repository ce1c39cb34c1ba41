"""
Contents that can be erased: sealed where they lie, opened by a nonce that is kept apart.

A database that deletes a row leaves copies of it: SQLite moves rows between pages as others come and go and does not
overwrite where they lay before, even with secure_delete; PostgreSQL frees space without zeroing it. So a body is
encrypted under a key of its own, and erasing it means to overwrite that key. The keys, which are also the nonces of the
commitments, lie in a table whose rows all have the same size, come in ascending order and are never deleted: such rows
stay where they are, and overwriting one overwrites its only copy. What remains of a body somewhere is noise.

    key    = SHA-256("unveil-seal-2" ‖ nonce)
    sealed = AES-256-GCM(key, iv = 0, content, associated data = label)

The label says where the content belongs: role, party and project, entry, part, and whom it came from or goes to. So a
flipped bit, a body put in another's place and a message readdressed are noticed on reading, before anybody acts on
them. Contents of earlier releases were encrypted alone (AES-256-CTR); of these the commitment is checked instead.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from unveil.errors import StorageError
from unveil.storage.backend import Transaction
from unveil.storage.log import chain

#: Parts of an entry: its stub, its own body; 1, 2, … are the messages it sends.
STUB: Final = -1
OWN: Final = 0
ERASED: Final = bytes(chain.NONCE_BYTES)

#: How a content is sealed, as its row says.
ENCRYPTED: Final = 1
AUTHENTICATED: Final = 2

_KEY: Final = {ENCRYPTED: b"unveil-seal-1", AUTHENTICATED: b"unveil-seal-2"}
_LABEL: Final = b"unveil-label-1"
_IV: Final = bytes(12)  # each key seals one content, so no two are sealed under the same key and iv


class Damaged(StorageError):
    """A stored content is not what was written; it is not used."""

    def __init__(self, message: str) -> None:
        hint = "unveil audit verify says what else is wrong; restore the database from a backup"
        super().__init__(message, hint=hint)


@dataclass(frozen=True, slots=True)
class Label:
    """Where a content belongs: the first hash of its log, the entry, the part, and the names that go with it."""

    home: bytes
    seq: int
    part: int
    names: tuple[str, ...] = ()

    def __bytes__(self) -> bytes:
        place = struct.pack(">qq", self.seq, self.part)
        return chain.digest([_LABEL, self.home, place, *(name.encode() for name in self.names)])


@dataclass(frozen=True, slots=True, repr=False)
class Sealed:
    """A content ready to be stored: the nonce that opens it, the commitment to it, and what is stored."""

    nonce: bytes
    commitment: bytes
    sealed: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Stored:
    """A content as it was found: any of its rows may be missing."""

    nonce: bytes | None = None
    form: int | None = None
    sealed: bytes | None = None

    @property
    def erased(self) -> bool:
        """Whether nothing is left of it but the place of its nonce."""
        return self.sealed is None and self.nonce == ERASED


Contents = dict[tuple[int, int], Stored]
NOTHING: Final = Stored()


def seal(content: bytes, label: Label) -> Sealed:
    """Encrypt a content under a fresh nonce, bind it to its place, and commit to it."""
    nonce = chain.new_nonce()
    sealed = AESGCM(_key(nonce, AUTHENTICATED)).encrypt(_IV, content, bytes(label))
    return Sealed(nonce, chain.commitment(nonce, content), sealed)


def unseal(stored: Stored, label: Label, commitment: bytes) -> bytes:
    """The content; Damaged if it is not what was written there, or not there at all."""
    nonce, sealed = stored.nonce, stored.sealed
    if nonce is None or sealed is None or nonce == ERASED:
        raise Damaged(f"entry {label.seq}: contents are missing")
    if stored.form == AUTHENTICATED:
        try:
            return AESGCM(_key(nonce, AUTHENTICATED)).decrypt(_IV, sealed, bytes(label))
        except (InvalidTag, OverflowError):
            raise Damaged(f"entry {label.seq}: contents were changed") from None
    content = Cipher(algorithms.AES256(_key(nonce, ENCRYPTED)), modes.CTR(bytes(16))).encryptor().update(sealed)
    if stored.form != ENCRYPTED or not chain.opens(commitment, nonce, content):
        raise Damaged(f"entry {label.seq}: contents were changed")
    return content


def insert(transaction: Transaction, project: int, seq: int, part: int, content: Sealed) -> None:
    """Store one content."""
    key = [project, seq, part]
    transaction.run("INSERT INTO nonces (project, seq, part, nonce) VALUES (?, ?, ?, ?)", [*key, content.nonce])
    transaction.run(
        "INSERT INTO bodies (project, seq, part, body, form) VALUES (?, ?, ?, ?, ?)",
        [*key, content.sealed, AUTHENTICATED],
    )


def between(transaction: Transaction, project: int, after: int, last: int) -> Contents:
    """
    The stubs and bodies of the entries past one number up to another, by (seq, part).

    Two plain ranges rather than a join with the log, which a database without statistics may plan badly.
    """
    where = "WHERE project = ? AND seq > ? AND seq <= ? AND part IN (-1, 0)"
    limits = [project, after, last]
    nonces = transaction.rows(f"SELECT seq, part, nonce FROM nonces {where}", limits)
    bodies = transaction.rows(f"SELECT seq, part, form, body FROM bodies {where}", limits)
    sealed = {(seq, part): (form, body) for seq, part, form, body in bodies}
    found = {(seq, part): Stored(nonce, *sealed.pop((seq, part), (None, None))) for seq, part, nonce in nonces}
    return found | {key: Stored(None, *rest) for key, rest in sealed.items()}


def erase(transaction: Transaction, project: int, parts: Iterable[tuple[int, int]]) -> None:
    """Erase the contents of these (seq, part)."""
    keys = [[project, seq, part] for seq, part in parts]
    where = "WHERE project = ? AND seq = ? AND part = ?"
    transaction.run_many(f"UPDATE nonces SET nonce = ? {where}", [[ERASED, *key] for key in keys])
    transaction.run_many(f"DELETE FROM bodies {where}", keys)


def erase_all(transaction: Transaction, project: int) -> None:
    """Erase every content of a project."""
    transaction.run("UPDATE nonces SET nonce = ? WHERE project = ?", [ERASED, project])
    transaction.run("DELETE FROM bodies WHERE project = ?", [project])


def _key(nonce: bytes, form: int) -> bytes:
    return hashlib.sha256(_KEY[form] + nonce).digest()
