"""Save a population as a.csv, b.csv and truth.csv."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from unveil.lab.synthetic.population import Registers
from unveil.records import Records

FILES = ("a.csv", "b.csv", "truth.csv")


def write(population: Registers, out: Path) -> None:
    """
    Write a.csv, b.csv and truth.csv into the folder `out`, which is made if it is not there.

    All three are written under temporary names first and renamed when they are complete and on disk, so an interrupted
    write leaves no half-written file under a final name.
    """
    a, b = population.a, population.b
    truth = ((a.ids[left], b.ids[right]) for left, right in population.truth.tolist())
    contents = (_table(a), _table(b), (["record_id_a", "record_id_b"], truth))
    out.mkdir(parents=True, exist_ok=True)
    partial = [out / f".{name}.{os.getpid()}.partial" for name in FILES]
    try:
        for path, (header, lines) in zip(partial, contents, strict=True):
            _save(path, header, lines)
        for path, name in zip(partial, FILES, strict=True):
            path.replace(out / name)
    finally:
        for path in partial:
            path.unlink(missing_ok=True)


def _table(records: Records) -> tuple[list[str], Iterable[Sequence[str]]]:
    columns = [column.values() for column in records.columns.values()]
    return ["record_id", *records.columns], zip(records.ids, *columns, strict=True)


def _save(path: Path, header: list[str], lines: Iterable[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(lines)
        file.flush()
        os.fsync(file.fileno())
