"""
How likely two different people agree: of agreeing records those of one person are left out.

A register may hold people twice or more. Their records agree on everything, and would make a number that is one
person's alone look like one that people share.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.blocking_keys import field_codes
from unveil.records import Records
from unveil.schema import Schema
from unveil.schema.attribute_roles import ROLES

#: Agreeing pairs, fewer of which say no more than that agreement is rare: in all, and for each record.
#: In a small register people who agree live together, and how many of them there are says little of strangers.
_FEW_PAIRS: Final = (10, 0.05)
_LOOKED_AT: Final = 1000  # agreeing pairs that are looked at
_TELLING: Final = 0.1  # chance of agreement below which an attribute tells people apart

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ChanceOfAgreement:
    """The chance that two records that have a value have the same; `at_most` if too few agree to tell how small."""

    chance: float
    at_most: bool

    def __post_init__(self) -> None:
        if not 0 < self.chance <= 1:
            raise ValueError("a chance of agreement lies above 0 and up to 1")


def agreement(counts: Numbers, same_person: float = 0.0) -> ChanceOfAgreement:
    """
    The chance that two of these have the same value, of which there are so many of each.

    `same_person` is the share of agreeing pairs that do not count.
    """
    total, (least, each) = int(counts.sum()), _FEW_PAIRS
    pairs = total * (total - 1) / 2
    agreeing = float((counts * (counts - 1.0)).sum() / 2) * (1 - same_person)
    # None or few agree: half a pair keeps the chance above 0, and whoever reads it knows that it may be smaller.
    return ChanceOfAgreement(
        min(1.0, max(agreeing, 0.5) / max(pairs, 1.0)), at_most=agreeing < max(least, each * total)
    )


@dataclass(frozen=True, slots=True, repr=False)
class PersonMarks:
    """The attributes of a register by which records of one person are known: those that are a person's alone."""

    telling: dict[str, Numbers] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Records, schema: Schema) -> PersonMarks:
        """The marks of these records."""
        found = cls()
        for attribute in schema.attributes:
            if ROLES[attribute.meaning].whose == "person":
                values, codes = field_codes(records, attribute, None)
                numbers = np.where(np.array([bool(value) for value in values])[codes], codes, -1)
                if agreement(np.bincount(numbers[numbers >= 0])).chance < _TELLING:
                    found.telling[attribute.name] = numbers
        return found

    def agreement(self, numbers: Numbers, *attributes: str) -> ChanceOfAgreement:
        """The chance that two people have the same number, which was made of these attributes; -1 is none."""
        counts = np.bincount(numbers[numbers >= 0])
        others = [own for name, own in self.telling.items() if name not in attributes]
        if not others or not (counts > 1).any():
            return agreement(counts)
        one, two = _agreeing(numbers, counts)
        both = np.stack([(own[one] >= 0) & (own[two] >= 0) for own in others])
        same = np.stack([own[one] == own[two] for own in others]) & both
        is_one_person = 2 * same.sum(axis=0) >= np.maximum(both.sum(axis=0), 1)
        return agreement(counts, float(is_one_person.mean()))


def _agreeing(numbers: Numbers, counts: Numbers) -> tuple[Numbers, Numbers]:
    """Pairs of rows with the same number, drawn at random, each as likely as any other."""
    rng = np.random.default_rng(0)
    order = np.argsort(numbers, kind="stable")[int((numbers < 0).sum()) :]
    start = np.cumsum(counts) - counts
    chances = counts * (counts - 1.0)
    drawn = rng.choice(len(counts), _LOOKED_AT, p=chances / chances.sum())
    one = rng.integers(counts[drawn])
    two = (one + rng.integers(1, counts[drawn])) % counts[drawn]
    return order[start[drawn] + one], order[start[drawn] + two]
