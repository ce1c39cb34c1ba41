"""
Both values under each other: rows of glyphs in which the same position is the same column, and a gap is a gap.

A glyph knows what it is, so that a page can draw a gap as an empty box and read a hidden character out as hidden,
without guessing from its sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import groupby, zip_longest
from typing import Final

from unveil.roles.review_unit.alignment import Edit, EditStep

GAP: Final = "·"  # in a text; nothing stands here, but something does in the other row


class Sort(Enum):
    """What a glyph stands for."""

    AGREES = "agrees"  # a covered character that is the same in both values
    HIDDEN = "hidden"  # a covered character that differs
    OPEN = "open"  # a character as it is
    LAYOUT = "layout"  # a separator, which is never covered
    GAP = "gap"


@dataclass(frozen=True, slots=True, repr=False)
class Glyph:
    """One position of one row: the sign that is shown, and what it stands for."""

    sign: str
    sort: Sort

    def __repr__(self) -> str:
        return f"Glyph(<{self.sort.value}>)"


Row = tuple[Glyph, ...]
_GAP: Final = Glyph(GAP, Sort.GAP)


def text(row: Row) -> str:
    """The row as text."""
    return "".join(glyph.sign for glyph in row)


def aligned(left: Sequence[Glyph], right: Sequence[Glyph], script: Sequence[EditStep]) -> tuple[Row, Row]:
    """The glyphs of both values as rows, each edit in columns of its own."""
    rows: tuple[list[Glyph], list[Glyph]] = ([], [])
    for step in script:
        width = 2 if step.edit is Edit.SWAP else 1
        one, two = left[step.left : step.left + width], right[step.right : step.right + width]
        rows[0].extend([_GAP] if step.edit is Edit.RIGHT_ONLY else one)
        rows[1].extend([_GAP] if step.edit is Edit.LEFT_ONLY else two)
    return tuple(rows[0]), tuple(rows[1])


def side_by_side(left: Sequence[Glyph], right: Sequence[Glyph]) -> tuple[Row, Row]:
    """The glyphs of both values as rows, position by position; gaps after the shorter one."""
    columns = list(zip_longest(left, right, fillvalue=_GAP))
    return tuple(one for one, _ in columns), tuple(two for _, two in columns)


def collapsed(left: Row, right: Row, length: int) -> tuple[Row, Row]:
    """The rows with every run of columns that agree cut or stretched to one length, which tells nobody the real one."""
    columns: list[tuple[Glyph, Glyph]] = []
    for both, run in groupby(zip(left, right, strict=True)):
        columns += [both] * length if both[0].sort is Sort.AGREES else list(run)
    return tuple(one for one, _ in columns), tuple(two for _, two in columns)
