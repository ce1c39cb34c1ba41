"""
Who looks at a unit's page: browsers that have shown an operator's token, for as long as the token is in force.

A visit is known by a random secret of its own, so that the token itself stays out of the browser. It lies in the memory
of the process alone: after a restart operators show their tokens again.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from dataclasses import dataclass, field
from typing import Final, Protocol

from unveil.storage.tokens import Token
from unveil.transport.port import OPERATOR

IDLE: Final = 2 * 60 * 60  # seconds without a step of a person until the token must be shown again
LONGEST: Final = 12 * 60 * 60
_MOST: Final = 200  # visits at a time; the oldest ends if there are more


class KnownTokens(Protocol):
    """The tokens of a unit, as its database has them."""

    def check(self, secret: str, now: float) -> Token | None:
        """Whom a token stands for; None if nobody."""
        ...

    def in_force(self, number: str, now: float) -> Token | None:
        """The token of that id while the unit takes it."""
        ...


@dataclass(slots=True)
class _Visit:
    began: float
    seen: float
    tokens: dict[str, str] = field(default_factory=dict)  # project -> id of the token


class OperatorVisits:
    """The visits of one unit; `now` is in seconds since 1970."""

    def __init__(self, tokens: KnownTokens) -> None:
        self._tokens = tokens
        self._visits: dict[bytes, _Visit] = {}
        self._lock = threading.Lock()

    def begin(self, token: str, now: float) -> str | None:
        """Let in whoever shows an operator's token; the secret that their browser shows from now on."""
        known = self._tokens.check(token, now)
        if known is None or known.role != OPERATOR:
            return None
        secret = secrets.token_urlsafe(32)
        with self._lock:
            while len(self._visits) >= _MOST:
                del self._visits[next(iter(self._visits))]
            self._visits[_hashed(secret)] = _Visit(now, now, {known.project: known.id})
        return secret

    def add(self, secret: str, token: str, now: float) -> bool:
        """Let a visit see one more project; False if the token is none of an operator."""
        known = self._tokens.check(token, now)
        with self._lock:
            visit = self._visits.get(_hashed(secret))
            if visit is None or known is None or known.role != OPERATOR:
                return False
            visit.tokens[known.project] = known.id
            return True

    def projects(self, secret: str, now: float, *, step: bool) -> tuple[str, ...]:
        """
        The projects that this visit may see; none if nobody is let in with this secret (any more).

        A page that refreshes itself is no `step`: it must not keep somebody logged in who went home.
        """
        with self._lock:
            visit = self._visits.get(_hashed(secret))
            if visit is None:
                return ()
            if now - visit.seen > IDLE or now - visit.began > LONGEST:
                del self._visits[_hashed(secret)]
                return ()
            if step:
                visit.seen = now
            shown = dict(visit.tokens)
        # A token that was revoked meanwhile lets nobody see anything.
        found = [self._tokens.in_force(number, now) for number in shown.values()]
        return tuple(sorted(token.project for token in found if token is not None and token.role == OPERATOR))

    def end(self, secret: str) -> None:
        """Let the browser in no more."""
        with self._lock:
            self._visits.pop(_hashed(secret), None)


def _hashed(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()
