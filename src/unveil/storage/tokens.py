"""
Bearer tokens for people: reviewers, and operators who watch over a unit.

A token is shown once, when it is issued. The database holds the SHA-256 of its secret half, which cannot be turned
back: the secret has 256 random bits, so no slow password hash is needed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import math
import re
import secrets
from dataclasses import dataclass
from typing import Final

from unveil.errors import SettingError
from unveil.storage.backend import Backend, Row

ROLES: Final = ("reviewer", "operator")

_MARK: Final = "unveil"
_SECRET_BYTES: Final = 32
_SHAPE: Final = re.compile(rf"{_MARK}\.([0-9a-f]{{16}})\.([A-Za-z0-9_-]{{43}})")
_COLUMNS: Final = "id, project, role, issued, expires, hash"
#: Compared with where there is no such token, so that an unknown one takes as long as a wrong one.
_NOBODY: Final = bytes(32)


@dataclass(frozen=True, slots=True)
class Token:
    """Whom a token stands for; `id` is its public half."""

    id: str
    project: str
    role: str
    issued: float
    expires: float


class TokenStore:
    """The tokens of one unit. `now` and `expires` are seconds since 1970."""

    def __init__(self, backend: Backend, *, unit: str) -> None:
        self._backend, self._unit = backend, unit

    def issue(self, project: str, role: str, expires: float, now: float) -> str:
        """Make a token for one role in one project and return its text, which is kept nowhere."""
        if role not in ROLES:
            raise SettingError("a token is for a reviewer or an operator")
        if not (math.isfinite(expires) and expires > now):
            raise SettingError("a token expires in the future")
        number, secret = secrets.token_hex(8), secrets.token_bytes(_SECRET_BYTES)
        with self._backend.write() as transaction:
            transaction.run(
                "INSERT INTO tokens (id, unit, project, role, hash, issued, expires) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [number, self._unit, project, role, hashlib.sha256(secret).digest(), now, expires],
            )
        return f"{_MARK}.{number}.{base64.urlsafe_b64encode(secret).decode().rstrip('=')}"

    def check(self, secret: str, now: float) -> Token | None:
        """Whom a token stands for, or None if it is unknown, wrong, revoked or expired."""
        shape = _SHAPE.fullmatch(secret)
        if shape is None:
            return None
        number, text = shape.groups()
        with self._backend.read() as transaction:
            row = transaction.row(
                f"SELECT {_COLUMNS} FROM tokens WHERE unit = ? AND id = ?",
                [self._unit, number],
            )
        hashed = hashlib.sha256(base64.urlsafe_b64decode(text + "=")).digest()
        right = hmac.compare_digest(hashed, row[5] if row else _NOBODY)
        if row is None or not right:
            return None
        token = _token(row)
        return token if token.issued <= now < token.expires else None

    def in_force(self, number: str, now: float) -> Token | None:
        """The token of that id while the unit takes it; None once it is revoked or expired."""
        with self._backend.read() as transaction:
            row = transaction.row(f"SELECT {_COLUMNS} FROM tokens WHERE unit = ? AND id = ?", [self._unit, number])
        token = None if row is None else _token(row)
        return token if token is not None and token.issued <= now < token.expires else None

    def revoke(self, number: str) -> bool:
        """Forget the token of that id; False if there is none."""
        with self._backend.write() as transaction:
            return transaction.run("DELETE FROM tokens WHERE unit = ? AND id = ?", [self._unit, number]) > 0

    def list(self, project: str | None = None) -> list[Token]:
        """Every token of the unit or of one project, expired ones too, oldest first."""
        with self._backend.read() as transaction:
            rows = transaction.rows(
                f"SELECT {_COLUMNS} FROM tokens WHERE unit = ? ORDER BY issued, id",
                [self._unit],
            )
        tokens = [_token(row) for row in rows]
        return [token for token in tokens if project is None or token.project == project]


def _token(row: Row) -> Token:
    return Token(*row[:5])
