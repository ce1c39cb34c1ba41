"""Owners' link tables as files, and whether two runs gave the same ones."""

from __future__ import annotations

import tempfile
from pathlib import Path

from unveil.files.write import write_rows
from unveil.lab.simulation.machines import Machines


def write_links(folder: Path, machines: Machines) -> list[Path]:
    """Write what each owner got, a link id for every record, as `unveil demo` does."""
    paths = []
    for one, records in zip(machines.owners, (machines.study.a, machines.study.b), strict=True):
        path = folder / f"links-{one.address.name}.csv"
        rows = ((record, link.hex()) for record, link in zip(records.ids, one.link_ids, strict=True))
        write_rows(path, ("record_id", "link_id"), rows, ids=("record_id",))
        paths.append(path)
    return paths


def different_links(folder: Path, machines: Machines) -> list[str]:
    """Which of the tables in this folder are not, byte for byte, those of the machines; empty if all are."""
    with tempfile.TemporaryDirectory() as other:
        expected = write_links(Path(other), machines)
        return [path.name for path in expected if path.read_bytes() != (folder / path.name).read_bytes()]
