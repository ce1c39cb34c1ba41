"""What the report says about the units' own estimate, the reviewers, the encoding and its attributes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_fixture import full_run, one_layer_run

from unveil.lab.evaluation.report import words
from unveil.lab.evaluation.report.estimated import estimate_sentence, reviewer_sentence
from unveil.lab.evaluation.result import RunResult
from unveil.linkage.estimate import Estimate
from unveil.models.advice import AttributeWorth
from unveil.one_place.report.advice import bits, suitability_sentence, worth_sentence
from unveil.one_place.report.words import listed

WIDE = (0.8, 0.9, 0.99)


def with_estimate(f1: tuple[float, float, float], *, trusted: bool = True, run: RunResult | None = None) -> RunResult:
    """A run whose intervals of precision and recall hold the truth, and whose F1 is .9211."""
    return replace(run or full_run(), estimate=Estimate(WIDE, WIDE, f1, trusted))


def test_estimate_sentence_says_that_all_true_values_lie_inside() -> None:
    """Precision .939, recall .904 and F1 .921 lie in the intervals of the fixture."""
    assert "All true values lie inside what the units could tell without truth." == estimate_sentence(full_run())


@pytest.mark.parametrize(
    ("interval", "miss"),
    [((0.93, 0.94, 0.95), ".009 below"), ((0.88, 0.90, 0.911), ".010 above")],
)
def test_estimate_sentence_says_which_true_value_was_missed(interval: tuple[float, float, float], miss: str) -> None:
    """An estimate that failed must be told as plainly as one that held."""
    expected = f"The estimate misses F1: the true F1 of .921 lies {miss} its interval; precision and recall lie inside."
    assert expected == estimate_sentence(with_estimate(interval))


def test_true_value_that_reads_like_its_bound_lies_inside() -> None:
    """.9211 and .9209 are both printed as .921: to call one outside the other would puzzle every reader."""
    assert estimate_sentence(with_estimate((0.9, 0.91, 0.9209))).startswith("All true values lie inside")


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (one_layer_run(), "no pair was opened that could confirm it"),
        (replace(full_run(), preset="unveil"), "the labels contradict what the models expect"),
        (replace(full_run(), preset="paper", reviewer_error=None), "the models of this run give no probabilities"),
        (
            replace(full_run(), reviewer_error=None),
            "the models give no probabilities, or the labels contradict what they expect",
        ),
    ],
)
def test_estimate_that_is_not_trusted_says_why(run: RunResult, reason: str) -> None:
    """The reason follows from what is known of the run."""
    warning = f" The units say themselves that this estimate cannot be trusted, because {reason}."
    assert estimate_sentence(with_estimate(WIDE, trusted=False, run=run)).endswith(warning)
    assert "trusted" not in estimate_sentence(with_estimate(WIDE, run=run))


def test_reviewers_error_stands_beside_the_simulated_one() -> None:
    """A reader can see how good the judgement of reviewers is; a person's own review has no simulated error."""
    seem = "Judging by their labels, reviewers seem to err in 18 % of the answers;"
    assert f"{seem} a wrong answer was simulated in 20 %." == reviewer_sentence(full_run())
    assert f"{seem} no error was simulated." == reviewer_sentence(replace(full_run(), error=0.0))
    assert "" == reviewer_sentence(replace(full_run(), reviewer_error=None))


def test_worth_sentence_names_the_extremes_and_a_sign_that_surprises() -> None:
    """log2(.62/.03) − log2(.38/.97) = 5.7; log2(.4/.5) − log2(.6/.5) = −.6."""
    expected = (
        "Among the 4,500 opened pairs, middle name is worth most (5.7 bits) and last name least (−0.6 bits), where "
        "agreement even speaks against a match."
    )
    assert expected == worth_sentence(full_run())
    without = replace(full_run(), worth=full_run().worth[:2])
    assert worth_sentence(without).endswith("and first name least (1.7 bits).")


def test_equal_weights_have_no_extremes() -> None:
    """To name one of them the most valuable would be chance."""
    worth = (AttributeWorth("a", 0.5, 0.5), AttributeWorth("b_c", 0.5, 0.5))
    assert "Among the 4,500 opened pairs, every attribute is worth 0.0 bits." == worth_sentence(
        replace(full_run(), worth=worth)
    )
    assert worth_sentence(replace(full_run(), worth=worth[1:])).endswith("b c is worth 0.0 bits.")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.873, "At .5 the record encoding would add nothing there."),
        (0.55, "Near .5 the record encoding adds nothing there: consider other parameters for it."),
        (0.2, "Below .5 the record encoding misleads there: consider other parameters for it."),
    ],
)
def test_suitability_sentence_gives_advice_by_its_value(value: float, verdict: str) -> None:
    """Near a coin toss the encoding should be reconsidered."""
    sentence = suitability_sentence(replace(full_run(), suitability=value))
    assert sentence.endswith(verdict)
    assert "one kind" not in sentence


def test_suitability_of_exactly_a_half_may_mean_one_kind_of_pairs() -> None:
    """It is .5 by definition where there is nothing to compare."""
    assert "where all opened pairs are of one kind" in suitability_sentence(replace(full_run(), suitability=0.5))


@pytest.mark.parametrize(("expected", "weight"), [("5.4 bits", 5.44), ("−0.3 bits", -0.3), ("0.0 bits", -0.04)])
def test_bits_read_well(expected: str, weight: float) -> None:
    """A minus sign, and no negative zero."""
    assert expected == bits(weight)


def test_run_without_a_threshold_claims_none() -> None:
    """t only tells how many pairs are matches, and the band holds nine in ten uncertain pairs, not all."""
    run = replace(full_run(), preset="unveil", t0=0.33)
    expected = (
        "The record unit weighs more than this similarity, so no threshold divides the pairs: it called as many pairs "
        "matches as reach .80 at the start and .74 at the end. The best possible threshold is .75. Nine in ten of the "
        "pairs that it was uncertain about at the end lie between .71 and .80; the least certain were opened first. "
        "The counts are logarithmic, so that both kinds can be seen."
    )
    assert expected == words.similarity(run)
    assert "only such pairs" in words.similarity(full_run())


@pytest.mark.parametrize(
    ("expected", "names"), [("a", ["a"]), ("a and b", ["a", "b"]), ("a, b and c", ["a", "b", "c"])]
)
def test_names_in_a_row_read_well(expected: str, names: list[str]) -> None:
    """Commas, and one "and"."""
    assert expected == listed(names)
