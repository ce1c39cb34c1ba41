"""A line chart: lines with optional ranges, levels to compare with, published values, labels at the line ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unveil.charts.figures import count, score
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Linear, round_ticks, spread, text_width, ticks_within
from unveil.charts.svg import FORMS, Drawing, cramped, marker, path, rule, text

_LEADER, _SCORE = 22.0, 40.0  # room for the line to an end label, and for its number


@dataclass(frozen=True, slots=True)
class Line:
    """A measured quantity; `style` picks colour, dash and marker; low and high bound its range at each x."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    style: int = 0
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Level:
    """A constant to compare with, drawn across the chart."""

    name: str
    y: float


@dataclass(frozen=True, slots=True)
class Published:
    """A value that others reported, drawn as a hollow diamond with its name beside it."""

    name: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Second:
    """A second row of numbers under the x axis."""

    label: str
    values: tuple[tuple[float, int], ...]  # x, number


@dataclass(frozen=True, slots=True)
class _Frame:
    x: Linear
    y: Linear
    x_ticks: list[float]
    y_ticks: list[float]


def line_chart(
    width: int,
    *,
    lines: Sequence[Line],
    levels: Sequence[Level] = (),
    published: Sequence[Published] = (),
    x_label: str,
    second: Second | None = None,
) -> Drawing:
    """The chart for that width. Values that are not numbers are left out."""
    narrow = cramped(width)
    height = (300 if narrow else 400) + (44 if second else 0)
    bottom = height - 50 - (44 if second else 0)
    right = width - _label_room([*lines, *levels], split=narrow)
    frame = _frame(lines, levels, published, left=36, right=right, top=16, bottom=bottom)
    body = [
        _axes(frame, x_label),
        _second(frame, second) if second else None,
        *(_range(frame, line) for line in lines),
        *(rule(frame.x.start, frame.y(level.y), frame.x.end, frame.y(level.y), "level") for level in _real(levels)),
        *(_line(frame, line) for line in lines),
        *(_published(frame, mark) for mark in published if _finite(mark.x, mark.y)),
        _end_labels(frame, lines, levels, split=narrow),
    ]
    return Drawing(width, height, join(body))


def _finite(*numbers: float) -> bool:
    return all(math.isfinite(number) for number in numbers)


