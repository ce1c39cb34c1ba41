"""
Whether two values are alike enough to be shown at all.

The attribute unit lets values through by their filters, and filters of unrelated values look alike now and then. Here
both values are known, so the last word is said here: of values that agree nowhere or hardly a reviewer learns that they
are different, and no character.
"""

from __future__ import annotations

from typing import Final

from unveil.linkage.shown import SEPARATORS
from unveil.roles.review_unit.alignment import Edit, align, fold

_HALF: Final = 0.5
_LONG: Final = 12  # characters of both values: from here on half of them agree hardly ever by chance


def likeness(left: str, right: str) -> float:
    """
    Return the share of characters that the two values have in common, from 0 to 1 and the same both ways.

    2·c / (length of left + length of right), where c counts aligned characters that agree or only changed places with
    their neighbour. Letter case and separators do not count. A value that the other begins or ends with, such as an
    initial, is in it as a whole: 1.
    """
    a, b = _letters(left), _letters(right)
    if not a or not b:
        return 0.0
    if a.startswith(b) or b.startswith(a) or a.endswith(b) or b.endswith(a):
        return 1.0
    common = sum(_common(step.edit, step.taken(left, right)[0]) for step in align(left, right))
    return 2 * common / (len(a) + len(b))


def are_alike(left: str, right: str) -> bool:
    """Whether the values have more than half of their characters in common; of long ones, half is enough."""
    share = likeness(left, right)
    return share > _HALF or (share == _HALF and len(_letters(left)) + len(_letters(right)) >= _LONG)


def _letters(value: str) -> str:
    return "".join(letter for letter in fold(value) if letter not in SEPARATORS)


def _common(edit: Edit, taken: str) -> int:
    if edit not in (Edit.AGREE, Edit.SWAP):
        return 0
    return sum(letter not in SEPARATORS for letter in taken)
