"""How good the links seem: intervals at the end, and the estimate after every batch."""

from __future__ import annotations

from unveil.charts.document import section
from unveil.charts.figures import count, counted, score, share
from unveil.charts.intervals import Span, interval_chart
from unveil.charts.lines import Line, Second, line_chart
from unveil.charts.markup import Markup, el
from unveil.charts.svg import Drawing, figure
from unveil.linkage.estimate import Estimate
from unveil.one_place.figures import CountedFigures, CoursePoint, OnePlaceFigures

_NAMES = ("F1", "precision", "recall")
_FEWEST = 2  # points that make a line


def spans(estimate: Estimate) -> list[Span]:
    """The intervals of an estimate."""
    return [Span(name, *getattr(estimate, name.lower())) for name in ("precision", "recall", "F1")]


def trust(run: CountedFigures) -> str:
    """Whether the estimate deserves trust, in a sentence."""
    if run.estimate is None:
        return ""
    if run.estimate.trusted:
        return "Pairs that were opened by attribute have confirmed what the models expect."
    if not run.reviewed_pairs:
        return "No pair was opened by attribute that could confirm it, so take it with care."
    return "What the opened pairs show contradicts what the models expect, so it cannot be trusted: look at a sample."


def estimated(run: OnePlaceFigures) -> Markup | None:
    """Precision, recall and F1 as intervals, and how often the reviewer seems to err."""
    if run.estimate is None:
        return None
    found = spans(run.estimate)
    caption = estimated_caption(run)
    picture = figure(
        "estimated",
        "Precision, recall and F1 as estimated",
        f"{caption} " + " ".join(f"{span.name}: {span.values}." for span in found),
        lambda width: interval_chart(width, found),
        caption,
    )
    meaning = el(
        "p",
        "Precision is the share of the links that are right, recall the share of the people in both files that were "
        "found. Both are added up from the probabilities of all pairs; an interval holds how far these may be off, "
        "chance, and pairs that were never compared.",
    )
    return section("estimated-heading", "How good it seems", picture, meaning)


def estimated_caption(run: CountedFigures) -> str:
    """What confirms the estimate, and how often the reviewer seems to err."""
    return " ".join(filter(None, (trust(run), _reviewer(run))))


def _reviewer(run: CountedFigures) -> str:
    if run.reviewer_error is None:
        return ""
    found = f"Judging by the labels, the reviewer errs in {share(run.reviewer_error, 1)} of the answers."
    if run.labels_unused:
        return f"{found} Such labels are no better than chance, and nothing was learnt from them."
    return found


def course(run: OnePlaceFigures) -> Markup | None:
    """The estimate after every batch; None where there was no batch."""
    if len(run.course) < _FEWEST:
        return None
    caption = course_caption(run)
    picture = figure(
        "course",
        "Estimated quality of the links after every batch",
        caption,
        lambda width: draw_course(run, width),
        caption,
    )
    return section("course-heading", "How good it seemed after every batch", picture)


def draw_course(run: OnePlaceFigures, width: int) -> Drawing:
    """Estimated F1, precision and recall by the number of pairs that were opened."""
    points = run.course
    x = tuple(float(point.reviewed_pairs) for point in points)
    lines = [Line(name, x, _figures(points, name), style) for style, name in enumerate(_NAMES)]
    labelled = any(point.clerical_labels for point in points)
    second = Second(
        "labels given by the reviewer by then", tuple((point.reviewed_pairs, point.clerical_labels) for point in points)
    )
    return line_chart(
        width,
        lines=lines,
        levels=[],
        x_label="pairs compared attribute by attribute",
        second=second if labelled else None,
    )


def _figures(points: tuple[CoursePoint, ...], name: str) -> tuple[float, ...]:
    return tuple(getattr(point.estimate, name.lower())[1] for point in points)


def course_caption(run: OnePlaceFigures) -> str:
    """What opening pairs did to the estimate."""
    points = run.course
    first, last = points[0].estimate.f1[1], points[-1].estimate.f1[1]
    sentence = (
        f"Estimated F1 was {score(first)} before any pair was opened and {score(last)} after "
        f"{counted(points[-1].reviewed_pairs, 'pair')}"
    )
    if points[-1].clerical_labels:
        sentence += f" and {count(points[-1].clerical_labels)} labels"
    return f"{sentence}."
