"""The part of the page that says what looks wrong with the data: records kept out, and what the units warn of."""

from __future__ import annotations

from unveil.charts.document import section
from unveil.charts.figures import counted
from unveil.charts.markup import Markup, el
from unveil.one_place.figures import CountedFigures


def data_warnings(run: CountedFigures) -> Markup | None:
    """A sentence for each; None if nothing looks wrong."""
    sentences = warning_sentences(run)
    if not sentences:
        return None
    return section("warnings-heading", "What looks wrong with the data", *(el("p", one) for one in sentences))


def warning_sentences(run: CountedFigures) -> list[str]:
    """What was kept out of the comparison, then the units' warnings."""
    kept_out = [
        f"Kept out of the comparison: {counted(records, 'record')} of {owner}, {why}."
        for owner, reasons in run.kept_out.items()
        for why, records in reasons.items()
    ]
    return kept_out + [f"{each.sentence[0].upper()}{each.sentence[1:]}." for each in run.warnings]
