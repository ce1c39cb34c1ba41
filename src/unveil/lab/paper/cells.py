"""The cells of the experiment: a data set, a record-level encoding, a budget and the reviewer's error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PLAIN: Final = "clk"
FOLDED: Final = "clk-xor"


@dataclass(frozen=True, slots=True)
class GridCell:
    """One setting, run from several starting thresholds with several seeds."""

    dataset: str
    budget: int
    error: float
    encoding: str = PLAIN

    @property
    def label(self) -> str:
        """The data set, and XOR where its filters are folded."""
        return label(self.dataset, self.encoding)

    @property
    def name(self) -> str:
        """The cell in a few characters; a name is used once."""
        return f"{self.label} b={self.budget} err={self.error:g}"


def label(dataset: str, encoding: str) -> str:
    """A data set under an encoding, as tables name it."""
    return dataset if encoding == PLAIN else f"{dataset}-XOR"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run: every cell from t_opt + each offset with each seed."""

    cells: tuple[GridCell, ...]
    offsets: tuple[float, ...]
    seeds: tuple[int, ...]
    quick: bool = False

    @property
    def runs(self) -> int:
        """How many runs that makes."""
        return len(self.cells) * len(self.offsets) * len(self.seeds)

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets it needs, each once."""
        return tuple(dict.fromkeys(cell.dataset for cell in self.cells))


#: All published cells, the best documented sets first.
GRID: Final = (
    *(GridCell("E1M", 100, error) for error in (0.0, 0.1, 0.2)),
    *(GridCell("E1M", budget, 0.2) for budget in (200, 300)),
    *(GridCell(dataset, budget, 0.2) for dataset in ("E2M", "E1S", "E1L", "E2S") for budget in (200, 300)),
    *(GridCell(dataset, 300, 0.2, FOLDED) for dataset in ("E1M", "E1S", "E1L")),
)
OFFSETS: Final = tuple(hundredth / 100 for hundredth in range(-5, 6))
SEEDS: Final = (1, 2, 3)

#: Cells in which layer C is measured, and the set whose filters are.
REVIEWED: Final = (GridCell("E1M", 200, 0.2), GridCell("E2M", 200, 0.2))
MEASURED: Final = "E1M"


def whole() -> Plan:
    """The published grid: 16 cells, 11 starting thresholds, 3 seeds."""
    return Plan(GRID, OFFSETS, SEEDS)


def quick() -> Plan:
    """About a twentieth of it: the best documented cells from three starting thresholds, with one seed."""
    cells = tuple(cell for cell in GRID if cell.dataset == "E1M" or (cell.dataset == "E2M" and cell.encoding == PLAIN))
    return Plan(cells, tuple(dict.fromkeys((OFFSETS[0], 0.0, OFFSETS[-1]))), SEEDS[:1], quick=True)
