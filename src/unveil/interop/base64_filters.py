"""Filters as base64 text: of one length, or without the zero bytes at the end that Java's BitSet leaves out."""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.errors import InputError
from unveil.interop.bit_order import BitOrder, byte_count, filter_rows, filter_words
from unveil.linkage.bits import Words

#: Bits of the longest filter that is read.
LONGEST: Final = 1 << 20
_WORD: Final = 8  # bytes
_AT_ONCE: Final = 10_000


def filters_of(
    path: Path, texts: Sequence[Any], order: BitOrder, *, m: int | None = None, cut: bool = False
) -> tuple[Words, int]:
    """
    The filters in these texts and their length in bits.

    With `cut`, zero bytes at the end may be missing; the length is then `m`, or whole words of the longest.
    """
    if not texts:
        raise InputError(path, "holds no encodings")
    raw = [_bytes_of(path, text, row) for row, text in enumerate(texts, 1)]
    longest = max(map(len, raw))
    length = m or 8 * (-(-longest // _WORD) * _WORD if cut else longest)
    width = byte_count(length)
    if not 0 < length <= LONGEST:
        raise InputError(path, f"holds encodings of {length} bits", hint=f"1 to {LONGEST} bits are read")
    for row, one in enumerate(raw, 1):
        if len(one) > width or (len(one) < width and not cut):
            problem = f"has an encoding of {len(one)} bytes, and {width} are expected"
            raise InputError(path, problem, row=row, hint="all encodings of a file have one length")
    return filters_in_bytes(path, b"".join(one.ljust(width, b"\0") for one in raw), length, order), length


def filters_in_bytes(path: Path, data: bytes, m: int, order: BitOrder) -> Words:
    """The filters of m bits in bytes that follow each other; bits beyond the length must be zero."""
    rows = np.frombuffer(data, np.uint8).reshape(-1, byte_count(m))
    words = filter_words(rows, m, order)
    beyond = words.shape[1] * 64 - m
    if beyond and (wrong := np.flatnonzero(words[:, -1] >> np.uint64(64 - beyond))).size:
        raise InputError(path, f"has bits beyond the length of {m}", row=int(wrong[0]) + 1, hint="check --bits")
    return words


def texts_of(filters: Words, m: int, order: BitOrder, *, cut: bool = False) -> Iterator[str]:
    """The base64 text of each filter; with `cut`, without zero bytes at the end."""
    for row in rows_of(filters, m, order):
        yield binascii.b2a_base64(row.rstrip(b"\0") if cut else row, newline=False).decode()


def rows_of(filters: Words, m: int, order: BitOrder) -> Iterator[bytes]:
    """The bytes of each filter."""
    for part in slices(len(filters)):
        yield from map(bytes, filter_rows(filters[part], m, order))


def slices(count: int) -> Iterator[slice]:
    """Slices that cover so many rows, some thousand each."""
    for start in range(0, count, _AT_ONCE):
        yield slice(start, min(count, start + _AT_ONCE))


def joined_batches(parts: Iterable[str], separator: str) -> Iterator[str]:
    """The parts with the separator between them, some thousand at a time."""
    rest = iter(parts)
    before = ""
    while some := list(islice(rest, _AT_ONCE)):
        yield before + separator.join(some)
        before = separator


def _bytes_of(path: Path, text: Any, row: int) -> bytes:
    if not isinstance(text, str):
        raise InputError(path, "has something else than an encoding in base64 text", row=row)
    try:
        return binascii.a2b_base64(text, strict_mode=True)
    except (binascii.Error, ValueError):
        hint = "the encoding must be base64 text; is this column or file the right one?"
        raise InputError(path, "has an encoding that is not base64 text", row=row, hint=hint) from None
