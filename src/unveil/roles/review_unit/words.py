"""
What is said about a pair of values: icons and words, for the eye and for a screen reader.

Words tell the kind of a difference, never a character. Where characters hide behind placeholders they are not even
called letters or digits.
"""

from __future__ import annotations

from collections.abc import Sequence
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

_FREQUENCY = {1: "frequent", 2: "common"}
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def equal(frequency: int | None) -> str:
    """The words for two equal values of that frequency class (1 frequent, 2 common, 3 and above rare, 0 unknown)."""
    return "equal" if not frequency else f"equal, a {_FREQUENCY.get(frequency, 'rare')} value"


def noun(differing: Sequence[str], *, is_shown: bool) -> str:
    """What to call the differing characters: separators are always seen, letters and digits only once shown."""
    if differing and all(letter in SEPARATORS for letter in differing):
        return "separator"
    if is_shown and differing and all(letter.isalpha() for letter in differing):
        return "letter"
    if is_shown and differing and all(letter.isdigit() for letter in differing):
        return "digit"
    return "character"


def describe(script: Sequence[EditStep], name: str) -> tuple[str, str]:
    """Return the icons and the words for a script, such as "✎" and "one letter replaced"."""
    icons: list[str] = []
    parts: list[str] = []
    count = {edit: sum(step.edit is edit for step in script) for edit in Edit}
    if count[Edit.SWAP]:
        icons.append(SWAPPED)
        parts.append(_counted(2 * count[Edit.SWAP], name) + " swapped")
    if count[Edit.REPLACE]:
        icons.append(REPLACED)
        parts.append(_counted(count[Edit.REPLACE], name) + " replaced")
    if count[Edit.LEFT_ONLY] or count[Edit.RIGHT_ONLY]:
        icons.append(ADDED)
        parts.append(_added(script, count[Edit.LEFT_ONLY], count[Edit.RIGHT_ONLY], name))
    return "".join(icons), " and ".join(parts) or f"no {name} differs"


def _added(script: Sequence[EditStep], left: int, right: int, name: str) -> str:
    if left and right:
        return _counted(left + right, name) + " on one side only"
    number = left + right
    extra = [step.edit in (Edit.LEFT_ONLY, Edit.RIGHT_ONLY) for step in script]
    place = " at the end" if all(extra[-number:]) else " at the start" if all(extra[:number]) else ""
    return _counted(number, name) + " added" + place


def _counted(number: int, name: str) -> str:
    word = _NUMBERS[number] if number < len(_NUMBERS) else str(number)
    return f"{word} {name}{'' if number == 1 else 's'}"
