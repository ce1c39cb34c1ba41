"""What a unit measures of itself: gauges as a table, and readings of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_NAME: Final = re.compile(r"unveil(_[a-z0-9]+)+")


@dataclass(frozen=True, slots=True)
class Gauge:
    """A gauge: its name, which ends with its unit, what it says, and the names of its labels."""

    name: str
    help: str
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"{self.name} is no name of a gauge")


@dataclass(frozen=True, slots=True)
class GaugeReading:
    """What a gauge shows, for one choice of its labels' values."""

    gauge: Gauge
    value: float
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.gauge.labels):
            raise ValueError(f"{self.gauge.name} has the labels {', '.join(self.gauge.labels) or 'of nobody'}")
