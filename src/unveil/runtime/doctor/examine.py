"""From a path to what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unveil.projects.owner_config import FILE_NAME
from unveil.runtime.doctor.diagnosis import Diagnosis, refused, wrong
from unveil.runtime.doctor.machine import machine
from unveil.runtime.doctor.owner import owner
from unveil.runtime.doctor.project import project
from unveil.runtime.doctor.unit import unit
from unveil.settings.reader import ProjectError, parse_table, read_text


def examine(path: Path | None, *, call: bool = False, demonstration: bool = False) -> Iterator[Diagnosis]:
    """What there is to say about this machine, and about what is at the path if one is given."""
    yield from machine()
    if path is None:
        return
    if path.is_dir():
        path = path / FILE_NAME
    try:
        table = parse_table(read_text(path), source=str(path))
    except ProjectError as error:
        yield from refused("configuration", error)
        return
    match kind_of(table):
        case "project":
            yield from project(path, demonstration=demonstration)
        case "unit":
            yield from unit(path, call=call, demonstration=demonstration)
        case "owner":
            yield from owner(path, call=call, demonstration=demonstration)
        case "schema":
            yield wrong("configuration", f"{path}: is a schema", f"unveil schema check {path}")
        case _:
            what = "is neither an owner's folder, nor a unit's configuration, nor a project file"
            yield wrong("configuration", f"{path}: {what}", "unveil owner init, unveil unit init or unveil project new")


def kind_of(table: dict[str, Any]) -> str | None:
    """What a settings file is, by the keys that no other kind has."""
    marks = {
        "project": {"parties", "schema"},
        "unit": {"projects", "listen", "role"},
        "owner": {"project", "data", "key", "columns"},
        "schema": {"attributes", "blocking"},
    }
    return next((kind for kind, keys in marks.items() if keys & table.keys()), None)
