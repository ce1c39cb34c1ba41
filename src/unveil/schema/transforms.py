"""
What a blocking key may make of a value before it asks for equality: one table row for each transform.

A phonetic code is a transform that is handed letters. The functions stand in `encoding.transforms` and
`encoding.phonetics`, bound by the transform's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from unveil.settings.choices import Choice

#: What a transform is handed: the value as the file has it, normalised, or the capital letters A to Z of that.
Handed = Literal["value", "normalised", "letters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform(Choice):
    """A transform, as a row of TRANSFORMS. A value of which nothing is left to hand on stays empty."""

    handed: Handed


#: Every transform. Adding one is a row here and a function in `encoding.transforms` or `encoding.phonetics`.
TRANSFORMS: Final[dict[str, Transform]] = {
    "raw": Transform(sentence="the value as it is, but for blanks at either end", handed="value"),
    "soundex": Transform(sentence="American Soundex of its letters", handed="letters"),
    "metaphone": Transform(sentence="Metaphone of its letters", handed="letters"),
    "nysiis": Transform(sentence="NYSIIS of its letters", handed="letters"),
    "match_rating": Transform(sentence="match rating codex of its letters", handed="letters"),
    "year_of": Transform(
        sentence="the year of a date in any usual notation, without its century: 84 of 1984-05-12", handed="value"
    ),
    "day_and_month_of": Transform(
        sentence="day and month of a date in any usual notation, the smaller first: 0512 of 12.05.1984", handed="value"
    ),
    "last6": Transform(sentence="its last six characters, normalised", handed="normalised"),
    "first1": Transform(sentence="its first character, normalised", handed="normalised"),
    "first2": Transform(sentence="its first two characters, normalised", handed="normalised"),
    "first3": Transform(sentence="its first three characters, normalised", handed="normalised"),
    "first4": Transform(sentence="its first four characters, normalised", handed="normalised"),
}

#: Names of the phonetic codes.
PHONETICS: Final = tuple(name for name, transform in TRANSFORMS.items() if transform.handed == "letters")
