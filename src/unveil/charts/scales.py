"""From numbers to positions: scales, round ticks, the width of a text, and labels that keep their distance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_STEPS = (1, 2, 5)
_NARROW = frozenset("iljtfrI.,:;'|!()[] ")
_BROAD = frozenset("mwMW@%→←↑↓")


@dataclass(frozen=True, slots=True)
class Linear:
    """A straight scale from low..high to start..end."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The position of a value."""
        span = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / span if span else 0.5)


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """A scale on which each factor of ten takes the same room; low is above 0."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """The position of a value above 0."""
        span = math.log10(self.high / self.low)
        return self.start + (self.end - self.start) * (math.log10(value / self.low) / span if span else 0.5)

    def decades(self) -> list[float]:
        """The powers of ten from low to high."""
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        return [10.0**power for power in range(first, last + 1)]


def round_ticks(low: float, high: float, *, most: int) -> list[float]:
    """Round numbers that enclose low..high, at most `most` of them, or two where that is too few."""
    return _ticks(low, high, most, outside=True)


def ticks_within(low: float, high: float, *, most: int) -> list[float]:
    """Round numbers that lie in low..high, at most `most` of them."""
    return _ticks(low, high, most, outside=False)


def _ticks(low: float, high: float, most: int, *, outside: bool) -> list[float]:
    """The multiples of the smallest step that is 1, 2 or 5 times a power of ten and gives few enough of them."""
    if high <= low:
        high = low + 1
    most = max(most, 2)
    exponent = math.floor(math.log10((high - low) / most))
    while True:
        for factor in _STEPS:
            step = factor * 10.0**exponent
            first, last = low / step + 1e-9, high / step - 1e-9
            if outside:
                indices = range(math.floor(first), math.ceil(last) + 1)
            else:
                indices = range(math.ceil(first - 2e-9), math.floor(last + 2e-9) + 1)
            # A range across 0 needs three ticks however wide the step; more than that it never needs.
            if len(indices) <= most or step > 2 * (high - low):
                return [round(index * step, max(0, -exponent)) for index in indices]
        exponent += 1


def spread(wanted: Sequence[float], *, gap: float, low: float, high: float) -> list[float]:
    """
    Positions near the wanted ones, at least `gap` apart and within low..high where there is room.

    Labels that would touch form a group, and a group is centred on the mean of what its members want.
    """
    order = sorted(range(len(wanted)), key=lambda index: wanted[index])
    groups: list[tuple[float, int]] = []  # mean wanted position, members
    for index in order:
        mean, size = wanted[index], 1
        while True:
            mean = _within(mean, size, gap, low, high)
            if not groups or groups[-1][0] + gap * (groups[-1][1] + size) / 2 <= mean + 1e-9:
                break
            before, members = groups.pop()
            mean, size = (before * members + mean * size) / (members + size), members + size
        groups.append((mean, size))
    placed = [mean + gap * (i - (size - 1) / 2) for mean, size in groups for i in range(size)]
    result = [0.0] * len(wanted)
    for index, position in zip(order, placed, strict=True):
        result[index] = position
    return result


def _within(mean: float, size: int, gap: float, low: float, high: float) -> float:
    half = gap * (size - 1) / 2
    return max(low + half, min(mean, high - half))


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide the text is at most: the advances of DejaVu Sans, the broadest of the common sans-serif fonts."""
    return size * (1.12 if bold else 1.0) * sum(_advance(character) for character in text)


def _advance(character: str) -> float:
    if character in _NARROW:
        return 0.36
    if character in _BROAD:
        return 0.96
    return 0.7 if character.isupper() else 0.62


def wrap(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """The text in lines that are no wider than `width`; a word that is wider stands alone."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size, bold=bold) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
