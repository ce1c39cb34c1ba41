"""
One world linked, beside what others reach on the same records.

Three rows of our own, since each opens more: nothing opened, pairs opened without labels, pairs opened and labelled by
a reviewer who errs. Two of others: a plain CLK of which all pairs are compared and mutual best matches above the best
threshold by truth are linked; and a model with every candidate's label and every value in plain text.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from unveil.lab.evaluation.quality import best_threshold, truth_flags
from unveil.lab.evaluation.result import RunResult
from unveil.lab.simulation.run import simulate
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings
from unveil.lab.worlds.registers import WorldRegisters
from unveil.linkage.attributes import agreement_classes, attribute_similarities
from unveil.linkage.clusters import symmetric_best
from unveil.linkage.engine import Engine
from unveil.linkage.outcome import Reals
from unveil.linkage.pairs import Pairs
from unveil.one_place.stopwatch import Stopwatch
from unveil.roles.owner.frequency import all_frequency_classes
from unveil.schema.presets import with_preset

PRESET: Final = "unveil"
_FOLDS: Final = 2
_FLOOR: Final = 0.5
_NEAR_COPIES: Final = 0.75  # the owners of a world know that people may stand in it twice


@dataclass(frozen=True, slots=True)
class Figures:
    """F1 of each way to link a world, and what the units said of the last of ours without knowing the truth."""

    seed: int
    pairs_completeness: float
    nothing_opened: float
    opened: float
    final: float
    plain_clk: float
    supervised: float
    estimate: tuple[float, float, float]
    trusted: bool
    links: int
    true_pairs: int
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """The same for files."""
        return asdict(self)


def measure(world: WorldRegisters, engine: Engine, *, budget: int = 100, error: float = 0.2) -> Figures:
    """The figures of one world."""
    start = time.perf_counter()
    schema = with_preset(world.schema, PRESET)
    study = Study(f"world {world.design.seed}", schema, world.a, world.b, world.truth, engine)
    runs = {layers: _run(study, layers, budget=budget, error=error) for layers in (1, 2, 3)}
    final, links = runs[3]
    return Figures(
        seed=world.design.seed,
        pairs_completeness=study.pairs_completeness,
        nothing_opened=runs[1][0].final_f1,
        opened=runs[2][0].final_f1,
        final=final.final_f1,
        plain_clk=plain_clk(world, engine),
        supervised=supervised(study),
        estimate=final.estimate.f1 if final.estimate else (0.0, 0.0, 1.0),
        trusted=bool(final.estimate and final.estimate.trusted),
        links=links,
        true_pairs=len(world.truth),
        seconds=round(time.perf_counter() - start, 1),
    )


def _run(study: Study, layers: int, *, budget: int, error: float) -> tuple[RunResult, int]:
    """A whole run with so many layers, and how many pairs it linked."""
    schema = with_preset(study.schema, PRESET, budget=budget, layers=layers)
    watch = Stopwatch.start(time.perf_counter)
    result, world = simulate(
        study, schema, SimulationSettings(seed=1, error=error, near_copies=_NEAR_COPIES), watch, preset=PRESET
    )
    return result, int(world.record_unit.matches().sum())


def plain_clk(world: WorldRegisters, engine: Engine) -> float:
    """F1 of mutual best matches among all pairs of plain filters, at the threshold that is best by truth."""
    layer = world.schema.layer_r.model_copy(update={"hardening": ()})
    attributes = tuple(each.model_copy(update={"in_record": 1.0}) for each in world.schema.attributes)
    schema = world.schema.model_copy(update={"layer_r": layer, "attributes": attributes, "blocking": ()})
    study = Study("plain", schema, world.a, world.b, world.truth, engine)
    left, right = study.encode()
    found = Pairs.concatenate(engine.all_pairs(left.filters, right.filters, floor=_FLOOR)).sorted()
    best = symmetric_best(found.left, found.right, found.similarity)
    is_true = truth_flags(found.left[best], found.right[best], world.truth)
    return best_threshold(found.similarity[best], is_true, len(world.truth), step=0.005)[1]


def supervised(study: Study) -> float:
    """F1 of boosted trees on every attribute's similarity, each half of the candidates judged by the other half's."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    pairs, is_true = study.comparison.pairs, study.is_true
    features = _plain_evidence(study)
    half = np.random.default_rng(0).integers(0, _FOLDS, len(study.a))[pairs.left]
    score = np.zeros(len(pairs))
    for fold in range(_FOLDS):
        learn, judge = half != fold, half == fold
        if len(np.unique(is_true[learn])) == _FOLDS:
            model = HistGradientBoostingClassifier(max_depth=4, random_state=0).fit(features[learn], is_true[learn])
            score[judge] = model.predict_proba(features[judge])[:, 1]
    return best_threshold(score, is_true, len(study.truth))[1]


def _plain_evidence(study: Study) -> Reals:
    """Similarity and rarity of every attribute, the record's own similarity, and whether there is a better partner."""
    pairs = study.comparison.pairs
    filters = [study.encoder.attribute_level(records) for records in (study.a, study.b)]
    similarity = attribute_similarities(filters[0][pairs.left], filters[1][pairs.right])
    classes = [
        all_frequency_classes(records, study.schema)[rows]
        for records, rows in ((study.a, pairs.left), (study.b, pairs.right))
    ]
    best = symmetric_best(pairs.left, pairs.right, pairs.similarity)
    agreement: NDArray[np.uint8] = agreement_classes(similarity, *classes)
    return np.column_stack([similarity, agreement, pairs.similarity, best])
