"""The ledger as the console shows it: totals by unit, attribute and day, caps, latest entries, and risk over time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from unveil.privacy.risk_course import RiskCourse
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER
from unveil.runtime.owner.folder import OwnerFolder
from unveil.runtime.owner.ledger import LayerTotals, LedgerRow, latest_rows, layer_totals
from unveil.runtime.owner.progress import OwnerProgress
from unveil.runtime.owner.view import OwnerView

LATEST: Final = 20  # disclosures that are listed


@dataclass(frozen=True, slots=True)
class ConsoleLedger:
    """What left. Days are UTC days by their number; `by_k` counts records by how many share what is known of them."""

    records_sent: int
    units: Mapping[str, LayerTotals]
    pairs_by_day: dict[int, float]
    values_by_day: dict[int, float]
    kapr: float
    worst: float
    records_shown: int
    kapr_by_day: dict[int, float]
    by_k: dict[int, int]
    latest: tuple[LedgerRow, ...]


class LedgerBook:
    """Reads an owner's ledger as it grows; what was counted once is not counted again."""

    def __init__(self, folder: OwnerFolder) -> None:
        self._course = RiskCourse(folder.records, folder.member.project.linkage.names)

    def read(self, view: OwnerView, progress: OwnerProgress) -> ConsoleLedger:
        """What left so far."""
        ledger, course = view.machine.ledger, self._course
        book = ledger.entries()
        shown = np.flatnonzero(book.layer == REVIEW_LAYER)[course.taken :]
        course.take(book.time[shown], book.rows[shown], book.attributes[shown])
        return ConsoleLedger(
            records_sent=(progress.records or 0) if progress.parts is not None else 0,
            units={
                str(unit): layer_totals(view, layer, progress)
                for unit, layer in ((ATTRIBUTE_UNIT, ATTRIBUTE_LAYER), (REVIEW_UNIT, REVIEW_LAYER))
            },
            pairs_by_day={day: float(spent.pairs) for day, spent in ledger.days(ATTRIBUTE_LAYER).items()},
            values_by_day={day: float(spent.values) for day, spent in ledger.days(REVIEW_LAYER).items()},
            kapr=course.kapr,
            worst=course.worst,
            records_shown=course.records,
            kapr_by_day=dict(course.days),
            by_k=course.records_by_k(),
            latest=tuple(reversed(latest_rows(view, LATEST))),
        )
