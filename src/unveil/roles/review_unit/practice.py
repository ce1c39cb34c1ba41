"""
Made-up pairs: to practise on, and hidden among real ones to learn how often a reviewer errs.

A pair follows from its number alone, so a log keeps the number and no value. Nobody in it exists. It has the project's
attributes, filled by their roles, and the differences that registers have: slips of the pen, initials, swapped digits
and names, moves, missing values; and strangers who share a home or a name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

import numpy as np

from unveil.roles.chance import SeededDraw
from unveil.roles.review_unit.display import NAMES, ReviewablePair
from unveil.roles.review_unit.likeness import are_alike
from unveil.roles.review_unit.masking import Stage, are_crossed
from unveil.schema import Attribute, Schema

#: Pairs of one round of practice, and how many must be right.
ROUND: Final = 8
ENOUGH: Final = 6

_GIVEN: Final = (
    "AMELIE", "BENNO", "CLARA", "DARIO", "ELLEN", "FELIX", "GRETA", "HANNES", "IRIS", "JONAS", "KATHARINA", "LENNART",
    "MARLENE", "NICOLAS", "OLIVIA", "PATRICIA", "ROBERT", "SOPHIA", "THERESA", "VICTOR",
)  # fmt: skip
_FAMILY: Final = (
    "ALBRIGHT", "BAUMANN", "CARVER", "DELANEY", "EHRLICH", "FAIRCHILD", "GALLAGHER", "HOFFMANN", "IVERSEN", "JANSEN",
    "KINGSLEY", "LINDQVIST", "MONTGOMERY", "NORWOOD", "OSTERMANN", "PEMBERTON", "RICHTER", "SAUNDERS", "WHITFIELD",
)  # fmt: skip
_TOWNS: Final = (
    "ALDERBROOK", "BIRKENFELD", "CLEARWATER", "DUNMORE", "EASTHAVEN", "FERNDALE", "GRANTHAM", "HOLLOWAY", "MEADHILL",
    "NORTHFIELD", "OAKRIDGE", "RIVERTON",
)  # fmt: skip
_STREETS: Final = ("MAPLE LANE", "MILL ROAD", "STATION STREET", "CHURCH HILL", "HARBOUR WAY", "ORCHARD CLOSE")
_LETTERS: Final = "ABCDEFGHIKLMNOPRSTUVW"

Rng = np.random.Generator
_T = TypeVar("_T")
Make = Callable[[Rng], str]
_VALUES: Final[Mapping[str, Make]] = {
    "given_name": lambda rng: _one(rng, _GIVEN),
    "middle_name": lambda rng: _one(rng, _GIVEN),
    "family_name": lambda rng: _one(rng, _FAMILY),
    "town": lambda rng: _one(rng, _TOWNS),
    "birthplace": lambda rng: _one(rng, _TOWNS),
    "region": lambda rng: _one(rng, _TOWNS),
    "street": lambda rng: _one(rng, _STREETS),
    "house_number": lambda rng: str(rng.integers(1, 181)),
    "postcode": lambda rng: f"{rng.integers(10_000, 100_000)}",
    "birth_year": lambda rng: str(rng.integers(1931, 2_005)),
    "birth_part": lambda rng: str(rng.integers(1, 13)),
    "birth_date": lambda rng: f"{rng.integers(1931, 2_005)}-{rng.integers(1, 13):02}-{rng.integers(1, 29):02}",
    "sex": lambda rng: _one(rng, "FM"),
    "phone": lambda rng: f"{rng.integers(200, 990)} {rng.integers(1_000_000, 10_000_000)}",
    "email": lambda rng: f"{_one(rng, _GIVEN)}.{_one(rng, _FAMILY)}@EXAMPLE.ORG",
    "id_number": lambda rng: str(rng.integers(10_000_000, 100_000_000)),
    "other": lambda rng: "".join(_one(rng, _LETTERS) for _ in range(6)),
}
_HOME: Final = ("town", "street", "house_number", "postcode", "region", "phone", "family_name")


@dataclass(frozen=True, slots=True, repr=False)
class MadeUp:
    """A made-up pair: the state and values of each attribute, whether it is a match, and why, as a key."""

    states: Mapping[str, str]
    values: Mapping[str, tuple[str, str]]
    frequency: Mapping[str, int]
    match: bool
    lesson: str

    def __repr__(self) -> str:
        return f"MadeUp(<{self.lesson}>)"

    def pair_for(self, task_id: bytes) -> ReviewablePair:
        """The pair as a reviewer gets it."""
        return ReviewablePair(task_id, self.states, self.values, self.frequency)


def made_up(schema: Schema, number: int) -> MadeUp:
    """The made-up pair of that number."""
    rng = SeededDraw(f"made-up pair {number}").rng
    left = {each.name: _VALUES[each.meaning](rng) for each in schema.attributes}
    lesson, match, change = _one(rng, _LESSONS)
    right = change(rng, schema, dict(left))
    sides = (left, right) if rng.random() < 0.5 else (right, left)  # noqa: PLR2004 - a coin
    return _as_seen(schema, rng, sides, lesson, match=match)


def _as_seen(
    schema: Schema, rng: Rng, sides: tuple[dict[str, str], dict[str, str]], lesson: str, *, match: bool
) -> MadeUp:
    """What the attribute unit would have let through of both."""
    left, right = sides
    states, values, frequency = {}, {}, {}
    crossed = all(name in left for name in NAMES) and are_crossed(
        (left[NAMES[0]], left[NAMES[1]]), (right[NAMES[0]], right[NAMES[1]])
    )
    for name in schema.names:
        one, two = left[name], right[name]
        if not one or not two:
            states[name] = "missing"
        elif one == two:
            states[name], frequency[name] = "equal", _one(rng, (1, 2, 3))
        elif are_alike(one, two) or (crossed and name in NAMES):
            states[name], values[name] = "shown", (one, two)
        else:
            states[name] = "dissimilar"
    return MadeUp(states, values, frequency, match, lesson)


# What is different in them


def _slips(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """The same person, written down twice in a hurry."""
    named = [each for each in schema.attributes if len(person[each.name]) >= 4 and each.meaning != "sex"]  # noqa: PLR2004 - a slip in less would be another value
    for each in [named[at] for at in rng.permutation(len(named))[:2].tolist()]:
        person[each.name] = _slip(rng, person[each.name])
    _lose_one(rng, schema, person)
    return person


def _short_names(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """The same person, once with short names and after a move."""
    for each in schema.attributes:
        if each.meaning in ("given_name", "middle_name"):
            person[each.name] = person[each.name][: _one(rng, (1, 3))]
    return _moved(rng, schema, person)


def _moved(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    for each in schema.attributes:
        if each.meaning in ("town", "street", "house_number", "postcode", "region"):
            person[each.name] = _another(rng, each, person[each.name])
    return person


def _swapped(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """The same person, first and last name in each other's column."""
    if all(name in person for name in NAMES):
        person[NAMES[0]], person[NAMES[1]] = person[NAMES[1]], person[NAMES[0]]
        return person
    return _slips(rng, schema, person)


