"""What labels teach: how steep the prior's log odds are here, how far they are shifted, what counts for more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from known_odds import KnownOdds
from unveil.linkage.outcome import SUREST, Flags, Reals
from unveil.models.logistic import INERTIA, LogisticModel
from unveil.models.noise import Weights, fit

FREE = (1e-6, 1e-6, 1e-6)
ONE = KnownOdds()


def labels(odds: Reals, slope: float, shift: float, error: float, rng: np.random.Generator) -> Flags:
    """Labels of pairs whose true log odds are slope · odds + shift; a share of them wrong."""
    truth = rng.random(len(odds)) < 1 / (1 + np.exp(-(slope * odds + shift)))
    return truth ^ (rng.random(len(odds)) < error)


def design_of(odds: Reals, further: Reals | None = None) -> Reals:
    """The columns that weights are for: log odds, ones, and further ones."""
    return np.column_stack([odds, np.ones(len(odds)), *([] if further is None else [further])])


def weights_of(inertia: tuple[float, float, float] = INERTIA, further: int = 0) -> Weights:
    """Slope, shift and further weights as a model starts them."""
    slope, shift, each = inertia
    return Weights(
        np.array([1.0, 0.0] + [0.0] * further),
        np.array([slope, shift] + [each] * further),
        np.array([0.2, -np.inf] + [0.0] * further),
    )


def fitted(odds: Reals, y: Reals, error: float, inertia: tuple[float, float, float]) -> list[float]:
    """Slope and shift for one share of wrong labels."""
    return fit(design_of(odds), y, np.array([error]), weights_of(inertia))[0][0].tolist()


def penalised(theta: Reals, design: Reals, target: Reals, error: float, weights: Weights) -> float:
    """The loss that `fit` is to minimise, by its definition."""
    m = 1 / (1 + np.exp(-np.clip(design @ theta, -30, 30)))
    q = np.clip(error + (1 - 2 * error) * m, 1e-9, 1 - 1e-9)
    likely = -(target * np.log(q) + (1 - target) * np.log(1 - q)).sum()
    return float(likely + (weights.inertia * (theta - weights.start) ** 2).sum() / 2)


def test_log_odds_are_the_priors_stretched_shifted_and_weighed_up() -> None:
    """Against the formula by hand: 2 · x + 1, and half the second column on top."""
    features = np.array([[3.0, 2.0], [-0.5, 6.0]])
    assert [3.0, -0.5] == LogisticModel(ONE).log_odds(features).tolist()
    assert [7.0, 0.0] == LogisticModel(ONE, slope=2.0, shift=1.0).log_odds(features).tolist()
    assert [8.0, 3.0] == LogisticModel(ONE, slope=2.0, shift=1.0, further=(0.5,)).log_odds(features).tolist()


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
    found, moved = fitted(odds, y, error, FREE)
    assert slope == pytest.approx(found, abs=0.08)
    assert shift == pytest.approx(moved, abs=0.12)


def test_wrong_labels_flatten_the_slope_if_nobody_reckons_with_them() -> None:
    """Why the error is a parameter."""
    rng = np.random.default_rng(2)
    odds = rng.normal(0, 3, 5000)
    y = labels(odds, 1.0, 0.0, 0.2, rng).astype(np.float64)
    naive, wise = (fitted(odds, y, error, FREE)[0] for error in (0.0, 0.2))
    assert naive < 0.5
    assert wise > 0.85


def test_what_counts_for_more_is_found_and_what_speaks_against_gets_no_weight() -> None:
    """
    The first further column counts 0.7 more than the prior knew, the second nothing, the third 0.7 less.

    The last would have to be counted against a match although more of it speaks for one: its weight stays at 0.
    """
    rng = np.random.default_rng(5)
    odds, further = rng.normal(0, 2, 20_000), rng.normal(0, 1, (20_000, 3))
    g = labels(odds + further @ np.array([0.7, 0.0, -0.7]), 1.0, 0.0, 0.0, rng)
    model = LogisticModel(ONE).updated(np.column_stack([odds, further]), g, np.ones(20_000))
    assert [0.7, 0.0, 0.0] == pytest.approx(model.further, abs=0.06)
    assert 0.0 == model.further[2]


@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 60),
    st.integers(0, 4),
    st.floats(0.0, 200.0),
    st.sampled_from([(100.0, 4.0, 20.0), (1.0, 1.0, 1.0), (0.01, 0.01, 0.01)]),
)
@settings(max_examples=40)
def test_the_fit_never_diverges_and_never_ends_above_its_start(
    seed: int, n: int, further: int, wide: float, inertia: tuple[float, float, float]
) -> None:
    """Separable labels would push a free slope to infinity; far-off log odds make the curvature vanish."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1, n) * wide
    target = (odds > rng.normal()).astype(np.float64) if seed % 2 else rng.random(n)
    design, weights = design_of(odds, rng.normal(0, 2, (n, further))), weights_of(inertia, further)
    errors = np.array([0.0, 0.01, 0.2, 0.45, 0.5])
    found, losses = fit(design, target, errors, weights)
    assert np.isfinite(found).all()
    assert (found >= weights.lowest).all()
    for theta, loss, error in zip(found, losses.tolist(), errors.tolist(), strict=True):
        assert loss <= penalised(weights.start, design, target, error, weights) + 1e-9
        assert loss == pytest.approx(penalised(theta, design, target, error, weights), rel=1e-6, abs=1e-6)


