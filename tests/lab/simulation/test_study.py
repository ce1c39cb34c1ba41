"""A study is encoded and compared once; runs on it share the work and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from unveil.engines import choose
from unveil.lab.evaluation.baselines import weighted_similarity
from unveil.lab.evaluation.quality import best_threshold, quality, truth_flags
from unveil.lab.simulation.run import simulate, starting_threshold
from unveil.lab.simulation.study import Study
from unveil.lab.simulation.world import SimulationSettings, World
from unveil.lab.synthetic import generate
from unveil.linkage.engine import Compare, Encoded
from unveil.linkage.pairs import Comparison
from unveil.one_place.stopwatch import Stopwatch
from unveil.roles.chance import SeededChance
from unveil.schema import built_in
from unveil.schema.presets import with_preset

SCHEMA = built_in()


@pytest.fixture(scope="module")
def study() -> Study:
    people = generate(records=1500, overlap=0.2, errors=1, seed=3)
    return Study("people", SCHEMA, people.a, people.b, people.truth, choose("reference"))


def test_runs_share_one_comparison(study: Study) -> None:
    """Eleven starting thresholds and three seeds would else compare the same pairs thirty-three times."""
    calls = []
    inner: Compare = study.compare._compare

    def counted(a: Encoded, b: Encoded, /, **options: Any) -> Comparison:
        calls.append(1)
        return inner(a, b, **options)

    study.compare._compare = counted
    study.compare._known.clear()
    for seed in (1, 2):
        World(study, SCHEMA, SimulationSettings(seed=seed, t0=0.75)).run()
    assert 1 == len(calls)


def test_other_seeds_of_a_study_are_other_keys(study: Study) -> None:
    other = Study("people", SCHEMA, study.a, study.b, study.truth, study.engine, seed=2)
    one, two = study.encode()[0].filters.words, other.encode()[0].filters.words
    assert not np.array_equal(one, two)


def test_completeness_counts_true_pairs_that_share_a_blocking_key(study: Study) -> None:
    """With one exact key, completeness is the share of true pairs that agree on it."""
    key = SCHEMA.blocking[1].model_copy(update={"fields": ("last_name", "year_of_birth")})
    schema = SCHEMA.model_copy(update={"blocking": (key,)})
    one_key = Study("people", schema, study.a, study.b, study.truth, study.engine)
    names = [records.columns["last_name"].values() for records in (study.a, study.b)]
    years = [records.columns["year_of_birth"].values() for records in (study.a, study.b)]
    agree = [names[0][i] == names[1][j] and years[0][i] == years[1][j] for i, j in study.truth]
    assert sum(agree) / len(agree) == pytest.approx(one_key.pairs_completeness)
    assert 0.5 < one_key.pairs_completeness < 1


def test_the_starting_threshold_is_relative_to_the_best_one(study: Study) -> None:
    assert study.best[0] == starting_threshold(study, offset=None, threshold=None)
    assert study.best[0] - 0.05 == pytest.approx(starting_threshold(study, offset=-0.05, threshold=None))
    assert 0.5 == starting_threshold(study, offset=None, threshold=0.5)


def test_the_best_threshold_beats_its_neighbours(study: Study) -> None:
    similarity = study.comparison.pairs.similarity
    scores = {t: quality(similarity >= t, study.is_true, len(study.truth)).f1 for t in np.arange(0.5, 1, 0.01).round(2)}
    assert max(scores.values()) == pytest.approx(study.best[1])
    assert study.best[0] == pytest.approx(max(scores, key=lambda t: (scores[t], -t)))


def test_quality_counts_true_pairs_that_were_never_candidates() -> None:
    """Recall against candidates alone would hide what blocking lost."""
    found = quality(np.array([True, True, False]), np.array([True, False, True]), 4)
    assert (0.5, 0.25) == (found.precision, found.recall)
    assert 2 * 0.5 * 0.25 / 0.75 == pytest.approx(found.f1)


def test_truth_flags_and_best_threshold_take_empty_input() -> None:
    none = np.empty(0, np.int32)
    assert 0 == len(truth_flags(none, none, np.empty((0, 2), np.int64)))
    assert 0.0 == best_threshold(np.empty(0), np.empty(0, bool), 3)[1]


def test_missing_values_do_not_weigh_unless_the_schema_says_so() -> None:
    """A missing middle name is left out; a missing first name counts as no agreement."""
    ones = np.ones(len(SCHEMA.attributes))
    no_middle, no_first = ones.copy(), ones.copy()
    no_middle[1], no_first[0] = np.nan, np.nan
    scores = weighted_similarity(np.array([ones, no_middle, no_first, ones * np.nan]), SCHEMA)
    weights = [attribute.weight for attribute in SCHEMA.attributes]
    assert [1.0, 1.0, 1 - weights[0] / sum(weights), 0.0] == pytest.approx(scores.tolist())


def test_seeded_chance_repeats_and_separates_seeds_parties_and_purposes() -> None:
    """A restart draws the same again; nobody draws what another party or another decision draws."""
    draws = [SeededChance(*who)("handles") for who in ((1, "a"), (1, "a"), (2, "a"), (1, "b"))]
    draws.append(SeededChance(1, "a")("upload"))
    first, same, *others = [(draw.entropy(32), draw.rng.random(4).tolist()) for draw in draws]
    assert first == same
    for other in others:
        assert first[0] != other[0]
        assert first[1] != other[1]


def test_bytes_of_one_draw_do_not_repeat_and_do_not_move_its_numbers() -> None:
    """Ids and keys come from one draw; how many of them there are must not change a sample."""
    draw, untouched = (SeededChance(1, "a")("iteration 0") for _ in range(2))
    pieces = [draw.entropy(32) for _ in range(3)]
    assert 3 == len(set(pieces))
    assert untouched.rng.random(4).tolist() == draw.rng.random(4).tolist()


def test_a_full_run_measures_baselines_disclosure_and_risk(study: Study) -> None:
    ticks = iter(range(100))
    watch = Stopwatch.start(lambda: float(next(ticks)))
    schema = with_preset(SCHEMA, "schema", budget=30)
    run, world = simulate(
        study, schema, SimulationSettings(seed=1, t0=0.74), watch, preset="schema", full=True, examples=True
    )
    assert {"protocol": 1.0, "estimates": 1.0, "baselines": 1.0} == run.timings
    assert run.attribute_level_f1 is not None
    assert run.kapr["held"] < run.kapr["held, unequal values"] < run.kapr["held, all values"]
    assert run.kapr["seen"] <= run.kapr["held"]
    assert 12 == len(run.asked)
    assert 30 == sum(run.review_states["zip"].values())
    by_layer = {layer: [d.records for d in run.disclosures if d.layer == layer] for layer in ("attribute", "review")}
    shown = sum(one.ledger.disclosures(3) for one in world.owners)
    assert 0 < sum(by_layer["review"]) <= shown < sum(by_layer["attribute"])
    assert run.histogram is not None
    assert len(study.comparison.pairs) == sum(run.histogram.matches) + sum(run.histogram.non_matches)
