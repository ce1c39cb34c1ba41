"""Single pieces of work, and the studies that share their preparation."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from unveil.lab.paper import cells as grid
from unveil.lab.paper.cells import GridCell, Plan

Kind = Literal["study", "bits", "run"]


@dataclass(frozen=True, slots=True)
class StudyTask:
    """
    One piece of work on a study; its key names its result in the journal.

    - study: baselines and the time of the preparation
    - bits: how evenly the ones of its filters are spread
    - run: the protocol from t_opt + offset, and what layer C saw if it is to be `reviewed`
    """

    kind: Kind
    cell: GridCell
    seed: int
    offset: float = 0.0
    reviewed: bool = False

    @property
    def key(self) -> str:
        """The name of its result."""
        place = f"{self.kind}/{self.cell.label}/seed {self.seed}"
        if self.kind != "run":
            return place
        return f"{place}/b={self.cell.budget}/err={self.cell.error:g}/{self.offset:+.2f}{'/C' if self.reviewed else ''}"


@dataclass(frozen=True, slots=True)
class StudyTasks:
    """The tasks of one study: a data set, encoded one way under the key of one seed."""

    dataset: str
    encoding: str
    seed: int
    tasks: tuple[StudyTask, ...]

    @property
    def name(self) -> str:
        """The study in words."""
        return f"{grid.label(self.dataset, self.encoding)}, seed {self.seed}"


def tasks_of(plan: Plan, datasets: Collection[str]) -> list[StudyTask]:
    """Every task of the plan on these data sets."""
    found: list[StudyTask] = []
    cells = [cell for cell in plan.cells if cell.dataset in datasets]
    for seed in plan.seeds:
        for study in dict.fromkeys((cell.dataset, cell.encoding) for cell in cells):
            # What belongs to no single cell is filed under a cell without a budget.
            nowhere = GridCell(study[0], 0, 0.0, study[1])
            found.append(StudyTask("study", nowhere, seed))
            if study[0] == grid.MEASURED and seed == plan.seeds[0]:
                found.append(StudyTask("bits", nowhere, seed))
        found += [
            StudyTask("run", cell, seed, offset, reviewed=cell in grid.REVIEWED)
            for cell in cells
            for offset in plan.offsets
        ]
    return found


def batches_of(tasks: Collection[StudyTask], done: Collection[str]) -> list[StudyTasks]:
    """What is still to be done, by study; those with most work first, so that the last to end are short."""
    batches: dict[tuple[str, str, int], StudyTasks] = {}
    for task in tasks:
        if task.key not in done:
            key = (task.cell.dataset, task.cell.encoding, task.seed)
            batch = batches.get(key, StudyTasks(*key, ()))
            batches[key] = replace(batch, tasks=(*batch.tasks, task))
    return sorted(batches.values(), key=lambda batch: -len(batch.tasks))
