"""Phonetic codes of names, for blocking: names that sound alike get the same code."""

from __future__ import annotations

from collections.abc import Callable

import jellyfish

from unveil.encoding.normalise import normalise

_CODES: dict[str, Callable[[str], str]] = {
    "soundex": jellyfish.soundex,
    "metaphone": jellyfish.metaphone,
    "nysiis": jellyfish.nysiis,
    "match_rating": jellyfish.match_rating_codex,
}


def phonetic_code(method: str, value: str) -> str:
    """
    The value's code by soundex (American), metaphone, nysiis or match_rating; empty if it has no letter from a to z.

    The rules are made for these 26 letters: accents are taken off and everything else, blanks too, is dropped first.
    """
    letters = normalise(value, ("transliterate", "strip-accents"))
    if not (letters.isascii() and letters.isalpha()):
        letters = "".join(c for c in letters if c.isascii() and c.isalpha())
    return _CODES[method](letters.upper()) if letters else ""
