"""What stands between the values of a line, as the first lines of a table tell."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from unveil.files.first_rows import header_place

_LIKELY: Final = (",", ";", "\t", "|")
#: Signs that stand between values where none of these does, in every line as often.
_RARE: Final = ("^", "~", "\x1f", "\u00a6")
_TELLING: Final = 3  # columns
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
        rows = rows_of(lines, delimiter)
        place = header_place(rows)
        records = [row for row in rows[place.before :] if row]
        width = len(place.names)
        alike = sum(len(row) == width for row in records) / max(1, len(records)) if width > 1 else 0.0
        return sum(name in place.names for name in needed), alike, width

    found = max(_LIKELY, key=fitness)
    if fitness(found)[2] > 1:
        return found
    rare = max(_RARE, key=fitness)
    return rare if fitness(rare)[1:] >= (1.0, _TELLING) else found


def rows_of(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """The first rows of a table as this delimiter cuts them, empty ones among them."""
    rows: list[list[str]] = []
    # A value that is far too long ends it, perhaps; reading will say where.
    with suppress(csv.Error):
        rows.extend(csv.reader(lines, delimiter=delimiter))
    return rows
