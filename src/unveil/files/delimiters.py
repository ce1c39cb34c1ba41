"""What stands between the values of a line, as the first lines of a table tell."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

_LIKELY: Final = (",", ";", "\t", "|")
#: A spreadsheet's own word on it, in a line before the header.
_SAID: Final = re.compile(r'"?sep=(.)"?\s*\Z', re.IGNORECASE)


def said_delimiter(line: str) -> str | None:
    """The delimiter that a line before the header names, as spreadsheets write it; None if it is no such line."""
    said = _SAID.match(line.strip("\r\n"))
    return said[1] if said else None


def found_delimiter(lines: Sequence[str], needed: Sequence[str] = ()) -> str:
    """
    The delimiter under which the first line has most of the needed columns.

    Of those that find as many, the one that cuts most lines into as many values as the first; then into most.
    """

    def fitness(delimiter: str) -> tuple[int, float, int]:
        rows = _cut(lines, delimiter)
        names = [cell.strip() for cell in rows[0]] if rows else []
        width = len(names)
        alike = sum(len(row) == width for row in rows) / max(1, len(rows)) if width > 1 else 0.0
        return sum(name in names for name in needed), alike, width

    return max(_LIKELY, key=fitness)


def _cut(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    rows: list[list[str]] = []
    # A value that is far too long ends it, perhaps; reading will say where.
    with suppress(csv.Error):
        rows.extend(row for row in csv.reader(lines, delimiter=delimiter) if row)
    return rows
