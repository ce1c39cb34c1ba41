"""An owner's file looked at before there is any project: its profile, and how it fits another owner's."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from unveil.encoding.planning.file_profile import FileProfile, profiled
from unveil.errors import InputError
from unveil.files.atomic import replacing
from unveil.files.columns import FileColumns, read_columns
from unveil.files.open_table import TableSource
from unveil.files.reading import Reading
from unveil.files.source import opened
from unveil.projects import project_file
from unveil.schema import Schema, is_built_in, load_text, named

_KIND: Final = "unveil profile 1"
_LONGEST: Final = 1 << 20
_PROFILE: Final = TypeAdapter(FileProfile)


def check_file(source: TableSource, reading: Reading, schema: Schema | None) -> tuple[FileProfile, FileColumns]:
    """The profile of a file of records, and what was read."""
    read = read_columns(source, reading)
    profile = profiled(read.columns, record_id=reading.id, said=reading.columns, schema=schema, first=reading.dates)
    return profile, read


def schema_or_project(name: str) -> Schema:
    """The schema of that name or in that file; of a project file, the one that it holds."""
    if not is_built_in(name) and "[[parties]]" in load_text(name):
        return project_file.load_draft(Path(name)).linkage
    return named(name)


def profile_text(profile: FileProfile) -> str:
    """The profile as it is handed to the other owner."""
    return json.dumps({"kind": _KIND, **asdict(profile)}, indent=1, ensure_ascii=False) + "\n"


def write_profile(path: Path, profile: FileProfile, *, overwrite: bool) -> None:
    """Write the profile down."""
    with replacing(path, overwrite=overwrite) as part:
        part.write_text(profile_text(profile), encoding="utf-8")


def read_profile(path: Path) -> FileProfile:
    """The profile that another owner wrote."""
    with opened(path) as handle:
        text = handle.read(_LONGEST + 1)
    hint = "the other owner makes one with unveil check FILE --out profile.json"
    try:
        found: dict[str, Any] = json.loads(text)
        if not isinstance(found, dict) or found.pop("kind", None) != _KIND or len(text) > _LONGEST:
            raise InputError(path, "is no profile of a file", hint=hint)
        return _PROFILE.validate_python(found)
    except (ValueError, ValidationError, RecursionError):
        raise InputError(path, "is no profile of a file", hint=hint) from None
