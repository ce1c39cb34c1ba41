"""What left an owner, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from unveil.cli.owner.lines import count
from unveil.protocol.roles import ATTRIBUTE_UNIT, REVIEW_UNIT
from unveil.runtime.owner.ledger import LayerTotals, LedgerRow, LedgerTotals

LATEST: Final = 10  # disclosures that are shown


def ledger_lines(totals: LedgerTotals, latest: Sequence[LedgerRow]) -> Iterator[str]:
    """Totals, risk and the latest disclosures."""
    pairs, reviews, risk = totals.attribute_unit, totals.review_unit, totals.kapr
    yield f"project {totals.project}, owner {totals.owner}"
    yield f"record unit     {count(totals.record_unit.records, 'record')} encoded as a whole"
    yield from _layer(pairs, str(ATTRIBUTE_UNIT), "pair")
    yield from _layer(reviews, str(REVIEW_UNIT), "review")
    if risk.records:
        yield (
            f"KAPR {risk.mean:.4f} over the {count(risk.records, 'record')} that reviewers got values of; "
            f"the worst {risk.worst:.4f}; no fewer than {risk.smallest_k} of ours share what is known of one"
        )
    else:
        yield "KAPR 0: reviewers got no value"
    if latest:
        disclosures = count(pairs.disclosures + reviews.disclosures, "disclosure")
        yield f"latest {len(latest)} of {disclosures} (--csv has all)"
        yield from (f"  {'  '.join(row)}" for row in latest)


def _layer(layer: LayerTotals, unit: str, what: str) -> Iterator[str]:
    yield (
        f"{unit:<15} {count(layer.disclosures, what)} answered, {layer.refused:,} refused; "
        f"{count(layer.values, 'value')} of {count(layer.records, 'record')}"
    )
    width = max(len(name) for name in layer.attributes)
    for name, attribute in layer.attributes.items():
        if attribute.values:
            yield f"  {name:<{width}}  {attribute.values:>9,} times, of {count(attribute.records, 'record')}"
    for date, day in layer.days.items():
        yield f"  on {date}: {count(day.disclosures, what)}, {count(day.values, 'value')}"
    for name, cap in layer.caps.items():
        if cap.limit is not None:
            yield f"  cap on {name}: {cap.used:,} of {cap.limit:,} used"
