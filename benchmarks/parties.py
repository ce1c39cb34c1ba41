"""
Speed of the parties over the network, each a process of its own, on loopback with TLS.

    python benchmarks/parties.py [--records 1000000] [--pairs 20000] [--out bench]

Three figures: records per second that one owner uploads, and the unit's memory meanwhile; pairs per second from a wish
of the record unit to the comparison at the attribute unit, through both owners; and the seconds that a record unit
takes after kill −9 until it answers with its state rebuilt. Times are those in the parties' own logs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unveil.lab.local_parties import folder
from unveil.lab.local_parties.folder import Trial
from unveil.lab.local_parties.processes import Processes
from unveil.lab.local_parties.reviewer import visitor
from unveil.lab.simulation.study import simulation_key
from unveil.lab.synthetic import generate, write
from unveil.protocol import frames
from unveil.protocol.machine import Decision
from unveil.roles.attribute_unit import decisions as at_attribute_unit
from unveil.roles.record_unit import decisions as at_record_unit
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset
from unveil.storage.database import Database
from unveil.transport.failures import Busy, Unreachable
from unveil.transport.http.client import UnitClient
from unveil.transport.status import RecordUnitStatus

Row = dict[str, object]
OWNER = Path(__file__).with_name("owner_until.py")


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip().splitlines()[0])
    parser.add_argument("--records", type=int, default=1_000_000, help="records of the owner that uploads")
    parser.add_argument("--pairs", type=int, default=20_000, help="pairs that are wished for")
    parser.add_argument("--restart-records", type=int, default=500_000, help="records of each owner before a restart")
    parser.add_argument("--floor", type=float, default=0.55, help="similarity from which on pairs are kept")
    parser.add_argument("--only", choices=("upload", "wishes", "restart"), help="one of the figures instead of all")
    parser.add_argument("--out", type=Path, default=Path("bench"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    measures: dict[str, Callable[[], Iterator[Row]]] = {
        "upload": lambda: upload(options.records),
        "wishes": lambda: wishes(options.pairs),
        "restart": lambda: restart(options.restart_records, options.floor),
    }
    rows = [row for name, measure in measures.items() if options.only in (None, name) for row in measure()]
    for row in rows:
        print(f"{row['name']:<64} {row['value']:>12,.1f} {row['unit']:<10} asked for: {row['asked']}")
    (options.out / "parties.json").write_text(json.dumps(rows, indent=2) + "\n")


def upload(records: int) -> Iterator[Row]:
    """One owner uploads; the other has shown its fingerprint and waits."""
    with trial(_schema(), records, other=1000) as (made, processes):
        processes.start(["record-unit"])
        processes.wait_ready(["record-unit"])
        waiting, uploading = _owner(made, "owner-b", "agreed"), _owner(made, "owner-a", "uploaded")
        _finish(waiting)
        _finish(uploading)
        parts = [entry for entry in _entries(made, "record-unit") if entry.sender == "owner a"][1:]
        seconds = parts[-1].time - parts[0].time
        # The first part's own time is not among them.
        yield _row("upload of an owner", records * (len(parts) - 1) / len(parts) / seconds, "records/s", "≥ 50,000")
        yield _row(f"upload of {records:,} records", seconds * len(parts) / (len(parts) - 1), "s", "≤ 60")
        yield _row("memory of the record unit at its highest", _peak_mb(processes.pid("record-unit")), "MB", "≤ 1,000")


def wishes(pairs: int) -> Iterator[Row]:
    """Both owners answer one large batch of wishes."""
    with trial(_all_uncertain(pairs), 20_000, overlap=0.5) as (made, processes):
        processes.start()
        processes.wait_ready()
        while not processes.through:
            time.sleep(0.1)
        asked = _decided(made, "record-unit", at_record_unit.KINDS, at_record_unit.PairsAsked)
        compared = _decided(made, "attribute-unit", at_attribute_unit.KINDS, at_attribute_unit.Compared)
        count = len(compared[1])
        yield _row(f"{count:,} wishes answered by both owners", count / (compared[0] - asked[0]), "pairs/s", "≥ 2,000")


def restart(records: int, floor: float) -> Iterator[Row]:
    """A record unit is killed after it has compared and asked, and started again."""
    with trial(_schema(floor=floor), records) as (made, processes):
        client = visitor(made, "record-unit", "operator")
        processes.start(["record-unit"])
        processes.wait_ready(["record-unit"])
        for process in [_owner(made, name, "uploaded") for name in folder.OWNERS]:
            _finish(process)
        while not any(isinstance(each, at_record_unit.PairsAsked) for _, each in _decisions(made)):
            time.sleep(0.5)
        kept = _pairs_kept(client)
        processes.kill("record-unit")
        began = time.monotonic()
        processes.start(["record-unit"])
        while _pairs_kept(client) != kept:
            time.sleep(0.05)
        seconds = time.monotonic() - began
        yield _row(f"restart with {2 * records:,} records and {kept:,} kept pairs", seconds, "s", "≤ 15")
        yield _row("memory of that record unit", _peak_mb(processes.pid("record-unit")), "MB", "–")


@contextmanager
def trial(
    schema: Schema, records: int, *, other: int | None = None, overlap: float = 0.2
) -> Iterator[tuple[Trial, Processes]]:
    """A trial's folder with invented people, and no process running yet."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        (root / "people").mkdir()
        write(generate(records=records, overlap=overlap, errors=1, seed=1), root / "people")
        if other is not None:
            lines = (root / "people" / "b.csv").read_text(encoding="utf-8").splitlines(keepends=True)
            (root / "people" / "b.csv").write_text("".join(lines[: other + 1]), encoding="utf-8")
        made = folder.make(root, schema, seed=1, key=simulation_key(1).secret)
        with Processes(made) as processes:
            yield made, processes


