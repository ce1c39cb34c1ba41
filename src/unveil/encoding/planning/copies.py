"""
Copies of an owner's records as another register might hold the same people, with what goes wrong between the two.

How much goes wrong is an assumption, stated by role in `schema.attribute_roles`; what it does to the owner's own values
is then no assumption any more. So blocking keys can be tried before anybody knows the other register.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.forms.dates import exchanged
from unveil.schema import Attribute, Schema
from unveil.schema.attribute_roles import CHANGES, ROLES, ChangeOfLife

#: Changes of life that keys are tried against one by one, and what they are called.
_BEFALLING: Final[dict[ChangeOfLife, str]] = {"other surname": "another family name", "move": "moved elsewhere"}
SWAPPED: Final = 0.005  # people whose given and family name changed places

#: Values of some people by attribute, each as it stands in the file.
People = Mapping[str, Sequence[str]]
#: Makes a wrong value of a right one; it may draw from the values of others.
Mistake = Callable[[str, Sequence[str], np.random.Generator], str]


def typed_wrong(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """A letter too many, too few, another one, or two exchanged."""
    at, letter = int(rng.integers(len(value))), _letter(others, rng)
    match int(rng.integers(4)):
        case 0:
            return value[:at] + letter + value[at:]
        case 1 if len(value) > 1:
            return value[:at] + value[at + 1 :]
        case 2:
            return value[:at] + value[at + 1 : at + 2] + value[at] + value[at + 2 :]
        case _:
            return value[:at] + letter + value[at + 1 :]


def digit_wrong(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """Another digit in the place of one; a slip of the fingers where there is none."""
    places = [at for at, letter in enumerate(value) if letter.isdecimal()]
    if not places:
        return typed_wrong(value, others, rng)
    at = int(rng.choice(places))
    return value[:at] + str((int(value[at]) + int(rng.integers(1, 10))) % 10) + value[at + 1 :]


def digits_exchanged(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """Two neighbouring digits exchanged; another digit where that changes nothing."""
    places = [at for at in range(len(value) - 1) if value[at : at + 2].isdecimal() and value[at] != value[at + 1]]
    if not places:
        return digit_wrong(value, others, rng)
    at = int(rng.choice(places))
    return value[:at] + value[at + 1] + value[at] + value[at + 2 :]


def day_for_month(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """Day and month of a date exchanged; another digit where that changes nothing."""
    mirrored = exchanged(value)
    return mirrored if mirrored != value else digit_wrong(value, others, rng)


def initial(value: str, _others: Sequence[str], _rng: np.random.Generator) -> str:
    """The first letter alone."""
    return value[:1]


def another(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """Another person's value: a short form, a second name, a wrong entry."""
    del value
    return others[int(rng.integers(len(others)))]


def last_word_gone(value: str, others: Sequence[str], rng: np.random.Generator) -> str:
    """Without its last word, as a narrow column leaves it; a slip of the fingers where there is only one."""
    return value.rpartition(" ")[0] or typed_wrong(value, others, rng)


_NAME: Final = ((typed_wrong, 0.8), (last_word_gone, 0.2))
_NUMBER: Final = ((digit_wrong, 0.6), (digits_exchanged, 0.4))
#: What goes wrong with values of each role, and how often it is that.
MISTAKES: Final[dict[str, tuple[tuple[Mistake, float], ...]]] = {
    "birthplace": ((typed_wrong, 0.6), (another, 0.4)),
    "birth_date": ((digit_wrong, 0.5), (day_for_month, 0.25), (digits_exchanged, 0.25)),
    "birth_year": _NUMBER,
    "birth_part": _NUMBER,
    "sex": ((another, 1.0),),
    "middle_name": ((initial, 0.5), (typed_wrong, 0.3), (another, 0.2)),
    "given_name": ((typed_wrong, 0.5), (another, 0.3), (initial, 0.1), (last_word_gone, 0.1)),
    "family_name": _NAME,
    "house_number": _NUMBER,
    "street": ((typed_wrong, 0.5), (last_word_gone, 0.5)),
    "postcode": _NUMBER,
    "town": _NAME,
    "region": ((another, 0.5), (typed_wrong, 0.5)),
    "phone": _NUMBER,
    "email": _NAME,
    "id_number": _NUMBER,
    "other": ((typed_wrong, 0.5), (another, 0.5)),
}


@dataclass(frozen=True, slots=True, repr=False)
class KeyTrial:
    """Some people and the same people as another register has them; `rows` are theirs in the owner's file."""

    name: str
    rows: NDArray[np.int64]
    originals: People
    copies: People

    def __repr__(self) -> str:
        return f"KeyTrial(<{self.name}, {len(self.rows)} people>)"


