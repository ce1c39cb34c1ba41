"""
The GPU engine on a bare GPU machine: correctness, then speed against the int8 matrix ceiling of the same run.

    python benchmarks/gpu.py [--sizes 1000000,2000000] [--sweep] [--real FILE.npz] [--out results.json]

Needs NumPy, PyTorch and Triton only. FILE.npz may hold filters of generated people (`a`, `b`, packed uint64) and the
pairs that the processor's engine found (`left`, `right`, `similarity`, `floor`), to be compared exactly.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from unveil.engines.gpu.engine import GpuEngine, Shape
from unveil.engines.reference.engine import ReferenceEngine
from unveil.linkage.bits import Bits
from unveil.linkage.engine import Measure
from unveil.linkage.pairs import Pairs

M = 1024
FILL = 0.4
NOISE = 0.1  # share of bits that differ between two filters of one person
SHAPES = (
    Shape(128, 256, 128, 8, 8, 3),
    Shape(128, 256, 128, 8, 8, 4),
    Shape(128, 256, 128, 16, 8, 3),
    Shape(128, 256, 64, 8, 8, 4),
    Shape(256, 128, 128, 8, 8, 3),
    Shape(128, 128, 128, 8, 4, 4),
    Shape(128, 128, 128, 8, 8, 4),
    Shape(128, 256, 128, 8, 4, 3),
)


def main() -> None:
    """Check, then measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--sizes", default="1000000,2000000")
    parser.add_argument("--floor", type=float, default=0.8)
    parser.add_argument("--sweep", action="store_true", help="time several tile shapes first")
    parser.add_argument("--real", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    results: dict[str, Any] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    check(options.real)
    results["ceiling_tops"] = round(ceiling() / 1e12, 1)
    print(f"int8 ceiling {results['ceiling_tops']} TOPS = {results['ceiling_tops'] / 2 / M * 1e3:.0f}e9 comparisons/s")
    if options.sweep:
        a, b = filters(1 << 18, 1), filters(1 << 18, 2)
        for shape in SHAPES:
            print(shape, f"{rate(GpuEngine(shape=shape), a, b, options.floor) / 1e9:.1f}e9 comparisons/s", flush=True)
    results["runs"] = [measure(int(size), options.floor, results["ceiling_tops"]) for size in options.sizes.split(",")]
    last = results["runs"][-1]
    hours = 1e14 / last["comparisons_per_s"]
    print(f"extrapolated from {last['records']:,}: 10M × 10M in {hours:.0f} s of kernel time")
    results["extrapolated_10m_kernel_s"] = round(hours, 1)
    if options.out:
        options.out.write_text(json.dumps(results, indent=2) + "\n")


def filters(n: int, seed: int, like: Bits | None = None) -> Bits:
    """Random filters; every fifth row resembles the same row of `like`."""
    generator = torch.Generator("cuda").manual_seed(seed)
    words = np.empty((n, M // 64), np.uint64)
    weights = 2 ** torch.arange(8, device="cuda", dtype=torch.int32)
    for start in range(0, n, 1 << 16):
        rows = min(1 << 16, n - start)
        bits = torch.rand((rows, M), generator=generator, device="cuda") < FILL
        if like is not None:
            packed = torch.from_numpy(like.words[start : start + rows].view(np.uint8)).cuda()
            same = ((packed[:, :, None] >> torch.arange(8, device="cuda", dtype=torch.uint8)) & 1).reshape(rows, -1)
            noise = torch.rand((rows, M), generator=generator, device="cuda") < NOISE
            fifth = torch.arange(rows, device="cuda") % 5 == 0
            bits[fifth] = (same.bool() ^ noise)[fifth]
        octets = (bits.reshape(rows, -1, 8).to(torch.int32) * weights).sum(2).to(torch.uint8)
        words[start : start + rows] = octets.cpu().numpy().view(np.uint64)
    return Bits(words, M)


def check(real: Path | None) -> None:
    """The reference engine's pairs and similarities, bit for bit, at awkward sizes; and the processor's on people."""
    engine = GpuEngine()
    for rows, columns in ((1, 1), (1, 129), (127, 128), (128, 127), (129, 257), (2049, 4097)):
        a, b = filters(rows, rows), filters(columns, columns + 7)
        cases: tuple[tuple[Measure, float], ...] = (("dice", 0.42), ("jaccard", 0.28), ("hamming", 0.54), ("dice", 0.0))
        for name, floor in cases:
            expected = ReferenceEngine().all_pairs(a, b, floor=floor, measure=name)
            same(engine.all_pairs(a, b, floor=floor, measure=name), expected)
    print("random filters: the reference's pairs exactly")
    small = GpuEngine(most_hits=1000)
    a, b = filters(3000, 3), filters(3001, 4)
    same(small.all_pairs(a, b, floor=0.3), ReferenceEngine().all_pairs(a, b, floor=0.3))
    print("nine million hits in turns of a thousand: none lost")
    a, b = filters(100_003, 8), filters(70_001, 9)
    pieces = GpuEngine(slab=40_000).all_pairs(a, b, floor=0.47)
    same(pieces, engine.all_pairs(a, b, floor=0.47))
    print("100,003 × 70,001 in slabs of 40,000: the same pairs")
    many(engine)
    if real is not None:
        data = np.load(real)
        a, b = Bits(data["a"], M), Bits(data["b"], M)
        found = Pairs.concatenate(engine.all_pairs(a, b, floor=float(data["floor"]))).sorted()
        for column in ("left", "right", "similarity"):
            assert np.array_equal(data[column], getattr(found, column)), column
        print(f"generated people {len(a):,} × {len(b):,}: {len(found):,} pairs, the processor's exactly")


def many(engine: GpuEngine, n: int = 30_000, floor: float = 0.4) -> None:
    """Gigabytes of hits: as many per left row, and as similar in sum, as the library's product says."""
    a, b = filters(n, 5), filters(n, 6)
    per_row, total = np.zeros(n, np.int64), 0.0
    for part in engine.all_pairs(a, b, floor=floor):
        per_row += np.bincount(part.left, minlength=n)
        total += float(part.similarity.sum())
    shift = torch.arange(8, device="cuda", dtype=torch.uint8)
    sides = [torch.from_numpy(one.words.view(np.uint8)).cuda() for one in (a, b)]
    left, right = (((one[:, :, None] >> shift) & 1).reshape(n, -1).to(torch.int8) for one in sides)
    ones = right.sum(1, dtype=torch.int64)
    expected, sum_expected = torch.zeros(n, dtype=torch.int64), 0.0
    for start in range(0, n, 5000):
        common = torch._int_mm(left[start : start + 5000], right.T).to(torch.float64)  # noqa: SLF001 - as in ceiling
        both = left[start : start + 5000].sum(1, dtype=torch.int64)[:, None] + ones
        similarity = 2 * common / both.to(torch.float64)
        hit = similarity >= floor
        expected[start : start + 5000] = hit.sum(1).cpu()
        sum_expected += float(similarity[hit].sum())
    assert np.array_equal(expected.numpy(), per_row)
    assert abs(total - sum_expected) < 1e-9 * total
    print(f"{per_row.sum():,} hits ({per_row.sum() * 16 / 1e9:.1f} GB of pairs): none lost")


def same(found: Any, expected: Any) -> None:
    """Fail unless both streams hold the same pairs."""
    one, two = Pairs.concatenate(found).sorted(), Pairs.concatenate(expected).sorted()
    for column in ("left", "right", "similarity"):
        assert np.array_equal(getattr(one, column), getattr(two, column)), column


def ceiling() -> float:
    """Operations per second of the library's int8 matrix product on bytes as full as filters are; the best of all."""
    best = 0.0
    for n, k in ((8192, 8192), (16384, 8192), (16384, 1024), (32768, 1024)):
        a = (torch.rand((n, k), device="cuda") < FILL).to(torch.int8)
        b = (torch.rand((n, k), device="cuda") < FILL).to(torch.int8)
        for _ in range(3):
            torch._int_mm(a, b.T)  # noqa: SLF001 - the only int8 product that the library offers
        laps = []
        for _ in range(10):
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            torch._int_mm(a, b.T)  # noqa: SLF001 - as above
            end.record()
            end.synchronize()
            laps.append(begin.elapsed_time(end) / 1000)
        speed = 2 * n * n * k / sorted(laps)[len(laps) // 2]
        print(f"  product {n}×{n}×{k}: {speed / 1e12:.0f} TOPS")
        best = max(best, speed)
    return best


def rate(engine: GpuEngine, a: Bits, b: Bits, floor: float) -> float:
    """Comparisons per second of kernel time, after a warm-up on the same shapes, so that nothing is compiled anew."""
    some = Bits(a.words[: 1 << 16], M)
    for rows in (some, a):
        engine.kernel_seconds = 0.0
        for _ in engine.all_pairs(rows, b, floor=floor):
            pass
    return len(a) * len(b) / engine.kernel_seconds


def measure(n: int, floor: float, ceiling_tops: float) -> dict[str, Any]:
    """One size: kernel time, time from host memory to host memory, hits, share of the ceiling."""
    a = filters(n, 11)
    b = filters(n, 12, like=a)
    engine = GpuEngine()
    speed = rate(engine, a, b, floor)
    engine.kernel_seconds = 0.0
    torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    hits = sum(len(part) for part in engine.all_pairs(a, b, floor=floor))
    seconds = time.perf_counter() - start
    share = speed * 2 * M / (ceiling_tops * 1e12)
    print(
        f"{n:,} × {n:,} at {floor}: {hits:,} hits, kernel {engine.kernel_seconds:.2f} s, in all {seconds:.2f} s, "
        f"{speed / 1e9:.0f}e9 comparisons/s, {share:.0%} of the ceiling, "
        f"{torch.cuda.max_memory_allocated() / 1e9:.1f} GB on the GPU",
        flush=True,
    )
    return {
        "records": n,
        "hits": hits,
        "kernel_s": round(engine.kernel_seconds, 3),
        "seconds": round(seconds, 3),
        "comparisons_per_s": round(speed),
        "share_of_ceiling": round(share, 3),
    }


if __name__ == "__main__":
    main()
