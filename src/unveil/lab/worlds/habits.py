"""How one owner writes what the other writes otherwise: not a mistake, and never alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from unveil.lab.synthetic.registers import Values


def two_digit_year(value: str) -> str:
    """A date or year without its century."""
    return value[2:]


def year_alone(value: str) -> str:
    """Of a date no more than the year."""
    return value[:4]


def day_first(value: str) -> str:
    """A date from the day to the year."""
    return "-".join(reversed(value.split("-")))


def without_number(value: str) -> str:
    """A street without the numbers in it."""
    return " ".join(word for word in value.split() if not any(letter.isdigit() for letter in word))


def initial_alone(value: str) -> str:
    """Of a name no more than its first letter."""
    return value[:1]


#: Each habit: the attributes that it is about, and how they are then written.
HABITS: Final[dict[str, tuple[tuple[str, ...], Callable[[str], str]]]] = {
    "none": ((), str),
    "two-digit year": (("date_of_birth", "year_of_birth"), two_digit_year),
    "year alone": (("date_of_birth",), year_alone),
    "day first": (("date_of_birth",), day_first),
    "street without number": (("street",), without_number),
    "initial alone": (("given_name",), initial_alone),
}


def write_so(habit: str, register: dict[str, Values]) -> None:
    """Rewrite a register by that habit, in place."""
    attributes, rewritten = HABITS[habit]
    for name in register.keys() & set(attributes):
        column = register[name]
        for row, value in enumerate(column.tolist()):
            if value:
                column[row] = rewritten(value)
