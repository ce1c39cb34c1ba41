"""
What the record unit's status means for our upload, and when that ends the work.

An upload that was set aside as a whole is never looked at again: waiting for wishes would be waiting for ever. Once it
is known it is written down in the owner's folder. Whoever mends the data goes on in the same folder, so that what the
owner remembers of the linkage outlasts the upload. After a wish no upload can be set aside: whoever says so wants the
owner to begin anew, and to forget.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from unveil.errors import UnveilError
from unveil.files.atomic import replacing
from unveil.runtime.owner.unit_watch import SeenStatus
from unveil.settings.reader import read_text
from unveil.transport.status import RecordUnitStatus, UnitStatus, UploadStatus, printable

FILE_NAME: Final = "set-aside.txt"
MEND: Final = "mend the data, then run the same command again in the same folder"


class SetAside(UnveilError):
    """The record unit has set our upload aside as a whole."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"the record unit has set the whole upload aside: {why}",
            hint=f"{MEND}: mended data are uploaded anew",
        )


class SetAsideAfterWishes(UnveilError):
    """The record unit says that it has set our upload aside, although it was asked about."""

    def __init__(self) -> None:
        super().__init__(
            "the record unit says that it has set the upload aside, but units have asked about it already; nothing is "
            "begun anew, and nothing more is answered now",
            hint="ask whoever runs the record unit; another linkage needs a project of another name",
        )


class ProjectClosed(UnveilError):
    """The record unit has closed the project before the links had come."""

    def __init__(self) -> None:
        super().__init__(
            "the record unit has closed the project, and the links had not come",
            hint="ask whoever runs the record unit; a linkage can begin anew under another project name only",
        )


def upload_status(status: UnitStatus | None, owner: str) -> UploadStatus | None:
    """What the record unit found in that owner's upload; None if it has not looked at one, or does not tell."""
    return (status.uploads or {}).get(owner) if isinstance(status, RecordUnitStatus) else None


def set_aside_text(upload: UploadStatus | None) -> str:
    """Why an upload was set aside as a whole and how many more there may be, for people; empty if it was not."""
    if upload is None or upload.set_aside is None:
        return ""
    if upload.uploads_left is None or upload.uploads_allowed is None:
        return upload.set_aside
    return f"{upload.set_aside}; {upload.uploads_left} of {upload.uploads_allowed} uploads are left"


class UploadJudgement:
    """What statuses mean for the upload of `owner` from one folder."""

    def __init__(self, home: Path, owner: str) -> None:
        self._path, self._owner = home / FILE_NAME, owner
        self._earlier: UploadStatus | None = None  # found in another upload, and set aside
        self._arrived: float | None = None

    def known(self) -> str:
        """Why this folder's upload was set aside, if that is known already; else empty."""
        return printable(read_text(self._path)) if self._path.exists() else ""

    def before(self, seen: SeenStatus) -> None:
        """The record unit said this before any part was sent, so it is about an earlier upload."""
        upload = upload_status(seen.status, self._owner)
        self._earlier = upload if upload is not None and upload.set_aside is not None else None

    def arrived(self) -> None:
        """All parts of the upload are at the record unit."""
        if self._arrived is None:
            self._arrived = time.monotonic()

    def forget(self) -> None:
        """The upload that was set aside is left behind; another one is begun."""
        self._path.unlink(missing_ok=True)

    def usable(self, seen: SeenStatus, *, asked: bool = False) -> bool:
        """
        Whether the upload was found usable; SetAside or ProjectClosed if the work has to end.

        `asked` says that units have asked about it: then nobody can set it aside any more.
        """
        if seen.status.closed:
            raise ProjectClosed
        upload = upload_status(seen.status, self._owner)
        if self._arrived is None or seen.asked < self._arrived or (upload is not None and upload == self._earlier):
            return False  # it may be about another upload
        why = set_aside_text(upload)
        if not why:
            return upload is not None or not _tells_of_uploads(seen.status)
        if asked:
            raise SetAsideAfterWishes
        with replacing(self._path, overwrite=True) as temporary:
            temporary.write_text(why, encoding="utf-8")
        raise SetAside(why)


def _tells_of_uploads(status: UnitStatus) -> bool:
    """Whether the unit tells about uploads at all; one that does not, of another release perhaps, is not waited for."""
    return isinstance(status, RecordUnitStatus) and status.uploads is not None
