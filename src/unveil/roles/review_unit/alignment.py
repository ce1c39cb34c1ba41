"""
Where two values agree and where they differ: an edit script by optimal string alignment.

Replacing, adding or leaving out a character costs one edit, and so does swapping two neighbours. Of the scripts with
the fewest edits the one that leaves most characters agreeing is taken, because agreeing characters stay hidden; of
those, the one that agrees earliest, so that a doubled letter counts as added after its twin. The script holds positions
only, never a character.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from unveil.protocol.messages import LONGEST_VALUE


class Edit(Enum):
    """What a step of the script says of the characters it takes."""

    AGREE = "agree"
    SWAP = "swap"
    REPLACE = "replace"
    LEFT_ONLY = "left only"
    RIGHT_ONLY = "right only"


#: How many characters an edit takes from the left and from the right value.
TAKES: Final = {
    Edit.AGREE: (1, 1),
    Edit.SWAP: (2, 2),
    Edit.REPLACE: (1, 1),
    Edit.LEFT_ONLY: (1, 0),
    Edit.RIGHT_ONLY: (0, 1),
}


@dataclass(frozen=True, slots=True)
class EditStep:
    """One step, at these positions of the left and the right value."""

    edit: Edit
    left: int
    right: int

    def taken(self, left: str, right: str) -> tuple[str, str]:
        """The characters of both values that the step takes."""
        from_left, from_right = TAKES[self.edit]
        return left[self.left : self.left + from_left], right[self.right : self.right + from_right]


_EDIT = 1 << 16  # an edit outweighs any number of characters shown, so the sum orders by edits first
_WEIGHT = {
    Edit.AGREE: 0,
    Edit.SWAP: _EDIT + 4,
    Edit.REPLACE: _EDIT + 2,
    Edit.LEFT_ONLY: _EDIT + 1,
    Edit.RIGHT_ONLY: _EDIT + 1,
}
_MIRROR = {Edit.LEFT_ONLY: Edit.RIGHT_ONLY, Edit.RIGHT_ONLY: Edit.LEFT_ONLY}
_LARGEST = LONGEST_VALUE * LONGEST_VALUE  # cells of the table; beyond what the unit takes, nothing may stall a review


def align(left: str, right: str) -> tuple[EditStep, ...]:
    """
    Return the script that turns left into right; the script of (right, left) is its mirror image.

    Letter case does not matter. Values far longer than any attribute are compared position by position.
    """
    a, b = fold(left), fold(right)
    if a > b:  # one orientation is computed and the other mirrored, so that ties fall alike whoever stands left
        return tuple(EditStep(_MIRROR.get(step.edit, step.edit), step.right, step.left) for step in _script(b, a))
    return _script(a, b)


def fold(value: str) -> str:
    """The value without letter case, as many characters long as before."""
    return "".join(low if len(low := letter.casefold()) == 1 else letter for letter in value)


def edits(script: tuple[EditStep, ...]) -> int:
    """Return the optimal string alignment distance that the script realises."""
    return sum(step.edit is not Edit.AGREE for step in script)


def _script(a: str, b: str) -> tuple[EditStep, ...]:
    if len(a) * len(b) > _LARGEST:
        return _by_position(a, b)
    cost = _costs(a, b)
    steps = []
    i = j = 0
    while i < len(a) or j < len(b):
        edit = next(edit for edit, total in _moves(a, b, cost, i, j) if total == cost[i][j])
        steps.append(EditStep(edit, i, j))
        i, j = i + TAKES[edit][0], j + TAKES[edit][1]
    return tuple(steps)


def _costs(a: str, b: str) -> list[list[int]]:
    """The least weight that aligns a[i:] with b[j:], for every i and j."""
    alone, swap, replace = _WEIGHT[Edit.LEFT_ONLY], _WEIGHT[Edit.SWAP], _WEIGHT[Edit.REPLACE]
    below = [alone * (len(b) - j) for j in range(len(b) + 1)]  # the row of a's end: what is left of b is b's alone
    cost = [below]
    for i in range(len(a) - 1, -1, -1):
        row = [0] * len(b) + [below[-1] + alone]
        for j in range(len(b) - 1, -1, -1):
            best = min(below[j], row[j + 1]) + alone
            if a[i] == b[j]:
                best = min(best, below[j + 1])
            else:
                best = min(best, below[j + 1] + replace)
                if a[i : i + 2] == b[j : j + 2][::-1] and i + 1 < len(a):
                    best = min(best, cost[-2][j + 2] + swap)
            row[j] = best
        cost.append(row)
        below = row
    return cost[::-1]


def _moves(a: str, b: str, cost: list[list[int]], i: int, j: int) -> list[tuple[Edit, int]]:
    """The edits that are possible at (i, j), in order of preference, with the weight of the best script after each."""
    possible = []
    in_a, in_b = i < len(a), j < len(b)
    if in_a and in_b:
        if a[i] == b[j]:
            possible.append(Edit.AGREE)
        if a[i] != b[j] and a[i : i + 2] == b[j : j + 2][::-1] and i + 1 < len(a):
            possible.append(Edit.SWAP)
        if a[i] != b[j]:
            possible.append(Edit.REPLACE)
    if in_a:
        possible.append(Edit.LEFT_ONLY)
    if in_b:
        possible.append(Edit.RIGHT_ONLY)
    return [(edit, _WEIGHT[edit] + cost[i + TAKES[edit][0]][j + TAKES[edit][1]]) for edit in possible]


def _by_position(a: str, b: str) -> tuple[EditStep, ...]:
    both = min(len(a), len(b))
    steps = [EditStep(Edit.AGREE if a[at] == b[at] else Edit.REPLACE, at, at) for at in range(both)]
    steps += [EditStep(Edit.LEFT_ONLY, at, both) for at in range(both, len(a))]
    steps += [EditStep(Edit.RIGHT_ONLY, both, at) for at in range(both, len(b))]
    return tuple(steps)
