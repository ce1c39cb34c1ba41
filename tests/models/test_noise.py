"""What a label is worth beside the model's word, how often its giver errs, and what a layer makes of both."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from known_odds import KnownOdds
from unveil.linkage.layer import Layer
from unveil.linkage.outcome import SUREST, Outcomes, Reals, log_odds, posterior
from unveil.models.logistic import LogisticModel
from unveil.models.noise import ERRORS, Weights, estimated_error, fit, unsure
from unveil.schema import ProtocolSettings

ONE = KnownOdds()  # log odds = x
WEIGHTS = Weights(np.array([1.0, 0.0]), np.array([100.0, 4.0]), np.array([0.2, -np.inf]))
Said = tuple[bool, float]
probabilities = st.floats(0.5, 1.0)
said = st.tuples(st.booleans(), probabilities)


def outcome(*g_and_p: float) -> Outcomes:
    g, p = g_and_p
    return Outcomes(np.array([bool(g)]), np.array([p]))


def signed(one: Outcomes) -> float:
    """The probability of a match."""
    return float(one.p[0] if one.g[0] else 1 - one.p[0])


def design_of(odds: Reals) -> Reals:
    """The columns that slope and shift are the weights of."""
    return np.column_stack([odds, np.ones(len(odds))])


def test_agreeing_labels_add_up_and_contradicting_ones_cancel() -> None:
    """By Bayes' rule: .8 and .8 give .64 / .68; .8 against .8 is a coin toss; .9 against .8 leaves .18 / .26."""
    assert 0.64 / 0.68 == pytest.approx(signed(posterior(outcome(True, 0.8), outcome(True, 1.0), 0.2)))
    assert 0.5 == pytest.approx(signed(posterior(outcome(True, 0.8), outcome(False, 1.0), 0.2)))
    assert 0.18 / 0.26 == pytest.approx(signed(posterior(outcome(True, 0.9), outcome(False, 1.0), 0.2)))
    assert 0.08 / 0.26 == pytest.approx(signed(posterior(outcome(False, 0.9), outcome(True, 1.0), 0.2)))


@given(said, said, st.floats(0.0, 0.5))
def test_the_posterior_is_bayes_rule(word: Said, from_below: Said, error: float) -> None:
    """Against the rule itself, written with probabilities; both are kept from being certain."""
    (g, p), (label, sure) = word, from_below
    m = min(max(p if g else 1 - p, 1 - SUREST), SUREST)
    wrong = max(sure * error + (1 - sure) * (1 - error), 1e-6)
    likely, unlikely = (1 - wrong, wrong) if label else (wrong, 1 - wrong)
    expected = m * likely / (m * likely + (1 - m) * unlikely)
    found = signed(posterior(outcome(g, p), outcome(label, sure), error))
    assert min(max(expected, 1 - SUREST), SUREST) == pytest.approx(found, abs=1e-9)


@given(st.tuples(st.booleans(), st.floats(0.501, 1.0)), said)
def test_a_label_by_the_toss_of_a_coin_changes_nothing(word: Said, label: Said) -> None:
    """Error .5, or a reviewer who is sure by one half: no information either way."""
    g, p = word
    tosses = ((outcome(*label), 0.5), (outcome(label[0], 0.5), 0.1))
    for found in (posterior(outcome(g, p), toss, error) for toss, error in tosses):
        assert g == found.g[0]
        assert min(p, SUREST) == pytest.approx(found.p[0], abs=1e-9)


@given(said, probabilities)
def test_a_surer_label_pulls_harder(word: Said, sure: float) -> None:
    """Never beyond the pull of a certain one."""
    coin, some, full = (signed(posterior(outcome(*word), outcome(True, one), 0.1)) for one in (0.5, sure, 1.0))
    assert coin <= some + 1e-12
    assert some <= full + 1e-12


def test_log_odds_of_outcomes_are_signed_and_finite() -> None:
    found = log_odds(Outcomes(np.array([True, False, True, False]), np.array([0.5, 0.75, 1.0, 1.0])))
    assert [0.0, -np.log(3)] == pytest.approx(found[:2].tolist())
    assert found[2] == pytest.approx(-found[3]) == pytest.approx(np.log(2**20 - 1))


