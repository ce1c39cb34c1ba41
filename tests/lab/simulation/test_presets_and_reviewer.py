"""Named parameters, the reviewer who errs more when shown less, and what a run says about itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.lab.evaluation.result import Point, RunResult
from unveil.lab.simulation.reviewer import SimulatedReviewer, hidden_share
from unveil.linkage.estimate import Estimate
from unveil.roles.chance import SeededChance
from unveil.roles.review_unit.display import ReviewablePair
from unveil.schema import Schema, built_in
from unveil.schema.presets import ENCODINGS, PRESETS, with_encoding, with_preset

SCHEMA = built_in()
STATES = ("equal", "dissimilar", "missing", "shown")


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_a_valid_schema(preset: str) -> None:
    """Presets are copied in without validation; a misspelt parameter would be ignored in silence."""
    made = with_preset(SCHEMA, preset, budget=7, layers=2)
    assert made == Schema.model_validate(made.model_dump())
    assert set(PRESETS[preset]) <= set(type(SCHEMA.protocol).model_fields)
    assert set(PRESETS[preset].get("review", {})) <= set(type(SCHEMA.protocol.review).model_fields)
    assert (7, 2) == (made.protocol.review.budget, made.protocol.layers)


def test_presets_set_what_they_name_and_nothing_else() -> None:
    assert SCHEMA == with_preset(SCHEMA, "schema")
    paper, unveil = with_preset(SCHEMA, "paper").protocol, with_preset(SCHEMA, "unveil").protocol
    assert (1.0, 1.0, "paper", None) == (
        paper.clerical_weight_r,
        paper.clerical_weight_a,
        paper.models,
        paper.review.learn_lower,
    )
    assert ("prior", "closest", 0.2, 0.6) == (
        unveil.models,
        unveil.strategy,
        unveil.controls,
        unveil.review.learn_lower,
    )
    assert SCHEMA.protocol.review.budget == unveil.review.budget
    assert SCHEMA.attributes == with_preset(SCHEMA, "unveil").attributes


@pytest.mark.parametrize("settings", [{"budget": -1}, {"layers": 0}, {"layers": 4}])
def test_settings_beyond_reason_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        with_preset(SCHEMA, "unveil", **settings)


def test_unknown_names_list_the_known_ones() -> None:
    with pytest.raises(SettingError) as error:
        with_preset(SCHEMA, "magic")
    assert all(name in str(error.value.hint) for name in PRESETS)
    with pytest.raises(SettingError) as error:
        with_encoding(SCHEMA, "md5")
    assert all(name in str(error.value.hint) for name in ENCODINGS)


# The reviewer


def pair(task: int, **states: str) -> ReviewablePair:
    """A pair whose shown attributes have values, unless the state says withheld."""
    values = {name: ("ann", "anne") for name, state in states.items() if state == "shown"}
    known = {name: "shown" if state == "withheld" else state for name, state in states.items()}
    return ReviewablePair(task.to_bytes(16, "big"), known, values)


def wrong_share(pairs: list[ReviewablePair], *, error: float, hidden_error: float, seed: int = 1) -> float:
    chance = SeededChance(seed, "reviewer")
    reviewer = SimulatedReviewer(lambda task: task[-1] % 2 == 0, error=error, hidden_error=hidden_error, chance=chance)
    verdicts = reviewer.review(pairs, spent=0, budget=len(pairs))
    assert [one.task_id for one in pairs] == [verdict.task_id for verdict in verdicts]
    return float(np.mean([verdict.match != (verdict.task_id[-1] % 2 == 0) for verdict in verdicts]))


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ({"a": "equal", "b": "equal"}, 0.0),
        ({"a": "equal", "b": "missing"}, 0.0),
        ({"a": "shown", "b": "shown"}, 0.0),
        ({"a": "shown", "b": "dissimilar"}, 0.5),
        ({"a": "dissimilar", "b": "dissimilar", "c": "equal"}, 1.0),
        ({"a": "shown", "b": "withheld", "c": "dissimilar", "d": "missing"}, 2 / 3),
    ],
)
def test_the_hidden_share_counts_unequal_attributes_without_values(states: dict[str, str], expected: float) -> None:
    """Equal and missing attributes hide nothing; values that an owner withheld are as hidden as those not asked for."""
    assert expected == pytest.approx(hidden_share(pair(1, **states)))


@given(st.lists(st.sampled_from([*STATES, "withheld"]), max_size=8))
def test_the_hidden_share_is_a_share(states: list[str]) -> None:
    assert 0 <= hidden_share(pair(1, **{f"a{i}": state for i, state in enumerate(states)})) <= 1


@pytest.mark.parametrize(
    ("error", "hidden_error", "state", "expected"),
    [
        (0.0, 0.0, "dissimilar", 0.0),
        (0.2, 0.0, "dissimilar", 0.2),
        (0.1, 0.2, "dissimilar", 0.3),
        (0.1, 0.2, "shown", 0.1),
        (0.2, 0.9, "dissimilar", 0.5),  # no worse than a coin for want of values
        (0.7, 0.9, "dissimilar", 0.7),  # a reviewer who lies does so without their help
        (1.0, 0.0, "shown", 1.0),
    ],
)
def test_a_reviewer_who_is_shown_less_errs_more(error: float, hidden_error: float, state: str, expected: float) -> None:
    """4,000 labels: five standard deviations are .04."""
    pairs = [pair(number, a=state, b="equal") for number in range(4000)]
    assert expected == pytest.approx(wrong_share(pairs, error=error, hidden_error=hidden_error), abs=0.04)


def test_half_of_the_values_hide_half_of_the_error() -> None:
    pairs = [pair(number, a="shown", b="dissimilar") for number in range(4000)]
    assert 0.2 == pytest.approx(wrong_share(pairs, error=0.1, hidden_error=0.2), abs=0.04)


def test_the_hidden_error_takes_nothing_from_the_stream_of_chance() -> None:
    """With 0 it is the reviewer of the published runs, label by label."""
    pairs = [pair(number, a="dissimilar") for number in range(300)]
    chance = SeededChance(4, "reviewer")
    labels = []
    for more in ({}, {"hidden_error": 0.0}):
        reviewer = SimulatedReviewer(lambda _: True, error=0.3, chance=chance, **more)
        labels.append([verdict.match for verdict in reviewer.review(pairs, spent=0, budget=300)])
    flips = [chance(f"task {one.task_id.hex()}").rng.random() < 0.3 for one in pairs]
    assert labels[0] == labels[1] == [not flip for flip in flips]
    assert [] == SimulatedReviewer(lambda _: True, error=0.3, chance=chance).review([], spent=0, budget=0)


def test_a_label_depends_on_its_task_and_not_on_what_was_reviewed_before() -> None:
    """The network may bring tasks in another order, or one by one: the same labels are wrong."""
    pairs = [pair(number, a="dissimilar") for number in range(100)]

    def labels(*batches: list[ReviewablePair]) -> dict[bytes, bool | None]:
        reviewer = SimulatedReviewer(lambda _: True, error=0.5, chance=SeededChance(4, "reviewer"))
        verdicts = [verdict for batch in batches for verdict in reviewer.review(batch, spent=0, budget=100)]
        return {verdict.task_id: verdict.match for verdict in verdicts}

    assert labels(pairs) == labels(pairs[::-1]) == labels(*([one] for one in pairs))
    assert {True, False} == set(labels(pairs).values())


@pytest.mark.parametrize("hidden_error", [-0.1, 1.1, float("nan")])
def test_the_hidden_error_is_a_share(hidden_error: float) -> None:
    with pytest.raises(SettingError):
        SimulatedReviewer(lambda _: True, error=0.1, hidden_error=hidden_error, chance=SeededChance(1, "reviewer"))


# What a run says about itself


def run(**more: object) -> RunResult:
    some: dict[str, Any] = {
        "dataset": "people", "preset": "unveil", "budget": 5, "error": 0.0, "seed": 1, "t_opt": 0.7, "t0": 0.7,
        "t_final": 0.7, "true_pairs": 9, "candidate_pairs": 99, "pairs_completeness": 1.0, "seconds": 1.0,
        "peak_rss_mb": 100.0, "trajectory": (Point(0, 0, 0.7, 1.0, 0.5, 2 / 3),),
    }  # fmt: skip
    return RunResult(**{**some, **more})


def test_the_share_of_pairs_that_an_attribute_was_provided_for() -> None:
    """Per attribute, out of the reviewed pairs; an attribute that nobody was asked about is not disclosed."""
    states = {"zip": {"shown": 3, "equal": 5, "missing": 1, "dissimilar": 1}, "city": {"equal": 4}, "sex": {}}
    assert {"zip": 0.3, "city": 0.0, "sex": 0.0} == run(review_states=states).attributes_disclosed()


def test_the_summary_ends_with_the_estimates_and_what_was_disclosed() -> None:
    """Added after the documented keys, so that readers by position stay right."""
    estimate = Estimate((0.8, 0.9, 1.0), (0.7, 0.8, 0.9), (0.75, 0.85, 0.95))
    summary = run(estimate=estimate, kapr={"held": 0.25, "seen": 0.1}).summary()
    added = {
        "estimated_precision": [0.8, 0.9, 1.0],
        "estimated_recall": [0.7, 0.8, 0.9],
        "estimated_f1": [0.75, 0.85, 0.95],
        "attributes_disclosed": {},
        "kapr_held": 0.25,
        "estimate_trusted": True,
        "reviewer_error": None,
        "kept_out": {},
        "warnings": [],
    }
    assert ["peak_rss_mb", *added] == list(summary)[-10:]
    assert added == {key: summary[key] for key in added}
    bare = run().summary()
    shown = [bare[key] for key in added if key not in ("attributes_disclosed", "kept_out", "warnings")]
    assert [None, None, None, 0.0, None, None] == shown


@pytest.mark.parametrize(("budget", "batches"), [(300, 10), (100, 10), (99, 9), (20, 2), (5, 1), (0, 1)])
def test_no_batch_of_a_preset_is_smaller_than_ten_labels(budget: int, batches: int) -> None:
    """Twenty labels in batches of two are no work flow; the published budgets keep their ten batches."""
    for preset in ("unveil", "paper"):
        protocol = with_preset(built_in(), preset, budget=budget).protocol
        assert batches == protocol.review.batches
        assert batches <= protocol.review.rounds * len(protocol.batches), "or labels would be left over"
