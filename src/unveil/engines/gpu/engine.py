"""
The GPU engine: all pairs above a floor, and the candidates of blocks, on one GPU, exact.

It needs NumPy, PyTorch and Triton, and nothing else of the project's libraries, so it runs on a bare GPU machine.
Filters travel packed and are unpacked on the GPU, slab by slab where they do not fit; those of blocks stay packed
(`blocks`). Lists of pairs are left to the processor's engine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from unveil.engines.gpu.blocks import STEP_BYTES, Slab, compared, on_host
from unveil.engines.measure import check_alike
from unveil.errors import EngineError
from unveil.linkage.bits import Bits
from unveil.linkage.blocking import Blocks
from unveil.linkage.engine import Engine, Measure, Progress
from unveil.linkage.pairs import Pairs, Rows

if TYPE_CHECKING:
    import torch

_NEVER = 1 << 24  # ones that no filter has: padding rows need them, so they are never hits
_STRIPE = 1 << 16  # left rows per launch: long enough to fill the GPU, short enough for progress
_SLAB = 1 << 21  # most rows of a side on the GPU at a time
_MOST_HITS = 1 << 26  # hits written at a time; more are written in turns
_HOPPER = 9


@dataclass(frozen=True, slots=True)
class Shape:
    """How the work is cut: rows, columns and depth of a tile, and how the GPU runs it."""

    bm: int = 128
    bn: int = 256
    bk: int = 128
    group: int = 16
    warps: int = 8
    stages: int = 3


def problem() -> EngineError | None:
    """Why this engine cannot work here; None if it can."""
    try:
        import torch
        import triton  # noqa: F401 - only to see whether it is there
    except ImportError as error:
        missing = error.name or "PyTorch"
        return EngineError(f"the GPU engine needs {missing}", hint="install it with: pip install unveil[gpu]")
    if not torch.cuda.is_available():
        return EngineError("no GPU was found", hint="use the engine auto or cpu on this machine")
    return None


class GpuEngine:
    """All pairs on the int8 matrix units of one GPU, and blocks in its memory."""

    name = "gpu"

    def __init__(
        self,
        device: str | None = None,
        shape: Shape | None = None,
        *,
        copies: bool | None = None,
        most_hits: int = _MOST_HITS,
        slab: int = _SLAB,
        step_bytes: int = STEP_BYTES,
    ) -> None:
        if device is None:
            reason = problem()
            if reason is not None:
                raise reason
        self._device = device or "cuda"
        self._shape = shape or Shape()
        self._copies = copies if copies is not None else _has_copy_engine(self._device)
        self._most_hits, self._slab, self._step_bytes = most_hits, slab, step_bytes
        self.kernel_seconds = 0.0  # time of the counting kernel alone, for benchmarks

    @cached_property
    def _processor(self) -> Engine:
        """The engine for what the GPU is not for."""
        try:
            from unveil.engines.cpu.engine import CpuEngine
        except ImportError:
            from unveil.engines.reference.engine import ReferenceEngine

            return ReferenceEngine()
        return CpuEngine()

    def similarities(
        self, a: Bits, b: Bits, left: Rows, right: Rows, *, measure: Measure = "dice"
    ) -> NDArray[np.float64]:
        """Similarity of each given pair of rows."""
        return self._processor.similarities(a, b, left, right, measure=measure)

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
        """Every candidate pair of the blocks at or above the floor, once; a slab of each side is on the GPU."""
        check_alike(a, b)
        done = 0
        for top in range(0, len(a), self._slab):
            left = Slab.of(a, blocks.left, top, top + self._slab, self._device)
            for side in range(0, len(b), self._slab):
                right = Slab.of(b, blocks.right, side, side + self._slab, self._device)
                for key in range(blocks.left.shape[1]):
                    for i, j, common in compared(left, right, key, self._step_bytes):
                        similarity = _similarity(common, left.ones[i], right.ones[j], a.m, measure)
                        keep = similarity >= floor
                        done += len(keep)
                        if progress is not None:
                            progress(done)
                        yield Pairs(on_host(i[keep], top), on_host(j[keep], side), similarity[keep].cpu().numpy())

    def all_pairs(
        self, a: Bits, b: Bits, *, floor: float, measure: Measure = "dice", progress: Progress | None = None
    ) -> Iterator[Pairs]:
        """Every pair at or above the floor; what is on the GPU is bounded by a slab of each side and the hits."""
        check_alike(a, b)
        slope, level = linear_need(measure, floor, a.m)
        done = 0
        for top in range(0, len(a), self._slab):
            left = self._load(a, top, slope, level, self._shape.bm)
            for side in range(0, len(b), self._slab):
                right = self._load(b, side, slope, 0.0, self._shape.bn)
                for start in range(0, left.rows, _STRIPE):
                    stop = min(start + _STRIPE, left.rows)
                    for hits in self._stripe(left, right, start, stop):
                        yield self._exact(hits, (left, right), (top, side), m=a.m, floor=floor, measure=measure)
                    done += (stop - start) * right.rows
                    if progress is not None:
                        progress(done)

    def _load(self, bits: Bits, start: int, slope: float, level: float, tile: int) -> _Side:
        """A slab of one side on the GPU: bytes, ones per row, and what each row adds to the ones that a pair needs."""
        import torch

        words = np.ascontiguousarray(bits.words[start : start + self._slab], dtype="<u8")
        rows, depth = len(words), -(-words.shape[1] * 64 // self._shape.bk) * self._shape.bk
        padded = -(-rows // tile) * tile
        packed = torch.from_numpy(words.view(np.uint8)).to(self._device)
        ones = torch.zeros((padded, depth), dtype=torch.int8, device=self._device)
        shift = torch.arange(8, dtype=torch.uint8, device=self._device)
        for some in range(0, rows, _STRIPE):
            piece = packed[some : some + _STRIPE]
            ones[some : some + len(piece), : words.shape[1] * 64] = (
                ((piece[:, :, None] >> shift) & 1).reshape(len(piece), -1).to(torch.int8)
            )
        counts = torch.from_numpy(bits.popcounts[start : start + self._slab].astype(np.int64)).to(self._device)
        need = torch.full((padded,), _NEVER, dtype=torch.int32, device=self._device)
        # Rounded down on both sides, so the sum never asks for more than the exact test does; that one comes last.
        need[:rows] = torch.floor(counts.to(torch.float64) * slope + level - 1e-6).to(torch.int32)
        return _Side(ones, counts, need, rows)

    def _stripe(self, left: _Side, right: _Side, start: int, stop: int) -> Iterator[tuple[Any, Any, Any]]:
        """Left and right rows (within the slabs) and common ones of the candidates in a stripe of left rows."""
        import torch

        from unveil.engines.gpu.kernels import count_hits, write_hits

        shape = self._shape
        tile_rows, tile_columns = -(-(stop - start) // shape.bm), len(right.need) // shape.bn
        a, need_a = left.ones[start:], left.need[start:]
        sizes = {"K": a.shape[1], "BM": shape.bm, "BN": shape.bn, "BK": shape.bk, "COPIES": self._copies}
        run = {"num_warps": shape.warps, "num_stages": shape.stages}
        sides = self._read(a, shape.bm), self._read(right.ones, shape.bn)
        counts = torch.empty(tile_rows * tile_columns, dtype=torch.int32, device=self._device)
        with self._timed():
            count_hits[(tile_rows * tile_columns,)](
                *sides, need_a, right.need, counts, tile_rows, tile_columns, **sizes, GROUP=shape.group, **run
            )
        tiles = torch.nonzero(counts).flatten()
        for group in self._groups(counts[tiles]):
            some = tiles[group]
            ends = torch.cumsum(counts[some].to(torch.int64), 0)
            hits = int(ends[-1])
            places = ends - counts[some]
            out = [torch.empty(hits, dtype=torch.int32, device=self._device) for _ in range(3)]
            write_hits[(len(some),)](*sides, need_a, right.need, some, places, *out, tile_columns, **sizes, **run)
            yield out[0] + start, out[1], out[2]

    def _read(self, ones: torch.Tensor, rows: int) -> Any:
        """How the kernels read a side."""
        if not self._copies:
            return ones
        from triton.tools.tensor_descriptor import TensorDescriptor

        return TensorDescriptor.from_tensor(ones, [rows, self._shape.bk])

    def _groups(self, hits: torch.Tensor) -> Iterator[slice]:
        """Runs of tiles whose hits fit together; a single tile always does."""
        ends = hits.cpu().numpy().astype(np.int64).cumsum()
        start, before = 0, 0
        while start < len(ends):
            stop = max(start + 1, int(np.searchsorted(ends, before + self._most_hits, side="right")))
            yield slice(start, stop)
            start, before = stop, int(ends[stop - 1])

    def _exact(
        self,
        hits: tuple[Any, Any, Any],
        sides: tuple[_Side, _Side],
        offsets: tuple[int, int],
        *,
        m: int,
        floor: float,
        measure: Measure,
    ) -> Pairs:
        """The candidates that pass the exact test, with the reference's similarity."""
        i, j, common = hits
        similarity = _similarity(common, sides[0].counts[i], sides[1].counts[j], m, measure)
        keep = similarity >= floor
        rows = [
            (side[keep] + offset).cpu().numpy().astype(np.int32) for side, offset in zip((i, j), offsets, strict=True)
        ]
        return Pairs(rows[0], rows[1], similarity[keep].cpu().numpy())

    def _timed(self) -> _Timer:
        return _Timer(self)


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of the comparison on the GPU."""

    ones: torch.Tensor  # int8, rows padded to whole tiles and depth to whole steps
    counts: torch.Tensor  # ones per row
    need: torch.Tensor  # int32
    rows: int


class _Timer:
    """Adds the GPU time of what runs inside to the engine's account."""

    def __init__(self, engine: GpuEngine) -> None:
        self._engine = engine

    def __enter__(self) -> None:
        import torch

        self._events = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if torch.cuda.is_available() else []
        if self._events:
            self._events[0].record()

    def __exit__(self, *_: object) -> None:
        if self._events:
            self._events[1].record()
            self._events[1].synchronize()
            self._engine.kernel_seconds += self._events[0].elapsed_time(self._events[1]) / 1000


