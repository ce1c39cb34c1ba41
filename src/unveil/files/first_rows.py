"""Where the header of a table stands: below titles and empty lines, and in one row or, with merged cells, in two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: Rows at the beginning of a table that tell.
LOOKED_AT: Final = 30
_LEAST_WIDTH: Final = 3  # cells: in a narrower table a title looks like a header
_BREAK: Final = re.compile(r"\s*[\r\n]+\s*")  # in a cell


@dataclass(frozen=True, slots=True, repr=False)
class HeaderPlace:
    """How many rows stand before the header, how many of these hold something, and the names of the columns."""

    before: int
    titles: int
    rows: int
    names: tuple[str, ...]
    nameless: tuple[int, ...] = ()  #: columns without a name that hold something, counted from 1

    def notes(self, path: Path) -> Iterator[str]:
        """What people should know of it; no cell is shown, for what is no header may be a person."""
        if self.titles:
            lines = "1 line before the header is" if self.titles == 1 else f"{self.titles} lines before the header are"
            yield f"{path}: {lines} left out"
        if self.rows > 1:
            yield f"{path}: the header has two rows, and columns are called as the lower one says"
        if self.nameless:
            columns = ", ".join(map(str, self.nameless))
            word, verb = ("column", "has") if len(self.nameless) == 1 else ("columns", "have")
            yield f"{path}: {word} {columns} {verb} no name in the header, and what stands there is left out"


def header_place(rows: Sequence[Sequence[str]]) -> HeaderPlace:
    """The place of the header among the first rows of a table; the first row that holds something, if in doubt."""
    rows = [[_BREAK.sub(" ", cell.strip()) for cell in row] for row in rows]
    blank = next((at for at, row in enumerate(rows) if any(row)), len(rows))
    width = _width(rows)
    before = blank
    if width >= _LEAST_WIDTH:
        at = blank
        while at < len(rows) and _is_title(rows[at], width):
            at += 1
        if at + 1 < len(rows) and len(rows[at]) >= width and _may_name(rows[at]):
            before = at
            grouped = at > blank and sum(map(bool, rows[at - 1])) > 1
            before -= grouped and _is_double(rows[at - 1], rows[at], rows[at + 1 :])
    titles = sum(any(row) for row in rows[:before])
    upper, lower = (*rows[before : before + 2], [], [])[:2]
    count = 2 if _is_double(upper, lower, rows[before + 2 :]) else 1
    called = tuple(_names(upper, lower) if count > 1 else upper)
    held = rows[before + count :]
    nameless = tuple(
        place + 1
        for place, name in enumerate(called)
        if not name and any(place < len(row) and row[place] for row in held)
    )
    return HeaderPlace(before, titles, count, called, nameless)


def _width(rows: Sequence[Sequence[str]]) -> int:
    """How many cells most rows have; of as common numbers the largest."""
    counts = Counter(len(row) for row in rows if any(row))
    return max(counts, key=lambda width: (counts[width], width), default=0)


def _is_title(row: Sequence[str], width: int) -> bool:
    held = sum(map(bool, row))
    return held <= 1 or 2 * held < width


def _may_name(row: Sequence[str]) -> bool:
    """Whether every cell that holds something may be the name of a column, and not a value of a person."""
    held = [cell for cell in row if cell]
    return all("@" not in cell and any(sign.isalpha() for sign in cell) for cell in held)


def _is_double(upper: Sequence[str], lower: Sequence[str], records: Sequence[Sequence[str]]) -> bool:
    """Whether a row of groups stands above a row of names: merged cells leave gaps, which the other row fills."""
    if len(upper) != len(lower) or len(upper) < _LEAST_WIDTH or not records:
        return False
    gaps = [at for at, cell in enumerate(upper) if not cell]
    fills = bool(gaps) and all(lower[at] for at in gaps)
    # A record has numbers: a day of birth, a postal code.
    plain = not any(sign.isdecimal() for cell in lower for sign in cell)
    numbered = sum(any(sign.isdecimal() for cell in row for sign in cell) for row in records)
    return fills and plain and _may_name(upper) and 2 * numbered > len(records)


def _names(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    """The lower names, or the upper ones where cells were merged downwards; with the group's where two are alike."""
    names = [below or above for above, below in zip(upper, lower, strict=True)]
    group, groups = "", []
    for above, below in zip(upper, lower, strict=True):
        group = above or group
        groups.append(group if below else "")
    both = zip(groups, names, strict=True)
    return [f"{above} {name}".strip() if names.count(name) > 1 else name for above, name in both]
