"""Cut values into sets of q-grams, each distinct token held once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unveil.encoding.normalise import normalise
from unveil.schema import Attribute

_FIRST_PAD = 0xE000  # private use: no value has it, and each attribute gets one of its own


def pad_symbol(index: int) -> str:
    """The padding symbol of the attribute at this place in the schema."""
    return chr(_FIRST_PAD + index)


def qgrams(value: str, *, q: int, pad: str | None) -> tuple[str, ...]:
    """
    The set of q-grams of pad·(q−1) + value + pad·(q−1), in order of first occurrence.

    An empty value has none. Without padding, a value shorter than q is its own token.
    """
    if not value:
        return ()
    ends = (pad or "") * (q - 1)
    text = ends + value + ends
    return tuple(dict.fromkeys(text[i : i + q] for i in range(max(1, len(text) - q + 1))))


@dataclass(frozen=True, slots=True, repr=False)
class Tokens:
    """Token lists of many values: value v has `counts[v]` tokens, their numbers lie one after another in `ids`."""

    distinct: tuple[bytes, ...]
    ids: NDArray[np.int64]
    counts: NDArray[np.int64]

    def lists(self) -> list[tuple[bytes, ...]]:
        """The tokens of every value."""
        ends = np.cumsum(self.counts).tolist()
        tokens = [self.distinct[i] for i in self.ids.tolist()]
        return [tuple(tokens[end - count : end]) for end, count in zip(ends, self.counts.tolist(), strict=True)]

    def __repr__(self) -> str:
        return f"Tokens(<{len(self.counts)} values, {len(self.distinct)} distinct tokens>)"


def tokenise(values: Sequence[str], attribute: Attribute, index: int) -> Tokens:
    """The tokens, as UTF-8, of these raw values of the attribute at place `index` of the schema."""
    pad = pad_symbol(index) if attribute.padding else None
    seen: dict[str, int] = {}
    ids: list[int] = []
    counts = np.zeros(len(values), dtype=np.int64)
    for number, value in enumerate(values):
        tokens = qgrams(normalise(value, attribute.normalise), q=attribute.q, pad=pad)
        ids.extend(seen.setdefault(token, len(seen)) for token in tokens)
        counts[number] = len(tokens)
    return Tokens(tuple(token.encode() for token in seen), np.array(ids, dtype=np.int64), counts)
