"""
How time, memory and quality of a whole run grow with the registers, on generated people.

python benchmarks/scale.py --sizes 50000 200000

Each run is a process of its own: two owners and three units, from files to links, with the preset unveil. Its memory
is the most that the process ever held; its processor time is that of all its threads. A first run, which is not
printed, compiles what is compiled once for a machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

WARMING = 2_000
BASE = 50_000  # of which the schema's batches are
COLUMNS = (
    "records", "opened", "wall s", "cpu s", "MB", "candidates", "kept", "F1 before", "F1", "µs cpu a record",
)  # fmt: skip


def main() -> None:
    """Print a line for each size; with --json, a list of objects."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50_000, 200_000])
    parser.add_argument("--in-proportion", action="store_true", help="open pairs in proportion to the records, too")
    parser.add_argument("--no-keys", action="store_true", help="the schema without its blocking keys")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(run(given.one, given)))
        return
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in runs(Path(folder), given):
            rows.append(row)
            if not given.json:
                print_row(row, first=len(rows) == 1)
    if given.json:
        print(json.dumps(rows, indent=1))


def runs(folder: Path, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """A run of each size."""
    measured(generated(folder, WARMING, given.seed), given)
    for size in given.sizes:
        data = generated(folder, size, given.seed)
        yield measured(data, given)
        if given.in_proportion and size != BASE:
            yield measured(data, given, "--in-proportion")


def generated(folder: Path, size: int, seed: int) -> Path:
    """The registers of that size, made by another process so that its memory is not counted."""
    out = folder / str(size)
    if not out.exists():
        unveil = [sys.executable, "-m", "unveil", "generate", "--records", str(size), "--seed", str(seed)]
        subprocess.run([*unveil, "--out", str(out)], check=True, stdout=subprocess.DEVNULL)
    return out


def measured(data: Path, given: argparse.Namespace, *further: str) -> dict[str, Any]:
    """What a process says of its run, and what the system says of the process."""
    options = ["--one", str(data), "--engine", given.engine, "--seed", str(given.seed), *further]
    options += ["--no-keys"] if given.no_keys else []
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, __file__, *options], stdout=subprocess.PIPE)
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the run of {data.name} records ended with {status}")
    found = json.loads(said)
    found |= {"wall": time.perf_counter() - start, "cpu": used.ru_utime + used.ru_stime, "mb": used.ru_maxrss / 1024}
    return found


def run(data: Path, given: argparse.Namespace) -> dict[str, Any]:
    """One run, in this process."""
    from unveil.engines import choose
    from unveil.lab.evaluation.dataset import read_dataset
    from unveil.lab.simulation.machines import SimulationSettings
    from unveil.lab.simulation.run import simulate
    from unveil.lab.simulation.study import Study
    from unveil.one_place.stopwatch import Stopwatch
    from unveil.schema import built_in
    from unveil.schema.presets import with_preset

    schema = with_preset(built_in(), "unveil")
    changes: dict[str, Any] = {"blocking": ()} if given.no_keys else {}
    watch = Stopwatch.start(time.perf_counter)
    a, b, truth = read_dataset(data, schema)
    watch.lap("read")
    if given.in_proportion:
        batches = tuple(max(1, round(size * len(a) / BASE)) for size in schema.protocol.batches)
        changes["protocol"] = schema.protocol.model_copy(update={"batches": batches})
    schema = schema.model_copy(update=changes)
    study = Study(data.name, schema, a, b, truth, choose(given.engine))
    study.encode()
    watch.lap("encode")
    settings = SimulationSettings(seed=given.seed)
    found, world = simulate(study, schema, settings, watch, preset="unveil")
    points = found.trajectory
    return {
        "records": len(a),
        "opened": points[-1].reviewed_pairs,
        "candidates": found.candidate_pairs,
        "kept": len(world.record_unit.candidates.pairs),
        "f1_before": points[0].f1,
        "f1": points[-1].f1,
        "seconds": dict(watch.timings),
    }


def print_row(row: dict[str, Any], *, first: bool) -> None:
    """A row of the table, below its head."""
    if first:
        print("".join(f"{name:>16}" for name in COLUMNS))
    each = 1e6 * row["cpu"] / (2 * row["records"])
    values = (
        f"{row['records']:,}", f"{row['opened']:,}", f"{row['wall']:.1f}", f"{row['cpu']:.1f}", f"{row['mb']:.0f}",
        f"{row['candidates']:,}", f"{row['kept']:,}", f"{row['f1_before']:.4f}", f"{row['f1']:.4f}", f"{each:.0f}",
    )  # fmt: skip
    print("".join(f"{value:>16}" for value in values), flush=True)


if __name__ == "__main__":
    main()