@given(st.integers(0, 2**32 - 1), st.integers(0, 4), st.sampled_from([0.0, 0.2]))
@settings(max_examples=30)
def test_no_neighbour_of_the_fit_is_better(seed: int, further: int, error: float) -> None:
    """It is a minimum, not merely a place where steps have become small; weights at their lowest included."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 3, 60)
    y = labels(odds, rng.uniform(0.6, 1.5), rng.normal(), error, rng).astype(np.float64)
    design, weights = design_of(odds, rng.normal(0, 1, (60, further))), weights_of(further=further)
    (theta,), (loss,) = fit(design, y, np.array([error]), weights)
    for at in range(len(theta)):
        for step in (1e-3, -1e-3):
            moved = np.maximum(theta + step * (np.arange(len(theta)) == at), weights.lowest)
            assert loss <= penalised(moved, design, y, error, weights) + 1e-7


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
    shifts = [fitted(odds, y, 0.0, (100.0, firm, 1.0))[1] for firm in (0.1, 1.0, 10.0, 100.0)]
    assert sorted(shifts, reverse=True) == shifts
    assert shifts[0] > 3 * shifts[-1] > 0


def test_a_soft_label_is_two_labels_in_proportion() -> None:
    """p = .75 of a match teaches as much as three matches and one non-match of a quarter each would."""
    features = np.array([[1.0], [-2.0], [0.5]])
    soft = LogisticModel(ONE).updated(features, np.array([True, False, True]), np.array([0.75, 0.75, 0.5]))
    four = np.repeat(features[:, 0], 4)
    hard = np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0], np.float64)
    assert fitted(four, hard, 0.0, (400.0, 16.0, 1.0)) == pytest.approx([soft.slope, soft.shift], abs=1e-6)


def test_labels_that_agree_with_the_prior_to_the_letter_leave_it_alone() -> None:
    """If each pair comes back with the very p that the model gave it, there is nothing to learn."""
    features = np.column_stack([np.linspace(-4, 4, 40), np.sin(np.arange(40))])
    model = LogisticModel(ONE)
    word = model.predict(features)
    same = model.updated(features, word.g, word.p)
    assert (1.0, 0.0, 0.0) == pytest.approx((same.slope, same.shift, *same.further), abs=1e-7)


def test_what_was_learnt_before_is_not_counted_twice() -> None:
    """Each update starts from the prior with all labels, so asking again with the same ones changes nothing."""
    rng = np.random.default_rng(3)
    features = rng.normal(0, 2, (80, 3))
    g = labels(features[:, 0] + features[:, 1], 0.7, 1.0, 0.0, rng)
    once = LogisticModel(ONE).updated(features, g, np.ones(80))
    assert max(once.further) > 0
    assert once == once.updated(features, g, np.ones(80))


@dataclass(frozen=True, slots=True)
class Typical(KnownOdds):
    """Log odds above what is usual among the pairs at hand."""

    usual: float = 0.0

    def log_odds(self, features: Reals) -> Reals:
        return features[:, 0] - self.usual

    def settled(self, features: Reals) -> Typical:
        return Typical(float(features[:, 0].mean()))


def test_a_look_at_all_pairs_changes_the_prior_and_leaves_what_labels_taught() -> None:
    """The units let the model look again whenever pairs have come; labels must not be forgotten over it."""
    model = LogisticModel(Typical(), slope=0.5, shift=1.0, error=0.1)
    settled = model.settled(np.array([[2.0], [4.0]]))
    assert [1.5] == settled.log_odds(np.array([[4.0]])).tolist()
    assert (0.5, 1.0, 0.1) == (settled.slope, settled.shift, settled.error)


@pytest.mark.parametrize(("slope", "shift"), [(0.4, 0.0), (2.0, 0.0), (1.0, 3.0), (1.0, -3.0)])
def test_a_prior_that_labels_have_turned_over_is_not_plausible(slope: float, shift: float) -> None:
    """An estimate of quality that rests on it must not be trusted; a little nearer to the start, it may be."""
    assert not LogisticModel(ONE, slope=slope, shift=shift).plausible
    assert LogisticModel(ONE, slope=1 + 0.9 * (slope - 1), shift=0.9 * shift).plausible


def test_any_number_of_labels_by_machines_moves_no_more_than_twenty_would() -> None:
    """They are wrong together: ten times as many of the same say nothing new, but of how many matches there are."""
    model = LogisticModel(KnownOdds())
    odds = np.where(np.arange(40) < 20, 2.0, -2.0)[:, None]
    said = odds[:, 0] > 0

    def slope(times: int, p: float) -> float:
        return model.updated(np.tile(odds, (times, 1)), np.tile(said, times), np.full(40 * times, p)).slope

    assert slope(10, 0.99) == pytest.approx(slope(1, 0.99), abs=0.02)
    assert slope(10, 1.0) > slope(10, 0.99) + 0.1
    shifts = [model.updated(np.zeros((n, 1)), np.ones(n, bool), np.full(n, 0.9)).shift for n in (20, 200, 2000, 20_000)]
    assert shifts[0] < shifts[1] - 0.2
    assert shifts[2] == pytest.approx(shifts[3], abs=0.2)
