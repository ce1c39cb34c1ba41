"""
Which column of its file an owner sends as which attribute, and whether a person has to confirm it first.

A column that does not seem to be what its attribute says is not sent before somebody has looked at it: `unveil owner
check` shows what the values look like and asks. The answer is kept in the owner's folder. It holds for that attribute,
role and column and for the doubts that were shown, so one that comes later is asked about again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from unveil.encoding.planning.column_fit import Doubt, doubts
from unveil.encoding.planning.facts import facts_of
from unveil.encoding.planning.looks import ColumnLook, look_of
from unveil.errors import SettingError, UnveilError
from unveil.files.atomic import replacing
from unveil.runtime.owner.folder import OwnerFolder, home

FILE_NAME: Final = "confirmed-columns.json"
_LONGEST: Final = 1 << 20
_MUCH: Final = 0.02  # of the records
_Confirmed = tuple[str, str, str, tuple[str, ...]]  # attribute, role, column, kinds of doubt
_CONFIRMED: Final = TypeAdapter(list[_Confirmed])


@dataclass(frozen=True, slots=True)
class ColumnCheck:
    """An attribute and the column that it is read from, what the values look like, and what speaks against it."""

    attribute: str
    role: str
    column: str
    look: ColumnLook
    doubts: tuple[Doubt, ...] = ()
    confirmed: bool = False  #: whether a person has seen these doubts and let the column go

    @property
    def doubtful(self) -> bool:
        """Whether a person has yet to look at it."""
        return bool(self.doubts) and not self.confirmed

    @property
    def words(self) -> str:
        """The doubts in a line."""
        return f"{self.attribute} <- {self.column}: {'; '.join(doubt.sentence for doubt in self.doubts)}"


class UnconfirmedColumns(UnveilError):
    """Columns do not seem to be what their attributes say, and nobody has confirmed them."""

    def __init__(self, unconfirmed: Sequence[ColumnCheck], folder: Path) -> None:
        lines = "".join(f"\n  {one.words}" for one in unconfirmed)
        super().__init__(
            f"nothing is sent: a column may be another than its attribute says{lines}",
            hint=f"unveil owner check {folder} shows what the values look like and asks whether they may go; "
            "another column is named in unveil.toml under [columns]",
        )


def column_checks(folder: OwnerFolder) -> tuple[ColumnCheck, ...]:
    """Every attribute with its column, in the order of the schema."""
    confirmed = _read(home(folder.config) / FILE_NAME)
    schema = folder.config.columns.of(folder.member.project.linkage, source=str(folder.config.source))
    checks = []
    for attribute in schema.attributes:
        column = folder.records.columns[attribute.name]
        found = (*doubts(attribute, facts_of(column)), *_lossy(folder, attribute.name))
        one = ColumnCheck(attribute.name, attribute.meaning, attribute.source, look_of(column), found)
        checks.append(replace(one, confirmed=_key(one) in confirmed))
    return tuple(checks)


def _lossy(folder: OwnerFolder, attribute: str) -> Iterator[Doubt]:
    """Doubts about an attribute of which much was hard to read, and may match nobody."""
    for one in folder.own.findings:
        if one.is_warning and one.attribute == attribute and one.values >= _MUCH * len(folder.records):
            yield Doubt("form", one.sentence)


def require_confirmed(folder: OwnerFolder) -> None:
    """UnconfirmedColumns if a column that is to be sent has yet to be looked at by a person."""
    unconfirmed = [one for one in column_checks(folder) if one.doubtful]
    if unconfirmed:
        raise UnconfirmedColumns(unconfirmed, home(folder.config))


def confirm_columns(home_folder: Path, checks: Iterable[ColumnCheck]) -> None:
    """Write down that a person has seen these columns and lets them go."""
    path = home_folder / FILE_NAME
    known = _read(path) | {_key(one) for one in checks if one.doubts}
    with replacing(path) as temporary:
        temporary.write_text(json.dumps(sorted(known), indent=1), encoding="utf-8")


def _key(one: ColumnCheck) -> _Confirmed:
    return one.attribute, one.role, one.column, tuple(doubt.kind for doubt in one.doubts)


def _read(path: Path) -> set[_Confirmed]:
    try:
        with path.open("rb") as file:
            return set(_CONFIRMED.validate_json(file.read(_LONGEST)))
    except FileNotFoundError:
        return set()
    except (OSError, ValueError):
        raise SettingError(
            f"{path}: does not say which columns were confirmed", hint="remove the file and confirm them again"
        ) from None
