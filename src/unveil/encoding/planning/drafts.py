"""
An attribute as its role and its values suggest it: its type, and how values are normalised.

Registers write the same person in different ways, and what the other owner's file looks like is not known here. So
names are brought to what most registers have of them, and dates, postal codes and codes of sex to one form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from unveil.encoding.name_parts import first_given_name
from unveil.encoding.planning.column_roles import is_whole_name
from unveil.encoding.planning.contents import content_share
from unveil.encoding.planning.facts import ColumnFacts, sample_of_values
from unveil.forms.column_forms import in_form
from unveil.records import Column
from unveil.schema import Attribute
from unveil.schema.attribute_roles import ROLES
from unveil.schema.attribute_types import TEXT

_TYPES: Final = {"birth_date": "date", "birth_year": "year", "postcode": "postcode", "sex": "sex"}
_OF_ONE_LENGTH: Final = frozenset({"postcode"})  # where leading zeros are lost and can be put back
_PLAIN: Final[tuple[str, ...]] = Attribute.model_fields["normalise"].default
_ONE_SPELLING: Final = (*_PLAIN, "plain-umlauts", "letters-only")
_STEPS: Final[dict[str, tuple[str, ...]]] = {
    "family_name": (*_PLAIN, "no-titles", "no-particles", "plain-umlauts", "letters-only"),
    "given_name": (*_PLAIN, "no-titles", "plain-umlauts", "letters-only"),
    "middle_name": _ONE_SPELLING,
    "town": _ONE_SPELLING,
    "birthplace": _ONE_SPELLING,
    "street": (*_PLAIN, "plain-street", "plain-umlauts"),
}
_THEN_ONE_NAME: Final = frozenset({"no-titles"})  # a title is no first name
_OTHER: Final = "other"
_SEVERAL: Final = 0.01  # of the values with several given names: one register in a hundred has them for a reason
_USUAL: Final = 0.5
_NEARLY_ALL: Final = 0.95


def drafted(name: str, column: str, role: str, facts: ColumnFacts, columns: Sequence[Column]) -> Attribute:
    """The attribute without what follows from how its values are encoded; `columns` are both owners', or one's."""
    draft = Attribute(
        name=name,
        column=None if name == column else column,
        role=role,
        type=_type(role, facts),
        frequency=ROLES[role].counted,
        show="placeholders" if ROLES[role].number else "characters",
    )
    if draft.type in _OF_ONE_LENGTH:
        draft = draft.model_copy(update={"length": _length(columns)})
    if _in_digits(draft, columns):
        return draft.model_copy(update={"normalise": ("digits-only",), "show": "placeholders"})
    if role == _OTHER and is_whole_name(column, several_words=facts.most_are("several words", _USUAL)):
        return draft.model_copy(update={"normalise": _STEPS["given_name"]})  # of Last, First only the letters count
    return draft.model_copy(update={"normalise": _steps(role, columns)})


def _type(role: str, facts: ColumnFacts) -> str:
    if role == "birth_year" and not (facts.most_are("calendar year") or facts.most_are("full date")):
        return TEXT  # an age is no year
    return _TYPES.get(role, TEXT)


def _steps(role: str, columns: Sequence[Column]) -> tuple[str, ...]:
    steps = _STEPS.get(role, _PLAIN)
    if role == "given_name" and max(map(_several_names, columns)) >= _SEVERAL:
        return tuple(each for step in steps for each in ((step, "first-name") if step in _THEN_ONE_NAME else (step,)))
    return steps


def _several_names(column: Column) -> float:
    """The share of values that are several given names."""
    values = sample_of_values(column)
    return sum(first_given_name(value) != value for value in values) / max(1, len(values))


def _length(columns: Sequence[Column]) -> int | None:
    """How many digits most postal codes have: one register may have short ones alone."""
    lengths: Counter[int] = Counter()
    values = 0
    for column in columns:
        for value in sample_of_values(in_form(column, Attribute(name="postcode", type="postcode")).column):
            values += 1
            lengths[len(value)] += value.isdecimal()
    length, times = max(lengths.items(), key=lambda one: (one[1], one[0]), default=(0, 0))
    return length if times > _USUAL * values and 3 <= length <= 10 else None  # noqa: PLR2004 - bounds of the setting


def _in_digits(draft: Attribute, columns: Sequence[Column]) -> bool:
    """Whether nearly all values, once they have their form, are digits, perhaps with signs between them."""
    values = [value for column in columns for value in sample_of_values(in_form(column, draft).column)]
    return content_share("digits alone", values) >= _NEARLY_ALL
