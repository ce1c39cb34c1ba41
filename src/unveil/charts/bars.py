"""Horizontal bars: single ones with their value beside them, and stacked ones with their parts named."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.figures import count
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Linear, text_width
from unveil.charts.svg import Drawing, box, cramped, rule, text

_SIZE = 13


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: its name, its length, and the value in words."""

    name: str
    length: float
    value: str
    kind: str = "s0"


@dataclass(frozen=True, slots=True)
class BarPart:
    """One part of a stacked bar; the sign stands for its name inside the bar."""

    name: str
    sign: str
    kind: str


def bar_chart(width: int, bars: Sequence[Bar], *, full: float | None = None) -> Drawing:
    """
    Bars from a common start; `full` is the length of the whole track, the longest bar if not given.

    A negative length grows to the left, from a start that is drawn then.
    """
    narrow = cramped(width)
    finite = [bar.length for bar in bars if math.isfinite(bar.length)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    names = max((text_width(bar.name, _SIZE) for bar in bars), default=0.0)
    values = max((text_width(bar.value, _SIZE, bold=True) for bar in bars), default=0.0) + 12
    left = 0.0 if narrow else min(names + 14, width * 0.4)
    scale = Linear(low, full or high or low + 1.0, left, width - values)
    start = scale(0)
    step = 42 if narrow else 28
    parts: list[Markup] = []
    for index, bar in enumerate(bars):
        y = index * step + (20 if narrow else 4)
        length = bar.length if math.isfinite(bar.length) else 0.0
        name = text(0, y - 5, bar.name) if narrow else text(left - 12, y + 14, bar.name, anchor="end")
        end = scale(length)
        parts.append(name)
        if full:
            parts.append(box(left, y + 2, scale(full) - left, 14, "track", round_by=2))
        # A bar of some length never vanishes: two units are the least that a printer shows.
        extent = max(abs(end - start), 2.0 if length else 0.0)
        parts.append(box(min(start, end), y + 2, extent, 14, f"bar {bar.kind}", round_by=2))
        parts.append(text((scale(full) if full else max(start, end)) + 8, y + 14, bar.value, "strong"))
        if low < 0:  # beside the bar alone: where room is short, the names stand between the bars
            parts.append(rule(start, y - 2, start, y + (20 if narrow else 24), "axis"))
    return Drawing(width, len(bars) * step + 6, join(parts))


def stacked_bars(width: int, rows: Sequence[tuple[str, Sequence[int]]], parts: Sequence[BarPart]) -> Drawing:
    """One bar per row, as long as the sum of its numbers; each number belongs to the part at its place."""
    narrow = cramped(width)
    total = max((sum(numbers) for _, numbers in rows), default=0) or 1
    names = max((text_width(name, _SIZE) for name, _ in rows), default=0.0)
    left = 0.0 if narrow else min(names + 14, width * 0.3)
    scale = Linear(0, total, left, width - 1)
    legend, top = _legend(left, width, parts)
    step = 50 if narrow else 34
    body = [legend]
    for index, (name, numbers) in enumerate(rows):
        y = top + index * step + (20 if narrow else 0)
        body.append(text(0, y - 5, name) if narrow else text(left - 12, y + 16, name, anchor="end"))
        body.append(_stack(scale, y, numbers, parts))
    return Drawing(width, top + len(rows) * step + 2, join(body))


def _legend(left: float, width: float, parts: Sequence[BarPart]) -> tuple[Markup, float]:
    """The names of the parts in a row (or two), and the y below them."""
    x, y = left, 4.0
    body: list[Markup] = []
    for part in parts:
        label = f"{part.sign} {part.name}".strip()
        room = 20 + text_width(label, _SIZE) + 20
        if x + room > width and x > left:
            x, y = left, y + 22
        body += [box(x, y, 14, 14, f"bar {part.kind}", round_by=2), text(x + 20, y + 12, label)]
        x += room
    return join(body), y + 32


def _stack(scale: Linear, y: float, numbers: Sequence[int], parts: Sequence[BarPart]) -> Markup:
    body: list[Markup] = []
    begin = 0
    for number, part in zip(numbers, parts, strict=True):
        if number <= 0:
            continue
        x, end = scale(begin), scale(begin + number)
        body.append(box(x, y, end - x, 22, f"bar {part.kind}"))
        labels = (f"{part.sign} {count(number)}".strip(), count(number))
        label = next((label for label in labels if text_width(label, 12, bold=True) + 6 <= end - x), None)
        if label:
            body.append(text((x + end) / 2, y + 15.5, label, f"on {part.kind}", anchor="middle"))
        if begin:
            body.append(rule(x, y, x, y + 22, "gap"))
        begin += number
    return join(body)
