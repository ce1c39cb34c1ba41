"""Two figures of each thing against each other: numbered points, one of them marked, with the area that is wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.figures import score
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Linear, Logarithmic, round_ticks
from unveil.charts.svg import Drawing, box, cramped, marker, rule, text

_LEFT, _TOP, _BOTTOM = 46.0, 16.0, 54.0
_APART = 17.0  # between the middles of two numbers that would touch


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A thing: its number, where it stands, and whether it is the one that was chosen."""

    number: int
    x: float
    y: float
    chosen: bool = False


def scatter_chart(
    width: int, points: Sequence[ScatterPoint], *, x_label: str, y_label: str, least: float, wanted: tuple[float, float]
) -> Drawing:
    """
    Points on a logarithmic x axis from `least` to 1; what is less stands at its beginning.

    `wanted` is the corner of the area that is asked for: x at most, y at least.
    """
    height = 320 if cramped(width) else 420
    x = Logarithmic(least, 1.0, _LEFT + 10, width - 14.0)
    values = [point.y for point in points] + [wanted[1]]
    ticks = [tick for tick in round_ticks(min(values) - 0.005, max(values) + 0.005, most=8) if tick <= 1]
    y = Linear(ticks[0], ticks[-1], height - _BOTTOM, _TOP)
    area = box(x.start - 10, y.end, x(max(wanted[0], least)) - x.start + 10, y(wanted[1]) - y.end, "band")
    return Drawing(width, height, join([area, _axes(x, y, ticks, x_label, y_label), *_points(x, y, points)]))


def _axes(x: Logarithmic, y: Linear, ticks: Sequence[float], x_label: str, y_label: str) -> Markup:
    left = x.start - 10
    return join(
        [
            *(rule(left, y(tick), x.end, y(tick), "grid") for tick in ticks),
            *(text(left - 8, y(tick) + 4, score(tick), "tick", anchor="end") for tick in ticks),
            *(rule(x(tick), y.start, x(tick), y.start + 5, "axis") for tick in x.decades()),
            *(
                text(
                    x(tick),
                    y.start + 19,
                    ("≤ " if tick == x.low else "") + f"{100 * tick:g} %",
                    "tick",
                    anchor="middle",
                )
                for tick in x.decades()
            ),
            rule(left, y.start, x.end, y.start, "axis"),
            text(left, y.start + 40, x_label, "axis-label"),
            text(left + 4, y.end - 4, y_label, "axis-label"),
        ]
    )


def _points(x: Logarithmic, y: Linear, points: Sequence[ScatterPoint]) -> list[Markup]:
    """Marks, each with its number beside it; numbers that would stand on one another move to the right."""
    drawn: list[Markup] = []
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda one: (one.x, one.number)):
        at, up = x(max(point.x, x.low)), y(point.y)
        form, style = ("diamond", "s2") if point.chosen else ("circle", "s0")
        drawn.append(marker(form, at, up, f"mark {style}", r=6.0 if point.chosen else 4.6))
        label = at + 9
        while any(abs(label - left) < _APART and abs(up - top) < _APART - 4 for left, top in taken):
            label += _APART
        taken.append((label, up))
        drawn.append(text(label, up + 4, str(point.number), f"label {style} strong halo"))
    return drawn
