"""Numbers, sizes and times as a language writes them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from unveil.web.languages import Language

_STEP: Final = 1024
_SIZES: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400


@dataclass(frozen=True, slots=True)
class WrittenFigures:
    """Writes figures; the symbols of units are those that every language has."""

    language: Language

    def count(self, number: float) -> str:
        """A whole number, in groups of three digits."""
        return f"{number:,.0f}".replace(",", self.language.say("figures.thousands"))

    def decimal(self, number: float, places: int) -> str:
        """A number with so many places behind the point or comma."""
        return f"{number:.{places}f}".replace(".", self.language.say("figures.point"))

    def percent(self, share: float) -> str:
        """A share in hundredths."""
        return self.decimal(100 * share, 1) + self.language.say("figures.percent")

    def size(self, number: float) -> str:
        """Bytes, in the largest unit of which there is a whole one."""
        unit = 0
        while number >= _STEP and unit < len(_SIZES) - 1:
            number, unit = number / _STEP, unit + 1
        return f"{self.decimal(number, 1 if unit else 0)} {_SIZES[unit]}"

    def span(self, seconds: float) -> str:
        """How long something takes or took, in its two largest units."""
        whole = max(0, int(seconds))
        if whole < _MINUTE:
            return f"{whole} s"
        if whole < _HOUR:
            return f"{whole // _MINUTE} min"
        if whole < _DAY:
            return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"
        return f"{whole // _DAY} d {whole % _DAY // _HOUR} h"

    def moment(self, seconds: float) -> str:
        """A day and a minute, the same wherever it is read."""
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"
