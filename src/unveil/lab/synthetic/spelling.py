"""
Other spellings of one value: typing mistakes, short forms, variants.

Each function is pure: the randomness is uniform numbers in [0, 1) that the caller drew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from unveil.lab.synthetic.tables import nicknames

_T = TypeVar("_T")

_SHORT = 5

_ROWS = ("QWERTYUIOP", "ASDFGHJKL", "ZXCVBNM")
_NEIGHBOURS = {
    letter: "".join(
        other
        for line, letters in enumerate(_ROWS)
        for column, other in enumerate(letters)
        if other != letter and abs(line - row) <= 1 and abs(column - place) <= 1
    )
    for row, keys in enumerate(_ROWS)
    for place, letter in enumerate(keys)
}

#: Sounds that are written in more than one way; the first that fits is exchanged.
_VARIANTS = (
    ("PH", "F"), ("CK", "K"), ("EIGH", "EY"), ("EA", "EE"), ("IE", "Y"), ("LL", "L"), ("TT", "T"), ("NN", "N"),
    ("RR", "R"), ("SS", "S"), ("EY", "Y"), ("C", "K"), ("Y", "I"), ("I", "Y"), ("AI", "AY"), ("E", "A"), ("Z", "S"),
    ("L", "LL"), ("N", "NN"), ("T", "TT"),
)  # fmt: skip


def pick(options: Sequence[_T], u: float) -> _T:
    """The option that u in [0, 1) falls on."""
    return options[int(u * len(options))]


def mistyped(word: str, kind: float, place: float, key: float) -> str:
    """The word with one slip of the fingers, always unequal to it: swap, drop, double, wrong or extra key."""
    if len(word) < 2:  # noqa: PLR2004 - a single letter can only be hit wrongly
        return pick(_NEIGHBOURS.get(word, "AEIO"), key)
    at = 1 + int(place * (len(word) - 1))  # people rarely get the first letter wrong
    near = pick(_NEIGHBOURS.get(word[at], "AEIO"), key)
    match int(kind * 5):
        case 0 if at + 1 < len(word) and word[at] != word[at + 1]:
            return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
        case 0 | 1:
            return word[:at] + word[at + 1 :]
        case 2:
            return word[: at + 1] + word[at:]
        case 3:
            return word[:at] + near + word[at + 1 :]
        case _:
            return word[: at + 1] + near + word[at + 1 :]


def variant(word: str, u: float) -> str:
    """The word in another spelling that sounds alike; the word itself if it knows none."""
    start = int(u * len(_VARIANTS))
    for old, new in _VARIANTS[start:] + _VARIANTS[:start]:
        at = word.find(old, 1)
        if at > 0 and word[at : at + len(new)] != new:
            return word[:at] + new + word[at + len(old) :]
    return word


def short_form(name: str, u: float) -> str | None:
    """A nickname of the name, or the formal name of a nickname; None if the table has none."""
    others = nicknames().get(name)
    return pick(others, u) if others else None


def cut(name: str) -> str:
    """A short form of a name that no table lists: the beginning of a long name, a longer form of a short one."""
    stem = name.split(" ", maxsplit=1)[0]
    if len(stem) <= _SHORT:
        return stem + "IE"
    return stem[:4].rstrip("AEIOUY") or stem[:3]
