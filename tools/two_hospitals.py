"""
Two hospitals' files as they are exported, linked as a person does it, against the same people in clean files.

    python -m tools.two_hospitals --seeds 3

Prints recall, precision and F1 by the truth, and whether F1 lies in the estimate's interval.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from unveil.lab.synthetic import Registers, exported, generate, write, write_exported

Pairs = set[tuple[str, str]]


def main() -> None:
    """Print a line for each seed and kind of file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=3000)
    parser.add_argument("--seeds", type=int, default=3)
    given = parser.parse_args()
    sys.stdout.write("seed  files                        recall  precision     F1   F1 in its interval\n")
    for seed in range(1, 1 + given.seeds):
        with tempfile.TemporaryDirectory() as folder:
            for kind, files in written(Path(folder), given.records, seed).items():
                recall, precision, f1, held = linked(*files)
                figures = f"{recall:>8.3f}{precision:>11.3f}{f1:>7.3f}"
                sys.stdout.write(f"{seed:>4}  {kind:<27}{figures}   {held}\n")


def written(folder: Path, records: int, seed: int) -> dict[str, tuple[Path, Path, Path]]:
    """Both files and the truth, as they are exported, in one form, and in one form without repeats and gaps."""
    population = generate(records=records, overlap=0.4, layout="clinic", seed=seed)
    as_they_are = exported(population, seed=seed)
    whole = exported(population, seed=seed, repeated=0, gaps=0)
    write_exported(as_they_are, folder / "exports")
    write(Registers(as_they_are.a, as_they_are.b, as_they_are.truth), folder / "one form")
    write(Registers(whole.a, whole.b, whole.truth), folder / "whole")
    names = ("a.csv", "b.csv", "truth.csv")
    return {
        "as exported": _three(folder / "exports", ("hospital-a.csv", "hospital-b.xlsx", "truth.csv")),
        "the same, in one form": _three(folder / "one form", names),
        "no repeats and no gaps": _three(folder / "whole", names),
    }


def _three(folder: Path, names: tuple[str, str, str]) -> tuple[Path, Path, Path]:
    return folder / names[0], folder / names[1], folder / names[2]


def linked(a: Path, b: Path, truth: Path) -> tuple[float, float, float, bool]:
    """Recall, precision and F1 of `unveil link` on these files, and whether the estimate's interval holds F1."""
    out = a.parent / "links.csv"
    words = [sys.executable, "-m", "unveil", "link", str(a), str(b), "--out", str(out), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603 - our own words
    found, true = pairs(out), pairs(truth)
    right = len(found & true)
    f1 = 2 * right / (len(found) + len(true))
    low, _, high = json.loads(done.stdout)["estimated_f1"]
    return right / len(true), right / max(1, len(found)), f1, low <= f1 <= high


def pairs(path: Path) -> Pairs:
    """The pairs of ids in a file of links, or of the truth."""
    with path.open(encoding="utf-8", newline="") as file:
        return {(row["record_id_a"], row["record_id_b"]) for row in csv.DictReader(file)}


if __name__ == "__main__":
    main()
