"""
Bring a value into the form that is compared.

The steps of the schema are applied in its order, and again until nothing changes: a step may uncover work for an
earlier one (a compatibility form of a capital letter, say), and only a fixed point makes normalising twice harmless.
Text is put into composed form (NFC) before every step, so composed and decomposed input agree. Inner blanks stay.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Final

from unveil.encoding.name_parts import first_given_name, plain_street, plain_umlauts, without_particles, without_titles
from unveil.schema.normalisation import STEPS
from unveil.settings.choices import binding

_SURROGATE = re.compile("[\ud800-\udfff]")
_PASSES = 8  # every Unicode character settles within three

#: Letters that accent stripping would spoil or leave, as the registers of their countries write them in ASCII.
# fmt: off
_LETTERS = str.maketrans({
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ẞ": "SS",
    "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe", "Æ": "Ae", "Ø": "Oe", "Å": "Aa", "Œ": "Oe",
    "đ": "d", "ð": "d", "þ": "th", "ł": "l", "Đ": "D", "Ð": "D", "Þ": "Th", "Ł": "L",
    "ħ": "h", "ŧ": "t", "ŋ": "ng", "ı": "i", "Ħ": "H", "Ŧ": "T", "Ŋ": "Ng", "ĸ": "k",
})
# fmt: on

#: The function behind each step.
FUNCTIONS: Final[dict[str, Callable[[str], str]]] = {}
normalises = binding(STEPS, FUNCTIONS)
normalises("no-titles")(without_titles)
normalises("no-particles")(without_particles)
normalises("first-name")(first_given_name)
normalises("plain-street")(plain_street)
normalises("plain-umlauts")(plain_umlauts)


def composed(value: str) -> str:
    """The value in NFC. Halves of surrogate pairs, which no encoding can hold, become U+FFFD."""
    return value if value.isascii() else unicodedata.normalize("NFC", _SURROGATE.sub("\ufffd", value))


def normalise(value: str, steps: Collection[str]) -> str:
    """The value after these steps: the fixed point of applying all of them in order."""
    if value.isascii() and (plain := _on_ascii(tuple(steps))) is not None:
        # Nothing to compose, and no step uncovers work for another: the first pass is the fixed point.
        for function in plain:
            value = function(value)
        return value
    functions = [FUNCTIONS[step] for step in steps]
    current = composed(value)
    for _ in range(_PASSES):
        before = current
        for function in functions:
            current = composed(function(current))
        if current == before:
            break
    return current


@cache
def _on_ascii(steps: tuple[str, ...]) -> tuple[Callable[[str], str], ...] | None:
    """Those of these steps that change ASCII at all; None if one of them does more than drop or make small."""
    if not is_plain_on_ascii(steps):
        return None
    return tuple(FUNCTIONS[step] for step in steps if STEPS[step].on_ascii != "nothing")


def is_plain_on_ascii(steps: Iterable[str]) -> bool:
    """Whether every step only drops ASCII characters or makes them small, so that shortcuts may take its place."""
    return "anything" not in [STEPS[step].on_ascii for step in steps]


@normalises("transliterate")
def _transliterate(value: str) -> str:
    return value if value.isascii() else value.translate(_LETTERS)


@normalises("trim")
def _trim(value: str) -> str:
    return value.strip()


@normalises("lowercase")
def _lowercase(value: str) -> str:
    # Case folding, not lower(): ẞ and ß, Σ and final ς must agree.
    return value.casefold()


@normalises("strip-accents")
def _strip_accents(value: str) -> str:
    if value.isascii():
        return value
    return "".join(c for c in unicodedata.normalize("NFKD", value) if not unicodedata.combining(c))


@normalises("digits-only")
def _digits_only(value: str) -> str:
    """Decimal digits of any script, as 0 to 9."""
    return "".join(str(unicodedata.decimal(c)) for c in value if c.isdecimal())


@normalises("letters-only")
def _letters_only(value: str) -> str:
    return "".join(c for c in value if c.isalpha())
