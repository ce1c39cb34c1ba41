"""Shares on a logarithmic axis: one row per thing, one mark per group, the numbers in columns beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.evaluation.report.figures import NONE, share
from unveil.evaluation.report.markup import Markup, join
from unveil.evaluation.report.scales import Logarithmic, text_width
from unveil.evaluation.report.svg import FORMS, Drawing, cramped, marker, rule, text

_LEAST = 1e-4  # the axis reaches down to one in ten thousand, and further where a share is smaller


@dataclass(frozen=True, slots=True)
class Group:
    """A column of the chart: its name, short enough for a head, and its style."""

    name: str
    style: int


def share_chart(
    width: int, rows: Sequence[tuple[str, Sequence[tuple[int, int] | None]]], groups: Sequence[Group], *, x_label: str
) -> Drawing:
    """
    Marks at part / whole for every row and group.

    A row holds (part, whole) for each group, or None where nothing is known. A share of 0 has no place on the axis:
    its number stands in the column alone.
    """
    narrow = cramped(width)
    names = max((text_width(name, 13) for name, _ in rows), default=0.0)
    left = 4.0 if narrow else names + 22
    column = 54.0 if narrow else 84.0
    right = width - column * len(groups) - (6 if narrow else 16)
    scale = _scale(rows, left + 6, right - 6)
    top, step = (26, 44) if narrow else (32, 32)
    bottom = top + step * len(rows)
    body = [_axis(scale, left, right, top, bottom, x_label, every=2 if narrow else 1)]
    for index, group in enumerate(groups):
        x = width - column * (len(groups) - index - 1)
        body.append(text(x, 14, group.name, f"label s{group.style} strong", anchor="end"))
        head = x - text_width(group.name, 13) - 8
        body.append(marker(FORMS[group.style % len(FORMS)], head, 10, f"mark s{group.style}"))
    for index, (name, cells) in enumerate(rows):
        y = top + step * index + (30 if narrow else step / 2)
        body.append(text(0, y - 13, name) if narrow else text(left - 14, y + 4, name, anchor="end"))
        body.append(_row(width, y, cells, groups, scale, column))
    return Drawing(width, bottom + 46, join(body))


def _positive(cell: tuple[int, int] | None) -> float | None:
    return cell[0] / cell[1] if cell and cell[0] > 0 and cell[1] > 0 else None


def _scale(rows: Sequence[tuple[str, Sequence[tuple[int, int] | None]]], start: float, end: float) -> Logarithmic:
    shares = [value for _, cells in rows for cell in cells if (value := _positive(cell)) is not None]
    least = min([_LEAST * 10, *shares])
    return Logarithmic(10.0 ** math.floor(math.log10(least)), 1.0, start, end)


def _axis(
    scale: Logarithmic, left: float, right: float, top: float, bottom: float, label: str, *, every: int
) -> Markup:
    decades = list(reversed(scale.decades()))
    return join(
        [
            *(rule(scale(tick), top, scale(tick), bottom, "grid") for tick in decades),
            rule(left, bottom, right, bottom, "axis"),
            *(
                text(scale(tick), bottom + 18, f"{100 * tick:g} %", "tick", anchor="middle")
                for tick in decades[::every]
            ),
            text(left, bottom + 37, label, "axis-label"),
        ]
    )


def _row(
    width: float,
    y: float,
    cells: Sequence[tuple[int, int] | None],
    groups: Sequence[Group],
    scale: Logarithmic,
    column: float,
) -> Markup:
    body: list[Markup] = []
    places = [scale(value) for cell in cells if (value := _positive(cell)) is not None]
    if len(places) > 1:
        body.append(rule(min(places), y, max(places), y, "link"))
    for index, (cell, group) in enumerate(zip(cells, groups, strict=True)):
        value = _positive(cell)
        if value is not None:
            body.append(marker(FORMS[group.style % len(FORMS)], scale(value), y, f"mark s{group.style}", r=4.8))
        x = width - column * (len(groups) - index - 1)
        body.append(text(x, y + 4, share(*cell) if cell else NONE, f"label s{group.style}", anchor="end"))
    return join(body)
