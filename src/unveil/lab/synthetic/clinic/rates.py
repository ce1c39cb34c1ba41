"""Every probability of the clinic layout that the voter layout does not have, or has otherwise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from unveil.lab.synthetic.rates import LifeRates


@dataclass(frozen=True, slots=True)
class ClinicRates(LifeRates):
    """
    How often things happen in the clinic layout; every number is a probability.

    The defaults stand for two clinics of one state that wrote down their patients some years apart. `date_of_birth` and
    `sex` are shares of the people in both, whatever the number of unequal attributes asked for; the rest are rates of
    events, of which people with more unequal attributes have more.
    """

    marriage_move: float = 0.3
    first_name: float = 0.035
    move_same_town: float = 0.5
    move_nearby: float = 0.22
    street: float = 0.1
    """The same address is written otherwise: abbreviated, misspelt, or without its house number."""
    date_of_birth: float = 0.02
    """Share of the people in both registers whose dates of birth differ."""
    sex: float = 0.01
    """Share of the people in both registers whose sex is wrong or missing in one."""

    # Of the changes above, how many are of which kind.
    street_abbreviated: float = 0.5
    street_no_number: float = 0.15
    street_typo: float = 0.25
    """The rest have a digit of the house number wrong."""
    date_swapped: float = 0.22
    """Day and month change places; where that gives no other date, a digit is wrong."""
    date_digit: float = 0.38
    date_january: float = 0.13
    """The first of January of the year stands for a date that nobody knew."""
    date_year: float = 0.22
    """The year is off by one. The rest are another day of the same year."""
    sex_missing: float = 0.6
    """The rest have the wrong one."""

    # What a register holds, changed or not.
    no_house_number: float = 0.01
    abbreviated: float = 0.6
    """The kind of street is abbreviated, as in ST or AVE."""
    first_of_january: float = 0.004
    """A person's date of birth is the first of January in both, for want of a better one."""
    no_sex: float = 0.003

    unequal_from_one: tuple[float, ...] | None = (0.72, 0.25, 0.028, 0.002, 0.0)
    unequal_from_two: tuple[float, ...] | None = (0.0, 0.90, 0.095, 0.005, 0.0)

    KINDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **LifeRates.KINDS,
        "street": ("street_abbreviated", "street_no_number", "street_typo"),
        "date": ("date_swapped", "date_digit", "date_january", "date_year"),
        "sex": ("sex_missing",),
    }
