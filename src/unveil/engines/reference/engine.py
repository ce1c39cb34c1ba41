"""The reference engine: plain NumPy, short enough to be checked by reading."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from unveil.engines.measure import check_alike, similarity
from unveil.errors import EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Measure, Progress
from unveil.linkage.pairs import Pairs, Rows

_CHUNK_BYTES = 1 << 22  # gathered words per step: small enough to stay in cache
_TILE = 2048


def problem() -> EngineError | None:
    """Why this engine cannot work here; None if it can, as NumPy always can."""
    return None


class ReferenceEngine:
    """NumPy's popcount and, for all pairs, its matrix product."""

    name = "reference"

    def similarities(
        self, a: Bits, b: Bits, left: Rows, right: Rows, *, measure: Measure = "dice"
    ) -> NDArray[np.float64]:
        """Similarity of each given pair of rows."""
        check_alike(a, b)
        out = np.empty(len(left))
        step = max(1, _CHUNK_BYTES // (8 * a.words.shape[1]))
        for start in range(0, len(left), step):
            i, j = left[start : start + step], right[start : start + step]
            common = np.bitwise_count(a.words[i] & b.words[j]).sum(axis=1, dtype=np.int32)
            out[start : start + step] = similarity(common, a.popcounts[i], b.popcounts[j], m=a.m, measure=measure)
        return out

    def all_pairs(
        self, a: Bits, b: Bits, *, floor: float, measure: Measure = "dice", progress: Progress | None = None
    ) -> Iterator[Pairs]:
        """Every pair at or above the floor, tile by tile; common ones are counted by a product of 0/1 matrices."""
        check_alike(a, b)
        done = 0
        for top in range(0, len(a), _TILE):
            rows = _unpack(a, top)
            for side in range(0, len(b), _TILE):
                # Sums of up to 2^24 ones are exact in float32, far beyond any filter length.
                common = (rows @ _unpack(b, side).T).astype(np.int32)
                left, right = a.popcounts[top : top + _TILE, None], b.popcounts[None, side : side + _TILE]
                tile = similarity(common, *np.broadcast_arrays(left, right), m=a.m, measure=measure)
                i, j = np.nonzero(tile >= floor)
                done += tile.size
                if progress is not None:
                    progress(done)
                yield Pairs((i + top).astype(np.int32), (j + side).astype(np.int32), tile[i, j])

    def block_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """Every candidate pair of the blocks at or above the floor, once."""
        yield from self._listed(a, b, blocks.candidates(), floor, measure, progress)

    def key_pairs(
        self,
        a: Bits,
        b: Bits,
        blocks: Blocks,
        key: int,
        *,
        floor: float,
        measure: Measure = "dice",
        progress: Progress | None = None,
    ) -> Iterator[Pairs]:
        """The candidate pairs of one key less those of the keys before it; progress counts these alone."""
        yield from self._listed(a, b, blocks.candidates_of(key), floor, measure, progress)

    def _listed(
        self,
        a: Bits,
        b: Bits,
        candidates: Iterator[tuple[Rows, Rows]],
        floor: float,
        measure: Measure,
        progress: Progress | None,
    ) -> Iterator[Pairs]:
        done = 0
        for left, right in candidates:
            found = self.similarities(a, b, left, right, measure=measure)
            keep = found >= floor
            done += len(left)
            if progress is not None:
                progress(done)
            yield Pairs(left[keep], right[keep], found[keep])


def _unpack(bits: Bits, start: int) -> NDArray[np.float32]:
    """One tile of filters as a 0/1 matrix."""
    tile = np.ascontiguousarray(bits.words[start : start + _TILE], dtype="<u8").view(np.uint8)
    return np.unpackbits(tile, axis=1, bitorder="little").astype(np.float32)
