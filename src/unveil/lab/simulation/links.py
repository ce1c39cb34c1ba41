"""Owners' link tables as files, joined, and whether two runs gave the same ones."""

from __future__ import annotations

import tempfile
from pathlib import Path

from unveil.files.write import write_rows
from unveil.lab.simulation.machines import Machines

JOINED = "links.csv"


def write_links(folder: Path, machines: Machines) -> list[Path]:
    """Write what each owner got, a link id for every record, and what both together make of it: `links.csv`."""
    paths, columns = [folder / JOINED], []
    for one, records in zip(machines.owners, (machines.study.a, machines.study.b), strict=True):
        paths.append(folder / f"links-{one.address.name}.csv")
        columns.append(f"link_id_{one.address.name}")
        rows = ((record, link.hex()) for record, link in zip(records.ids, one.link_ids, strict=True))
        write_rows(paths[-1], ("record_id", "link_id"), rows, ids=("record_id",))
    write_rows(folder / JOINED, columns, ((one.hex(), other.hex()) for one, other in machines.joined()))
    return paths


def different_links(folder: Path, machines: Machines) -> list[str]:
    """Which of the tables in this folder are not, byte for byte, those of the machines; empty if all are."""
    with tempfile.TemporaryDirectory() as other:
        expected = write_links(Path(other), machines)
        return [path.name for path in expected if path.read_bytes() != (folder / path.name).read_bytes()]