def _has_copy_engine(device: str) -> bool:
    """Whether the GPU can copy whole tiles by itself, which is a tenth faster (compute capability 9 and later)."""
    import torch

    return device != "cpu" and torch.cuda.get_device_capability(device)[0] >= _HOPPER


def linear_need(measure: Measure, floor: float, m: int) -> tuple[float, float]:
    """
    Return slope s and level l so that a pair with x and y ones can only reach the floor f with c ≥ s·(x + y) + l.

    Dice 2c/(x+y) ≥ f gives c ≥ f/2·(x+y); Jaccard c/(x+y−c) ≥ f gives c ≥ f/(1+f)·(x+y); Hamming similarity
    (m−x−y+2c)/m ≥ f gives c ≥ (x+y)/2 − (1−f)·m/2.
    """
    match measure:
        case "dice":
            return floor / 2, 0.0
        case "jaccard":
            return floor / (1 + floor), 0.0
        case "hamming":
            return 0.5, -(1 - floor) * m / 2
    raise ValueError(measure)


def _similarity(common: Any, x: Any, y: Any, m: int, measure: Measure) -> Any:
    """The reference's formulas on tensors: one correctly rounded division of whole numbers."""
    import torch

    c = common.to(torch.int64)
    match measure:
        case "dice":
            above, below = 2 * c, x + y
        case "jaccard":
            above, below = c, x + y - c
        case "hamming":
            above, below = m - x - y + 2 * c, torch.full_like(c, m)
    quotient = above.to(torch.float64) / torch.clamp(below, min=1).to(torch.float64)
    return torch.where(below > 0, quotient, torch.zeros_like(quotient))
