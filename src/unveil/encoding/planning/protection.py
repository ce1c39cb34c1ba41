"""
How records are encoded so that whoever compares them learns little more than who is alike.

A filter is made long and half full, and every bit sent is the XOR of four of it, salted by fields that kin do not
share and that seldom change. Every attribute has the same share of it, however long its values are, so that what is
left of a record in which one of them differs is alike. What each part of that is worth was measured, also by attacks:
see the threat model.
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
_SALTED: Final = Hardening(method="diffusion", t=4, m=LENGTH)
#: Without salts everybody is compared with everybody, so that more bits must hide each similarity.
_UNSALTED: Final = Hardening(method="diffusion", t=5, m=LENGTH)
#: The weight from which on an attribute has a whole share of a record's filter: two people in 64 agree by chance.
_WHOLE_SHARE: Final = 6.0
_LEAST: Final = 0.05
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


def weighed(attributes: Sequence[Attribute], tokens: Sequence[float]) -> tuple[Attribute, ...]:
    """
    The attributes, each with as many positions per q-gram as give it its share of a record's filter.

    Shares are equal, but for attributes whose agreement says little; `tokens` are the q-grams of a typical value of
    each. On average a q-gram has as many positions as it has without shares.
    """
    shares = [min(1.0, each.weight / _WHOLE_SHARE) for each in attributes]
    counts = [max(1.0, count) for count in tokens]
    each_share = sum(counts) / max(sum(shares), _LEAST)
    return tuple(
        each.model_copy(update={"in_record": max(_LEAST, round(share * each_share / count, 2))})
        for each, share, count in zip(attributes, shares, counts, strict=True)
    )


def short_keys(records: int) -> int:
    """
    Bits of a blocking key so that about two records share it by chance: the logarithm of the records, less one.

    Then a key is that of a few values, and no pattern of keys that of one person. With one bit more patterns tell some,
    and these lead to others, where somebody holds a perfect copy of the register; with one less F1 falls.
    """
    return max(_FEWEST_BITS, math.ceil(math.log2(max(2, records))) - 1)


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
