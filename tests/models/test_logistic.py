"""Two numbers are learnt: how steep the prior's log odds are here, and how far they are shifted."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.linkage.outcome import SUREST, Flags, Reals
from unveil.models.logistic import LogisticModel, Prior
from unveil.models.noise import _loss, fit

FREE = (1e-6, 1e-6)
ONE = Prior(("x",), np.zeros(1), np.ones(1), np.ones(1), 0.0)  # log odds = x


def labels(odds: Reals, slope: float, shift: float, error: float, rng: np.random.Generator) -> Flags:
    """Labels of pairs whose true log odds are slope · odds + shift; a share of them wrong."""
    truth = rng.random(len(odds)) < 1 / (1 + np.exp(-(slope * odds + shift)))
    return truth ^ (rng.random(len(odds)) < error)


def penalised(theta: tuple[float, float], odds: Reals, target: Reals, error: float, firm: tuple[float, float]) -> float:
    """The loss that `fit` is to minimise, by its definition."""
    pull = firm[0] * (theta[0] - 1) ** 2 + firm[1] * theta[1] ** 2
    return _loss(theta[0] * odds + theta[1], target, error) + pull / 2


def test_log_odds_are_the_weighted_standardised_features() -> None:
    """Against the formula by hand."""
    prior = Prior(("x", "y"), np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.array([3.0, -1.0]), 0.5)
    features = np.array([[3.0, 2.0], [1.0, 6.0]])
    assert [3.5, -0.5] == prior.log_odds(features).tolist()
    assert [8.0, 0.0] == LogisticModel(prior, slope=2.0, shift=1.0).log_odds(features).tolist()


@pytest.mark.parametrize("lengths", [(2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2)])
def test_a_prior_with_a_number_too_few_is_refused(lengths: tuple[int, int, int, int]) -> None:
    """NumPy would stretch a single mean over all features without a word."""
    names, mean, scale, weight = lengths
    with pytest.raises(ValueError, match="for each feature"):
        Prior(("x",) * names, np.zeros(mean), np.ones(scale), np.ones(weight), 0.0)


def test_a_tie_is_a_non_match_and_nothing_is_certain() -> None:
    """p = 1 is kept for people: the layers tell a reviewer's word by it."""
    word = LogisticModel(ONE).predict(np.array([[0.0], [1e-13], [500.0], [-1e9], [2.0]]))
    assert [False, False, True, False, True] == word.g.tolist()
    assert [0.5, 0.5, SUREST, SUREST, 1 / (1 + np.exp(-2.0))] == pytest.approx(word.p.tolist(), abs=1e-15)
    assert word.p.max() < 1


@pytest.mark.parametrize("error", [0.0, 0.2])
@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.5, 1.5), (1.8, -1.0)])
def test_slope_and_shift_are_recovered(error: float, slope: float, shift: float) -> None:
    """With a fifth of the labels wrong just as without, provided that the share is known."""
    rng = np.random.default_rng(1)
    odds = rng.normal(0, 3, 20_000)
    y = labels(odds, slope, shift, error, rng).astype(np.float64)
    (found, moved), _ = fit(odds, y, error=error, inertia=FREE)
    assert slope == pytest.approx(found, abs=0.08)
    assert shift == pytest.approx(moved, abs=0.12)


