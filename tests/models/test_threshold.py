from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.errors import SettingError
from unveil.linkage.outcome import Outcomes
from unveil.models.threshold import ThresholdModel
from unveil.schema import ThresholdSettings

SETTINGS = ThresholdSettings()


def model(t: float, t0: float | None = None, **changes: float) -> ThresholdModel:
    return ThresholdModel(t, t if t0 is None else t0, ThresholdSettings(**changes))


def learned(start: ThresholdModel, labels: list[tuple[float, bool]], weight: float = 0.9) -> float:
    similarity = np.array([sim for sim, _ in labels])
    return start.updated(similarity, np.array([g for _, g in labels], bool), np.full(len(labels), weight)).t


@pytest.mark.parametrize(
    ("sim", "g", "p"),
    [
        (0.80, True, 0.5),
        (0.85, True, 0.75),
        (0.90, True, 1.0),
        (0.99, True, 1.0),
        (0.79, False, 0.6),
        (0.775, False, 0.75),
        (0.75, False, 1.0),
        (0.10, False, 1.0),
    ],
)
def test_p_grows_with_the_distance_from_the_threshold(*, sim: float, g: bool, p: float) -> None:
    """Twice as fast below the threshold as above; on the threshold the pair is a match, and as uncertain as can be."""
    word = model(0.8).predict(np.array([sim]))
    assert ([g], pytest.approx(p)) == (word.g.tolist(), word.p[0])


@pytest.mark.parametrize("t", [0.03, 0.95])
def test_p_reaches_1_at_the_ends_of_the_scale(t: float) -> None:
    """Near 0 and 1 the distances are cut, else no similarity there could ever be certain."""
    assert [1.0, 1.0] == model(t).predict(np.array([0.0, 1.0])).p.tolist()


@pytest.mark.parametrize("t", [0.61, 0.66, 0.7, 0.75, 0.76, 0.8, 0.9])
def test_uncertain_band_at_080_is_from_003_below_to_006_above(t: float) -> None:
    """The published band (t - .03, t + .06), both ends outside; a hair's breadth either side of them decides."""
    assert pytest.approx((t - 0.03, t + 0.06)) == model(t).band(0.8)
    inside = np.concatenate([np.array([t - 0.03 + 1e-9, t, t + 0.06 - 1e-9]), np.linspace(t - 0.0299, t + 0.0599, 50)])
    outside = np.array([t - 0.03 - 1e-9, t + 0.06 + 1e-9, 0.0, 1.0, t - 0.1, t + 0.099])
    assert np.all(model(t).predict(inside).p < 0.8)
    assert np.all(model(t).predict(outside).p >= 0.8)


@given(st.floats(0.05, 0.9), st.floats(0.51, 1.0), st.lists(st.floats(0, 1), min_size=1))
def test_band_holds_just_the_similarities_whose_p_is_below_p_t(t: float, p_t: float, similarities: list[float]) -> None:
    """What the band says and what the model predicts are one thing."""
    low, high = model(t).band(p_t)
    clear = np.array([s for s in similarities if min(abs(s - low), abs(s - high)) > 1e-9])
    assert ((clear > low) & (clear < high)).tolist() == (model(t).predict(clear).p < p_t).tolist()


def test_threshold_moves_to_the_best_accuracy_within_one_step() -> None:
    """Two thresholds away a match lies below t: t follows it, but not further than dt_step."""
    assert 0.78 == learned(model(0.8), [(0.785, True), (0.7, False)])
    assert 0.82 == learned(model(0.8), [(0.815, False), (0.9, True)])
    assert 0.8 == learned(model(0.8), [(0.7, True), (0.9, True)])  # out of reach of one step, so nothing improves


def test_equal_accuracy_leaves_the_threshold_where_it_is() -> None:
    """Only a strict improvement moves it; else noise would walk it about."""
    assert 0.8 == learned(model(0.8), [(0.75, False), (0.9, True)])
    assert 0.8 == learned(model(0.8), [(0.785, False)])


def test_among_equals_the_nearest_wins() -> None:
    """A match at .795 is right for .79 and for .78."""
    assert 0.79 == learned(model(0.8), [(0.795, True)])


