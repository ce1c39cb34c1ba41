"""Finding the needed columns among the names that a file has."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from unveil.errors import InputError
from unveil.files.reading import DELIMITERS
from unveil.schema.attribute_roles import role_from_name


class MissingColumns(InputError):
    """Needed columns are not there; `near` holds, for some of them, a name of the file's own that is nearly theirs."""

    def __init__(self, path: Path, missing: Sequence[str], near: Mapping[str, str], *, hint: str) -> None:
        word = "column" if len(missing) == 1 else "columns"
        super().__init__(path, f"needed {word} missing: {', '.join(missing)}", hint=hint)
        self.missing, self.near = tuple(missing), dict(near)


# Comparing names is slow, and a hostile header may have a million long ones.
_LOOKED_AT: Final = 1000
_LONGEST: Final = 64
_FEW: Final = 2


def column_positions(path: Path, names: Sequence[str], needed: Sequence[str]) -> list[int]:
    """
    Position of every needed column among the names.

    Column names are no personal data, but a file without a header has a person in their place. So an error names the
    needed columns, and of the file's own names only one that is nearly a needed one.
    """
    missing = [name for name in needed if name not in names]
    if missing:
        near = _near(missing, names, needed)
        raise MissingColumns(path, missing, near, hint=_hint(near, missing, names, needed))
    for name in needed:
        if names.count(name) > 1:
            first, second = [place for place, other in enumerate(names, 1) if other == name][:2]
            hint = "give each column a name of its own"
            raise InputError(path, f"column {name} occurs twice (columns {first} and {second})", hint=hint)
    return [names.index(name) for name in needed]


def _near(missing: Sequence[str], names: Sequence[str], needed: Sequence[str]) -> dict[str, str]:
    free = {_plain(name): name for name in names[:_LOOKED_AT] if name not in needed and len(name) <= _LONGEST}
    close = {name: difflib.get_close_matches(_plain(name), free, n=1, cutoff=0.75) for name in missing}
    found = {name: free[alike[0]] for name, alike in close.items() if alike and not _apart(name, free[alike[0]])}
    left = [name for name in free.values() if name not in found.values()]
    return found | _same_role([name for name in missing if name not in found], left)


def _apart(one: str, other: str) -> bool:
    """Whether two names that are alike say other things of a person, as date_of_birth and place_of_birth do."""
    roles = {role_from_name(one), role_from_name(other)} - {"other"}
    return len(roles) > 1


def _same_role(missing: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    """Columns that say the same of a person in other words, as Nachname does for last_name; none where two might."""
    roles = [role_from_name(name) for name in free]
    if sum(role != "other" for role in roles) < max(_FEW, len(free) / 3):
        return {}  # a person may be called Alter or Town; whole lines of people are not
    wanted = {name: role_from_name(name) for name in missing}
    sought = list(wanted.values())
    return {
        name: free[roles.index(role)]
        for name, role in wanted.items()
        if role != "other" and roles.count(role) == 1 and sought.count(role) == 1
    }


def _hint(near: Mapping[str, str], missing: Sequence[str], names: Sequence[str], needed: Sequence[str]) -> str:
    if len(names) == 1 and (sign := next((sign for sign in ";,\t|" if sign in names[0]), None)):
        name = next(name for name, one in DELIMITERS.items() if one == sign)
        return f"lines seem to be cut at the wrong sign: leave --delimiter out, or say --delimiter {name}"
    if near:
        found = "; ".join(f"{name} may be the file's {own}" for name, own in near.items())
        return f"{found}: say so with --column attribute=column (--id for the record id), or set column in the schema"
    if len(missing) == len(needed):
        return (
            f"the first line must be a header; it has {len(names)} cells and none of the needed names: say which "
            "columns they are with --column attribute=column and --id, --no-header if there is no header, and "
            "--delimiter if lines are cut wrongly"
        )
    return "say which columns they are with --column attribute=column, and --id COLUMN or --id row for the record id"


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "").replace(" ", "").replace(".", "")
