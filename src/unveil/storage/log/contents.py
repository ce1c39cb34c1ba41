"""
Contents that can be erased: sealed where they lie, opened by a nonce that is kept apart.

A database that deletes a row leaves copies of it: SQLite moves rows between pages as others come and go and does not
overwrite where they lay before, even with secure_delete; PostgreSQL frees space without zeroing it. So a body is
encrypted under a key of its own, and erasing it means to overwrite that key. The keys, which are also the nonces of the
commitments, lie in a table whose rows all have the same size, come in ascending order and are never deleted: such rows
stay where they are, and overwriting one overwrites its only copy. What remains of a body somewhere is noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from unveil.storage.backend import Transaction
from unveil.storage.log import chain

#: Parts of an entry: its stub, its own body; 1, 2, … are the messages it sends.
STUB: Final = -1
OWN: Final = 0
ERASED: Final = bytes(chain.NONCE_BYTES)

Contents = dict[tuple[int, int], tuple[bytes | None, bytes | None]]

_KEY: Final = b"unveil-seal-1"


@dataclass(frozen=True, slots=True, repr=False)
class Sealed:
    """A content ready to be stored: the nonce that opens it, the commitment to it, and what is stored."""

    nonce: bytes
    commitment: bytes
    sealed: bytes


def seal(content: bytes) -> Sealed:
    """Encrypt a content under a fresh nonce and commit to it."""
    nonce = chain.new_nonce()
    return Sealed(nonce, chain.commitment(nonce, content), _crypt(nonce, content))


def unseal(nonce: bytes | None, sealed: bytes | None) -> bytes | None:
    """The content, or None if it was erased."""
    if nonce is None or sealed is None or nonce == ERASED:
        return None
    return _crypt(nonce, sealed)


def insert(transaction: Transaction, project: int, seq: int, part: int, content: Sealed) -> None:
    """Store one content."""
    key = [project, seq, part]
    transaction.run("INSERT INTO nonces (project, seq, part, nonce) VALUES (?, ?, ?, ?)", [*key, content.nonce])
    transaction.run("INSERT INTO bodies (project, seq, part, body) VALUES (?, ?, ?, ?)", [*key, content.sealed])


def between(transaction: Transaction, project: int, after: int, last: int) -> Contents:
    """
    The stubs and bodies of the entries past one number up to another, as (nonce, sealed) by (seq, part).

    Two plain ranges rather than a join with the log, which a database without statistics may plan badly.
    """
    where = "WHERE project = ? AND seq > ? AND seq <= ? AND part IN (-1, 0)"
    limits = [project, after, last]
    nonces = transaction.rows(f"SELECT seq, part, nonce FROM nonces {where}", limits)
    bodies = transaction.rows(f"SELECT seq, part, body FROM bodies {where}", limits)
    sealed = {(seq, part): body for seq, part, body in bodies}
    found = {(seq, part): (nonce, sealed.pop((seq, part), None)) for seq, part, nonce in nonces}
    return found | {key: (None, body) for key, body in sealed.items()}


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


def _crypt(nonce: bytes, content: bytes) -> bytes:
    """
    AES-256-CTR under SHA-256(tag ‖ nonce), counting from zero; its own inverse.

    Each key encrypts one content, so the counter may start at zero. That nothing was changed is the commitment's to
    show, not the cipher's.
    """
    key = hashlib.sha256(_KEY + nonce).digest()
    return Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor().update(content)
