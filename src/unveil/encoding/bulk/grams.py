"""
Cut many values into q-grams at once, without a Python object per token.

ASCII needs no tables of Unicode: lower case is a fixed distance away, and the other steps only drop characters. Such
values are normalised and cut by one kernel over their joined text. Other values, and all where a step does what the
kernel does not know, take the general way of `normalise` and `qgrams`; most of them come back from it as ASCII
(mueller) and join the rest.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.bulk.compiled import compiled
from unveil.encoding.normalise import is_plain_on_ascii, normalise
from unveil.encoding.qgrams import pad_symbol, qgrams
from unveil.schema import Attribute
from unveil.schema.normalisation import STEPS, AsciiEffect

Ints = NDArray[np.int64]

#: A q-gram is at most four characters, and a character at most four bytes.
TOKEN_BYTES = 16
#: Symbols beside the 128 of ASCII: the padding, and no character at all (in values shorter than q).
_PAD, _NOTHING = 128, 255
_ALL, _DIGITS, _LETTERS, _NONE = 0, 1, 2, 3
_SMALL_Q = 2  # two symbols have few enough combinations for a table


@dataclass(frozen=True, slots=True, repr=False)
class Grams:
    """
    The tokens of many values: those of value v are numbers ids[first[v]:last[v]], some more than once.

    Row t of `spelled` is the UTF-8 of token number t, filled up with zeros, and `lengths[t]` its length in bytes.
    """

    spelled: NDArray[np.uint8]
    lengths: Ints
    ids: Ints
    first: Ints
    last: Ints

    def __repr__(self) -> str:
        return f"Grams(<{len(self.first)} values, {len(self.spelled)} tokens>)"

    def sets(self) -> list[set[bytes]]:
        """The tokens of every value, as a set."""
        tokens = [row[:n].tobytes() for row, n in zip(self.spelled, self.lengths.tolist(), strict=True)]
        borders = zip(self.first.tolist(), self.last.tolist(), strict=True)
        return [{tokens[i] for i in self.ids[first:last].tolist()} for first, last in borders]


def cut(values: Sequence[str], attribute: Attribute, index: int) -> Grams:
    """The q-grams of these raw values of the attribute at place `index` of the schema."""
    others: dict[int, tuple[str, ...]] = {}
    text = "".join(values)
    effects = {STEPS[step].on_ascii for step in attribute.normalise}
    if not is_plain_on_ascii(attribute.normalise):
        values, others = _apart(values, attribute, index, ascii_too=True)
        text, effects = "".join(values), set()
    elif not text.isascii():
        values, others = _apart(values, attribute, index, ascii_too=False)
        text = "".join(values)
    ends = np.cumsum(np.fromiter(map(len, values), dtype=np.int64, count=len(values)))
    raw = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    packed = np.empty(len(raw) + attribute.q * len(values), dtype=np.uint32)
    first, last = np.empty(len(values), dtype=np.int64), np.empty(len(values), dtype=np.int64)
    trim, lower = "trims" in effects, "lowers" in effects
    size = _windows(raw, ends, attribute.q, attribute.padding, trim, lower, _kept(effects), packed, first, last)
    distinct, ids = _numbered(packed[:size], attribute.q)
    spelled = np.zeros((len(distinct), TOKEN_BYTES), dtype=np.uint8)
    lengths = np.empty(len(distinct), dtype=np.int64)
    pad = np.frombuffer(pad_symbol(index).encode(), dtype=np.uint8)
    _spell(distinct, attribute.q, pad, spelled, lengths)
    grams = Grams(spelled, lengths, ids, first, last)
    return _with_others(grams, others) if others else grams


def _apart(
    values: Sequence[str], attribute: Attribute, index: int, *, ascii_too: bool
) -> tuple[list[str], dict[int, tuple[str, ...]]]:
    """All values as ASCII, empty where this cannot be; and the q-grams of those, by their place."""
    pad = pad_symbol(index) if attribute.padding else None
    plain, others = list(values), {}
    for place, value in enumerate(values):
        if ascii_too or not value.isascii():
            # A normalised value is a fixed point, so the kernel changes nothing more about it.
            text = normalise(value, attribute.normalise)
            plain[place] = text if text.isascii() else ""
            if not text.isascii():
                others[place] = qgrams(text, q=attribute.q, pad=pad)
    return plain, others


def _kept(effects: Collection[AsciiEffect]) -> int:
    """The characters that steps with these effects leave."""
    digits, letters = "keeps digits" in effects, "keeps letters" in effects
    return (_NONE if letters else _DIGITS) if digits else (_LETTERS if letters else _ALL)


@compiled
def _blank(c: int) -> bool:
    """Whether str.strip takes this ASCII character away."""
    return 9 <= c <= 13 or 28 <= c <= 32  # noqa: PLR2004 - ASCII's own numbers


@compiled
def _letter(c: int) -> bool:
    return 97 <= (c | 32) <= 122  # noqa: PLR2004 - ASCII's own numbers


@compiled
def _keeps(c: int, kept: int) -> bool:
    if kept == _ALL:
        return True
    digit = 48 <= c <= 57  # noqa: PLR2004 - ASCII's own numbers
    return (kept == _DIGITS and digit) or (kept == _LETTERS and _letter(c))


@compiled
def _windows(
    raw: NDArray[np.uint8],
    ends: Ints,
    q: int,
    padding: bool,
    trim: bool,
    lower: bool,
    kept: int,
    packed: NDArray[np.uint32],
    first: Ints,
    last: Ints,
) -> int:
    """Write every window of q symbols as one number, a byte per symbol; return how many there are."""
    size, start = 0, 0
    start_padded = np.uint32(0x808080)  # three times _PAD
    full = np.uint32((1 << (8 * q)) - 1 if q < 4 else 0xFFFFFFFF)  # noqa: PLR2004 - four bytes fill the number
    for v in range(len(ends)):
        stop = following = ends[v]
        while trim and start < stop and _blank(raw[start]):
            start += 1
        while trim and start < stop and _blank(raw[stop - 1]):
            stop -= 1
        first[v] = size
        window, n = (start_padded if padding else full), 0
        for i in range(start, stop):
            c = raw[i]
            if not _keeps(c, kept):
                continue
            symbol = c | 32 if lower and _letter(c) else c
            window = np.uint32((window << np.uint32(8)) | np.uint32(symbol)) & full
            n += 1
            if padding or n >= q:
                packed[size] = window
                size += 1
        if n and padding:
            for _ in range(q - 1):
                window = np.uint32((window << np.uint32(8)) | np.uint32(_PAD)) & full
                packed[size] = window
                size += 1
        elif 0 < n < q:
            packed[size] = window  # the window began full of _NOTHING, and some of it is left
            size += 1
        last[v] = size
        start = following
    return size


def _numbered(packed: NDArray[np.uint32], q: int) -> tuple[NDArray[np.uint32], Ints]:
    """The distinct windows, and the number of each window among them."""
    if q > _SMALL_Q:
        distinct, ids = np.unique(packed, return_inverse=True)
        return distinct, ids.astype(np.int64, copy=False)
    present = np.zeros(1 << (8 * q), dtype=bool)
    present[packed] = True
    return np.flatnonzero(present).astype(np.uint32), (np.cumsum(present) - 1)[packed]


@compiled
def _spell(
    windows: NDArray[np.uint32],
    q: int,
    pad: NDArray[np.uint8],
    spelled: NDArray[np.uint8],
    lengths: Ints,
) -> None:
    """Write the UTF-8 of every window."""
    for t in range(len(windows)):
        at = 0
        for place in range(q):
            symbol = (windows[t] >> np.uint32(8 * (q - 1 - place))) & np.uint32(255)
            if symbol == _PAD:
                for byte in pad:
                    spelled[t, at] = byte
                    at += 1
            elif symbol != _NOTHING:
                spelled[t, at] = symbol
                at += 1
        lengths[t] = at


def _with_others(grams: Grams, others: dict[int, tuple[str, ...]]) -> Grams:
    """The grams with the tokens of these values added at the end."""
    seen: dict[str, int] = {}
    known, before = len(grams.spelled), len(grams.ids)
    more: list[int] = []
    for place, tokens in others.items():
        grams.first[place] = before + len(more)
        more.extend(known + seen.setdefault(token, len(seen)) for token in tokens)
        grams.last[place] = before + len(more)
    raw = [token.encode() for token in seen]
    spelled = np.frombuffer(b"".join(token.ljust(TOKEN_BYTES, b"\0") for token in raw), dtype=np.uint8)
    return Grams(
        np.vstack([grams.spelled, spelled.reshape(-1, TOKEN_BYTES)]),
        np.concatenate([grams.lengths, np.array([len(token) for token in raw], dtype=np.int64)]),
        np.concatenate([grams.ids, np.array(more, dtype=np.int64)]),
        grams.first,
        grams.last,
    )
