"""Every probability of the generated population, checked when it is set."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

from unveil.errors import SettingError

ATTRIBUTES_COUNTED = 5


@dataclass(frozen=True, slots=True)
class LifeRates:
    """How often life changes a name or an address, whatever a register writes down; every number is a probability."""

    # What befalls a person under 45 between the two registers.
    marriage: float = 0.123
    """A woman's last name changes by marriage or divorce."""
    marriage_move: float = 0.1
    """… and her address changes."""
    move: float = 0.112
    """The address changes."""
    first_name: float = 0.0155
    """The first name is misspelt, shortened, or replaced."""
    last_name: float = 0.019
    """The last name is misspelt, joined with another by a hyphen, or replaced."""
    later_life: float = 0.45
    """Factor on marriage and move from the age of 45 on."""

    # Of the changes above, how many are of which kind; the rest of 1 is a different value altogether.
    first_typo: float = 0.5
    first_nickname: float = 0.28
    last_typo: float = 0.25
    last_hyphen: float = 0.22
    move_same_town: float = 0.29
    move_nearby: float = 0.17
    household_moves: float = 0.7
    """The other members of a household come along."""

    # Shares of shared people with 1, 2, 3, 4 and 5 unequal attributes, for errors = 1 and errors = 2.
    unequal_from_one: tuple[float, ...] | None = (0.643, 0.315, 0.037, 0.005, 0.0)
    unequal_from_two: tuple[float, ...] | None = (0.0, 0.70, 0.26, 0.04, 0.0)
    """None leaves the shares as they come."""

    #: Kinds of one change: their rates share out 1, what is left is a different value.
    KINDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        "first": ("first_typo", "first_nickname"),
        "last": ("last_typo", "last_hyphen"),
        "move": ("move_same_town", "move_nearby"),
    }

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, float | int) and not 0 <= value <= 1:
                raise SettingError(f"rate {field.name} is outside what is allowed", hint="allowed: 0 to 1")
        for change, names in self.KINDS.items():
            if sum(self.kinds(change)) > 1 + 1e-9:
                raise SettingError(f"rates {', '.join(names)} add up to more than 1", hint="allowed: at most 1 in all")
        self._check_shares("unequal_from_one", least=1)
        self._check_shares("unequal_from_two", least=2)

    def _check_shares(self, name: str, *, least: int) -> None:
        shares = getattr(self, name)
        if shares is None:
            return
        allowed = f"allowed: {ATTRIBUTES_COUNTED} shares that add up to 1, or None"
        if len(shares) != ATTRIBUTES_COUNTED or min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=1e-6):
            raise SettingError(f"rate {name} is outside what is allowed", hint=allowed)
        if any(shares[: least - 1]):
            raise SettingError(f"rate {name} has a share below {least} unequal attributes", hint=allowed)

    def kinds(self, change: str) -> list[float]:
        """Of one change, how many are of which kind."""
        return [getattr(self, name) for name in self.KINDS[change]]

    def unequal(self, errors: int) -> tuple[float, ...] | None:
        """Shares of shared people with 1, 2, … unequal attributes when at least `errors` are asked for."""
        return {1: self.unequal_from_one, 2: self.unequal_from_two}.get(errors)


@dataclass(frozen=True, slots=True)
class Rates(LifeRates):
    """
    How often things happen in the voter layout; every number is a probability.

    The defaults come close to a voter register of which two snapshots lie some years apart.
    """

    marriage_middle: float = 0.32
    """At marriage or divorce a woman's maiden name becomes, or stops being, her middle name."""
    move_birthplace: float = 0.21
    """After a move the new registration gains or loses the place of birth."""
    middle_name: float = 0.096
    """The middle name is gained, lost, shortened to an initial, misspelt or replaced."""
    place_of_birth: float = 0.073
    """The place of birth is gained, lost or corrected."""
    first_and_middle: float = 0.29
    """The middle name changes with the first name: the two are swapped, run together, or both corrected."""
    year_of_birth: float = 0.0
    """The year of birth is off in the second register; never counted as an unequal attribute."""

    # Of the changes above, how many are of which kind; the rest of 1 is a different value altogether.
    middle_gained: float = 0.17
    middle_lost: float = 0.075
    middle_initial: float = 0.29
    middle_typo: float = 0.19
    birthplace_gained: float = 0.445
    birthplace_lost: float = 0.498

    # What a register holds, changed or not.
    no_middle_name: float = 0.08
    initial_only: float = 0.14
    no_place_of_birth: float = 0.2
    no_zip: float = 0.001

    KINDS: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **LifeRates.KINDS,
        "middle": ("middle_gained", "middle_lost", "middle_initial", "middle_typo"),
        "birthplace": ("birthplace_gained", "birthplace_lost"),
    }
