"""What a simulated run leaves behind: the numbers that `unveil simulate --json` prints and the report draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unveil.one_place.figures import CountedFigures


@dataclass(frozen=True, slots=True)
class Point:
    """Quality after an update of the record unit; the first point lies before any review."""

    reviewed_pairs: int
    clerical_labels: int
    threshold: float
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, slots=True)
class Histogram:
    """Candidate pairs by record-level similarity, split by truth. Bin i covers edges[i] to edges[i + 1]."""

    edges: tuple[float, ...]
    matches: tuple[int, ...]
    non_matches: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """One attribute of a reviewed pair as the reviewer saw it: state is equal, dissimilar, missing or shown."""

    attribute: str
    state: str
    left: str
    right: str
    note: str


@dataclass(frozen=True, slots=True)
class AskedPair:
    """One pair that the reviewer was asked about, the label given, and the truth."""

    cells: tuple[Shown, ...]
    label: bool
    truth: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(CountedFigures):
    """One simulated run from reading to result."""

    dataset: str
    preset: str
    budget: int
    error: float
    seed: int
    t_opt: float
    t0: float
    t_final: float
    true_pairs: int
    pairs_completeness: float
    trajectory: tuple[Point, ...]
    record_level_f1: float = 0.0
    attribute_level_f1: float | None = None
    histogram: Histogram | None = None
    asked: tuple[AskedPair, ...] = ()

    @property
    def reviewed_pairs(self) -> int:
        """Pairs that were opened attribute by attribute."""
        return self.trajectory[-1].reviewed_pairs

    @property
    def clerical_labels(self) -> int:
        """Labels that reviewers gave."""
        return self.trajectory[-1].clerical_labels

    @property
    def initial_f1(self) -> float:
        """F1 before any review."""
        return self.trajectory[0].f1

    @property
    def final_f1(self) -> float:
        """F1 at the end."""
        return self.trajectory[-1].f1

    def summary(self) -> dict[str, Any]:
        """The object that `unveil simulate --json` prints."""
        keys = (
            "dataset", "preset", "budget", "error", "seed", "t_opt", "t0", "t_final", "true_pairs",
            "candidate_pairs", "pairs_completeness",
        )  # fmt: skip
        summary: dict[str, Any] = {key: getattr(self, key) for key in keys}
        summary["trajectory"] = [
            {name: getattr(point, name) for name in point.__dataclass_fields__} for point in self.trajectory
        ]
        for key in ("initial_f1", "final_f1", "seconds", "peak_rss_mb"):
            summary[key] = getattr(self, key)
        for key in ("precision", "recall", "f1"):
            summary[f"estimated_{key}"] = list(getattr(self.estimate, key)) if self.estimate else None
        summary["attributes_disclosed"] = self.attributes_disclosed()
        summary["kapr_held"] = self.kapr.get("held", 0.0)
        summary["estimate_trusted"] = self.estimate.trusted if self.estimate else None
        summary["reviewer_error"] = self.reviewer_error
        summary["kept_out"] = self.kept_out
        summary["warnings"] = [warning.as_json() for warning in self.warnings]
        return summary
