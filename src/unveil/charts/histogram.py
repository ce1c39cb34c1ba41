"""Two histograms on one axis: one class grows upwards, the other downwards, each line ten times the one before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.figures import count, threshold
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Linear, text_width, ticks_within
from unveil.charts.svg import Drawing, box, cramped, rule, text

_HEADROOM = 1.22  # room for the name of each half above its highest bar
_HEADER = 46


@dataclass(frozen=True, slots=True)
class Half:
    """One class: its name and its count in every bin."""

    name: str
    counts: Sequence[int]
    kind: str


@dataclass(frozen=True, slots=True)
class Cut:
    """A threshold on the axis."""

    name: str
    at: float
    kind: str


def mirrored(
    width: int,
    *,
    edges: Sequence[float],
    up: Half,
    down: Half,
    cuts: Sequence[Cut] = (),
    band: tuple[float, float] | None = None,
    band_name: str = "",
    x_label: str = "",
) -> Drawing:
    """Both histograms with the thresholds and the shaded band between them; needs at least one bin."""
    half = 104 if cramped(width) else 136
    middle, bottom = _HEADER + half, _HEADER + 2 * half
    x = Linear(edges[0], edges[-1], 44, width - 6)
    most = max([1, *up.counts, *down.counts])
    scale = Linear(0, math.log10(1 + most) * _HEADROOM, 0, half)
    body = [
        _shade(x, band, band_name, bottom),
        _grid(x, scale, most, middle),
        *(_bars(x, scale, edges, side, middle, sign=sign) for side, sign in ((up, -1), (down, 1))),
        rule(x.start, middle, x.end, middle, "axis"),
        *_cuts(x, cuts, bottom),
        text(x.start + 6, _HEADER + 15, f"↑ {up.name}", f"label {up.kind} strong halo"),
        text(x.end - 4, bottom - 7, f"↓ {down.name}", f"label {down.kind} strong halo", anchor="end"),
        _axis(x, bottom, x_label),
    ]
    return Drawing(width, bottom + 48, join(body))


def _height(scale: Linear, number: float) -> float:
    """An empty bin has no height, and one pair is still seen."""
    return scale(math.log10(1 + number))


def _bars(x: Linear, scale: Linear, edges: Sequence[float], half: Half, middle: float, *, sign: int) -> Markup:
    body = []
    for index, number in enumerate(half.counts):
        if number > 0:
            left, right, height = x(edges[index]), x(edges[index + 1]), _height(scale, number)
            top = middle - height if sign < 0 else middle
            body.append(box(left + 0.5, top, right - left - 1, height, f"bar {half.kind}"))
    return join(body)


def _grid(x: Linear, scale: Linear, most: int, middle: float) -> Markup:
    body = []
    for power in range(int(math.log10(most)) + 1):
        if power == 0 and most >= 100:  # noqa: PLR2004 - 1 lies too close to 10 to be written
            continue
        height = _height(scale, 10**power)
        for y in (middle - height, middle + height):
            body.append(rule(x.start, y, x.end, y, "grid"))
            body.append(text(x.start - 7, y + 4, count(10**power), "tick", anchor="end"))
    return join([*body, text(x.start - 7, middle + 4, "0", "tick", anchor="end")])


def _shade(x: Linear, band: tuple[float, float] | None, name: str, bottom: float) -> Markup | None:
    if band is None or not band[0] < band[1]:
        return None
    left, right = (x(min(max(edge, x.low), x.high)) for edge in band)
    half = text_width(name, 12) / 2
    centre = min(max((left + right) / 2, x.start + half), x.end - half)
    return join(
        [
            box(left, _HEADER - 24, right - left, bottom - _HEADER + 24, "band"),
            text(centre, _HEADER - 31, name, "label muted", anchor="middle"),
        ]
    )


def _cuts(x: Linear, cuts: Sequence[Cut], bottom: float) -> list[Markup]:
    """Each threshold with its name: the left one's to its left, the right one's to its right."""
    body = []
    ordered = sorted((cut for cut in cuts if x.low <= cut.at <= x.high), key=lambda cut: cut.at)
    for index, cut in enumerate(ordered):
        at, label = x(cut.at), f"{cut.name} {threshold(cut.at)}"
        leftwards = index == 0 and (len(ordered) > 1 or at + text_width(label, 12, bold=True) + 8 > x.end)
        body.append(rule(at, _HEADER - 22, at, bottom, f"cut {cut.kind}"))
        shift, anchor = (-6, "end") if leftwards else (6, "start")
        body.append(text(at + shift, _HEADER - 10, label, "label strong", anchor=anchor))
    return body


def _axis(x: Linear, bottom: float, label: str) -> Markup:
    ticks = ticks_within(x.low, x.high, most=int((x.end - x.start) / 48))
    return join(
        [
            rule(x.start, bottom, x.end, bottom, "axis"),
            *(rule(x(tick), bottom, x(tick), bottom + 5, "axis") for tick in ticks),
            *(text(x(tick), bottom + 19, threshold(tick), "tick", anchor="middle") for tick in ticks),
            text(x.start, bottom + 38, label, "axis-label"),
        ]
    )
