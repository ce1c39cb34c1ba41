"""Small sets of generated people and a small plan, so that a whole experiment takes seconds."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from unveil.lab.paper.cells import GridCell, Plan
from unveil.lab.paper.experiment import Outcome, conduct
from unveil.lab.paper.tasks import StudyTasks
from unveil.lab.synthetic import generate, write
from unveil.schema import built_in

REVIEWED = GridCell("E1M", 200, 0.2)
PLAN = Plan(
    cells=(REVIEWED, GridCell("E1M", 300, 0.2, "clk-xor"), GridCell("E2M", 20, 0.0)), offsets=(0.0, 0.05), seeds=(1, 2)
)
#: 12 runs, 6 studies, and the filters of E1M plain and folded.
PIECES = 12 + 6 + 2


def make_sets(folder: Path) -> Path:
    """The sets E1M and E2M with a few hundred people each."""
    for errors, seed in ((1, 5), (2, 6)):
        write(generate(records=800, overlap=0.2, errors=errors, seed=seed), folder / f"E{errors}M")
    return folder


class Seen:
    """Remembers what an experiment told; interrupts it after so many results if asked to."""

    def __init__(self, *, stop_after: int | None = None) -> None:
        self._stop_after = stop_after
        self.total = self.done = 0
        self.started: list[str] = []
        self.finished: list[str] = []
        self.notes: list[str] = []

    def begin(self, total: int, done: int) -> None:
        self.total, self.done = total, done

    def start(self, worker: int, batch: StudyTasks) -> None:
        self.started.append(f"{worker}: {batch.name}")

    def finish(self, worker: int, result: dict[str, Any]) -> None:
        assert worker >= 0
        self.finished.append(result["key"])
        if len(self.finished) == self._stop_after:
            raise KeyboardInterrupt


def conducted(data: Path, out: Path, seen: Seen | None = None, *, plan: Plan = PLAN, jobs: int = 1) -> Outcome:
    """The experiment, as the command runs it."""
    seen = seen or Seen()
    return conduct(
        data,
        out,
        plan,
        built_in("paper"),
        preset="paper",
        jobs=jobs,
        engine="reference",
        progress=seen,
        note=seen.notes.append,
    )


@cache
def whole(base: Path) -> tuple[Path, Outcome]:
    """The folder with the small sets, and the small experiment run in one process: once for all tests."""
    sets = make_sets(base / "experiment sets")
    return sets, conducted(sets, base / "experiment whole")
