"""Intervals on a common axis: one row per figure, the estimate as a mark and the true value as a line across."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.figures import score, threshold
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Linear, round_ticks, text_width
from unveil.charts.svg import Drawing, box, cramped, marker, rule, text

_LEAST_SPAN = 0.02  # of the axis: a third decimal must not look like a gulf
_TOP = 34
_HALF = 8  # of the height of an interval


@dataclass(frozen=True, slots=True)
class Span:
    """One row: an estimate between two bounds and, where it is known, the truth."""

    name: str
    low: float
    point: float
    high: float
    truth: float = math.nan

    @property
    def values(self) -> str:
        """The numbers of the row in words."""
        between = f"{score(self.point)} ({score(self.low)} to {score(self.high)})"
        return f"{between}, true {score(self.truth)}" if math.isfinite(self.truth) else between


def interval_chart(width: int, spans: Sequence[Span]) -> Drawing:
    """The intervals under each other; needs at least one, and its bounds must be numbers."""
    narrow = cramped(width)
    names = max(text_width(span.name, 13) for span in spans)
    values = max(text_width(span.values, 12) for span in spans)
    left, right = (8.0, width - 8.0) if narrow else (names + 26, width - values - 24)
    scale, ticks = _scale(spans, left, right)
    step = 56 if narrow else 40
    bottom = _TOP + step * len(spans)
    body = [
        _axis(scale, ticks[:: 2 if narrow else 1], bottom),
        _legend(0.0 if narrow else left, truth=any(math.isfinite(span.truth) for span in spans)),
    ]
    for index, span in enumerate(spans):
        y = _TOP + step * index + (36 if narrow else step / 2)
        if narrow:
            body += [text(0, y - 19, span.name, "strong"), text(width, y - 19, span.values, "label", anchor="end")]
        else:
            body.append(text(left - 16, y + 4, span.name, "strong", anchor="end"))
            body.append(text(width, y + 4, span.values, "label", anchor="end"))
        body.append(_row(scale, y, span))
    return Drawing(width, bottom + 46, join(body))


def _scale(spans: Sequence[Span], start: float, end: float) -> tuple[Linear, list[float]]:
    """A scale between round ticks that encloses all bounds and all truths."""
    values = [value for span in spans for value in (span.low, span.high, span.truth) if math.isfinite(value)]
    low, high = min(values), max(values)
    if high - low < _LEAST_SPAN:
        high = min(max(low + _LEAST_SPAN, high), max(1.0, high))
        low = min(low, high - _LEAST_SPAN)
    ticks = round_ticks(low, high, most=7)
    return Linear(ticks[0], ticks[-1], start, end), ticks


def _row(scale: Linear, y: float, span: Span) -> Markup:
    low, high = scale(span.low), scale(span.high)
    body = [
        box(low, y - _HALF, high - low, 2 * _HALF, "range s0"),
        rule(low, y, high, y, "whisker"),
        *(rule(x, y - _HALF, x, y + _HALF, "whisker") for x in (low, high)),
    ]
    if math.isfinite(span.truth):
        # Taller than the mark, so that both are seen where the estimate is right.
        body.append(rule(scale(span.truth), y - _HALF - 4, scale(span.truth), y + _HALF + 4, "truth"))
    return join([*body, marker("circle", scale(span.point), y, "mark s0", r=5.0)])


def _legend(x: float, *, truth: bool) -> Markup:
    estimated, true = "estimated without truth", "true value"
    second = x + 18 + text_width(estimated, 12) + 22
    marks = [marker("circle", x + 6, 10, "mark s0", r=5.0), text(x + 18, 14, estimated, "label")]
    if truth:
        marks += [rule(second, 0, second, 20, "truth"), text(second + 10, 14, true, "label")]
    return join(marks)


def _axis(scale: Linear, ticks: Sequence[float], bottom: float) -> Markup:
    return join(
        [
            *(rule(scale(tick), _TOP, scale(tick), bottom, "grid") for tick in ticks),
            rule(scale.start, bottom, scale.end, bottom, "axis"),
            *(text(scale(tick), bottom + 18, threshold(tick), "tick", anchor="middle") for tick in ticks),
            text(scale.start, bottom + 37, f"the axis starts at {threshold(scale.low)}", "axis-label"),
        ]
    )