def test_among_equally_near_the_lower_wins() -> None:
    """.79 gains one match, .81 gains one non-match: the lower is taken."""
    assert 0.79 == learned(model(0.8), [(0.795, True), (0.805, False)])


def test_weights_decide_against_numbers() -> None:
    """Two doubtful labels against one that counts three times as much."""
    similarity, g = np.array([0.805, 0.805, 0.795]), np.array([False, False, True])
    assert 0.79 == model(0.8).updated(similarity, g, np.array([0.5, 0.5, 1.6])).t
    assert 0.81 == model(0.8).updated(similarity, g, np.array([0.9, 0.9, 1.6])).t


def test_no_labels_leave_the_model_unchanged() -> None:
    """An iteration in which every owner refuses teaches nothing."""
    start = model(0.8)
    assert start is start.updated(np.empty(0), np.empty(0, bool), np.empty(0))


@pytest.mark.parametrize(("g", "low", "high"), [(True, 0.7, 0.8), (False, 0.8, 0.9)])
def test_labels_of_one_class_drift_no_further_than_dt(*, g: bool, low: float, high: float) -> None:
    """Reviewers who always say the same push t step by step, and are stopped dt from where it began."""
    current = model(0.8)
    similarity = np.linspace(0.5, 1.0, 101)
    for _ in range(20):
        current = current.updated(similarity, np.full(101, g), np.ones(101))
    assert (low if g else high) == current.t


@given(
    st.floats(0.2, 0.9),
    st.lists(
        st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.5, 2)), min_size=1, max_size=12), max_size=8
    ),
)
def test_threshold_never_leaves_its_bounds(t0: float, rounds: list[list[tuple[float, bool, float]]]) -> None:
    """Whatever is reported: at most dt_step in one update, and never further than dt from t0."""
    current = ThresholdModel.start(SETTINGS, t0)
    for labels in rounds:
        similarity, g, weight = (np.array(column) for column in zip(*labels, strict=True))
        moved = current.updated(similarity, g.astype(bool), weight)
        assert abs(moved.t - current.t) <= SETTINGS.dt_step + 1e-9
        assert abs(moved.t - t0) <= SETTINGS.dt + 1e-9
        assert 0 < moved.t < 1
        current = moved


def test_a_coarse_grid_does_not_stretch_the_step() -> None:
    """With a grid of .03 no candidate lies within dt_step = .02, so t stays."""
    assert 0.8 == learned(model(0.8, step=0.03), [(0.775, True), (0.79, True)])


def test_thresholds_stay_free_of_the_noise_of_addition() -> None:
    """.70 after three steps of .01 is .70 and not .7000000000000001: runs are compared by equality."""
    current = model(0.73)
    for _ in range(3):
        current = current.updated(np.array([current.t - 0.005]), np.array([True]), np.ones(1))
    assert 0.7 == current.t


def test_start_takes_the_schema_or_what_is_given() -> None:
    """A simulation starts elsewhere than the schema says."""
    assert (0.75, 0.75) == ((start := ThresholdModel.start(SETTINGS)).t, start.t0)
    assert (0.6, 0.6) == ((start := ThresholdModel.start(SETTINGS, 0.6)).t, start.t0)


@pytest.mark.parametrize("t0", [0.0, 1.0, -0.1, float("nan")])
def test_a_threshold_off_the_scale_is_refused(t0: float) -> None:
    """At 0 or 1 the distances shrink to nothing and p would not be a number."""
    with pytest.raises(SettingError):
        ThresholdModel.start(SETTINGS, t0)


@pytest.mark.parametrize("p", [0.49, 1.01, float("nan")])
def test_outcomes_refuse_a_p_outside_its_range(p: float) -> None:
    """p is the probability of the winning side."""
    with pytest.raises(ValueError, match="p must lie"):
        Outcomes(np.array([True]), np.array([p]))


def test_outcomes_refuse_columns_of_different_length() -> None:
    """A g without its p would shift all that follow."""
    with pytest.raises(ValueError, match="same length"):
        Outcomes(np.array([True, False]), np.array([0.9]))