def _household(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """Two people of one home: the address and the surname agree, what belongs to one person does not."""
    for each in schema.attributes:
        if each.meaning not in _HOME:
            person[each.name] = _another(rng, each, person[each.name])
    return person


def _namesakes(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """Two people of one name: born at another time, living elsewhere."""
    for each in schema.attributes:
        if each.meaning not in ("given_name", "family_name", "sex"):
            person[each.name] = _another(rng, each, person[each.name])
    return person


def _strangers(rng: Rng, schema: Schema, person: dict[str, str]) -> dict[str, str]:
    """Two people with little in common but a sound."""
    chosen = _one(rng, schema.names)
    for each in schema.attributes:
        value = person[each.name]
        person[each.name] = _slip(rng, value) if each.name == chosen else _another(rng, each, value)
    return person


_LESSONS: Final[tuple[tuple[str, bool, Callable[[Rng, Schema, dict[str, str]], dict[str, str]]], ...]] = (
    ("slips", True, _slips),
    ("short names", True, _short_names),
    ("swapped names", True, _swapped),
    ("household", False, _household),
    ("namesakes", False, _namesakes),
    ("strangers", False, _strangers),
)


def _one(rng: Rng, options: Sequence[_T]) -> _T:
    return options[int(rng.integers(len(options)))]


def _another(rng: Rng, attribute: Attribute, value: str) -> str:
    """A value of somebody else."""
    for _ in range(20):
        other = _VALUES[attribute.meaning](rng)
        if other != value:
            return other
    return value


def _slip(rng: Rng, value: str) -> str:
    at = int(rng.integers(1, max(2, len(value) - 1)))
    match int(rng.integers(3)):
        case 0:
            return value[:at] + value[at + 1 :]
        case 1:
            return value[: at - 1] + value[at : at + 1] + value[at - 1] + value[at + 1 :]
        case _:
            letters = "0123456789" if value[at].isdigit() else _LETTERS
            return value[:at] + _one(rng, [each for each in letters if each != value[at]]) + value[at + 1 :]


def _lose_one(rng: Rng, schema: Schema, person: dict[str, str]) -> None:
    """A value that one of the two registers does not have."""
    optional = [each.name for each in schema.attributes if each.meaning in ("middle_name", "birthplace", "phone")]
    if optional:
        person[_one(rng, optional)] = ""


@dataclass(slots=True)
class PracticeRound:
    """One round: numbers of its pairs, what was answered so far, and how far the current pair is opened."""

    numbers: tuple[int, ...]
    answers: list[bool | None] = field(default_factory=list)
    stages: dict[str, Stage] = field(default_factory=dict)
    right: int = 0

    @property
    def done(self) -> bool:
        """Whether every pair is answered."""
        return len(self.answers) == len(self.numbers)

    @property
    def passed(self) -> bool:
        """Whether enough answers were right."""
        return self.done and self.right >= ENOUGH

    def answer(self, schema: Schema, match: bool | None) -> MadeUp:  # noqa: FBT001 - a label, not a switch
        """Take the answer to the current pair and return that pair, whose lesson may be told now."""
        found = made_up(schema, self.numbers[len(self.answers)])
        self.answers.append(match)
        self.right += match is not None and match == found.match
        self.stages = {}
        return found
