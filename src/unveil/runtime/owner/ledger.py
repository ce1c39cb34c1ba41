"""The ledger of disclosures: what left, when, for which pair or task, of which record; totals, caps and risk."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from unveil.files.write import write_rows
from unveil.privacy.ledger_risk import ledger_risk
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger
from unveil.runtime.owner.caps import caps_of
from unveil.runtime.owner.progress import UNIT_OF_LAYER, OwnerProgress
from unveil.runtime.owner.report import OwnerReport
from unveil.runtime.owner.view import OwnerView

_DAY: Final = 86_400  # seconds


class LedgerRow(NamedTuple):
    """One disclosure; `id` is the pair's or task's, `record_id` the owner's own."""

    time: str
    unit: str
    id: str
    record_id: str
    attributes: str


@dataclass(frozen=True, slots=True)
class RecordsSent:
    """Records that are encoded as a whole."""

    records: int


@dataclass(frozen=True, slots=True)
class AttributeTotals:
    """How often an attribute left, and of how many records."""

    values: int
    records: int


@dataclass(frozen=True, slots=True)
class DayTotals:
    """What left on one day."""

    disclosures: int
    values: int


@dataclass(frozen=True, slots=True)
class CapUse:
    """A cap and how much of it is used; None is no cap."""

    limit: int | None
    used: int


@dataclass(frozen=True, slots=True)
class LayerTotals:
    """What left to one unit in all, by attribute and day, against the caps."""

    disclosures: int
    refused: int
    values: int
    records: int
    attributes: dict[str, AttributeTotals]
    days: dict[str, DayTotals]
    caps: dict[str, CapUse]


@dataclass(frozen=True, slots=True)
class DisclosureRisk:
    """The risk (KAPR) of what reviewers got."""

    records: int
    values: int
    mean: float
    worst: float
    smallest_k: int


@dataclass(frozen=True, slots=True)
class LedgerTotals(OwnerReport):
    """What left in all."""

    project: str
    owner: str
    record_unit: RecordsSent
    attribute_unit: LayerTotals
    review_unit: LayerTotals
    kapr: DisclosureRisk

    @property
    def units(self) -> dict[str, LayerTotals]:
        """The totals of each unit that wishes."""
        return {str(ATTRIBUTE_UNIT): self.attribute_unit, str(REVIEW_UNIT): self.review_unit}


@dataclass(frozen=True, slots=True)
class LedgerReport:
    """What left: totals, None if nothing was begun, and disclosures, oldest first."""

    totals: LedgerTotals | None = None
    rows: tuple[LedgerRow, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Totals and disclosures."""
        totals = {} if self.totals is None else self.totals.as_json()
        return {**totals, "entries": [row._asdict() for row in self.rows]}


def ledger_report(view: OwnerView, *, last: int | None = None) -> LedgerReport:
    """The ledger; with `last`, no more than that many of the latest disclosures."""
    return LedgerReport(_totals(view), tuple(latest_rows(view, last)))


def write_csv(path: Path, rows: Sequence[LedgerRow], *, overwrite: bool) -> int:
    """Write disclosures as CSV; return how many there were."""
    return write_rows(path, LedgerRow._fields, rows, ids=("record_id",), overwrite=overwrite)


def latest_rows(view: OwnerView, last: int | None) -> list[LedgerRow]:
    """The latest disclosures, oldest first; all without `last`."""
    book, names = view.machine.ledger.entries(), np.array(view.folder.member.project.linkage.names)
    ids = view.folder.records.ids
    return [
        LedgerRow(
            _moment(book.time[at]),
            UNIT_OF_LAYER[int(book.layer[at])],
            book.ids[at].tobytes().hex(),
            ids[book.rows[at]],
            " ".join(names[book.attributes[at]]),
        )
        for at in range(0 if last is None else max(0, len(book) - last), len(book))
    ]


def _totals(view: OwnerView) -> LedgerTotals:
    folder, ledger = view.folder, view.machine.ledger
    names = folder.member.project.linkage.names
    progress = OwnerProgress().read(view.log)
    risk = ledger_risk(ledger.disclosed(REVIEW_LAYER), folder.records, names)
    return LedgerTotals(
        project=folder.member.project.name,
        owner=folder.config.name,
        record_unit=RecordsSent((progress.records or 0) if progress.parts is not None else 0),
        attribute_unit=layer_totals(view, ATTRIBUTE_LAYER, progress),
        review_unit=layer_totals(view, REVIEW_LAYER, progress),
        kapr=DisclosureRisk(
            records=risk.records,
            values=risk.values,
            mean=round(risk.kapr, 6),
            worst=round(risk.worst, 6),
            smallest_k=risk.smallest_k,
        ),
    )


def layer_totals(view: OwnerView, layer: int, progress: OwnerProgress) -> LayerTotals:
    """What left to one unit in all."""
    ledger, names = view.machine.ledger, view.folder.member.project.linkage.names
    book = ledger.entries()
    values = book.attributes[book.layer == layer].sum(axis=0).tolist()
    records = ledger.records(layer).tolist()
    caps = caps_of(view.folder.caps, layer)
    return LayerTotals(
        disclosures=ledger.pairs(layer),
        refused=progress.wishes[layer].refused,
        values=ledger.disclosures(layer),
        records=int(np.count_nonzero(ledger.times(layer))),
        attributes={
            name: AttributeTotals(value, record) for name, value, record in zip(names, values, records, strict=True)
        },
        days={
            _moment(number * _DAY)[:10]: DayTotals(spent.pairs, spent.values)
            for number, spent in ledger.days(layer).items()
        },
        caps={
            name: CapUse(limit, used) for (name, limit), used in zip(caps.items(), _used(ledger, layer), strict=True)
        },
    )


def _used(ledger: Ledger, layer: int) -> tuple[int, ...]:
    """How much of each cap is used, in the order of `caps_of`: by the record or attribute that used most, and today."""
    most, today = int(ledger.times(layer).max(initial=0)), ledger.on_day(layer, time.time())
    if layer == ATTRIBUTE_LAYER:
        return most, ledger.pairs(layer), today.pairs
    return most, int(ledger.records(layer).max(initial=0)), ledger.disclosures(layer), today.values


def _moment(seconds: float) -> str:
    """A Unix time as UTC text."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
