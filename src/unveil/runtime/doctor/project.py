"""A project file: is everybody in it, and is it one that this release can run?"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unveil.projects.project_file import load_draft
from unveil.runtime.assemble import two_owners
from unveil.runtime.doctor.diagnosis import Diagnosis, fine, note, refused
from unveil.settings.reader import ProjectError


def project(path: Path, *, demonstration: bool) -> Iterator[Diagnosis]:
    """What is wrong with the file that all parties share."""
    try:
        found = load_draft(path, demonstration=demonstration)
    except ProjectError as error:
        yield from refused("project", error)
        return
    missing = found.missing()
    if missing:
        yield note("parties", f"have not joined yet: {', '.join(missing)}", "unveil project join adds a party")
        return
    two_owners(found)
    yield fine("parties", f"{len(found.parties)}, everybody is there")
    yield fine("project", f"{found.name}; fingerprint {found.fingerprint()} (compare with every party, by telephone)")
