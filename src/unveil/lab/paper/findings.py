"""What the finished pieces of work say together: averages per cell, baselines per set, privacy figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from unveil.lab.paper.averages import Average, average
from unveil.lab.paper.cells import GridCell, Plan, label
from unveil.lab.paper.journal import Result

_BASELINES = ("t_opt", "record_level", "attribute_level", "pairs_completeness", "candidate_pairs", "true_pairs")


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that was measured. `missing` names data sets that were not there."""

    plan: Plan
    preset: str
    cells: dict[GridCell, Average]
    baselines: dict[str, dict[str, float]]  # by set, means over the seeds
    records: dict[str, tuple[int, int]]
    record_bits: dict[str, dict[str, float]]  # by encoding
    attribute_bits: dict[str, dict[str, dict[str, float]]]  # "abf" or "kabf", attribute, measure
    review: dict[str, dict[str, Any]]  # by set: KAPR and shares, medians over the runs
    preparation: dict[str, float]  # seconds by set, for all seeds
    measuring: float  # seconds for the filters
    missing: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """Runs that were averaged."""
        return sum(found.runs for found in self.cells.values())

    @property
    def complete(self) -> bool:
        """Whether every run of the plan is there."""
        return self.runs == self.plan.runs

    @property
    def work_seconds(self) -> float:
        """The time that one process would have needed."""
        return sum(found.seconds for found in self.cells.values()) + sum(self.preparation.values()) + self.measuring

    def figures(self, cell: GridCell) -> dict[str, float]:
        """The figures of a cell that were published of some cells."""
        figures = self.cells[cell].figures()
        baseline = self.baselines.get(cell.label)
        if baseline:
            figures["to_attribute_level"] = figures["final_mean"] - baseline["attribute_level"]
        return figures

    def rounds_to_record_level(self, cell: GridCell) -> int | None:
        """After how many rounds the average reaches what the best threshold alone does; None if it never does."""
        line = self.baselines[cell.label]["record_level"] if cell.label in self.baselines else None
        steps = enumerate(self.cells[cell].steps)
        return next((index for index, step in steps if line is not None and step.micro >= line), None)


def findings(results: Mapping[str, Result], plan: Plan, preset: str, *, missing: Iterable[str] = ()) -> Findings:
    """What these results say; results outside the plan are left out."""
    runs: defaultdict[GridCell, list[Result]] = defaultdict(list)
    by_label: defaultdict[str, list[Result]] = defaultdict(list)
    bits: list[Result] = []
    for _, result in sorted(results.items()):
        cell = GridCell(result["dataset"], result["budget"], result["error"], result["encoding"])
        if result["kind"] == "study":
            by_label[cell.label].append(result)
        elif result["kind"] == "bits":
            bits.append(result)
        elif result["offset"] in plan.offsets and result["seed"] in plan.seeds:
            runs[cell].append(result)
    attribute: dict[str, Any] = next((result["attribute"] for result in bits if "attribute" in result), {})
    order = list(dict.fromkeys(cell.label for cell in plan.cells))
    studies = {name: by_label[name] for name in order if name in by_label}
    return Findings(
        plan=plan,
        preset=preset,
        cells={cell: average(runs[cell]) for cell in plan.cells if runs[cell]},
        baselines={
            name: {key: fmean(one[key] for one in some) for key in _BASELINES} for name, some in studies.items()
        },
        records={name: (some[0]["records"][0], some[0]["records"][1]) for name, some in studies.items()},
        record_bits={result["encoding"]: result["record"] for result in bits},
        attribute_bits=attribute,
        review={label(cell.dataset, cell.encoding): found for cell in plan.cells if (found := _review(runs[cell]))},
        preparation={name: sum(one["prepared"] + one["seconds"] for one in some) for name, some in studies.items()},
        measuring=sum(result["seconds"] for result in bits),
        missing=tuple(missing),
    )


def _review(runs: Iterable[Result]) -> dict[str, Any]:
    seen = [run["review"] for run in runs if "review" in run]
    if not seen:
        return {}
    return {
        part: {name: median(one[part][name] for one in seen) for name in seen[0][part]} for part in ("kapr", "provided")
    }
