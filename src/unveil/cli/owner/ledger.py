"""The ledger of disclosures: what left, when, for which pair or task, of which record; totals, caps and risk."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from unveil.cli.owner.folder import View
from unveil.cli.owner.lines import caps, count, day, moment
from unveil.cli.owner.standing import UNITS, Standing
from unveil.files.write import write_rows
from unveil.privacy.ledger_risk import ledger_risk
from unveil.roles.owner.ledger import ATTRIBUTE_LAYER, REVIEW_LAYER, Ledger

COLUMNS: Final = ("time", "unit", "id", "record_id", "attributes")
LATEST: Final = 10


def entries(view: View, *, last: int | None = None) -> list[tuple[str, ...]]:
    """
    Every disclosure, oldest first: time, unit, pair or task id, the owner's own record id, attributes.

    With `last`, no more than that many of the latest.
    """
    book, names = view.machine.ledger.entries(), np.array(view.folder.member.project.linkage.names)
    ids = view.folder.records.ids
    return [
        (
            moment(book.time[at]),
            UNITS[int(book.layer[at])],
            book.ids[at].tobytes().hex(),
            ids[book.rows[at]],
            " ".join(names[book.attributes[at]]),
        )
        for at in range(0 if last is None else max(0, len(book) - last), len(book))
    ]


def write_csv(path: Path, book: Sequence[tuple[str, ...]], *, overwrite: bool) -> int:
    """Write disclosures as CSV; return how many there were."""
    return write_rows(path, COLUMNS, book, ids=("record_id",), overwrite=overwrite)


def totals(view: View) -> dict[str, Any]:
    """What left in all, by layer, attribute and day, against the caps; and the risk of what reviewers got."""
    folder, ledger = view.folder, view.machine.ledger
    names = folder.member.project.linkage.names
    standing = Standing().read(view.log)
    risk = ledger_risk(ledger.disclosed(REVIEW_LAYER), folder.records, names)
    return {
        "project": folder.member.project.name,
        "owner": folder.config.name,
        "record_unit": {"records": (standing.records or 0) if standing.parts is not None else 0},
        **{unit.replace(" ", "_"): _layer(view, layer, standing) for layer, unit in UNITS.items()},
        "kapr": {
            "records": risk.records,
            "values": risk.values,
            "mean": round(risk.kapr, 6),
            "worst": round(risk.worst, 6),
            "smallest_k": risk.smallest_k,
        },
    }


def _layer(view: View, layer: int, standing: Standing) -> dict[str, Any]:
    ledger, names = view.machine.ledger, view.folder.member.project.linkage.names
    book = ledger.entries()
    values = book.attributes[book.layer == layer].sum(axis=0).tolist()
    records = ledger.records(layer).tolist()
    return {
        "disclosures": ledger.pairs(layer),
        "refused": standing.wished[layer].refused,
        "values": ledger.disclosures(layer),
        "records": int(np.count_nonzero(ledger.times(layer))),
        "attributes": {
            name: {"values": value, "records": record}
            for name, value, record in zip(names, values, records, strict=True)
        },
        "days": {
            day(number): {"disclosures": spent.pairs, "values": spent.values}
            for number, spent in ledger.days(layer).items()
        },
        "caps": {
            words: {"limit": limit, "used": used}
            for (words, limit), used in zip(
                caps(view.folder.policy.caps, layer).items(), _used(ledger, layer), strict=True
            )
        },
    }


def _used(ledger: Ledger, layer: int) -> tuple[int, ...]:
    """How much of each cap is used, in the order of `caps`: by the record or attribute that used most, and today."""
    most, today = int(ledger.times(layer).max(initial=0)), ledger.on_day(layer, time.time())
    if layer == ATTRIBUTE_LAYER:
        return most, ledger.pairs(layer), today.pairs
    return most, int(ledger.records(layer).max(initial=0)), ledger.disclosures(layer), today.values


def lines(told: dict[str, Any], latest: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """The same for people, and the latest disclosures."""
    disclosures = sum(told[unit.replace(" ", "_")]["disclosures"] for unit in UNITS.values())
    yield f"project {told['project']}, owner {told['owner']}"
    yield f"record unit     {count(told['record_unit']['records'], 'record')} encoded as a whole"
    for layer, what in ((ATTRIBUTE_LAYER, "pair"), (REVIEW_LAYER, "review")):
        unit = UNITS[layer]
        yield from _layer_lines(told[unit.replace(" ", "_")], unit, what)
    risk = told["kapr"]
    if risk["records"]:
        yield (
            f"KAPR {risk['mean']:.4f} over the {count(risk['records'], 'record')} that reviewers got values of; "
            f"the worst {risk['worst']:.4f}; no fewer than {risk['smallest_k']} of ours share what is known of one"
        )
    else:
        yield "KAPR 0: reviewers got no value"
    if latest:
        yield f"latest {len(latest)} of {count(disclosures, 'disclosure')} (--csv has all)"
        yield from (f"  {'  '.join(row)}" for row in latest)


def _layer_lines(told: dict[str, Any], unit: str, what: str) -> Iterator[str]:
    yield (
        f"{unit:<15} {count(told['disclosures'], what)} answered, {told['refused']:,} refused; "
        f"{count(told['values'], 'value')} of {count(told['records'], 'record')}"
    )
    width = max(len(name) for name in told["attributes"])
    for name, each in told["attributes"].items():
        if each["values"]:
            yield f"  {name:<{width}}  {each['values']:>9,} times, of {count(each['records'], 'record')}"
    for date, each in told["days"].items():
        yield f"  on {date}: {count(each['disclosures'], what)}, {count(each['values'], 'value')}"
    for words, each in told["caps"].items():
        if each["limit"] is not None:
            yield f"  cap on {words}: {each['used']:,} of {each['limit']:,} used"
