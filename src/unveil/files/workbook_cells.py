"""
What stands in a cell of a workbook, as a person sees it: days as 1944-01-09, numbers with the zeros of their format.

A workbook keeps a day as a number and a format. Errors such as #N/A are missing values.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

import numpy as np

from unveil.files.workbook_parts import WorkbookParts, XmlEvent

_DAYS: Final = frozenset([*range(14, 18), 22, *range(27, 37), *range(50, 59)])
_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DAY_SIGNS: Final = re.compile(r"[yd]", re.IGNORECASE)
_ZEROS: Final = re.compile(r"0{2,}\Z")
_FROM_1900, _FROM_1904 = np.datetime64("1899-12-30"), np.datetime64("1904-01-01")
_LEAP_MISTAKE: Final = 60  # spreadsheets believe that there was a 29th of February 1900
_LAST_DAY: Final = 2_958_465  # the last of the year 9999
_REFERENCE: Final = re.compile(r"([A-Z]{1,3})\d*\Z")
_MOST_COLUMNS: Final = 16_384


@dataclass(frozen=True, slots=True)
class CellFormat:
    """How numbers of a style are shown: as days, or with so many digits at least."""

    is_day: bool = False
    digits: int = 0


@dataclass(frozen=True, slots=True)
class CellReader:
    """What cells need to be read: texts that several of them share, formats by style, from when days are counted."""

    shared: Sequence[str]
    formats: Sequence[CellFormat]
    from_1904: bool

    @classmethod
    def of(cls, parts: WorkbookParts, *, from_1904: bool) -> CellReader:
        """The reader for a workbook."""
        return cls(_shared_texts(parts), _formats(parts), from_1904)

    def text(self, given: Mapping[str, str], value: str) -> str:
        """The text of a cell with this tag and value."""
        kind = given.get("t", "n")
        if kind == "s":
            return self.shared[int(value)] if value else ""
        if kind == "e":
            return ""
        if kind in {"str", "inlineStr"}:
            return value
        if kind == "d":
            return value.partition("T")[0]
        if kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(value, value)
        style = int(given.get("s", "0") or 0)
        return self._number(value, self.formats[style] if style < len(self.formats) else CellFormat())

    def _number(self, value: str, shown: CellFormat) -> str:
        try:
            number = Decimal(value)
        except InvalidOperation:
            return value
        whole = number == number.to_integral_value()
        if shown.is_day and 0 <= number < _LAST_DAY:
            return self._day(int(number))
        if not whole:
            return format(number, "f")
        return str(int(number)).rjust(shown.digits, "0") if abs(number) < 10**20 else value

    def _day(self, number: int) -> str:
        if self.from_1904:
            return str(_FROM_1904 + number)
        return str(_FROM_1900 + number + (number < _LEAP_MISTAKE))


def column_at(reference: str, otherwise: int) -> int:
    """Where the column of a cell stands, from its reference such as B3."""
    found = _REFERENCE.match(reference)
    if found is None:
        return otherwise
    place = 0
    for letter in found[1]:
        place = 26 * place + ord(letter) - ord("A") + 1
    if place > _MOST_COLUMNS:
        raise ValueError("no sheet has so many columns")
    return place - 1


def _shared_texts(parts: WorkbookParts) -> list[str]:
    file = "xl/sharedStrings.xml"
    texts: list[str] = []
    pieces: list[str] = []
    is_reading_aid = False
    for event in parts.events(file) if parts.has(file) else ():
        if event.name == "rPh":  # how a word is pronounced, beside it
            is_reading_aid = not event.is_end
        elif event.name == "t" and event.is_end and not is_reading_aid:
            pieces.append(event.text)
        elif event.name == "si" and event.is_end:
            texts.append("".join(pieces))
            pieces.clear()
    return texts


def _formats(parts: WorkbookParts) -> list[CellFormat]:
    """By style, how numbers are shown."""
    file = "xl/styles.xml"
    codes: dict[str, str] = {}
    found: list[CellFormat] = []
    is_cell_style = False
    for event in parts.events(file) if parts.has(file) else ():
        if event.name == "numFmt" and not event.is_end:
            codes[event.given.get("numFmtId", "")] = event.given.get("formatCode", "")
        elif event.name == "cellXfs":
            is_cell_style = not event.is_end
        elif event.name == "xf" and not event.is_end and is_cell_style:
            found.append(_format(event, codes))
    return found


def _format(event: XmlEvent, codes: Mapping[str, str]) -> CellFormat:
    number = event.given.get("numFmtId", "0")
    if number not in codes:
        return CellFormat(is_day=number.isdecimal() and int(number) in _DAYS)
    code = _QUOTED.sub("", codes[number]).partition(";")[0]
    return CellFormat(bool(_DAY_SIGNS.search(code)), len(code) if _ZEROS.match(code) else 0)
