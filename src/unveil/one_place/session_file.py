"""A review session on disk, so that a person who reviews a simulation can stop and go on later."""

from __future__ import annotations

from pathlib import Path

from unveil.errors import SettingError
from unveil.files.atomic import replacing
from unveil.roles.review_unit.session import ReviewSession


class SessionFile:
    """The review session on disk: readable by its owner only, replaced as a whole. It holds no value."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self, run: str) -> tuple[ReviewSession, str | None]:
        """The session of that run, and what to tell the reviewer if the file held something else."""
        try:
            text = self._path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ReviewSession(run), None
        except (OSError, UnicodeDecodeError):
            raise SettingError(f"cannot read the review session {self._path}") from None
        try:
            session = ReviewSession.from_json(text)
            reason = None if session.run == run else "belongs to another run"
        except SettingError:
            reason = "cannot be read as a review session"
        if reason is None:
            return session, None
        kept = self._kept_as_backup()
        note = f"{self._path.name} {reason}: it was kept as {kept.name} and the review starts afresh"
        return ReviewSession(run), note

    def save(self, session: ReviewSession) -> None:
        """Put the session in the place of the one before, so that no moment has half of it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingError(f"cannot write the review session {self._path}: {error.strerror}") from None
        with replacing(self._path) as temporary:
            temporary.write_text(session.to_json(), encoding="utf-8")

    def _kept_as_backup(self) -> Path:
        """The file under a name that no other file has."""
        number, kept = 1, self._path.with_name(self._path.name + ".bak")
        while kept.exists():
            number += 1
            kept = self._path.with_name(f"{self._path.name}.bak{number}")
        return self._path.replace(kept)
