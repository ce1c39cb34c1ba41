"""Postal codes in one form: capitals without blanks, without a country before them, with the zeros that got lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from unveil.forms.findings import Finding, FormedColumn, many, places_of, rewritten
from unveil.records import Column

_COUNTRY: Final = re.compile(r"(?:[A-Z]{1,3})[-\s]+(?=\d{4,6}\b)")
_DECIMAL: Final = re.compile(r"(\d{2,6})[.,]0+\Z")
_GROUPED: Final = re.compile(r"(\d{1,3})[.,'\u2019\u00a0\u202f](\d{3})\Z")
_SHORTENED: Final = re.compile(r"\d(?:[.,]\d+)?E[+-]?\d+\Z")
_PLUS_FOUR: Final = re.compile(r"(\d{4,5})-\d{4}\Z")
_BLANKS: Final = re.compile(r"[\s\-]+")
_LOST: Final = 2  # zeros at the beginning that a code may have
_MOST: Final = 0.5
_STRANGE: Final = 0.02


def postcode_column(column: Column, *, length: int | None = None) -> FormedColumn:
    """The codes of a column in one form; codes of digits are as long as most of them, or as `length` says."""
    counts = column.counts().tolist()
    plain = [_plain(value) for value in column.distinct]
    lengths: Counter[int] = Counter()
    for value, count in zip(plain, counts, strict=True):
        if value.isdecimal():
            lengths[len(value)] += count
    usual = length or _usual(lengths, sum(count for value, count in zip(plain, counts, strict=True) if value))
    values = [_padded(value, usual) for value in plain]
    shorter = [code for code, value in enumerate(plain) if values[code] != value]
    odd = [code for code, value in enumerate(values) if usual and value.isdecimal() and len(value) != usual]
    lost = [code for code, value in enumerate(plain) if _SHORTENED.match(value)]
    found = [
        *_shortened(lost, column),
        *_lost_zeros(shorter, column, usual),
        *_odd(odd, column, usual),
        *_untold(lengths, usual),
    ]
    return FormedColumn(rewritten(column, values), tuple(found))


def _plain(value: str) -> str:
    code = value.strip().upper()
    code = _COUNTRY.sub("", code, count=1)
    if decimal := _DECIMAL.match(code):
        return decimal[1]
    if grouped := _GROUPED.match(code):  # a number with a sign between its thousands
        return grouped[1] + grouped[2]
    if longer := _PLUS_FOUR.match(code):  # the delivery route, which few registers have
        return longer[1]
    return _BLANKS.sub("", code)


def _usual(lengths: Counter[int], total: int) -> int | None:
    """The length that most codes have, if most of them are digits."""
    if not lengths:
        return None
    length, times = max(lengths.items(), key=lambda one: (one[1], one[0]))
    return length if times > _MOST * total else None


def _padded(value: str, usual: int | None) -> str:
    if usual is None or not value.isdecimal() or not 0 < usual - len(value) <= _LOST:
        return value
    return value.rjust(usual, "0")


def _lost_zeros(codes: Sequence[int], column: Column, usual: int | None) -> Iterator[Finding]:
    if codes:
        values, places = places_of(column, codes)
        what = f"lost zeros at the beginning and have {usual} digits again: {many(values, 'postal code')}"
        yield Finding(what, is_warning=False, values=values, places=places)


def _shortened(codes: Sequence[int], column: Column) -> Iterator[Finding]:
    if codes:
        values, places = places_of(column, codes)
        what = "are written as 1.067E+03, which lost digits: export the column as text"
        yield Finding(f"{what} ({many(values, 'postal code')})", values=values, places=places)


def _odd(codes: Sequence[int], column: Column, usual: int | None) -> Iterator[Finding]:
    if codes:
        values, places = places_of(column, codes)
        yield Finding(
            f"have another number of digits than {usual}: {many(values, 'postal code')}",
            values > _STRANGE * len(column),
            values,
            places,
        )


def _untold(lengths: Counter[int], usual: int | None) -> Iterator[Finding]:
    if usual is None and len(lengths) > 1:
        what = "no number of digits is usual among the postal codes, so lost zeros cannot be told"
        yield Finding(f"{what}: set length in the schema", values=lengths.total())
