"""The numbers of a linkage that its machines know themselves: no truth is among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from unveil.linkage.estimate import Estimate
from unveil.models.advice import AttributeWorth
from unveil.models.noise import NO_BETTER_THAN_CHANCE
from unveil.protocol.data_warnings import DataWarning


@dataclass(frozen=True, slots=True)
class Disclosure:
    """How many records gave up an attribute on a layer ("record", "attribute", "review"), and in which form."""

    layer: str
    attribute: str
    records: int
    of_records: int


@dataclass(frozen=True, slots=True)
class Flow:
    """Traffic of one kind of message between two roles."""

    sender: str
    recipient: str
    kind: str
    messages: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedFigures(ABC):
    """What a linkage leaves behind, from reading to result."""

    records: tuple[int, int] = (0, 0)
    candidate_pairs: int
    seconds: float
    peak_rss_mb: float
    uncertain_band: tuple[float, float] = (0.0, 0.0)
    disclosures: tuple[Disclosure, ...] = ()
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
    @abstractmethod
    def reviewed_pairs(self) -> int:
        """Pairs that were opened attribute by attribute."""

    @property
    @abstractmethod
    def clerical_labels(self) -> int:
        """Labels that reviewers gave."""

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


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """How good the links seemed to be after so many pairs were opened and so many labels given."""

    reviewed_pairs: int
    clerical_labels: int
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class DecidedBySimilarity:
    """Candidate pairs by record-level similarity, linked or not. Bin i covers edges[i] to edges[i + 1]."""

    edges: tuple[float, ...]
    linked: tuple[int, ...]
    others: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnePlaceFigures(CountedFigures):
    """A linkage in one place, whose truth nobody knows. `names` are those of the files."""

    names: tuple[str, str]
    links: int
    linked_persons: int
    kept_pairs: int  # candidates that are alike enough to be looked at
    as_if_cut_at: float  # the similarity that as many pairs reach as were decided to be matches
    reviewed_pairs: int = 0
    clerical_labels: int = 0
    course: tuple[CoursePoint, ...] = ()
    decided: DecidedBySimilarity | None = None
