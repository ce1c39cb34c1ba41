"""
Candidates of blocking keys on the GPU: joined there key by key, less those of earlier keys, and compared.

Whole tensors alone, no kernel of our own: there is little to compute for each byte, so memory is what such a comparison
takes, and it runs on whatever PyTorch runs on. A step looks at so many candidates that its filters take a stated number
of bytes; a block of any size is cut where a step ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from unveil.linkage.bits import Bits
from unveil.linkage.pairs import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Bytes of filters that a step gathers of each side.
STEP_BYTES: Final = 1 << 28
_PAIRS, _QUADS, _BYTES = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
_SUM: Final = 0x0101010101010101


@dataclass(frozen=True, slots=True)
class Slab:
    """Some rows of a side on the GPU: filters word by word, ones, and codes of keys."""

    words: Any  # int64 (rows, words)
    ones: Any  # int64
    codes: Any  # int64 (rows, keys)

    @classmethod
    def of(cls, bits: Bits, codes: NDArray[np.int64], start: int, stop: int, device: str) -> Slab:
        """The rows start:stop."""
        import torch

        words = np.ascontiguousarray(bits.words[start:stop], np.uint64).view(np.int64)
        columns = (words, bits.popcounts[start:stop].astype(np.int64), np.ascontiguousarray(codes[start:stop]))
        return cls(*(torch.tensor(column, device=device) for column in columns))


def compared(left: Slab, right: Slab, key: int, step_bytes: int = STEP_BYTES) -> Iterator[tuple[Any, Any, Any]]:
    """Of the pairs that agree on this key and on none before it, step by step: both rows, and their common ones."""
    step = max(1, step_bytes // (8 * left.words.shape[1]))
    for i, j in _candidates(left.codes[:, key], right.codes[:, key], step):
        for earlier in range(key):
            code = left.codes[i, earlier]
            new = (code < 0) | (code != right.codes[j, earlier])
            i, j = i[new], j[new]  # noqa: PLW2901 - the candidates that are left
        yield i, j, _ones(left.words[i] & right.words[j]).sum(dim=1)


def _candidates(left: Any, right: Any, step: int) -> Iterator[tuple[Any, Any]]:
    """Pairs of rows with the same code, which is not negative: `step` of them at a time."""
    import torch

    rows = torch.nonzero(left >= 0).flatten()
    ordered, order = torch.sort(right)
    first = torch.searchsorted(ordered, left[rows])
    count = torch.searchsorted(ordered, left[rows], right=True) - first
    ends = torch.cumsum(count, 0)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, step):
        number = torch.arange(start, min(start + step, total), device=left.device)
        at = torch.searchsorted(ends, number, right=True)
        yield rows[at], order[first[at] + number - (ends[at] - count[at])]


def _ones(words: Any) -> Any:
    """The ones of each word: sums of neighbouring bits, of pairs, of fours, and of all bytes."""
    # Words are signed, so a shift fills in copies of the highest bit; every shift but the last is masked.
    words = words - ((words >> 1) & _PAIRS)
    words = (words & _QUADS) + ((words >> 2) & _QUADS)
    words = (words + (words >> 4)) & _BYTES
    return (words * _SUM) >> 56


def on_host(rows: Any, offset: int) -> Rows:
    """These rows of a slab that begins at the offset, as NumPy's."""
    found: Rows = (rows + offset).cpu().numpy().astype(np.int32)
    return found
