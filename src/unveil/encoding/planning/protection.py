"""
How records are encoded so that whoever compares them learns little more than who is alike.

A filter is made long and half full, and every bit sent is the XOR of three of it, salted by fields that kin do not
share and that seldom change. What each part of that is worth was measured by attacks: see the threat model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from unveil.schema import Attribute, Hardening, LayerR

#: Bits of a filter, before hardening and after.
LENGTH: Final = 2048
#: Signs of an attribute: so many tell how alike two values are as well as filters of 256 bits do, and better.
SIGNS: Final = 1024
_SALTED: Final = Hardening(method="diffusion", t=3, m=LENGTH)
#: Without salts everybody is compared with everybody, so that more bits must hide each similarity.
_UNSALTED: Final = Hardening(method="diffusion", t=5, m=LENGTH)
_FEWEST_BITS: Final = 8
_FEWEST: Final = 2  # salts: with one, a person whose value changed would look like a stranger
#: For each role that salts, the fields that it gives.
_FIELDS: Final = {
    "birth_date": ("year_of({})", "day_and_month_of({})"),
    "birth_year": ("{}",),
    "given_name": ("soundex({})",),
}


def salts(attributes: Sequence[Attribute]) -> tuple[str, ...]:
    """Fields that tell kin apart and seldom change, for the first attribute of each role that has some."""
    found = tuple(_found(attributes))
    return found if len(found) >= _FEWEST else ()


def short_keys(records: int) -> int:
    """
    Bits of a blocking key so that about one record shares it by chance: the logarithm of the records, rounded up.

    Then a key is that of a few values, and no pattern of keys that of one person.
    """
    return max(_FEWEST_BITS, math.ceil(math.log2(max(2, records))))


def protected(attributes: Sequence[Attribute], h: int) -> LayerR:
    """How records of these attributes are encoded, where h positions per q-gram fill half of a filter."""
    by = salts(attributes)
    step = _SALTED.model_copy(update={"by": by}) if by else _UNSALTED
    return LayerR(m=LENGTH, h=h, hardening=(step,))


def _found(attributes: Sequence[Attribute]) -> Iterator[str]:
    names: dict[str, str] = {}
    for attribute in attributes:
        names.setdefault(attribute.meaning, attribute.name)
    if "birth_date" in names:
        names.pop("birth_year", None)
    yield from (field.format(names[role]) for role, fields in _FIELDS.items() if role in names for field in fields)
