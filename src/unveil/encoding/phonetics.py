"""Phonetic codes of names, for blocking: names that sound alike get the same code."""

from __future__ import annotations

import jellyfish

from unveil.encoding.normalise import normalise
from unveil.encoding.transforms import FUNCTIONS, transforms

transforms("soundex")(jellyfish.soundex)
transforms("metaphone")(jellyfish.metaphone)
transforms("nysiis")(jellyfish.nysiis)
transforms("match_rating")(jellyfish.match_rating_codex)


def phonetic_code(method: str, value: str) -> str:
    """The value's code by that method, such as soundex (American); empty if it has no letter from a to z."""
    letters = capital_letters(value)
    return FUNCTIONS[method](letters) if letters else ""


def capital_letters(value: str) -> str:
    """The value's letters from A to Z, which the rules are made for: accents are taken off, all else is dropped."""
    letters = normalise(value, ("transliterate", "strip-accents"))
    if not (letters.isascii() and letters.isalpha()):
        letters = "".join(c for c in letters if c.isascii() and c.isalpha())
    return letters.upper()