@pytest.mark.slow
@pytest.mark.parametrize("true_error", [0.05, 0.2, 0.35])
def test_the_reviewers_error_is_found_with_controls(true_error: float) -> None:
    """400 labels, one in five on pairs that the model is sure of; mean and spread over 12 reviewers."""
    found = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        odds = np.concatenate([rng.normal(0, 1.5, 320), rng.choice([-6.0, 6.0], 80)])
        truth = rng.random(400) < 1 / (1 + np.exp(-odds))
        label = Outcomes(truth ^ (rng.random(400) < true_error), np.ones(400))
        found.append(estimated_error(design_of(odds), label, WEIGHTS))
    assert true_error == pytest.approx(float(np.mean(found)), abs=0.04)
    assert max(abs(one - true_error) for one in found) < 0.12


def test_doubtful_labels_say_little_and_nothing_against_what_is_certain() -> None:
    """People who are half sure of pairs that the model is sure of, and right: it is not to doubt them from then on."""
    odds = np.tile([-6.0, 6.0], 50)
    model = LogisticModel(ONE).judging_reviewers(odds[:, None], Outcomes(odds > 0, np.full(100, 0.6)))[0]
    taught = model.updated(odds[:, None], odds > 0, np.full(100, 0.6))
    assert 0.99 < taught.slope
    assert [0.68, 0.5] == pytest.approx(unsure(np.array([0.2]), np.array([0.8, 0.5]))[0] - [-0.36, 0.0])


def test_without_labels_the_expectation_stands_and_uncertain_pairs_teach_little() -> None:
    """One in five; a hundred labels on coin tosses leave it there, whatever they say."""
    none = estimated_error(design_of(np.empty(0)), Outcomes(np.empty(0, bool), np.empty(0)), WEIGHTS)
    assert 1 / 5 == pytest.approx(none, abs=0.01)
    tosses = Outcomes(np.arange(100) % 2 == 0, np.ones(100))
    assert none == estimated_error(design_of(np.zeros(100)), tosses, WEIGHTS)


@given(st.integers(0, 2**32 - 1), st.integers(0, 30), probabilities)
@settings(max_examples=25)
def test_nobody_is_found_to_be_perfect_or_always_wrong(seed: int, n: int, sure: float) -> None:
    """Neither ten right answers nor ten wrong ones prove it, and p = 1 of a pair would never be undone."""
    rng = np.random.default_rng(seed)
    label = Outcomes(rng.random(n) < 0.5, np.full(n, sure))
    assert ERRORS[0] <= estimated_error(design_of(rng.normal(0, 5, n)), label, WEIGHTS) <= ERRORS[-1]


@given(st.integers(0, 2**32 - 1), st.integers(0, 40), st.integers(0, 3))
@settings(max_examples=4)
def test_all_errors_at_once_give_what_each_would_alone(seed: int, n: int, further: int) -> None:
    """Weights and losses alike: a step of one must not wait for, or follow, another's."""
    rng = np.random.default_rng(seed)
    design = np.hstack([design_of(rng.normal(0, 3, n)), rng.normal(0, 1, (n, further))])
    weights = Weights(
        np.append(WEIGHTS.start, np.zeros(further)),
        np.append(WEIGHTS.inertia, np.full(further, 20.0)),
        np.append(WEIGHTS.lowest, np.zeros(further)),
    )
    label = Outcomes(rng.random(n) < 0.5, rng.uniform(0.5, 1.0, n))
    target, wrong = label.g.astype(float), unsure(ERRORS, label.p)
    together = fit(design, target, wrong, weights)
    alone = [fit(design, target, wrong[at : at + 1], weights) for at in range(len(ERRORS))]
    np.testing.assert_allclose(together[0], np.concatenate([theta for theta, _ in alone]), atol=1e-6)
    losses = np.concatenate([loss for _, loss in alone])
    np.testing.assert_allclose(together[1], losses, rtol=1e-9, atol=1e-9)
    expected = losses - 2 * np.log(ERRORS) - 8 * np.log(1 - ERRORS)
    assert ERRORS[np.argmin(expected)] == pytest.approx(estimated_error(design, label, weights))


