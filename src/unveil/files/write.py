"""
CSV files for people, safe to open in a spreadsheet.

A spreadsheet runs a cell that begins with =, +, -, @, a tab or a line end as a formula, in quotes or not, and the cell
may have come from somebody else's records. Such text gets an apostrophe in front. A record id that begins with an
apostrophe gets one too, so that `plain_id` always gives the id back: it takes one leading apostrophe away. Ids of
letters and digits are written as they are.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, TextIO

from unveil.files.atomic import replacing
from unveil.files.source import STANDARD
from unveil.safety.visible import visible

LINK_COLUMNS: Final = ("record_id_a", "record_id_b", "similarity")

#: The wide forms are here because spreadsheets in East Asian locales read them as the narrow ones.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
_APOSTROPHE: Final = "'"


def safe_text(value: str) -> str:
    """The text, with an apostrophe in front if a spreadsheet would run it as a formula."""
    return _APOSTROPHE + value if value.startswith(_FORMULA) else value


def safe_id(value: str) -> str:
    """The record id as it is written to CSV; plain_id(safe_id(x)) = x."""
    return _APOSTROPHE + value if value.startswith((*_FORMULA, _APOSTROPHE)) else value


def plain_id(written: str) -> str:
    """The record id that was written so."""
    return written.removeprefix(_APOSTROPHE)


def write_rows(
    path: Path,
    header: Sequence[str],
    rows: Iterable[Sequence[str | int | float]],
    *,
    ids: Sequence[str] = (),
    overwrite: bool = True,
) -> int:
    """
    Write rows as CSV and return how many there were; the file appears whole or not at all.

    Text in the columns named by `ids` is written so that plain_id gives it back; numbers are written as numbers, and
    every other text is made safe for spreadsheets. The path `-` is standard output; a person who looks at it there sees
    whatever steers a terminal written out.
    """
    makers: list[Callable[[str], str]] = [safe_id if name in ids else safe_text for name in header]
    if path == STANDARD:
        if sys.stdout.isatty():
            makers = [_seen(make) for make in makers]
        return _write(sys.stdout, header, rows, makers)
    with replacing(path, overwrite=overwrite) as temporary, temporary.open("w", newline="", encoding="utf-8") as handle:
        return _write(handle, header, rows, makers)


def _seen(make: Callable[[str], str]) -> Callable[[str], str]:
    return lambda value: visible(make(value))


def _write(
    handle: TextIO,
    header: Sequence[str],
    rows: Iterable[Sequence[str | int | float]],
    makers: Sequence[Callable[[str], str]],
) -> int:
    # All text in quotes: the writer would leave a lone carriage return bare, and a reader breaks the row there.
    writer = csv.writer(handle, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow([safe_text(name) for name in header])
    count = 0
    for row in rows:
        cells = zip(makers, row, strict=True)
        writer.writerow([make(cell) if isinstance(cell, str) else cell for make, cell in cells])
        count += 1
    return count


def write_id_pairs(
    path: Path, header: tuple[str, str], rows: Sequence[tuple[str, str]], *, overwrite: bool = True
) -> None:
    """Write pairs of ids as CSV, or as Parquet if the name says so."""
    if path.suffix.lower() != ".parquet":
        write_rows(path, header, rows, ids=header, overwrite=overwrite)
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: pa.array([row[side] for row in rows], pa.string()) for side, name in enumerate(header)}
    with replacing(path, overwrite=overwrite) as temporary:
        pq.write_table(pa.table(columns), temporary)


def write_links(
    path: Path,
    rows: Iterable[Sequence[str | int | float]],
    *,
    more: Sequence[str] = (),
    overwrite: bool = True,
) -> int:
    """Write links as CSV: rows of record_id_a, record_id_b, similarity and the columns named by `more`."""
    return write_rows(path, (*LINK_COLUMNS, *more), rows, ids=LINK_COLUMNS[:2], overwrite=overwrite)
