"""
Speed and memory of Unveil on this machine, each figure in a process of its own.

    python benchmarks/run.py --out bench [--data DIR]

Writes bench/results.json and prints a table. Without --data it generates 2 × 50,000 people. The whole simulated run is
measured twice: once with empty caches, as on the first day, and once more. A fixed piece of NumPy work is timed beside
it, so that figures from machines of different speed can be compared as ratios.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

UNVEIL = [sys.executable, "-m", "unveil"]
PEERS = Path(__file__).parent / "peers"
#: About 15 minutes for one run, as the authors of the method report for their implementation.
REFERENCE_SECONDS = 15 * 60


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("bench"))
    parser.add_argument("--data", type=Path, help="folder with a.csv, b.csv, truth.csv; generated people if not given")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        rows = measure(options.data, Path(scratch))
    compared = [bench(what) for what in ("encode", "compare", "blocks", "keyed")]
    for row in rows:
        print(f"{row['name']:<58} {row['value']:>10.2f} {row['unit']:<6} {row.get('note', '')}")
    for found in compared:
        print(
            f"{found['name']:<58} {found['ours']:>14,.0f} {found['unit']}, ratio {found['ratio'] or float('nan'):.1f}"
        )
    machine = {"processors": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__}
    (options.out / "results.json").write_text(
        json.dumps({"machine": machine, "results": rows, "bench": compared}, indent=2) + "\n"
    )


def measure(data: Path | None, scratch: Path) -> list[dict[str, object]]:
    """Every figure as name, value and unit."""
    rows = [_row("yardstick: NumPy product of two 2000×2000 matrices", yardstick(), "s")]
    seconds = _timed([*UNVEIL, "generate", "--records", "50000", "--seed", "1", "--out", str(scratch / "people")])
    rows.append(_row("generate 2 × 50,000 people", seconds, "s", "asked for: under 20"))
    folder = str(data or scratch / "people")
    caches = scratch / "caches"
    caches.mkdir()
    for name, limit in (("first run, empty caches", 40), ("second run", 20)):
        seconds, summary = _simulated(folder, caches)
        rows.append(_row(f"simulate 50k × 50k, 4,500 pairs in layer A: {name}", seconds, "s", f"asked for: ≤ {limit}"))
        rows.append(_row("  memory at its peak", float(str(summary["peak_rss_mb"])), "MB", "asked for: ≤ 1500"))
        rows.append(_row("  times faster than the reference implementation", REFERENCE_SECONDS / seconds, "×"))
    seconds = _timed([*UNVEIL, "demo", "--out", str(scratch / "demo")])
    rows.append(_row("demo", seconds, "s", "asked for: ≤ 60"))
    return rows


def bench(what: str) -> dict[str, Any]:
    """One of `unveil bench`, against the tools in .venv-peers."""
    command = [*UNVEIL, "bench", what, "--programs", str(PEERS), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def yardstick() -> float:
    """Seconds of a fixed piece of work: the median of five matrix products."""
    matrix = np.random.default_rng(0).random((2000, 2000))
    laps = []
    for _ in range(5):
        start = time.perf_counter()
        _ = matrix @ matrix
        laps.append(time.perf_counter() - start)
    return sorted(laps)[2]


def _simulated(folder: str, caches: Path) -> tuple[float, dict[str, object]]:
    """Wall-clock seconds of the whole command, interpreter start included, and what it printed."""
    # A fresh folder for byte code and compiled kernels makes the first run as slow as a newcomer's.
    environment = os.environ | {"PYTHONPYCACHEPREFIX": str(caches / "bytecode"), "NUMBA_CACHE_DIR": str(caches)}
    command = [*UNVEIL, "simulate", "--data", folder]
    command += ["--preset", "paper", "--budget", "300", "--error", "0.2", "--json"]
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return time.perf_counter() - start, json.loads(done.stdout)


def _timed(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def _row(name: str, value: float, unit: str, note: str = "") -> dict[str, object]:
    return {"name": name, "value": round(value, 3), "unit": unit, "note": note}


if __name__ == "__main__":
    main()
