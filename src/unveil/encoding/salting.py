"""
Diffusion salted by fields: what a bit is the XOR of depends on a value of the record.

The output has an equal part for each field. In it, records with the same value of the field are mixed alike, and for
every other value positions are drawn anew, so that records that differ in the field look like strangers there. Whoever
holds the filters sees, instead of all similarities, those within small groups, and is not told who is in which; and no
group has enough records to tell its linear code.

Each bit is then flipped or not, as the value draws: the number of ones says nothing about how long a record's values
are, however full its filter was. Where a field is missing the next one takes its place, so that those without it are
no large group in which everybody can be compared.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from unveil.encoding import filters as plain
from unveil.encoding.bits import chunks, pack, unpack
from unveil.encoding.blocking_keys import Field
from unveil.encoding.keys import join_parts
from unveil.linkage.bits import word_count
from unveil.schema.hardening import parts

_WORD: Final = 64
#: Bytes of the stream that a number is made of: below 65,536 that is fair to one part in 2^48.
_WIDTH: Final = 8

Bits = NDArray[np.uint8]


def salted_diffusion(
    filters: NDArray[np.uint64], fields: Sequence[Field], *, m: int, key: bytes, t: int, m_out: int
) -> NDArray[np.uint64]:
    """Filters of m_out bits: as many parts as fields, each the diffusion that the record's value of it draws."""
    out = np.empty((len(filters), word_count(m_out)), dtype=np.uint64)
    for part, (start, end) in enumerate(parts(m_out, len(fields))):
        words = slice(start // _WORD, word_count(end))
        for salt, rows in _groups(fields, part):
            secret = hmac.digest(key, salt, "sha256")
            if len(filters) >= plain.WORTH_COMPILING:
                _mix_at_once(filters, rows, secret, m=m, shape=(end - start, t), out=out[:, words])
                continue
            sources, flipped = drawn(secret, m, (end - start, t))
            for some in chunks(len(rows), m + end - start):
                mixed = _mixed(unpack(filters[rows[some]], m), sources) ^ flipped
                out[rows[some], words] = pack(mixed)
    return out


def drawn(key: bytes, below: int, shape: tuple[int, int]) -> tuple[NDArray[np.int64], Bits]:
    """
    Rows of distinct numbers below the bound, and for each row a bit, as SHAKE-256 of the key draws them.

    The stream is read as little-endian 64-bit words, t + 1 of them to a row: numbers mod the bound, the bit mod 2. A
    row that holds a number twice is left out.
    """
    rows, t = shape
    for stream in _streams(key, below, shape):
        words = stream.reshape(-1, t + 1)
        numbers = (words[:, :t] % np.uint64(below)).astype(np.int64)
        ordered = np.sort(numbers, axis=1)
        distinct = np.flatnonzero((ordered[:, 1:] != ordered[:, :-1]).all(axis=1))[:rows]
        if len(distinct) == rows:
            return numbers[distinct], (words[distinct, t] & np.uint64(1)).astype(np.uint8)
    raise AssertionError("a stream has no end")


def _streams(key: bytes, below: int, shape: tuple[int, int]) -> Iterator[NDArray[np.uint64]]:
    """The stream of a key as far as it most likely is needed for so many rows, then ever more of it."""
    rows, t = shape
    asked = rows + rows * t * t // below + 8
    while True:
        yield np.frombuffer(hashlib.shake_256(key).digest(asked * (t + 1) * _WIDTH), "<u8")
        asked *= 2


def _mix_at_once(
    filters: NDArray[np.uint64],
    rows: NDArray[np.int64],
    key: bytes,
    *,
    m: int,
    shape: tuple[int, int],
    out: NDArray[np.uint64],
) -> None:
    """Draw by this key and mix these rows with compiled kernels."""
    from unveil.encoding.bulk.mixing import mix, rows_of

    sources, flips = np.empty(shape, np.int64), np.empty(shape[0], np.uint64)
    for stream in _streams(key, m, shape):
        if rows_of(stream.astype(np.uint64, copy=False), m, sources, flips) == shape[0]:
            mix(filters, rows, sources, flips, out)
            return


def _groups(fields: Sequence[Field], part: int) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
    """The salts of that part of the output, each with the rows that have it; together they are all rows."""
    turned = [(part + further) % len(fields) for further in range(len(fields))]
    left = np.arange(len(fields[part][1]))
    for number in turned:
        values, codes = fields[number]
        order = left[np.argsort(codes[left], kind="stable")]
        starts = np.searchsorted(codes[order], np.arange(len(values) + 1))
        missing = [order[:0]]
        for code, value in enumerate(values):
            rows = order[starts[code] : starts[code + 1]]
            if not value:
                missing.append(rows)
            elif len(rows):
                yield join_parts("part", str(part), "field", str(number), value), rows
        left = np.concatenate(missing)
    if len(left):
        yield join_parts("part", str(part)), left


def _mixed(bits: Bits, sources: NDArray[np.int64]) -> Bits:
    """Bit i of each row is the XOR of its bits sources[i]."""
    turned = np.ascontiguousarray(bits.T)
    out = turned[sources[:, 0]]
    for column in range(1, sources.shape[1]):
        out ^= turned[sources[:, column]]
    return np.ascontiguousarray(out.T)
