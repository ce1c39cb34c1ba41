"""What an attack found, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: Told of so many steps done of so many.
OnStep = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Guesses:
    """What one try found: the share at first guess, and among the first ten where that is asked."""

    first: float
    ten: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackFinding:
    """
    What an attack found on one encoding.

    `first` and `ten` are those of the best of all tries, which an attacker cannot tell from the others without the
    truth. `chance` is what a blind guess finds. `of` is how many people were looked for. `command` makes it again.
    """

    attack: str
    coding: str
    people: int
    shared: float | None
    known: int
    of: int
    measure: str
    tries: tuple[Guesses, ...]
    chance: float
    seconds: float
    command: str
    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()

    @property
    def first(self) -> float:
        """The best try's."""
        return max(each.first for each in self.tries)

    @property
    def ten(self) -> float | None:
        """The best try's, None where it is not asked."""
        found = [each.ten for each in self.tries if each.ten is not None]
        return max(found, default=None)

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "first": self.first, "ten": self.ten, "settings": dict(self.settings)}


def finding_of(data: Mapping[str, Any]) -> AttackFinding:
    """A finding from plain data."""
    given = {key: value for key, value in data.items() if key not in {"first", "ten"}}
    tries = tuple(Guesses(**each) for each in given.pop("tries"))
    notes = tuple(given.pop("notes"))
    return AttackFinding(tries=tries, notes=notes, **given)
