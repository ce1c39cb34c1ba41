"""
What is said about a pair of values: icons and words, for the eye and for a screen reader.

Words tell the kind of a difference, never a character. Where characters hide behind placeholders they are not even
called letters or digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from unveil.linkage.shown import SEPARATORS
from unveil.roles.review_unit.alignment import Edit, EditStep

REPLACED: Final = "✎"
ADDED: Final = "+"
SWAPPED: Final = "⇄"
CROSSED: Final = "⤨"  # day with month, first with last name
EQUAL: Final = "✓"
DISSIMILAR: Final = "✗"
UNKNOWN: Final = "?"

#: What stands for an icon where a terminal cannot print it.
ASCII_ICONS: Final = {REPLACED: "~", ADDED: "+", SWAPPED: "%", CROSSED: "X", EQUAL: "=", DISSIMILAR: "x", UNKNOWN: "?"}

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something said of two values, in no language: what happened, to how many, and what they are called."""

    key: str
    count: int = 0
    noun: str = ""


#: How each phrase is said in English; "{}" is a counted noun. Pages have the same keys in their tables of sentences.
ENGLISH: Final = {
    "swapped": "{} swapped",
    "replaced": "{} replaced",
    "added": "{} added",
    "added at the end": "{} added at the end",
    "added at the start": "{} added at the start",
    "on one side": "{} on one side only",
    "none differs": "no {} differs",
    "equal": "equal",
    "equal frequent": "equal, a frequent value",
    "equal common": "equal, a common value",
    "equal rare": "equal, a rare value",
    "different": "different",
    "missing": "missing on one or both sides",
    "withheld": "withheld by an owner",
    "date crossed": "day and month swapped",
    "names crossed": "first and last name swapped",
}


def english(said: Sequence[Phrase]) -> str:
    """The phrases in English, such as "one letter replaced and two letters added"."""
    return " and ".join(ENGLISH[phrase.key].format(_counted(phrase)) for phrase in said)


def equal(frequency: int | None) -> Phrase:
    """What is said of two equal values of that class (1 frequent, 2 common, 3 and above rare, 0 unknown)."""
    if not frequency:
        return Phrase("equal")
    return Phrase(f"equal {({1: 'frequent', 2: 'common'}).get(frequency, 'rare')}")


def noun(differing: Sequence[str], *, is_shown: bool) -> str:
    """What to call the differing characters: separators are always seen, letters and digits only once shown."""
    if differing and all(letter in SEPARATORS for letter in differing):
        return "separator"
    if is_shown and differing and all(letter.isalpha() for letter in differing):
        return "letter"
    if is_shown and differing and all(letter.isdigit() for letter in differing):
        return "digit"
    return "character"


def describe(script: Sequence[EditStep], name: str) -> tuple[str, tuple[Phrase, ...]]:
    """Return the icons and the phrases for a script, such as "✎" and "one letter replaced"."""
    icons: list[str] = []
    said: list[Phrase] = []
    count = {edit: sum(step.edit is edit for step in script) for edit in Edit}
    if count[Edit.SWAP]:
        icons.append(SWAPPED)
        said.append(Phrase("swapped", 2 * count[Edit.SWAP], name))
    if count[Edit.REPLACE]:
        icons.append(REPLACED)
        said.append(Phrase("replaced", count[Edit.REPLACE], name))
    if count[Edit.LEFT_ONLY] or count[Edit.RIGHT_ONLY]:
        icons.append(ADDED)
        said.append(_added(script, count[Edit.LEFT_ONLY], count[Edit.RIGHT_ONLY], name))
    return "".join(icons), tuple(said) or (Phrase("none differs", 0, name),)


def _added(script: Sequence[EditStep], left: int, right: int, name: str) -> Phrase:
    if left and right:
        return Phrase("on one side", left + right, name)
    number = left + right
    extra = [step.edit in (Edit.LEFT_ONLY, Edit.RIGHT_ONLY) for step in script]
    place = " at the end" if all(extra[-number:]) else " at the start" if all(extra[:number]) else ""
    return Phrase(f"added{place}", number, name)


def _counted(phrase: Phrase) -> str:
    if phrase.key == "none differs":
        return phrase.noun
    number = phrase.count
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} {phrase.noun}{'' if number == 1 else 's'}"
