"""Columns of one file that hold together what the other file has in one: parts of a date, of an address, of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from unveil.encoding.planning.column_roles import is_whole_name
from unveil.encoding.planning.contents import content_share
from unveil.encoding.planning.facts import sample_of_values
from unveil.records import Column
from unveil.schema.attribute_roles import role_from_name

_MONTH: Final = re.compile(r"mon|mois|mes|maand|miesi|mesic|ay\b|mm\b", re.IGNORECASE)
_DAY: Final = re.compile(r"day|tag|jour|dia|giorno|dag|dzien|den\b|gun\b|dd\b", re.IGNORECASE)
_APART: Final = re.compile(r"[\s,]+")
_MOST: Final = 0.5

Columns = Mapping[str, Column]


@dataclass(frozen=True, slots=True)
class TogetherRead:
    """Columns of one file that are read together, and the one of the other file that they then are like."""

    parts: tuple[str, ...]
    whole: str

    @property
    def name(self) -> str:
        """How the columns are called together."""
        return "+".join(self.parts)


def read_together(columns: Columns, other: Columns, *, settled: Collection[str] = ()) -> list[TogetherRead]:
    """What of these columns must be read together to be like a column of the other file; `settled` ones need not."""
    columns = {name: column for name, column in columns.items() if name not in settled}
    other = {name: column for name, column in other.items() if name not in settled}
    roles, theirs = ({name: _role(name, column) for name, column in side.items()} for side in (columns, other))
    found = (find(columns, roles, other, theirs) for find in _FINDERS)
    return [one for one in found if one is not None and one.name not in columns]


def _role(name: str, column: Column) -> str:
    """The role that a column is called by; a birthday of two digits is a part of a date."""
    role = role_from_name(name)
    if role == "birth_date" and content_share("day or month", sample_of_values(column)) > _MOST:
        return "birth_part"
    return role


def joined(columns: Columns, together: Sequence[TogetherRead]) -> dict[str, Column]:
    """The columns with these read together, in the place of their parts."""
    made = {one.name: Column.joined([columns[part] for part in one.parts]) for one in together}
    gone = {part for one in together for part in one.parts}
    return {name: column for name, column in columns.items() if name not in gone} | made


def _date(_: Columns, roles: Mapping[str, str], __: Columns, theirs: Mapping[str, str]) -> TogetherRead | None:
    whole = _only("birth_date", theirs)
    if whole is None or "birth_date" in roles.values() or {"birth_year", "birth_part"} & set(theirs.values()):
        return None
    year, parts = _only("birth_year", roles), [name for name, role in roles.items() if role == "birth_part"]
    months = [name for name in parts if _MONTH.search(name)]
    days = [name for name in parts if _DAY.search(name) and name not in months]
    if year is None or len(months) != 1 or len(days) != 1:
        return None
    return TogetherRead((year, months[0], days[0]), whole)


def _address(
    columns: Columns, roles: Mapping[str, str], other: Columns, theirs: Mapping[str, str]
) -> TogetherRead | None:
    street, number, whole = _only("street", roles), _only("house_number", roles), _only("street", theirs)
    if street is None or number is None or whole is None or "house_number" in theirs.values():
        return None
    values, ours = sample_of_values(other[whole]), sample_of_values(columns[street])
    with_number = sum(any(sign.isdecimal() for sign in value) for value in values)
    if with_number < _MOST * len(values) or sum(value[-1:].isdecimal() for value in ours) > _MOST * len(ours):
        return None
    first = sum(value[:1].isdecimal() for value in values) > _MOST * with_number
    return TogetherRead((number, street) if first else (street, number), whole)


def _name(columns: Columns, roles: Mapping[str, str], other: Columns, theirs: Mapping[str, str]) -> TogetherRead | None:
    given, family = _only("given_name", roles), _only("family_name", roles)
    wholes = [name for name, column in other.items() if is_whole_name(name, several_words=_several(column))]
    if given is None or family is None or len(wholes) != 1 or {"given_name", "family_name"} <= set(theirs.values()):
        return None
    first = [_APART.split(value, maxsplit=1)[0].casefold() for value in sample_of_values(other[wholes[0]])]
    as_given, as_family = (
        sum(word in held for word in first)
        for held in ({value.casefold() for value in sample_of_values(columns[name])} for name in (given, family))
    )
    family_first = as_family > as_given
    return TogetherRead((family, given) if family_first else (given, family), wholes[0])


_Finder = Callable[[Columns, Mapping[str, str], Columns, Mapping[str, str]], TogetherRead | None]
_FINDERS: Final[tuple[_Finder, ...]] = (_date, _address, _name)


def _several(column: Column) -> bool:
    values = sample_of_values(column)
    return sum(len(value.split()) > 1 for value in values) > _MOST * len(values)


def _only(role: str, roles: Mapping[str, str]) -> str | None:
    found = [name for name, one in roles.items() if one == role]
    return found[0] if len(found) == 1 else None
