"""Shares on a logarithmic axis: one row per thing, one mark per group, the numbers in columns beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unveil.charts.figures import NONE, share
from unveil.charts.markup import Markup, join
from unveil.charts.scales import Logarithmic, text_width
from unveil.charts.svg import FORMS, Drawing, cramped, marker, rule, text

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
    columns = _columns(width, groups, narrow=narrow)
    right = columns[0] - _column(groups[0], narrow=narrow)
    scale = _scale(rows, left + 6, right - 6)
    top, step = (38, 44) if narrow else (32, 32)
    bottom = top + step * len(rows)
    body = [_axis(scale, left, right, top, bottom, label=x_label, every=2 if narrow else 1)]
    for x, group in zip(columns, groups, strict=True):
        # Where room is short the mark stands above the name, not before it.
        mark = (x - 5, 8.0) if narrow else (x - text_width(group.name, 12, bold=True) - 11, 10.0)
        body.append(marker(FORMS[group.style % len(FORMS)], *mark, f"mark s{group.style}"))
        body.append(text(x, 27 if narrow else 14, group.name, f"label s{group.style} strong", anchor="end"))
    for index, (name, cells) in enumerate(rows):
        y = top + step * index + (30 if narrow else step / 2)
        body.append(text(0, y - 13, name) if narrow else text(left - 14, y + 4, name, anchor="end"))
        body.append(_row(y, cells, groups, scale, columns))
    return Drawing(width, bottom + 46, join(body))


def _column(group: Group, *, narrow: bool) -> float:
    return max(text_width(group.name, 12, bold=True) + (12 if narrow else 40), 62.0)


def _columns(width: float, groups: Sequence[Group], *, narrow: bool) -> list[float]:
    """The right edge of each column of numbers; the last one ends with the picture."""
    widths = [_column(group, narrow=narrow) for group in groups]
    return [width - sum(widths[index + 1 :]) for index in range(len(groups))]


def _positive(cell: tuple[int, int] | None) -> float | None:
    return cell[0] / cell[1] if cell and cell[0] > 0 and cell[1] > 0 else None


def _scale(rows: Sequence[tuple[str, Sequence[tuple[int, int] | None]]], start: float, end: float) -> Logarithmic:
    shares = [value for _, cells in rows for cell in cells if (value := _positive(cell)) is not None]
    least = min([_LEAST * 10, *shares])
    return Logarithmic(10.0 ** math.floor(math.log10(least)), 1.0, start, end)


def _axis(
    scale: Logarithmic, left: float, right: float, top: float, bottom: float, *, label: str, every: int
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
    y: float,
    cells: Sequence[tuple[int, int] | None],
    groups: Sequence[Group],
    scale: Logarithmic,
    columns: Sequence[float],
) -> Markup:
    body: list[Markup] = []
    places = [scale(value) for cell in cells if (value := _positive(cell)) is not None]
    if len(places) > 1:
        body.append(rule(min(places), y, max(places), y, "link"))
    for cell, group, x in zip(cells, groups, columns, strict=True):
        value = _positive(cell)
        if value is not None:
            body.append(marker(FORMS[group.style % len(FORMS)], scale(value), y, f"mark s{group.style}", r=4.8))
        body.append(text(x, y + 4, share(*cell) if cell else NONE, f"label s{group.style}", anchor="end"))
    return join(body)
