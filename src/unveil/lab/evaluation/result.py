"""What a simulated run leaves behind: the numbers that `unveil simulate --json` prints and the report draws."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from unveil.linkage.estimate import Estimate
from unveil.models.advice import AttributeWorth
from unveil.models.noise import NO_BETTER_THAN_CHANCE
from unveil.protocol.data_warnings import DataWarning


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
class Disclosure:
    """How many records gave up an attribute on a layer ("record", "attribute", "review"), and in which form."""

    layer: str
    attribute: str
    records: int
    of_records: int


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


@dataclass(frozen=True, slots=True)
class Flow:
    """Traffic of one kind of message between two roles."""

    sender: str
    recipient: str
    kind: str
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class RunResult:
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
    candidate_pairs: int
    pairs_completeness: float
    trajectory: tuple[Point, ...]
    seconds: float
    peak_rss_mb: float
    records: tuple[int, int] = (0, 0)
    record_level_f1: float = 0.0
    attribute_level_f1: float | None = None
    uncertain_band: tuple[float, float] = (0.0, 0.0)
    histogram: Histogram | None = None
    disclosures: tuple[Disclosure, ...] = ()
    asked: tuple[AskedPair, ...] = ()
    review_states: dict[str, dict[str, int]] = field(default_factory=dict)  # attribute -> state -> pairs
    kapr: dict[str, float] = field(default_factory=dict)  # "seen", "held", and "held" had more been asked for
    flows: tuple[Flow, ...] = ()
    estimate: Estimate | None = None  # quality as the record unit itself can tell
    suitability: float | None = None  # how well record-level similarity agrees with the attribute level
    worth: tuple[AttributeWorth, ...] = ()  # what each attribute is worth, by what was opened
    reviewer_error: float | None = None  # as the attribute unit estimates it
    kept_out: dict[str, dict[str, int]] = field(
        default_factory=dict
    )  # owner -> reason -> records that were not compared
    warnings: tuple[DataWarning, ...] = ()  # what the units say looks wrong with the owners' data
    timings: dict[str, float] = field(default_factory=dict)  # stage -> seconds, in order

    @property
    def initial_f1(self) -> float:
        """F1 before any review."""
        return self.trajectory[0].f1

    @property
    def final_f1(self) -> float:
        """F1 at the end."""
        return self.trajectory[-1].f1

    @property
    def labels_unused(self) -> bool:
        """Whether reviewers' labels were found to be no better than chance, so that nothing was learnt from them."""
        return self.reviewer_error is not None and self.reviewer_error >= NO_BETTER_THAN_CHANCE

    def attributes_disclosed(self) -> dict[str, float]:
        """For each attribute, the share of the reviewed pairs whose values were provided to the review unit."""
        shares = {}
        for name, states in self.review_states.items():
            total = sum(states.values())
            shares[name] = states.get("shown", 0) / total if total else 0.0
        return shares

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
