"""The charts by themselves: round ticks, labels that keep apart, shapes where the numbers are."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.charts.bars import Bar, BarPart, bar_chart, stacked_bars
from unveil.charts.dots import Group, share_chart
from unveil.charts.histogram import Cut, Half, mirrored
from unveil.charts.intervals import Span, interval_chart
from unveil.charts.lines import Level, Line, Published, Second, line_chart
from unveil.charts.markup import el
from unveil.charts.scales import Logarithmic, round_ticks, spread, text_width, ticks_within, wrap
from unveil.charts.svg import NARROW, WIDE

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)


def lengths(body: str, kind: str, *, side: str = "width") -> list[float]:
    """Widths or heights of the rectangles of that class."""
    return [float(match) for match in re.findall(rf'<rect [^>]*\b{side}="([\d.]+)"[^>]*class="{kind}"', body)]


@given(numbers, numbers, st.integers(3, 12))
def test_ticks_are_few_round_and_enclose_the_range(a: float, b: float, most: int) -> None:
    """An axis starts and ends at a tick, and each step is 1, 2 or 5 times a power of ten."""
    low, high = sorted((a, b))
    if high - low < 1e-3:
        high = low + 1
    ticks = round_ticks(low, high, most=most)
    slack = 1e-6 * (high - low)
    assert ticks[0] <= low + slack
    assert ticks[-1] >= high - slack
    assert 2 <= len(ticks) <= most
    step = ticks[1] - ticks[0]
    lead = step / 10 ** math.floor(math.log10(step) + 1e-9)
    assert any(math.isclose(lead, factor, rel_tol=1e-3) for factor in (1, 2, 5))


def test_inner_ticks_do_not_leave_the_range() -> None:
    """The last batch ends the axis, wherever the next round number lies."""
    assert [0, 2000, 4000] == ticks_within(0, 4500, most=3)
    assert [0.6, 0.8, 1.0] == ticks_within(0.5, 1.0, most=4)


@given(st.lists(st.floats(0, 300), max_size=10))
def test_labels_keep_their_distance_and_stay_inside(wanted: list[float]) -> None:
    """No two end labels may overlap, and their order is the order of the lines."""
    placed = spread(wanted, gap=18, low=0, high=300)
    ordered = sorted(placed)
    assert all(second - first >= 18 - 1e-6 for first, second in pairwise(ordered))
    assert all(-1e-6 <= position <= 300 + 1e-6 for position in placed)
    by_wish = [placed[index] for index in sorted(range(len(wanted)), key=lambda index: wanted[index])]
    assert ordered == by_wish


def test_labels_with_room_stay_where_they_are() -> None:
    """Only labels that touch are moved."""
    assert [200.0, 10.0, 100.0] == spread([200, 10, 100], gap=18, low=0, high=300)


@given(st.text(st.characters(categories=["L", "Zs"]), max_size=200), st.floats(20, 300))
def test_wrapped_text_loses_no_word(text: str, width: float) -> None:
    """A line is too wide only if it is a single word."""
    lines = wrap(text, width, 12)
    assert text.split() == " ".join(lines).split()
    assert all(text_width(line, 12) <= width or len(line.split()) == 1 for line in lines)


def test_decades_are_exact() -> None:
    """Powers of ten within the scale, its ends included."""
    assert [0.01, 0.1, 1.0] == Logarithmic(0.01, 1.0, 0, 100).decades()


def test_coordinates_are_never_not_a_number() -> None:
    """A browser would drop the shape without a word."""
    with pytest.raises(ValueError, match="not a number"):
        el("line", x1=math.nan)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_line_chart_draws_lines_ranges_levels_and_published_values(width: int) -> None:
    """The pieces that the figures of an evaluation need."""
    line = Line("F1", (0, 100, 500), (0.8, 0.85, 0.9), 0, low=(0.7, 0.8, 0.88), high=(0.84, 0.88, 0.92))
    drawing = line_chart(
        width,
        lines=[line],
        levels=[Level("record level", 0.86)],
        published=[Published("published", 500, 0.909)],
        x_label="pairs",
        second=Second("labels", ((0, 0), (100, 60), (500, 300))),
    )
    assert 1 == drawing.body.count('class="range s0"')
    assert 1 == drawing.body.count('class="level"')
    assert 1 == drawing.body.count('class="published"')
    assert 3 == drawing.body.count('class="mark s0"')
    assert all(f">{text}</text>" in drawing.body for text in (".900", ".860", "record level", "published", "300"))


def test_line_chart_of_a_single_point_has_a_mark_and_no_line() -> None:
    """One layer gives one point."""
    body = line_chart(WIDE, lines=[Line("F1", (0,), (0.8,))], x_label="pairs").body
    assert (1, 0) == (body.count('class="mark s0"'), body.count('class="line s0"'))


def test_line_chart_without_numbers_is_an_empty_frame() -> None:
    """Undefined values are left out one by one."""
    body = line_chart(WIDE, lines=[Line("F1", (0, 1), (math.nan, math.inf))], x_label="pairs").body
    assert 0 == body.count('class="mark s0"')


def test_bars_are_as_long_as_their_values() -> None:
    """Twice the value, twice the length; a small one still shows."""
    body = bar_chart(WIDE, [Bar("a", 1.0, "1"), Bar("b", 2.0, "2"), Bar("c", 1e-9, "0"), Bar("d", 0.0, "0")]).body
    first, second, third, fourth = lengths(body, "bar s0")
    assert first * 2 == pytest.approx(second, abs=0.2)
    assert (2.0, 0.0) == (third, fourth)


def test_negative_bars_grow_to_the_left_of_a_common_start() -> None:
    """An attribute can speak against a match; its bar must not be taken for a short one."""
    body = bar_chart(WIDE, [Bar("a", 2.0, "2"), Bar("b", -1.0, "−1", "s-muted")]).body
    (right,), (left,) = lengths(body, "bar s0", side="x"), lengths(body, "bar s-muted", side="x")
    (long,), (short,) = lengths(body, "bar s0"), lengths(body, "bar s-muted")
    assert right == pytest.approx(left + short, abs=0.2)
    assert long == pytest.approx(2 * short, abs=0.2)
    assert 2 == body.count('class="axis"')  # one beside each bar
    assert 0 == bar_chart(WIDE, [Bar("a", 2.0, "2")]).body.count('class="axis"')


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_estimate_lies_on_its_interval_and_truth_crosses_it(width: int) -> None:
    """The middle of an interval is drawn in the middle, and the truth where it is, here on the upper bound."""
    body = interval_chart(width, [Span("F1", 0.8, 0.85, 0.9, 0.9), Span("recall", 0.7, 0.9, 1.0)]).body
    start, length = lengths(body, "range s0", side="x")[0], lengths(body, "range s0")[0]
    _, point, _ = (float(x) for x in re.findall(r'<circle cx="([\d.]+)"', body))  # the first is the legend's
    _, truth = (float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]*class="truth"', body))
    assert start + length / 2 == pytest.approx(point, abs=0.2)
    assert start + length == pytest.approx(truth, abs=0.2)
    assert (True, True) == (">.850 (.800 to .900), true .900<" in body, ">.900 (.700 to 1.000)<" in body)


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_interval_axis_encloses_the_truth_even_outside_the_interval(values: list[float]) -> None:
    """A truth off the chart would look like one that is not known."""
    low, point, high = sorted(values[:3])
    body = interval_chart(NARROW, [Span("F1", low, point, high, values[3])]).body
    places = [float(x) for x in re.findall(r'<line x1="([\d.]+)"[^>]*class="(?:truth|whisker)"', body)][1:]
    assert 4 == len(places)
    assert all(8 <= x <= NARROW - 8 for x in places)


def test_stacked_parts_fill_the_longest_row() -> None:
    """Rows are comparable, and an empty part is not drawn."""
    parts = (BarPart("equal", "✓", "s-equal"), BarPart("shown", "✎", "s-shown"))
    body = stacked_bars(WIDE, [("a", (30, 10)), ("b", (20, 0))], parts).body
    legend, *drawn = lengths(body, "bar s-equal")
    assert 14 == legend
    assert drawn[0] * 2 / 3 == pytest.approx(drawn[1], abs=0.2)
    assert 2 == len(lengths(body, "bar s-shown"))


def test_histogram_draws_a_bar_for_every_bin_that_holds_a_pair() -> None:
    """A single pair must be seen beside ten thousand."""
    halves = (Half("same", (0, 1, 100), "s0"), Half("different", (10_000, 5, 0), "s-down"))
    drawing = mirrored(
        WIDE, edges=(0.5, 0.6, 0.8, 1.0), up=halves[0], down=halves[1], cuts=[Cut("t", 0.7, "final")], band=(0.65, 0.75)
    )
    single, hundred = lengths(drawing.body, "bar s0", side="height")
    assert 5 < single < hundred
    assert 2 == len(lengths(drawing.body, "bar s-down"))
    assert 1 == len(lengths(drawing.body, "band"))


def test_thresholds_outside_the_axis_are_not_drawn() -> None:
    """A line beside the chart would point at nothing."""
    half = Half("same", (1,), "s0")
    body = mirrored(WIDE, edges=(0.5, 1.0), up=half, down=half, cuts=[Cut("t", 0.2, "final")], band=(0.0, 0.0)).body
    assert "cut" not in body
    assert "band" not in body


def test_share_of_nothing_has_a_number_but_no_mark() -> None:
    """Zero has no place on a logarithmic axis."""
    groups = (Group("record", 0), Group("review", 2))
    body = share_chart(WIDE, [("name", ((10, 10), (0, 10))), ("city", ((5, 10), None))], groups, x_label="share").body
    assert 3 == body.count('class="mark s0"')  # two rows and the head
    assert 1 == body.count('class="mark s2"')  # the head alone
    assert (True, True) == (">0 %<" in body, ">–<" in body)
