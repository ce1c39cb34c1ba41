"""
CSV of ids and filters in base64 text.

PRIMAT writes no header (some of its parts do), the id first and a filter in each further column, with the least
significant bit first and without zero bytes at the end; one of its forms has the bytes in reverse. The client of ul-mds
has the columns `id` and `value`, with the most significant bit first.
"""

from __future__ import annotations

import base64
import binascii
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from unveil.errors import InputError, SettingError
from unveil.files.encoded import Encodings
from unveil.files.open_table import open_table
from unveil.files.reading import Reading
from unveil.interop.base64_filters import filters_of, texts_of
from unveil.interop.bit_order import LEAST, MOST
from unveil.interop.clk_files import ReadFilters
from unveil.interop.links import ForeignLinks, LinkedSide
from unveil.interop.result_columns import columns_of, figures_of

_UL_MDS: Final = ("id", "value")
_MATCHES: Final = ("domain_id", "domain_file", "range_id", "range_file", "similarity")
_LEAST_BYTES: Final = 8  # of a filter; a name of a column that happens to be base64 text stands for fewer


def read_primat(path: Path, *, m: int | None, part: str | None, reverse: bool = False) -> ReadFilters:
    """Ids and filters in a file of PRIMAT; `part` says which column, where a record has several."""
    table = open_table(path, Reading(header=False))
    if len(table.columns) < 2:  # noqa: PLR2004 - an id and a filter
        raise InputError(path, "has one column, and an id and a filter are needed")
    if part is None and len(table.columns) > 2:  # noqa: PLR2004
        raise InputError(
            path,
            f"has {len(table.columns) - 1} filters for each record",
            hint="--part 2 takes the second column, and so on: encodings of single attributes are linked one by one",
        )
    if part is not None and (part not in table.columns or part == "1"):
        raise SettingError(f"--part: {path} has the columns 2 to {len(table.columns)}")
    ids: list[str] = []
    texts: list[str] = []
    for batch in table.batches(["1", part or "2"]):
        ids += batch.values(0)
        texts += batch.values(1)
    notes: tuple[str, ...] = ()
    if ids and _is_header(ids[0], texts[0]):
        ids, texts = ids[1:], texts[1:]
        notes = ("the first line names the columns, and is taken for no record",)
    if reverse:
        texts = [_turned(text) for text in texts]
    return ReadFilters(*filters_of(path, texts, LEAST, m=m, cut=True), ids=ids, notes=notes)


def primat_csv(file: Encodings, *, reverse: bool = False) -> Iterator[str]:
    """A line for each record: its id and its filter."""
    texts = texts_of(file.filters, file.m, LEAST, cut=True)
    yield from _lines((one, _turned(text) if reverse else text) for one, text in zip(file.ids, texts, strict=True))


def read_ul_mds_csv(path: Path, *, m: int | None) -> ReadFilters:
    """Ids and filters in a file of the client of ul-mds."""
    ids, texts = columns_of(path, _UL_MDS)
    return ReadFilters(*filters_of(path, texts, MOST, m=m), ids=ids)


def ul_mds_csv(file: Encodings) -> Iterator[str]:
    """A header, and a line for each record."""
    yield from _lines([_UL_MDS])
    yield from _lines(zip(file.ids, texts_of(file.filters, file.m, MOST), strict=True))


def read_ul_mds_matches(path: Path) -> ForeignLinks:
    """Matches as the client of ul-mds writes them."""
    left, right = columns_of(path, [_MATCHES[0], _MATCHES[2]])
    return ForeignLinks(left, right, similarity=figures_of(path, _MATCHES[4]))


def ul_mds_matches_csv(links: ForeignLinks, sides: tuple[LinkedSide, LinkedSide]) -> Iterator[str]:
    """The same for links that have a similarity."""
    if links.similarity is None:
        raise SettingError("these links have no similarity", hint="link with --threshold, or by unveil link")
    yield from _lines([_MATCHES])
    names = sides[0].name, sides[1].name
    yield from _lines(
        (left, names[0], right, names[1], repr(float(score)))
        for left, right, score in zip(links.left, links.right, links.similarity, strict=True)
    )


def _lines(rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> Iterator[str]:
    """Lines of CSV for programs: texts stand as they are, even where a spreadsheet would take one for a formula."""
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\r\n").writerow(row)
        yield line.getvalue()


def _turned(text: str) -> str:
    """The base64 text of the same bytes in reverse; a text that is none stays, and is refused where it is read."""
    try:
        return base64.b64encode(binascii.a2b_base64(text, strict_mode=True)[::-1]).decode()
    except (binascii.Error, ValueError):
        return text


def _is_header(one_id: str, text: str) -> bool:
    """Whether a line names columns: no text of a filter, or a short one beside what is called an id."""
    if not text:  # a filter without a one
        return False
    try:
        size = len(binascii.a2b_base64(text, strict_mode=True))
    except (binascii.Error, ValueError):
        return True
    return size < _LEAST_BYTES and "id" in one_id.casefold()
