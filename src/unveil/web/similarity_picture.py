"""
How similar candidate pairs are, as a picture: linked ones on top of the others, in steps of the similarity.

The pairs that are no links are so many that on an even scale nothing else would be seen, so heights grow with the
logarithm. Colours and sizes are attributes: a style within the picture would break the pages' policy.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

from unveil.runtime.linkage_figures import LinkageFigures, SimilarityBin
from unveil.web.languages import Language
from unveil.web.written_figures import WrittenFigures

_WIDTH, _HEIGHT = 720, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 48, 44
_FONT: Final = 'font-family="system-ui, sans-serif" font-size="13"'


@dataclass(frozen=True, slots=True)
class _Colours:
    ink: str
    line: str
    linked: str
    others: str
    threshold: str


_LIGHT: Final = _Colours("#1b2330", "#d5dae2", "#0b5fa5", "#9aa6b6", "#8a3b00")
_DARK: Final = _Colours("#e8ecf2", "#364050", "#72b4f2", "#6a778a", "#ffc48f")


def similarity_picture(figures: LinkageFigures, language: Language, *, dark: bool) -> str:
    """The picture as SVG."""
    colours = _DARK if dark else _LIGHT
    most = max((each.linked + each.others for each in figures.bins), default=1)
    scale = _Scale(figures.bins[0].low, math.log10(1 + most))
    parts = [
        *_grid(scale, most, colours, WrittenFigures(language)),
        *(part for each in figures.bins for part in _bar(each, scale, colours)),
        *_threshold(figures.threshold, scale, colours, language),
        *_legend(colours, language),
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" {_FONT}>'
    return "".join([head, *parts, "</svg>"])


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    most: float  # logarithm of the highest bar

    def x(self, similarity: float) -> float:
        """From the left."""
        share = (similarity - self.low) / (1 - self.low)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 2)

    def y(self, count: float) -> float:
        """From the top."""
        share = math.log10(1 + count) / self.most if self.most else 0.0
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 2)


def _bar(each: SimilarityBin, scale: _Scale, colours: _Colours) -> Iterator[str]:
    """One step of the similarity: all its pairs, and of them the linked ones from the bottom."""
    left, right, bottom = scale.x(each.low) + 1, scale.x(each.high), scale.y(0)
    for count, colour in ((each.linked + each.others, colours.others), (each.linked, colours.linked)):
        if count:
            top = scale.y(count)
            width, height = round(right - left, 2), round(bottom - top, 2)
            yield f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="{colour}"/>'


def _grid(scale: _Scale, most: int, colours: _Colours, figures: WrittenFigures) -> Iterator[str]:
    for power in range(len(str(most))):
        y = scale.y(10**power)
        yield f'<path d="M{_LEFT} {y}H{_WIDTH - _RIGHT}" stroke="{colours.line}"/>'
        yield _text(_LEFT - 8, y + 4, figures.count(10**power), colours.ink, "end")
    bottom = scale.y(0)
    yield f'<path d="M{_LEFT} {bottom}H{_WIDTH - _RIGHT}" stroke="{colours.ink}"/>'
    for tenth in range(math.ceil(10 * scale.low), 11):
        x = scale.x(tenth / 10)
        yield f'<path d="M{x} {bottom}v5" stroke="{colours.ink}"/>'
        yield _text(x, bottom + 20, figures.decimal(tenth / 10, 1), colours.ink, "middle")


def _threshold(threshold: float, scale: _Scale, colours: _Colours, language: Language) -> Iterator[str]:
    if not scale.low <= threshold <= 1:
        return
    x, bottom = scale.x(threshold), scale.y(0)
    path = f"M{x} {_TOP - 20}V{bottom}"
    yield f'<path d="{path}" stroke="{colours.threshold}" stroke-width="2" stroke-dasharray="5 4"/>'
    anchor, by = ("end", -6) if x > _WIDTH / 2 else ("start", 6)
    name = language.say("operate.lines.threshold")
    yield _text(
        x + by, _TOP - 10, f"{name} {WrittenFigures(language).decimal(threshold, 2)}", colours.threshold, anchor
    )


def _legend(colours: _Colours, language: Language) -> Iterator[str]:
    x = _LEFT
    for colour, key in ((colours.linked, "linked"), (colours.others, "others")):
        name = language.say(f"operate.{key}")
        yield f'<rect x="{x}" y="4" width="12" height="12" fill="{colour}"/>'
        yield _text(x + 18, 15, name, colours.ink, "start")
        x += 36 + 8 * len(name)
    yield _text(_WIDTH - _RIGHT, _HEIGHT - 4, language.say("operate.similarity"), colours.ink, "end")


def _text(x: float, y: float, text: str, colour: str, anchor: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