def _schema(**protocol: object) -> Schema:
    schema = with_preset(built_in(), "unveil", budget=100)
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=protocol)})


def _all_uncertain(pairs: int) -> Schema:
    """Every pair is uncertain, so that one iteration can ask about as many as wanted."""
    schema = with_preset(built_in(), "paper", budget=0)
    threshold = schema.protocol.threshold.model_copy(update={"below": 1.0, "above": 1.0})
    update: dict[str, Any] = {"layers": 2, "batches": (pairs,), "p_t": 1.0, "floor": 0.3, "threshold": threshold}
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update=update)})


def _owner(made: Trial, name: str, until: str) -> subprocess.Popen[bytes]:
    log = (made.root / name / "log.txt").open("ab")
    return subprocess.Popen([sys.executable, str(OWNER), str(made.config(name)), until], stderr=log, stdout=log)


def _finish(process: subprocess.Popen[bytes]) -> None:
    if process.wait() != 0:
        raise SystemExit("an owner's process failed")


def _entries(made: Trial, party: str) -> list[Any]:
    with Database.inspect(made.database(party)) as database:
        return [entry for log in database.logs() for entry in log.entries()]


def _decisions(made: Trial) -> Iterator[tuple[float, Decision]]:
    for entry in _entries(made, "record-unit"):
        if entry.kind == "decision":
            yield entry.time, frames.read(entry.body, at_record_unit.KINDS)


def _decided(made: Trial, party: str, kinds: Any, kind: type[Decision]) -> tuple[float, Any]:
    for entry in _entries(made, party):
        if entry.kind == "decision" and isinstance(decision := frames.read(entry.body, kinds), kind):
            return entry.time, decision
    raise SystemExit(f"the {party} never decided that")


def _pairs_kept(client: UnitClient) -> int:
    """How many pairs the record unit holds, once it has its state back; 0 before."""
    try:
        status = client.status()
    except (Unreachable, Busy):
        return 0
    return (status.kept_pairs or 0) if isinstance(status, RecordUnitStatus) else 0


def _peak_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _row(name: str, value: float, unit: str, asked: str) -> Row:
    return {"name": name, "value": value, "unit": unit, "asked": asked}


if __name__ == "__main__":
    main()
