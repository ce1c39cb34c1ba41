"""
Averages and ranges over the runs of a cell.

The publication sums true positives, false positives and false negatives, first over the repetitions from each starting
threshold and then over the thresholds, and takes F1 of the sums; its ranges run over the figures per threshold. The
plain mean and the range over single runs are given beside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from unveil.lab.paper.journal import Result

# Places in a point, as `work.counted` makes it.
REVIEWED, LABELS, THRESHOLD, FOUND, MATCHED = range(5)


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs found, matched and true, of one run or summed over several."""

    found: int
    matched: int
    true_pairs: int

    @property
    def f1(self) -> float:
        """2·TP / (2·TP + FP + FN), which is 2·found / (matched + true pairs)."""
        total = self.matched + self.true_pairs
        return 2 * self.found / total if total else 1.0


def pooled(counts: Iterable[PairCounts]) -> PairCounts:
    """The sums."""
    some = list(counts)
    return PairCounts(
        sum(count.found for count in some),
        sum(count.matched for count in some),
        sum(count.true_pairs for count in some),
    )


@dataclass(frozen=True, slots=True)
class TrajectoryStep:
    """All runs of a cell after the same update: averages and ranges of F1, and the mean effort."""

    reviewed_pairs: float
    clerical_labels: float
    micro: float
    plain: float
    low: float  # of the figures pooled per starting threshold
    high: float
    lowest: float  # of single runs
    highest: float


@dataclass(frozen=True, slots=True)
class Average:
    """A cell: its steps from the start to the end, how many runs lost quality, and the time of all of them."""

    runs: int
    thresholds: int
    losing_runs: int
    steps: tuple[TrajectoryStep, ...]
    seconds: float

    @property
    def first(self) -> TrajectoryStep:
        """Before any review."""
        return self.steps[0]

    @property
    def last(self) -> TrajectoryStep:
        """At the end."""
        return self.steps[-1]

    def figures(self) -> dict[str, float]:
        """The figures that the publication gives of a cell, under its names."""
        first, last = self.first, self.last
        return {
            "initial_mean": first.micro, "initial_min": first.low, "initial_max": first.high,
            "initial_range": first.high - first.low, "final_mean": last.micro, "final_min": last.low,
            "final_max": last.high, "final_range": last.high - last.low, "gain": last.micro - first.micro,
        }  # fmt: skip

    def summary(self) -> dict[str, Any]:
        """Every number, for summary.json."""
        return {
            "runs": self.runs, "thresholds": self.thresholds, "losing_runs": self.losing_runs,
            "seconds": self.seconds, "initial": asdict(self.first), "final": asdict(self.last),
            "trajectory": [asdict(step) for step in self.steps],
        }  # fmt: skip


def average(runs: Sequence[Result]) -> Average:
    """
    The averages over the runs of one cell, of which there is at least one.

    A run that had no uncertain pair left ended early; its last point stands for the steps that it did not take.
    """
    length = max(len(run["points"]) for run in runs)
    steps = tuple(_step([_padded(run, index) for run in runs], runs) for index in range(length))
    losing = sum(_counts(run, run["points"][-1]).f1 < _counts(run, run["points"][0]).f1 for run in runs)
    thresholds = len({run["offset"] for run in runs})
    return Average(len(runs), thresholds, losing, steps, sum(run["seconds"] for run in runs))


def _padded(run: Result, index: int) -> list[float]:
    points: list[list[float]] = run["points"]
    return points[min(index, len(points) - 1)]


def _counts(run: Result, point: Sequence[float]) -> PairCounts:
    return PairCounts(int(point[FOUND]), int(point[MATCHED]), int(run["true_pairs"]))


def _step(points: Sequence[Sequence[float]], runs: Sequence[Result]) -> TrajectoryStep:
    by_threshold: defaultdict[float, list[PairCounts]] = defaultdict(list)
    single = []
    for run, point in zip(runs, points, strict=True):
        counts = _counts(run, point)
        by_threshold[run["offset"]].append(counts)
        single.append(counts.f1)
    per_threshold = [pooled(counts) for counts in by_threshold.values()]
    f1 = [counts.f1 for counts in per_threshold]
    return TrajectoryStep(
        reviewed_pairs=fmean(point[REVIEWED] for point in points),
        clerical_labels=fmean(point[LABELS] for point in points),
        micro=pooled(per_threshold).f1,
        plain=fmean(single),
        low=min(f1),
        high=max(f1),
        lowest=min(single),
        highest=max(single),
    )
