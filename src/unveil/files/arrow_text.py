"""Columns of Arrow as the text that a person would read: distinct values and numbers of them, no object per row."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from unveil.errors import InputError
from unveil.files.csv_rows import NOT_UTF8, TOO_LONG
from unveil.files.parquet_pages import UnpackedSize
from unveil.files.source import FIELD_LIMIT
from unveil.files.table import Repeated

_WHOLE: Final = "text, dates or whole numbers are needed"
_AS_TEXT: Final = "write the column as text, so that every value is exactly what a person would read"


class NotWhole(InputError):
    """Numbers in a column have decimals: how many a person would write is nobody's to guess."""


def unreadable_types(schema: Any) -> dict[str, str]:
    """By name, the columns of these whose type has no text that everybody would write, each with the reason."""
    kinds = {field.name: _kind(field.type) for field in schema}
    return {name: f"of type {kind}: write it as text" for name, kind in kinds.items() if not _is_readable(kind)}


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow, or the values of a dictionary, are text."""
    kind = _kind(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def check_type(path: Path, kind: Any, name: str) -> None:
    """Refuse a column of a type that has no text of its own."""
    if not _is_readable(_kind(kind)):
        raise InputError(path, f"is of type {_kind(kind)}; {_WHOLE}", column=name, hint=_AS_TEXT)


def column_text(path: Path, column: Any, name: str, before: int, unpacked: UnpackedSize | None = None) -> Repeated:
    """
    A column of a batch as text; `before` is the number of rows before it.

    Whole numbers are written in decimals, dates as 1984-05-12, null is the empty string. `unpacked` bounds what all of
    it may become; without it, the values stand in memory already.
    """
    if not pa.types.is_dictionary(column.type):
        if pa.types.is_string_view(column.type):  # as polars has text, and for which Arrow can do little
            column = column.cast(pa.large_string())
        column = column.dictionary_encode()
    numbers, where = np.unique(column.indices.fill_null(-1).to_numpy(zero_copy_only=False), return_inverse=True)
    some = pa.array(numbers, mask=numbers < 0)
    try:
        values = column.dictionary
        if pa.types.is_string_view(values.type):
            values = values.cast(pa.large_string())
        text = as_text(values.take(some))
    except pa.ArrowInvalid:
        if not pa.types.is_floating(column.type.value_type):
            raise
        raise NotWhole(path, f"holds numbers that are not whole; {_WHOLE}", column=name, hint=_AS_TEXT) from None
    lengths = pc.binary_length(text).fill_null(0).to_numpy(zero_copy_only=False)
    if lengths.max(initial=0) > 4 * FIELD_LIMIT:  # at most four bytes to a character
        row = before + 1 + int(np.argmax(lengths[where] > 4 * FIELD_LIMIT))
        raise InputError(path, TOO_LONG[0], row=row, column=name, hint=TOO_LONG[1])
    if unpacked is not None:
        unpacked.take(int(lengths[where].sum()))
    try:
        return Repeated(text.fill_null("").to_pylist(), where)
    except UnicodeDecodeError:
        row = before + 1 + int(np.argmax(np.isin(where, _broken(text))))
        raise InputError(path, NOT_UTF8[0], row=row, column=name, hint=NOT_UTF8[1]) from None


def as_text(values: Any) -> Any:
    """The text of distinct values. Numbers that a program made floats of because some are missing are whole again."""
    kind = values.type
    if pa.types.is_floating(kind):
        values = pc.if_else(pc.is_nan(values), None, values).cast(pa.int64())
    elif pa.types.is_timestamp(kind):
        values = (pc.local_timestamp(values) if kind.tz else values).cast(pa.date32(), safe=False)
    elif pa.types.is_date64(kind):
        values = values.cast(pa.date32())
    return values.cast(pa.large_string())


def _kind(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_readable(kind: Any) -> bool:
    types = pa.types
    usual = (types.is_integer, types.is_floating, types.is_date, types.is_timestamp, types.is_null)
    return is_text(kind) or any(is_of(kind) for is_of in usual)


def _broken(text: Any) -> list[int]:
    """The places of what is not UTF-8."""
    broken = []
    for place in range(len(text)):
        try:
            text[place].as_py()
        except UnicodeDecodeError:
            broken.append(place)
    return broken
