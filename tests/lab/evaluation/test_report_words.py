"""The sentences under the pictures: computed, and right at the edges."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_fixture import full_run, one_layer_run

from unveil.charts.figures import count, counted, duration, score, share, size, threshold
from unveil.lab.evaluation.report import words
from unveil.lab.evaluation.result import Point
from unveil.one_place.figures import Flow
from unveil.one_place.report import words as shared


def test_quality_sentence_tells_the_work_and_the_gain() -> None:
    """The sentence must follow from the numbers of the run alone."""
    expected = (
        "F1 rose from .824 to .921 after 4,500 pairs were compared attribute by attribute and 300 were shown to a "
        "reviewer. That is .058 above the best that a threshold on record filters can reach (record level) and .009 "
        "above a comparison by attribute of all records (attribute level). The simulated reviewer gave a wrong answer "
        "with probability 0.2."
    )
    assert expected == words.quality(full_run())


def test_quality_sentence_says_when_f1_fell() -> None:
    """A report that only knows gains would be an advertisement."""
    points = (Point(0, 0, 0.75, 0.9, 0.9, 0.9), Point(1, 0, 0.75, 0.8, 0.8, 0.8))
    run = replace(full_run(), trajectory=points, attribute_level_f1=None, record_level_f1=0.8)
    expected = (
        "F1 fell from .900 to .800 after 1 pair was compared attribute by attribute. "
        "That is level with the best that a threshold on record filters can reach (record level)."
    )
    assert expected == words.quality(run)


def test_baseline_that_was_not_measured_is_not_mentioned() -> None:
    """A comparison with a default of 0 would look like a triumph."""
    run = replace(full_run(), record_level_f1=0.0, attribute_level_f1=float("nan"))
    assert "That is" not in words.quality(run)


def test_one_layer_run_says_that_nothing_was_opened() -> None:
    """Nobody should look for a review that did not take place."""
    assert "F1 is .824 from the record level alone" in words.quality(one_layer_run())
    assert "The threshold stayed at .80" in words.similarity(one_layer_run())


def test_links_follow_from_precision_and_recall() -> None:
    """found = recall × true pairs; wrong = found / precision - found."""
    point = Point(0, 0, 0.75, 0.75, 0.6, 0.667)
    assert (60, 20) == (words.found(point, 100), words.wrong(point, 100))
    assert 0 == words.wrong(replace(point, precision=0.0, recall=0.0), 100)


def test_review_sentence_counts_the_hidden_cells() -> None:
    """What stayed hidden is the point of the masked review."""
    run = replace(full_run(), review_states={"a_b": {"equal": 6, "missing": 1, "shown": 2}, "c": {"dissimilar": 1}})
    expected = (
        "In 80 % of the cells the reviewer saw no character at all: 6 were ticked as equal, 1 crossed as dissimilar, "
        "1 missing. In the other 2 the two values were shown, masked where they agree. The attribute shown most often "
        "is a b."
    )
    assert expected == shared.review(run)


def test_disclosure_sentence_names_the_extremes() -> None:
    """The smallest and the largest share of each layer, with their attributes."""
    sentence = shared.disclosure(full_run())
    assert "as part of a record filter for 81 % (place of birth) to 100 % (first name)" in sentence
    assert sentence.endswith("as text for 0.006 % (place of birth) to 0.45 % (zip).")


def test_risk_compares_with_asking_for_everything() -> None:
    """.374 / .187 is 2; .931 / .187 is 4.98."""
    expected = [
        "Had all unequal values of these pairs been asked for, it would be .374, 2.0 times as much as was held.",
        "Had every value of these pairs been asked for, it would be .931, 5.0 times as much as was held.",
    ]
    assert expected == shared.risk(full_run())[2:]
    assert [] == shared.risk(one_layer_run())


def test_traffic_adds_up_all_owners() -> None:
    """Owners may be named one by one or as a role."""
    flows = tuple(Flow(name, "record_unit", "RecordEncodings", 1, 10) for name in ("owner", "owner-a", "Owner B"))
    assert 30 == shared.traffic(flows, "owner", "record unit")
    assert 0 == shared.traffic(flows, "owner", "review unit")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ("4,500", count(4500)),
        ("–", count(float("nan"))),
        ("1 pair", counted(1, "pair")),
        ("0 pairs", counted(0, "pair")),
        (".853", score(0.853)),
        ("1.000", score(1.0)),
        ("–", score(float("inf"))),
        (".75", threshold(0.75)),
        (".755", threshold(0.755)),
        ("1.00", threshold(1.0)),
        ("–", share(1, 0)),
        ("0 %", share(0, 10)),
        ("< 0.001 %", share(1, 10_000_000)),
        ("0.31 %", share(31, 10_000)),
        ("9.0 %", share(9, 100)),
        ("10 %", share(9.96, 100)),
        ("99.9 %", share(99_999, 100_000)),
        ("100 %", share(7, 7)),
        ("8 ms", duration(0.008)),
        ("0.42 s", duration(0.42)),
        ("12.3 s", duration(12.31)),
        ("2 min 5 s", duration(125.2)),
        ("512 B", size(512)),
        ("14.2 MB", size(14_200_000)),
        ("812 MB", size(812_400_000)),
        ("2.5 TB", size(2.5e12)),
    ],
)
def test_numbers_read_well(expected: str, actual: str) -> None:
    """One way to write each kind of number, on the whole page."""
    assert expected == actual