def as_assumed(
    people: People, schema: Schema, missing: Mapping[str, float], rng: np.random.Generator, *, times: float = 1.0
) -> People:
    """
    The people after everything that is assumed to happen, values missing as often as these shares say.

    With `times` everything that is assumed happens so many times as often.
    """
    copies = {name: list(values) for name, values in people.items()}
    count = len(next(iter(copies.values())))
    for change, share in CHANGES.items():
        _change(copies, schema, change, np.flatnonzero(rng.random(count) < times * share), rng)
    for attribute in schema.attributes:
        role = attribute.meaning
        wrong = np.flatnonzero(rng.random(count) < times * ROLES[role].mistaken)
        kinds, shares = zip(*MISTAKES[role], strict=True)
        which = rng.choice(len(kinds), len(wrong), p=shares)
        for number, mistake in enumerate(kinds):
            _spoil(copies[attribute.name], wrong[which == number].tolist(), mistake, people[attribute.name], rng)
    _swap(copies, schema, np.flatnonzero(rng.random(count) < times * SWAPPED))
    for attribute in schema.attributes:
        for row in np.flatnonzero(rng.random(count) < missing[attribute.name]).tolist():
            copies[attribute.name][row] = ""
    return copies


def hardships(people: People, schema: Schema, rng: np.random.Generator) -> Iterator[tuple[str, People]]:
    """One thing at a time that befalls all of the people, with its name: what keys should survive."""
    count = len(next(iter(people.values())))
    everyone = np.arange(count)
    for attribute in schema.attributes:
        yield f"{attribute.name} missing", {**people, attribute.name: [""] * count}
    for label, roles, mistake in (
        ("a letter of {} wrong", ("given_name", "family_name"), typed_wrong),
        ("a digit of {} wrong", ("birth_date", "birth_year"), digit_wrong),
        ("day and month of {} exchanged", ("birth_date",), day_for_month),
    ):
        for attribute in _with_roles(schema, *roles):
            values = list(people[attribute.name])
            _spoil(values, range(count), mistake, people[attribute.name], rng)
            yield label.format(attribute.name), {**people, attribute.name: values}
    if _names(schema):
        swapped = {name: list(values) for name, values in people.items()}
        _swap(swapped, schema, everyone)
        yield "given and family name exchanged", swapped
    for change, label in _BEFALLING.items():
        if _changing(schema, change):
            copies = {name: list(values) for name, values in people.items()}
            _change(copies, schema, change, everyone, rng)
            yield label, copies


def _letter(others: Sequence[str], rng: np.random.Generator) -> str:
    """A letter of somebody's value, so that it is of the same script."""
    value = others[int(rng.integers(len(others)))] or "a"
    return value[int(rng.integers(len(value)))]


def _spoil(
    values: list[str], rows: Iterable[int], mistake: Mistake, others: Sequence[str], rng: np.random.Generator
) -> None:
    for row in rows:
        if values[row]:
            values[row] = mistake(values[row], others, rng)


def _change(
    copies: Mapping[str, list[str]],
    schema: Schema,
    change: ChangeOfLife,
    rows: NDArray[np.int64],
    rng: np.random.Generator,
) -> None:
    """Give these people the values that others had, of everything that such a change touches."""
    count = len(next(iter(copies.values())))
    # From one person for all attributes: a town keeps its postal code.
    other = (rows + 1 + rng.integers(max(1, count - 1), size=len(rows))) % count
    for attribute in _changing(schema, change):
        values = list(copies[attribute.name])
        for row, donor in zip(rows.tolist(), other.tolist(), strict=True):
            copies[attribute.name][row] = values[donor]


def _swap(copies: Mapping[str, list[str]], schema: Schema, rows: NDArray[np.int64]) -> None:
    for given, family in _names(schema):
        one, two = copies[given], copies[family]
        for row in rows.tolist():
            one[row], two[row] = two[row], one[row]


def _names(schema: Schema) -> list[tuple[str, str]]:
    """The given and the family name, if there are both."""
    given, family = (_with_roles(schema, role) for role in ("given_name", "family_name"))
    return [(given[0].name, family[0].name)] if given and family else []


def _with_roles(schema: Schema, *roles: str) -> list[Attribute]:
    return [attribute for attribute in schema.attributes if attribute.meaning in roles]


def _changing(schema: Schema, change: ChangeOfLife) -> list[Attribute]:
    return [attribute for attribute in schema.attributes if ROLES[attribute.meaning].changed_by == change]