# What a layer makes of it


def layer(*features: float, **more: bool) -> Layer[LogisticModel]:
    made = Layer(LogisticModel(ONE), ProtocolSettings(models="prior"), clerical_weight=1.0, **more)
    above = Outcomes(np.ones(len(features), bool), np.full(len(features), 0.99))
    made.add(np.array(features)[:, None], above)
    made.classify()
    return made


def test_without_a_known_error_a_label_stands_as_it_came() -> None:
    """The record unit, and the published models: the layer below knows better."""
    some = layer(3.0, -3.0)
    some.take(np.array([0]), Outcomes(np.array([False]), np.array([1.0])))
    some.classify()
    assert (False, 1.0) == (some.g[0], some.p[0])


def test_with_a_known_error_a_label_is_weighed_against_the_model() -> None:
    """A label that is wrong one time in five, and has taught the model already, outweighs log odds of 1, not of 3."""
    some = layer(3.0, 1.0, -3.0)
    labels = Outcomes(np.zeros(2, bool), np.ones(2))
    some.take(np.array([0, 1]), labels)
    some.reviewer_error = 0.2
    some.classify()
    assert [True, False, False] == some.g.tolist()
    again = np.log(0.74 / 0.26)
    odds = [3 - again, again - 1, 3.0]
    assert [1 / (1 + np.exp(-one)) for one in odds] == pytest.approx(some.p.tolist())


def test_a_label_is_weighed_anew_and_never_on_top_of_itself() -> None:
    """Classifying five times must not count the same label five times."""
    some = layer(1.0)
    some.take(np.array([0]), Outcomes(np.array([True]), np.array([1.0])))
    some.reviewer_error = 0.2
    some.classify()
    first = some.p[0]
    for _ in range(4):
        some.classify()
    assert first == some.p[0]


def test_a_model_with_prior_knowledge_learns_labels_only() -> None:
    """The record unit's odds are evidence already; taught as well, they would count twice."""
    some = layer(-2.0, -2.0, -2.0, learns_from_above=False, asks_people=True)
    some.learn()
    assert (1.0, 0.0) == (some.model.slope, some.model.shift)
    some.take(np.array([0]), Outcomes(np.array([True]), np.array([1.0])))
    some.learn()
    assert some.model.shift > 0
    heeding = layer(-2.0, -2.0, -2.0)
    heeding.learn()
    assert heeding.model.shift > 0


def test_it_learns_the_label_and_not_what_was_made_of_it() -> None:
    """The weighed outcome holds the model's own word; learning from that would confirm itself."""
    taught = []
    for error in (None, 0.4):
        some = layer(2.0, -2.0, learns_from_above=False, asks_people=True)
        some.take(np.array([0]), Outcomes(np.array([False]), np.array([1.0])))
        some.reviewer_error = error
        some.classify()
        some.learn()
        taught.append((some.model.slope, some.model.shift))
    assert taught[0] == taught[1]


@pytest.mark.parametrize("true_error", [0.5, 0.9])
def test_nothing_is_learnt_from_labels_that_are_no_better_than_chance(true_error: float) -> None:
    """Not even by turning them round: whoever is wrong nine times in ten may mean it."""
    rng = np.random.default_rng(3)
    odds = np.concatenate([rng.normal(0, 1.5, 240), rng.choice([-6.0, 6.0], 60)])
    truth = rng.random(300) < 1 / (1 + np.exp(-odds))
    labels = Outcomes(truth ^ (rng.random(300) < true_error), np.ones(300))
    features = odds[:, None]
    model, error = LogisticModel(ONE).judging_reviewers(features, labels)
    assert error is not None
    assert true_error == pytest.approx(error, abs=0.1)
    taught = model.updated(features, labels.g, labels.p)
    assert (1.0, 0.0) == (taught.slope, taught.shift)
    word = taught.predict(features)
    weighed = posterior(word, labels, error)
    assert np.array_equal(word.g, weighed.g)
    np.testing.assert_allclose(word.p, weighed.p, atol=0.06)
