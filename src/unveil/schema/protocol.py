"""
Settings of the protocol: how the layers decide, ask and learn. `definition` puts them into the linkage schema.

They keep the paper's symbols (p_t, x, t, dt, dt_step).
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from unveil.settings.base import Settings, whole
from unveil.settings.choices import Choice, OneOf

#: How uncertain pairs are drawn. Adding a strategy is a row here and a function in `linkage.query`.
STRATEGIES: Final[dict[str, Choice]] = {
    "buckets": Choice(sentence="spread evenly over the whole range of uncertainty, cut into x buckets"),
    "uniform": Choice(sentence="at random, each as likely as any other"),
    "closest": Choice(sentence="the least certain first"),
}


class ThresholdSettings(Settings):
    """M_R: a threshold on record-level similarity, and how far and how fast it may move."""

    t: float = Field(0.75, gt=0, lt=1, description="starting threshold t0")
    below: float = Field(0.05, gt=0, le=1, description="distance below t at which p reaches 1")
    above: float = Field(0.10, gt=0, le=1, description="distance above t at which p reaches 1")
    dt: float = Field(0.10, ge=0, le=1, description="largest distance from t0, ever")
    dt_step: float = Field(0.02, ge=0, le=1, description="largest move in one update")
    step: float = Field(0.01, gt=0, le=0.5, description="grid of candidate thresholds")


class ForestSettings(Settings):
    """M_A: the evolving random forest."""

    initial: int = Field(10, ge=1, description="trees grown from the bootstrap batch")
    added: int = Field(10, ge=1, description="trees added by every update")
    cap: int = Field(100, ge=1, description="largest number of trees; the oldest leave first")
    depth: int = Field(6, ge=1, le=30, description="depth of a tree")
    bag: float = Field(0.7, gt=0, le=1, description="share of the pairs drawn for a tree, with replacement")
    seed: int = Field(1, ge=0, description="seed of the trees")


class ReviewSettings(Settings):
    """The reviewers' budget and what they are shown."""

    budget: int = Field(100, ge=0, description="labels that may be asked of reviewers in all (b)")
    batches: int = Field(10, ge=1, description="the budget is spent in this many batches")
    rounds: int = Field(2, ge=1, description="batches per iteration of the loop")
    lower: float = Field(0.4, ge=0, lt=1, description="values at or below this similarity are not asked for")
    learn_lower: float | None = Field(
        None, gt=0, lt=1, description="learn that bound per attribute: the quantile of similarity among non-matches"
    )


class FrequencySettings(Settings):
    """Frequency classes of values, counted by each owner over its own records."""

    bounds: tuple[Annotated[float, Field(gt=0, lt=1)], ...] = Field(
        (0.01, 0.05), min_length=1, description="upper rank of each class as a share of the distinct values"
    )


class ProtocolSettings(Settings):
    """How the layers work together."""

    layers: Annotated[Literal[1, 2, 3], BeforeValidator(whole)] = Field(
        3, description="1: record level; 2: and attribute level; 3: and masked review"
    )
    batches: tuple[Annotated[int, Field(ge=1)], ...] = Field(
        (100, 100, 100, 100, 100, 1000, 1000, 1000, 1000), description="pairs sent to layer A in each iteration"
    )
    floor: float = Field(
        0.5, ge=0, lt=1, description="pairs below this are not kept, but where neighbours are sought and two keys agree"
    )
    max_block: int = Field(1_000_000, ge=1, description="blocks with more pairs than this are skipped")
    neighbours: int = Field(
        0,
        ge=0,
        le=50,
        description="pairs among the so many most similar of both their records are candidates too; 0: keys alone",
    )
    most_compared: int = Field(
        20_000_000_000, ge=0, description="beyond so many pairs neighbours are not looked for, and keys decide alone"
    )
    p_t: float = Field(0.8, gt=0.5, le=1, description="a decision with p below this is uncertain")
    x: int = Field(10, ge=1, description="buckets of the query strategy")
    strategy: Annotated[str, OneOf(STRATEGIES)] = Field("buckets", description="how uncertain pairs are drawn")
    models: Literal["paper", "prior"] = Field(
        "paper", description="paper: a threshold and a forest; prior: models that know generated people already"
    )
    controls: float = Field(
        0.0,
        ge=0,
        lt=1,
        description="share of reviews spent on pairs that the model is sure of, to learn how reviewers err",
    )
    further_attributes: float = Field(
        0.0,
        ge=0,
        le=1,
        description="wishes of reviewers for one more attribute of a pair, in all, as a share of the budget; 0: none",
    )
    decoys: float = Field(
        0.0,
        ge=0,
        le=0.9,
        description="share of wishes that are decoys: pairs that are certain, attributes that are not needed",
    )
    evenness: float = Field(
        0.0,
        ge=0,
        le=1,
        description="how often records without a partner are wished for, as a share of how often those with one are; "
        "pairs of strangers bring it about; 0: there are none",
    )
    strangers: int = Field(
        4, ge=0, le=100, description="pairs of strangers at most, for each pair that a batch is planned to have"
    )
    pairs_per_record: int = Field(
        20,
        ge=1,
        description="pairs for which the attributes of one record are encoded at most; owners refuse further ones",
    )
    clerical_weight_r: float = Field(2.0, gt=0, description="weight of a reviewer's label in M_R")
    clerical_weight_a: float = Field(2.0, gt=0, description="weight of a reviewer's label in M_A")
    report_once: bool = Field(False, description="layer A does not report changed outcomes again")
    one_to_one: bool = Field(False, description="count as matches only pairs that are each other's best")
    threshold: ThresholdSettings = ThresholdSettings()
    forest: ForestSettings = ForestSettings()
    review: ReviewSettings = ReviewSettings()
    frequency: FrequencySettings = FrequencySettings()
