"""Who is let in to the pages, and by which word: people with passwords at a unit, one browser at a demonstration."""

from __future__ import annotations

import hmac
import secrets
import threading
from collections.abc import Sequence
from typing import Protocol

from unveil.storage.people import KnownPerson


class Visitors(Protocol):
    """Who may look at the pages; the database's people are such, and so is `OneBrowser`."""

    def join(self, invitation: str, password: str, now: float) -> KnownPerson | None:
        """Use an invitation, once; None if it is not good (any more)."""
        ...

    def log_in(self, project: str, name: str, password: str, now: float) -> KnownPerson | None:
        """Whose password it is; None if nobody's, LockedOut after too many tries."""
        ...

    def begin_visit(self, person: KnownPerson, now: float) -> str:
        """Log somebody in; the secret that their browser shows from now on."""
        ...

    def visitor(self, secret: str, now: float) -> KnownPerson | None:
        """Who shows this secret."""
        ...

    def end_visit(self, secret: str) -> None:
        """Log out."""
        ...

    def list(self) -> Sequence[KnownPerson]:
        """Everybody."""
        ...


class OneBrowser:
    """Lets in the first browser that comes by the link, and no other. Nothing is kept: it ends with the process."""

    def __init__(self, person: KnownPerson) -> None:
        self._person = person
        self._lock = threading.Lock()
        self._link: str | None = secrets.token_urlsafe(32)
        self._visit: str | None = None

    @property
    def link(self) -> str:
        """The secret of the link; empty once it was used."""
        return self._link or ""

    def join(self, invitation: str, password: str, now: float) -> KnownPerson | None:
        """Use the link."""
        del password, now
        with self._lock:
            if self._link is None or not hmac.compare_digest(self._link.encode(), invitation.encode()):
                return None
            self._link = None
            return self._person

    def log_in(self, project: str, name: str, password: str, now: float) -> KnownPerson | None:
        """Nobody has a password."""
        del project, name, password, now
        return None

    def begin_visit(self, person: KnownPerson, now: float) -> str:
        """Let the browser in."""
        del person, now
        self._visit = secrets.token_urlsafe(32)
        return self._visit

    def visitor(self, secret: str, now: float) -> KnownPerson | None:
        """The one person, if it is their browser."""
        del now
        known = self._visit is not None and hmac.compare_digest(self._visit.encode(), secret.encode())
        return self._person if known else None

    def end_visit(self, secret: str) -> None:
        """The browser is let in no more."""
        if self.visitor(secret, 0.0):
            self._visit = None

    def list(self) -> Sequence[KnownPerson]:
        """The one person."""
        return [self._person]
