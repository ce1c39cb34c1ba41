"""The report of a linkage whose truth nobody knows: it says what is estimated, and never that anything is true."""

from __future__ import annotations

from dataclasses import replace

import pytest

from unveil.linkage.estimate import Estimate
from unveil.one_place.figures import CoursePoint, DecidedBySimilarity, OnePlaceFigures
from unveil.one_place.report import render
from unveil.one_place.report.course import trust

ESTIMATE = Estimate((0.902, 0.935, 0.951), (0.861, 0.893, 0.925), (0.884, 0.914, 0.933))
FIGURES = OnePlaceFigures(
    names=("hospital.csv", "registry.csv"),
    records=(3000, 2500),
    candidate_pairs=7_500_000,
    kept_pairs=21_000,
    links=812,
    linked_persons=800,
    as_if_cut_at=0.77,
    uncertain_band=(0.7, 0.82),
    reviewed_pairs=900,
    clerical_labels=40,
    course=(CoursePoint(0, 0, ESTIMATE), CoursePoint(900, 40, ESTIMATE)),
    decided=DecidedBySimilarity((0.5, 0.75, 1.0), (12, 800), (20_000, 188)),
    estimate=ESTIMATE,
    reviewer_error=0.08,
    timings={"linking": 3.5},
    seconds=3.5,
    peak_rss_mb=300.0,
)


def test_the_page_says_how_many_people_and_how_good_they_seem() -> None:
    """The figures that a reader looks for first, each with its name."""
    page = render(FIGURES)
    for said in (">800<", "people found in both files", ">.914<", "between .884 and .933", "8.0 % of the answers"):
        assert said in page
    assert "hospital.csv" in page


def test_the_page_claims_no_truth_and_runs_nothing() -> None:
    """Words of a simulation's report would be lies here."""
    page = render(FIGURES)
    for never in ("truth is known", "true value", "simulated", "<script", "http:", "https:"):
        assert never not in page
    assert "Content-Security-Policy" in page


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "have confirmed what the models expect"),
        ({"estimate": replace(ESTIMATE, trusted=False), "reviewed_pairs": 0}, "take it with care"),
        ({"estimate": replace(ESTIMATE, trusted=False)}, "cannot be trusted"),
    ],
)
def test_whether_the_estimate_deserves_trust_is_said(changes: dict[str, object], said: str) -> None:
    """An interval that nothing confirms looks like any other."""
    figures = replace(FIGURES, **changes)  # type: ignore[arg-type]
    assert said in trust(figures)
    assert said in render(figures)


def test_a_linkage_of_encodings_has_a_page_too() -> None:
    """Nothing was opened, nobody was asked, and there is no course to draw."""
    page = render(replace(FIGURES, reviewed_pairs=0, clerical_labels=0, course=(), reviewer_error=None))
    assert "held encodings and no record" in page
    assert 'id="course-heading"' not in page


def test_hostile_names_of_files_stay_text() -> None:
    """A file may be called anything."""
    page = render(replace(FIGURES, names=("<script>alert(1)</script>", "b&c")))
    assert "<script" not in page
    assert "b&amp;c" in page
