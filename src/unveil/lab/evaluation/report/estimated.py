"""The part of the page that holds the units' own estimate of their quality against the truth."""

from __future__ import annotations

import math

from unveil.charts.document import section
from unveil.charts.figures import score, share
from unveil.charts.intervals import Span, interval_chart
from unveil.charts.markup import Markup, el
from unveil.charts.svg import figure
from unveil.lab.evaluation.report.words import has_threshold
from unveil.lab.evaluation.result import RunResult
from unveil.one_place.report.words import listed

_NAMES = ("precision", "recall", "F1")


def estimated(run: RunResult) -> Markup | None:
    """Precision, recall and F1 as intervals, and how often reviewers seem to err."""
    heading = "How good it is, as the units can tell"
    spans = estimated_spans(run)
    error = reviewer_sentence(run)
    if not spans:
        return section("estimated-heading", heading, el("p", error)) if error else None
    caption = " ".join(filter(None, (estimate_sentence(run), error)))
    picture = figure(
        "estimated",
        "Precision, recall and F1 as estimated without truth, and as they are",
        f"{caption} " + " ".join(f"{span.name}: {span.values}." for span in spans),
        lambda width: interval_chart(width, spans),
        caption,
    )
    meaning = el(
        "p",
        "An interval holds what precision and recall would be if the units' probabilities were off by a fixed amount, "
        "more for pairs that were never opened, and if blocking lost none or many of the matches; that of F1 follows "
        "from these two. No truth is used for it.",
    )
    return section("estimated-heading", heading, picture, meaning)


def estimated_spans(run: RunResult) -> list[Span]:
    """The intervals that are numbers, with the true values at the end of the run."""
    if run.estimate is None:
        return []
    last = run.trajectory[-1]
    found = []
    for name in _NAMES:
        low, point, high = getattr(run.estimate, name.lower())
        if all(map(math.isfinite, (low, point, high))):
            found.append(Span(name, low, point, high, getattr(last, name.lower())))
    return found


def estimate_sentence(run: RunResult) -> str:
    """Whether the true values lie in their intervals, and whether the estimate deserves trust."""
    spans = [span for span in estimated_spans(run) if math.isfinite(span.truth)]
    # As printed: a value that reads like its bound lies inside.
    outside = [span for span in spans if not round(span.low, 3) <= round(span.truth, 3) <= round(span.high, 3)]
    if not spans:
        sentence = "The true values are not known, so nothing checks the estimate."
    elif not outside:
        those = "All true values lie" if len(spans) > 1 else f"The true {spans[0].name} lies"
        sentence = f"{those} inside what the units could tell without truth."
    else:
        missed = [
            f"the true {span.name} of {score(span.truth)} lies {score(_miss(span))} "
            f"{'above' if span.truth > span.high else 'below'} its interval"
            for span in outside
        ]
        inside = [span.name for span in spans if span not in outside]
        rest = f"; {listed(inside)} {'lie' if len(inside) > 1 else 'lies'} inside" if inside else ""
        sentence = f"The estimate misses {listed([span.name for span in outside])}: {listed(missed)}{rest}."
    if run.estimate is not None and not run.estimate.trusted:
        sentence += f" The units say themselves that this estimate cannot be trusted, because {_why(run)}."
    return sentence


def _miss(span: Span) -> float:
    """How far the truth lies from the nearer bound, between the numbers as printed."""
    return min(abs(round(span.truth, 3) - round(bound, 3)) for bound in (span.low, span.high))


def _why(run: RunResult) -> str:
    if not run.trajectory[-1].reviewed_pairs:
        return "no pair was opened that could confirm it"
    if not has_threshold(run) or run.reviewer_error is not None:  # only models that give probabilities judge reviewers
        return "the labels contradict what the models expect"
    if run.preset == "paper":
        return "the models of this run give no probabilities"
    return "the models give no probabilities, or the labels contradict what they expect"


def reviewer_sentence(run: RunResult) -> str:
    """How often reviewers seem to err, beside how often they were made to."""
    if run.reviewer_error is None or not math.isfinite(run.reviewer_error):
        return ""
    made = f"a wrong answer was simulated in {share(run.error, 1)}" if run.error else "no error was simulated"
    found = f"Judging by their labels, reviewers seem to err in {share(run.reviewer_error, 1)} of the answers; {made}."
    return (
        f"{found} Such labels are no better than chance, and nothing was learnt from them."
        if run.labels_unused
        else found
    )