def test_wrong_labels_flatten_the_slope_if_nobody_reckons_with_them() -> None:
    """Why the error is a parameter."""
    rng = np.random.default_rng(2)
    odds = rng.normal(0, 3, 5000)
    y = labels(odds, 1.0, 0.0, 0.2, rng).astype(np.float64)
    naive, wise = (fit(odds, y, error=error, inertia=FREE)[0][0] for error in (0.0, 0.2))
    assert naive < 0.5
    assert wise > 0.85


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 60),
    st.floats(0.0, 200.0),
    st.sampled_from([0.0, 0.01, 0.2, 0.45, 0.5]),
    st.sampled_from([(100.0, 4.0), (1.0, 1.0), (0.01, 0.01)]),
)
@settings(max_examples=80)
def test_the_fit_never_diverges_and_never_ends_above_its_start(
    seed: int, n: int, wide: float, error: float, firm: tuple[float, float]
) -> None:
    """Separable labels would push a free slope to infinity; far-off log odds make the curvature vanish."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1, n) * wide
    target = (odds > rng.normal()).astype(np.float64) if seed % 2 else rng.random(n)
    (slope, shift), loss = fit(odds, target, error=error, inertia=firm)
    assert np.isfinite([slope, shift, loss]).all()
    assert slope >= 0.2
    assert loss <= penalised((1.0, 0.0), odds, target, error, firm) + 1e-9
    if slope > 0.2:  # else it was held at the flattest, after the fit
        assert loss == pytest.approx(penalised((slope, shift), odds, target, error, firm), rel=1e-6, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.2]))
@settings(max_examples=30)
def test_no_neighbour_of_the_fit_is_better(seed: int, error: float) -> None:
    """It is a minimum, not merely a place where steps have become small."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 3, 60)
    y = labels(odds, rng.uniform(0.6, 1.5), rng.normal(), error, rng).astype(np.float64)
    (slope, shift), loss = fit(odds, y, error=error, inertia=(100.0, 4.0))
    for ds, dt in ((1e-3, 0), (-1e-3, 0), (0, 1e-3), (0, -1e-3)):
        assert loss <= penalised((slope + ds, shift + dt), odds, y, error, (100.0, 4.0)) + 1e-9


def test_no_label_changes_nothing_and_few_hardly_anything() -> None:
    """Three labels against the prior must not turn it over; a hundred may."""
    model = LogisticModel(ONE)
    assert model == model.updated(np.empty((0, 1)), np.empty(0, bool), np.empty(0))
    against = [
        model.updated(np.full((n, 1), 2.0), np.zeros(n, bool), np.ones(n)).log_odds(np.array([[2.0]]))[0]
        for n in (3, 100)
    ]
    few = model.updated(np.full((3, 1), 2.0), np.zeros(3, bool), np.ones(3))
    assert few.slope == pytest.approx(1.0, abs=0.08)
    assert few.shift == pytest.approx(0.0, abs=0.8)
    assert against[1] < 0 < against[0] < 2


def test_more_inertia_means_less_movement() -> None:
    odds, y = np.linspace(-3, 3, 50), np.ones(50)
    shifts = [fit(odds, y, error=0.0, inertia=(100.0, firm))[0][1] for firm in (0.1, 1.0, 10.0, 100.0)]
    assert sorted(shifts, reverse=True) == shifts
    assert shifts[0] > 3 * shifts[-1] > 0


def test_a_soft_label_is_two_labels_in_proportion() -> None:
    """p = .75 of a match teaches as much as three matches and one non-match of a quarter each would."""
    features = np.array([[1.0], [-2.0], [0.5]])
    soft = LogisticModel(ONE).updated(features, np.array([True, False, True]), np.array([0.75, 0.75, 0.5]))
    four = np.repeat(features[:, 0], 4)
    hard = np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0], np.float64)
    (slope, shift), _ = fit(four, hard, error=0.0, inertia=(400.0, 16.0))
    assert (slope, shift) == pytest.approx((soft.slope, soft.shift), abs=1e-6)


def test_labels_that_agree_with_the_prior_to_the_letter_leave_it_alone() -> None:
    """If each pair comes back with the very p that the model gave it, there is nothing to learn."""
    features = np.linspace(-4, 4, 40)[:, None]
    model = LogisticModel(ONE)
    word = model.predict(features)
    same = model.updated(features, word.g, word.p)
    assert (1.0, 0.0) == pytest.approx((same.slope, same.shift), abs=1e-7)


def test_what_was_learnt_before_is_not_counted_twice() -> None:
    """Each update starts from the prior with all labels, so asking again with the same ones changes nothing."""
    rng = np.random.default_rng(3)
    features = rng.normal(0, 2, (80, 1))
    g = labels(features[:, 0], 0.7, 1.0, 0.0, rng)
    once = LogisticModel(ONE).updated(features, g, np.ones(80))
    assert once == once.updated(features, g, np.ones(80))


@pytest.mark.parametrize(("slope", "shift"), [(0.4, 0.0), (2.0, 0.0), (1.0, 3.0), (1.0, -3.0)])
def test_a_prior_that_labels_have_turned_over_is_not_plausible(slope: float, shift: float) -> None:
    """An estimate of quality that rests on it must not be trusted; a little nearer to the start, it may be."""
    assert not LogisticModel(ONE, slope=slope, shift=shift).plausible
    assert LogisticModel(ONE, slope=1 + 0.9 * (slope - 1), shift=0.9 * shift).plausible
