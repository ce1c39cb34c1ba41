"""
Pictures of the ledger: small SVG files that a page shows as images, so that no style and no markup comes into the page.

Each is drawn twice, for light and for dark pages, from attributes alone, since the policy of the pages forbids styles.
Colours never say anything by themselves: every bar has its number beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal
from xml.sax.saxutils import escape

Scheme = Literal["light", "dark"]
Say = Callable[[float], str]

_FONT: Final = 'font-family="system-ui, Segoe UI, Roboto, Noto Sans, DejaVu Sans, sans-serif"'
_WIDTH: Final = 480
_ROW: Final = 34
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 10, 16, 30
_HEIGHT: Final = 220
_STEPS: Final = (1, 2, 5)
_MOST_BARS: Final = 60


@dataclass(frozen=True, slots=True)
class _Paint:
    ink: str
    muted: str
    line: str
    first: str
    second: str


_PAINTS: Final = {
    "light": _Paint("#1b2330", "#4f5b6c", "#d5dae2", "#0b5fa5", "#b4530a"),
    "dark": _Paint("#e8ecf2", "#a9b4c3", "#364050", "#72b4f2", "#ffc48f"),
}


@dataclass(frozen=True, slots=True)
class BarRow:
    """One thing with its number, and another number that goes with it."""

    name: str
    value: int
    said: str
    second: int = 0


def rows(found: Sequence[BarRow], scheme: Scheme) -> str:
    """Bars that lie under each other, the name and what is said of it above each."""
    paint, most = _PAINTS[scheme], max((one.value + one.second for one in found), default=0) or 1
    parts = []
    for at, one in enumerate(found):
        top, width = at * (_ROW + 12), (_WIDTH - 2) * one.value / most
        parts += [
            _text(0, top + 14, one.name, paint.ink, weight=600),
            _text(_WIDTH, top + 14, one.said, paint.muted, anchor="end"),
            _rect(0, top + 21, max(width, 1.5 if one.value else 0), 12, paint.first),
        ]
        if one.second:
            second = max((_WIDTH - 2) * one.second / most, 1.5)
            parts.append(_hollow(width + 1, top + 21.75, second, 10.5, paint.second))
        parts.append(_line(0, top + 33.5, _WIDTH, top + 33.5, paint.line))
    return _svg(_WIDTH, max(1, len(found)) * (_ROW + 12), parts)


def columns(found: Sequence[tuple[str, float]], scheme: Scheme, say: Say, *, each_said: bool = False) -> str:
    """Bars beside each other with a scale; with `each_said`, every bar's number above it."""
    paint = _PAINTS[scheme]
    top, parts = _scale(max((value for _, value in found), default=0.0), paint, say)
    wide = (_WIDTH - _LEFT - _RIGHT) / max(1, len(found))
    bar = min(46.0, wide * 0.72)
    for at, (name, value) in enumerate(found):
        middle, height = _LEFT + (at + 0.5) * wide, (_HEIGHT - _TOP - _BOTTOM) * value / top
        if value:
            parts.append(
                _rect(middle - bar / 2, _HEIGHT - _BOTTOM - max(height, 1.5), bar, max(height, 1.5), paint.first)
            )
        if each_said:
            parts.append(_text(middle, _HEIGHT - _BOTTOM - height - 5, say(value), paint.ink, anchor="middle"))
        if _is_named(at, len(found)):
            parts.append(_text(middle, _HEIGHT - _BOTTOM + 18, name, paint.muted, anchor="middle"))
    return _svg(_WIDTH, _HEIGHT, parts)


def course(found: Sequence[tuple[str, float]], scheme: Scheme, say: Say) -> str:
    """A line through one value after another, with a scale."""
    paint = _PAINTS[scheme]
    top, parts = _scale(max((value for _, value in found), default=0.0), paint, say)
    wide = (_WIDTH - _LEFT - _RIGHT) / max(1, len(found))
    points = [
        (_LEFT + (at + 0.5) * wide, _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * value / top)
        for at, (_, value) in enumerate(found)
    ]
    if points:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{paint.first}" stroke-width="2.5"/>')
    for at, (x, y) in enumerate(points):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{paint.first}"/>')
        if _is_named(at, len(found)):
            parts.append(_text(x, _HEIGHT - _BOTTOM + 18, found[at][0], paint.muted, anchor="middle"))
    if points:
        x, y = points[-1]
        anchor = "end" if x > _WIDTH - 80 else "start"
        parts.append(_text(x, max(y - 9, 12), say(found[-1][1]), paint.ink, anchor=anchor, weight=600))
    return _svg(_WIDTH, _HEIGHT, parts)


def by_span(days: dict[int, float], *, sums: bool) -> list[tuple[int, float]]:
    """
    Days without gaps, or spans of as many days as it takes to show no more than 60: the first day and what it holds.

    What is summed up is 0 where there is nothing; else the last value goes on.
    """
    if not days:
        return []
    first, last = min(days), max(days)
    span = -(-(last - first + 1) // _MOST_BARS)
    found: list[tuple[int, float]] = []
    for start in range(first, last + 1, span):
        inside = [days[day] for day in range(start, start + span) if day in days]
        before = found[-1][1] if found else 0.0
        found.append((start, float(sum(inside)) if sums else (inside[-1] if inside else before)))
    return found


def _scale(most: float, paint: _Paint, say: Say) -> tuple[float, list[str]]:
    """The value at the top of the scale, and its lines."""
    step = _step(most)
    top = step * max(1, -(-most // step))
    parts = []
    for at in range(round(top / step) + 1):
        y = _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * at * step / top
        parts.append(_line(_LEFT, y, _WIDTH - _RIGHT, y, paint.line))
        parts.append(_text(_LEFT - 8, y + 4, say(at * step), paint.muted, anchor="end"))
    return top, parts


def _step(most: float) -> float:
    """A round number of which three to six reach the top."""
    if most <= 0:
        return 1.0
    power = 10.0 ** len(str(int(most))) if most >= 1 else 1.0
    while True:
        for step in reversed(_STEPS):
            if most / (step * power) >= 2.5:  # noqa: PLR2004 - so that there are three lines at least
                return step * power
        power /= 10


def _is_named(at: int, count: int) -> bool:
    """Whether there is room for the name of this one: of many, every so many are named."""
    return at % max(1, -(-count // 7)) == 0


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="{fill}"/>'


def _hollow(x: float, y: float, width: float, height: float, stroke: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2" fill="none" '
        f'stroke="{stroke}" stroke-width="1.5" stroke-dasharray="4 2"/>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"/>'


def _text(x: float, y: float, text: str, fill: str, *, anchor: str = "start", weight: int = 400) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" font-size="13" font-weight="{weight}" '
        f'text-anchor="{anchor}" {_FONT}>{escape(text)}</text>'
    )


def _svg(width: int, height: int, parts: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"{''.join(parts)}</svg>\n"
    )
