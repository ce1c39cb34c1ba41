"""Rows of a table that are no records: the header once more, where files were put together, and a total at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.errors import InputError
from unveil.records import Column
from unveil.schema.attribute_roles import role_from_name

TAKE_OUT: Final = "take the line out, and the others like it, if there are any"
_FEW: Final = 2  # a town may be called Town; two columns whose names are among their values are no chance
_KNOWN: Final = 3  # of so many names one says what a header says
# fmt: off
_TOTALS: Final = frozenset({
    "total", "totals", "grand total", "subtotal", "sum", "count", "records", "rows", "summe", "gesamt", "gesamtsumme",
    "gesamtergebnis", "insgesamt", "anzahl", "somme", "totaux", "nombre", "suma", "recuento", "totale", "somma",
    "conteggio", "totaal", "aantal", "soma", "contagem", "razem", "summa", "antal", "yhteensä", "toplam", "celkem",
    "součet", "összesen", "ukupno", "итого", "всего", "end of report", "end of file", "eof",
})
# fmt: on


def named_again(columns: Mapping[str, Column]) -> NDArray[np.int64]:
    """Rows, counted from 0, in which several columns hold their own names."""
    if not columns:
        return np.zeros(0, np.int64)
    found = np.zeros(len(next(iter(columns.values()))), np.int8)
    for name, column in columns.items():
        called = name.casefold()
        same = np.array([value.casefold() == called for value in column.distinct], bool)
        found += same[column.codes]
    return np.flatnonzero(found >= _FEW)


def refuse_second_header(path: Path, columns: Mapping[str, Column], numbers: Sequence[int] | NDArray[np.int64]) -> None:
    """Refuse a table whose header stands in it once more; `numbers` are those of its rows."""
    again = named_again(columns)
    if not len(again):
        return
    known = sum(role_from_name(name) != "other" for name in columns)
    if known * _KNOWN < len(columns):
        hint = "name the columns in the first line, or say --no-header: they are then called 1, 2, 3, …"
        raise InputError(path, "the first line seems to be a record, not a header", hint=hint)
    raise InputError(path, "is the header once more", row=int(numbers[int(again[0])]), hint=TAKE_OUT)


def total_at_the_end(
    path: Path, ids: str, columns: Mapping[str, Column], numbers: Sequence[int] | NDArray[np.int64]
) -> Iterator[str]:
    """What to say where the last row, whose id is given, seems to be a total: most of it is empty, and it says so."""
    last = [column[len(column) - 1] for column in columns.values()]
    held = [value for value in (ids, *last) if value]
    words = {value.casefold().rstrip(" :.").lstrip("(") for value in held}
    if len(held) <= (len(last) + 1) / 2 and words & _TOTALS:
        row = int(numbers[len(numbers) - 1])
        yield f"{path}: row {row}, the last one, seems to be a total and is read as a record: take it out"
