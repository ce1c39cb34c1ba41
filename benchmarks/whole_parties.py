"""
A whole linkage through the parties, each a process of its own with its database, on loopback with TLS.

python benchmarks/whole_parties.py --records 100000 --pairs 4500

Two owners upload registers of that size, a fifth of the people in both; the record unit compares, so many pairs are
asked for in batches, a reviewer without errors gives 100 labels, and the owners fetch their links. It tells how long
each stage took, by the clock and in processor time of all parties, and of each party the most memory it ever held, its
processor time and the size of its database. `--check` links the same people in one process and compares the links.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unveil.lab.local_parties import folder
from unveil.lab.local_parties.course import CourseProgress, conduct
from unveil.lab.local_parties.logs import log_of
from unveil.lab.local_parties.processes import Processes
from unveil.lab.local_parties.reviewer import TrialReviewer, visitor
from unveil.lab.simulation.study import simulation_key
from unveil.protocol import frames
from unveil.roles.record_unit.decisions import KINDS, Finished
from unveil.schema import Schema, built_in
from unveil.schema.presets import with_preset

SEED = 1
TICKS = os.sysconf("SC_CLK_TCK")
LOOK = 0.25  # seconds between looks at the processes


def main() -> None:
    """Run, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="records of each owner")
    parser.add_argument("--pairs", type=int, default=4500, help="pairs that are opened")
    parser.add_argument("--data", type=Path, help="a folder with a.csv, b.csv and truth.csv instead of new people")
    parser.add_argument("--check", action="store_true", help="hold the links against those of one process")
    parser.add_argument("--scratch", type=Path, help="where the parties' folders are made and kept")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = run(given.scratch or Path(scratch), given)
    if given.json:
        print(json.dumps(found, indent=1))
        return
    print(f"{'stage':<36}{'seconds':>10}{'cpu s':>10}")
    for stage, wall, cpu in found["stages"]:
        print(f"{stage:<36}{wall:>10.1f}{cpu:>10.1f}")
    print(f"\n{'party':<36}{'MB':>10}{'cpu s':>10}{'database MB':>14}")
    for party, mb, cpu, size in found["parties"]:
        print(f"{party:<36}{mb:>10.0f}{cpu:>10.1f}{size:>14.1f}")
    if given.check:
        print("\nsame links as one process" if found["same"] else "\nother links than one process")


@dataclass
class Watch:
    """What is seen of the processes while they run."""

    processes: Processes
    began: float = field(default_factory=time.monotonic)
    stages: dict[str, list[float]] = field(default_factory=dict)  # clock and processor seconds
    peak: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    _looked: float = 0.0
    _at: tuple[float, float] = (0.0, 0.0)
    _stage: str = "agreeing on key and parameters"

    def tell(self, progress: CourseProgress) -> None:
        """Note where the trial stands, and what the processes hold."""
        stage = progress.stage.split(",")[0]
        if time.monotonic() - self._looked < LOOK and stage == self._stage:
            return
        self._looked = time.monotonic()
        for party in self.processes.running():
            self._look(party)
        self.lap()
        self._stage = stage

    def lap(self) -> None:
        """What passed since the last look belongs to the stage that was seen then."""
        now = time.monotonic() - self.began, sum(self.cpu.values())
        held = self.stages.setdefault(self._stage, [0.0, 0.0])
        for at, (new, old) in enumerate(zip(now, self._at, strict=True)):
            held[at] += new - old
        self._at = now

    def _look(self, party: str) -> None:
        process = Path("/proc") / str(self.processes.pid(party))
        try:
            status, stat = (process / "status").read_text(), (process / "stat").read_text()
        except OSError:  # it has ended
            return
        held = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        if held:
            self.peak[party] = int(held[0].split()[1]) / 1024
            user, system = stat.rsplit(")", 1)[1].split()[11:13]
            self.cpu[party] = (int(user) + int(system)) / TICKS


def run(root: Path, given: argparse.Namespace) -> dict[str, Any]:
    """One trial."""
    people(root / "people", given)
    schema, truth = opening(given.pairs), true_pairs(root / "people")
    made = folder.make(root, schema, seed=SEED, key=simulation_key(SEED).secret)
    reviewer, operator = TrialReviewer(made, truth, error=0.0, seed=SEED), visitor(made, "record-unit", "operator")
    with Processes(made) as processes, reviewer, operator:
        watch = Watch(processes)
        processes.start()
        processes.wait_ready()
        conduct(processes, reviewer, operator, tell=watch.tell, patience=3600)
        watch.lap()
    sizes = {one: sum(file.stat().st_size for file in (root / one).glob("log.sqlite*")) for one in folder.PARTY_FOLDERS}
    found: dict[str, Any] = {
        "records": given.records,
        "stages": [(stage, *spent) for stage, spent in watch.stages.items()],
        "parties": [
            (party, watch.peak.get(party, 0.0), watch.cpu.get(party, 0.0), sizes[party] / 2**20)
            for party in folder.PARTY_FOLDERS
        ],
        "spent": sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]),
    }
    if given.check:
        found["same"] = same_links(root, made, schema)
    return found


def people(where: Path, given: argparse.Namespace) -> None:
    """The two registers."""
    from unveil.lab.synthetic import generate, write

    where.mkdir(parents=True)
    if given.data is None:
        write(generate(records=given.records, overlap=0.2, errors=1, seed=SEED), where)
        return
    for name in ("a.csv", "b.csv", "truth.csv"):
        (where / name).symlink_to((given.data / name).resolve())


def opening(pairs: int) -> Schema:
    """The default schema with so many pairs, in batches of the same proportions."""
    schema = with_preset(built_in(), "unveil", budget=100)
    batches = schema.protocol.batches
    scaled = tuple(max(1, round(size * pairs / sum(batches))) for size in batches)
    return schema.model_copy(update={"protocol": schema.protocol.model_copy(update={"batches": scaled})})


def true_pairs(where: Path) -> Any:
    """Rows of the same person."""
    from unveil.lab.evaluation.dataset import read_dataset

    return read_dataset(where, built_in())[2]


def same_links(root: Path, made: folder.Trial, schema: Schema) -> bool:
    """Whether the record unit decided the links that one process decides on the same people."""
    from unveil.engines import choose
    from unveil.lab.evaluation.dataset import read_dataset
    from unveil.lab.simulation.machines import SimulationSettings
    from unveil.lab.simulation.study import Study
    from unveil.lab.simulation.world import World

    study = Study("parties", schema, *read_dataset(root / "people", schema), choose("auto"), seed=SEED)
    world = World(study, schema, SimulationSettings(seed=SEED))
    world.run()
    with log_of(made, "record-unit") as log:
        decided = [
            frames.read(entry.body, KINDS)
            for entry in log.entries()
            if entry.kind == "decision" and entry.body is not None
        ]
    mine, theirs = (found.link_ids for found in (*world_decisions(world), *decided) if isinstance(found, Finished))
    return mine == theirs


def world_decisions(world: Any) -> list[Finished]:
    """The decision that ended it."""
    return [Finished(world.record_unit._link_ids)]  # noqa: SLF001 - nobody but a comparison asks for it


if __name__ == "__main__":
    main()
