"""How many links there are and how good they seem, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unveil.runtime.results_quality import ResultsQuality


def quality_lines(quality: ResultsQuality) -> Iterator[str]:
    """The count and each figure, with what it may be off by."""
    exact = f"{quality.links:,} links"
    yield exact if not quality.off_by else f"about {exact}, give or take {quality.off_by}"
    if quality.estimate is None:
        yield "how good they are is not known: there are too few, or the models give no probabilities"
        return
    for figure, name in (("precision", "precision"), ("recall", "recall"), ("f1", "F1")):
        low, point, high = getattr(quality.estimate, figure)
        yield f"{name} {point:.3f}, between {low:.3f} and {high:.3f} by the units' own estimate"
    if not quality.estimate.trusted:
        yield "this estimate cannot be trusted: there were no labels, or they contradict the models"


def quality_line(quality: ResultsQuality) -> str:
    """The same in one line."""
    count = f"{quality.links:,} links" if not quality.off_by else f"about {quality.links:,} links"
    if quality.estimate is None:
        return count
    low, point, high = quality.estimate.f1
    doubt = "" if quality.estimate.trusted else ", not to be trusted"
    return f"{count}, estimated F1 {point:.3f} ({low:.3f} to {high:.3f}){doubt}"
