"""Entries of a register, whatever its layout, and the story of those who have an entry in both registers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from unveil.lab.synthetic import events
from unveil.lab.synthetic.people import People
from unveil.records import Column

Ints = NDArray[np.int64]
Values = NDArray[np.object_]
Chosen = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, repr=False)
class RegisterEntries:
    """Entries of one register, one array per attribute, whatever its layout. The empty string is a missing value."""

    first: Values
    last: Values
    address: Ints

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self.first)} entries>)"

    def columns(self) -> dict[str, list[str]]:
        """The entries under the names of the layout's schema."""
        raise NotImplementedError

    def take(self, rows: Ints) -> Self:
        """The entries of these rows, in arrays of their own."""
        return type(self)(**{field.name: getattr(self, field.name)[rows] for field in fields(self)})

    def join(self, other: Self) -> Self:
        """The entries of this register, then those of the other."""
        names = [field.name for field in fields(self)]
        return type(self)(**{name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in names})

    def fingerprints(self) -> Ints:
        """A number for each entry; the same number for entries that agree on every attribute."""
        key = np.zeros(len(self), dtype=np.int64)
        for values in self.columns().values():
            column = Column.of(values)
            key = np.unique(key * len(column.distinct) + column.codes, return_inverse=True)[1].astype(np.int64)
        return key


E = TypeVar("E", bound=RegisterEntries)


@dataclass(frozen=True, slots=True, repr=False)
class LifeStory(Generic[E]):
    """Both entries of the same people, and what happened to them in between."""

    people: People
    who: Ints
    history: Ints
    before: E
    after: E

    def __repr__(self) -> str:
        return f"LifeStory(<{len(self.who)} people>)"

    def happened(self, event: events.Event) -> Chosen:
        """True where any of these events is in the history."""
        return (self.history & event) > 0


def differing(differs: Mapping[int, Chosen]) -> Ints:
    """The attributes (bits) in which two entries side by side differ, given where each differs."""
    bits = np.zeros(len(next(iter(differs.values()))), dtype=np.int64)
    for bit, where in differs.items():
        bits[where] |= bit
    return bits