def _points(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
    return [(a, b) for a, b in zip(x, y, strict=True) if _finite(a, b)]


def _real(levels: Iterable[Level]) -> list[Level]:
    return [level for level in levels if _finite(level.y)]


def _frame(
    lines: Sequence[Line],
    levels: Sequence[Level],
    published: Sequence[Published],
    *,
    left: float,
    right: float,
    top: float,
    bottom: float,
) -> _Frame:
    xs = [x for line in lines for x, _ in _points(line.x, line.y)] + [mark.x for mark in published if _finite(mark.x)]
    ys = [
        y
        for values in (*((*line.y, *line.low, *line.high) for line in lines), [level.y for level in levels])
        for y in values
        if _finite(y)
    ] + [mark.y for mark in published if _finite(mark.y)]
    low, high = (min(ys), max(ys)) if ys else (0.0, 1.0)
    if high - low < 0.04:  # noqa: PLR2004 - a narrower axis would make noise look like change
        low, high = low - 0.02, high + 0.02
    y_ticks = [tick for tick in round_ticks(low, high, most=8) if tick <= 1 or high > 1]
    x_low, x_high = (min(xs), max(xs)) if xs else (0.0, 1.0)
    if x_high == x_low:
        x_high = x_low + 1
    x_ticks = ticks_within(x_low, x_high, most=int((right - left) / 56))
    return _Frame(
        Linear(x_low, x_high, left, right),
        Linear(min(low, y_ticks[0]), max(high, y_ticks[-1]), bottom, top),
        x_ticks,
        y_ticks,
    )


def _axes(frame: _Frame, x_label: str) -> Markup:
    x, y = frame.x, frame.y
    decimals = 1 if all(abs(tick * 10 - round(tick * 10)) < 1e-9 for tick in frame.y_ticks) else 2  # noqa: PLR2004
    return join(
        [
            *(rule(x.start, y(tick), x.end, y(tick), "grid") for tick in frame.y_ticks),
            *(text(x.start - 8, y(tick) + 4, _tick(tick, decimals), "tick", anchor="end") for tick in frame.y_ticks),
            rule(x.start, y.start, x.end, y.start, "axis"),
            *(rule(x(tick), y.start, x(tick), y.start + 5, "axis") for tick in frame.x_ticks),
            *(text(x(tick), y.start + 19, count(tick), "tick", anchor="middle") for tick in frame.x_ticks),
            text(x.start, y.start + 37, x_label, "axis-label"),
        ]
    )


def _tick(value: float, decimals: int) -> str:
    text_ = f"{value:.{decimals}f}"
    return text_[1:] if text_.startswith("0.") else text_


def _second(frame: _Frame, second: Second) -> Markup:
    """The second row: first and last value, then as many between as find room."""
    y = frame.y.start + 58
    taken: list[tuple[float, float]] = []
    chosen = []
    values = list(second.values)
    for x, number in [values[-1], values[0], *_by_change(values)] if values else []:
        middle, half = frame.x(x), text_width(count(number), 12) / 2 + 5
        if all(middle + half <= left or middle - half >= right for left, right in taken):
            taken.append((middle - half, middle + half))
            chosen.append((middle, number))
    return join(
        [
            *(rule(x, y - 12, x, y - 8, "axis") for x, _ in chosen),
            *(text(x, y + 3, count(number), "tick strong", anchor="middle") for x, number in chosen),
            text(frame.x.start, y + 21, second.label, "axis-label"),
        ]
    )


def _by_change(values: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The inner values, the one where the last number is first reached before the others."""
    last = values[-1][1]
    return sorted(values[1:-1], key=lambda value: (value[1] != last, value[0]))


def _range(frame: _Frame, line: Line) -> Markup | None:
    if not (line.low and line.high):
        return None
    upper, lower = _points(line.x, line.high), _points(line.x, line.low)
    ring = [(frame.x(x), frame.y(y)) for x, y in [*upper, *reversed(lower)]]
    return path(ring, f"range s{line.style}", closed=True) if ring else None


def _line(frame: _Frame, line: Line) -> Markup:
    points = [(frame.x(x), frame.y(y)) for x, y in _points(line.x, line.y)]
    form = FORMS[line.style % len(FORMS)]
    return join(
        [
            path(points, f"line s{line.style}") if len(points) > 1 else None,
            *(marker(form, x, y, f"mark s{line.style}", r=3.6) for x, y in points),
        ]
    )


def _published(frame: _Frame, mark: Published) -> Markup:
    x, y = frame.x(mark.x), frame.y(mark.y)
    room = x + 10 + text_width(mark.name, 12) <= frame.x.end
    label = text(x + 10, y + 4, mark.name, "label") if room else text(x - 10, y + 4, mark.name, "label", anchor="end")
    return join([marker("diamond", x, y, "published", r=5), label])


def _label_room(named: Sequence[Line | Level], *, split: bool) -> float:
    longest = max((text_width(item.name, 12) for item in named), default=0.0)
    return longest + (_LEADER + 2 if split else _LEADER + _SCORE)


def _end_labels(frame: _Frame, lines: Sequence[Line], levels: Sequence[Level], *, split: bool) -> Markup:
    """Names and last values beside the line ends, moved apart where they would touch."""
    ends = [(line.name, points[-1][1], f"s{line.style}") for line in lines if (points := _points(line.x, line.y))]
    ends += [(level.name, level.y, "muted") for level in _real(levels)]
    wanted = [frame.y(y) for _, y, _ in ends]
    gap = 31.0 if split else 18.0
    placed = spread(wanted, gap=gap, low=frame.y.end + (8 if split else 2), high=frame.y.start - 4)
    x = frame.x.end
    parts: list[Markup] = []
    for (name, y, kind), at, target in zip(ends, placed, wanted, strict=True):
        start = x + _LEADER
        parts.append(path([(x + 5, target), (x + 8, target), (start - 6, at), (start - 3, at)], "leader"))
        if split:
            parts.append(text(start, at - 1, name, f"label {kind}"))
            parts.append(text(start, at + 13, score(y), f"label {kind} strong"))
        else:
            parts.append(text(start, at + 4, score(y), f"label {kind} strong"))
            parts.append(text(start + _SCORE, at + 4, name, f"label {kind}"))
    return join(parts)
