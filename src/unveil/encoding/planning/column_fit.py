"""
Whether a column seems to hold what an attribute is to be read from it, by its name and by its values.

A wrong column is sent like a right one, and nobody further on can tell. So whatever does not fit is a doubt, which a
person at the owner's settles. A doubt names the column and the role, never a value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from unveil.encoding.planning.column_roles import FITTING_CONTENTS
from unveil.encoding.planning.facts import ColumnFacts
from unveil.schema import Attribute
from unveil.schema.attribute_roles import ROLES, role_from_name

_OTHER: Final = "other"
_FREE_TEXT: Final = 60  # characters
_SHORT_DATE: Final = 6  # digits that may be any number

#: Names of people: which list its values should be in, and which not.
_NAMES: Final = {"given_name": ("given", "family"), "family_name": ("family", "given")}
#: The share of the values that stand in the list of the other names, where columns were exchanged: of the commonest.
_LEAST_COMMON: Final = {"given_name": 0.04, "family_name": 0.1}

DoubtKind = Literal["name", "contents", "form"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a column may not be what its attribute says: by its name, its contents, or how its values were read."""

    kind: DoubtKind
    sentence: str


# A schema is proposed from a file whose columns somebody looks through one by one, and its rules may be generous. Here
# a column that passes is sent, so these go further.
_CONTRADICTED: Final[dict[str, Callable[[ColumnFacts], bool]]] = {
    "birthplace": lambda facts: facts.most_are("digits", 0.5),
    "town": lambda facts: facts.most_are("digits", 0.5),  # codes of diagnoses have letters too
    "sex": lambda facts: not (facts.most_are("sex code", 0.5) or facts.length < 2),  # noqa: PLR2004 - letters or codes
}


def doubts(attribute: Attribute, facts: ColumnFacts) -> tuple[Doubt, ...]:
    """What speaks against reading the attribute from its column, which has these facts."""
    found = [_by_name(attribute), _by_contents(attribute.meaning, facts)]
    return tuple(doubt for doubt in found if doubt is not None)


def _by_name(attribute: Attribute) -> Doubt | None:
    role, pointed = attribute.meaning, role_from_name(attribute.source)
    if _plain(attribute.source) == _plain(attribute.name):
        # All parties agreed on this name, so one that says nothing is no surprise; one that says otherwise is.
        return None if pointed in {role, _OTHER} else Doubt("name", _says_otherwise(pointed))
    if role == pointed != _OTHER:
        return None
    if pointed == _OTHER:
        wanted = attribute.name if role == _OTHER else f"{attribute.name} ({ROLES[role].sentence})"
        return Doubt("name", f"nothing in the name of the column says {wanted}")
    return Doubt("name", _says_otherwise(pointed))


def _says_otherwise(pointed: str) -> str:
    return f"the name of the column says {ROLES[pointed].sentence}"


def _by_contents(role: str, facts: ColumnFacts) -> Doubt | None:
    if not facts.distinct:
        return None  # of an empty column nothing leaves
    if facts.length > _FREE_TEXT:
        return Doubt("contents", f"its values look like free text, of {facts.length:.0f} characters on average")
    if role == _OTHER:
        return None
    contradicted = role in _CONTRADICTED and _CONTRADICTED[role](facts)
    if FITTING_CONTENTS[role](facts) and not contradicted and not _is_something_else(role, facts):
        return None
    return Doubt("contents", f"its values do not look like {ROLES[role].sentence}")


def _is_something_else(role: str, facts: ColumnFacts) -> bool:
    """Whether values are written as those of another role alone are."""
    is_date = facts.most_are("full date") and facts.length > _SHORT_DATE
    if role in _NAMES:
        mine, other = (facts.shares[f"common {one} name"] for one in _NAMES[role])
        if other >= _LEAST_COMMON[role] and other > 2 * mine:
            return True
    is_mail, is_phone = facts.most_are("e-mail", 0.5), facts.most_are("dialled")
    return (is_date and role != "birth_date") or (is_mail and role != "email") or (is_phone and not ROLES[role].number)


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
