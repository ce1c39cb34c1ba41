"""Tables of the numbers behind the pictures that need no truth."""

from __future__ import annotations

from unveil.charts.figures import count, duration, in_words, score, share, size
from unveil.charts.markup import Markup
from unveil.charts.tables import table
from unveil.one_place.figures import CountedFigures
from unveil.one_place.report.advice import bits, weighed


def flows(run: CountedFigures) -> Markup | None:
    """Messages and bytes between the parties."""
    if not run.flows:
        return None
    rows = [
        (in_words(flow.sender), in_words(flow.recipient), flow.kind, count(flow.messages), size(flow.bytes))
        for flow in run.flows
    ]
    return table("Messages between the parties", ("from", "to", "message", "messages", "size"), rows, texts=3)


def estimated_rows(run: CountedFigures) -> list[tuple[str, str]]:
    """What the units estimated without truth, as rows of settings and results; what is not known has no row."""
    rows = []
    if run.estimate is not None:
        figures = (("precision", run.estimate.precision), ("recall", run.estimate.recall), ("F1", run.estimate.f1))
        rows += [(f"{name} estimated: low, point, high", ", ".join(map(score, bounds))) for name, bounds in figures]
        rows.append(("estimate to be trusted", "yes" if run.estimate.trusted else "no"))
    if run.reviewer_error is not None:
        rows.append(("error rate of the reviewer, estimated", score(run.reviewer_error)))
    if run.suitability is not None:
        rows.append(("suitability of the record encoding", score(run.suitability)))
    return rows


def worth(run: CountedFigures) -> Markup | None:
    """What each attribute is worth among the opened pairs; None if nothing is known of that."""
    rows = [(in_words(one.name), score(one.m), score(one.u), bits(one.weight)) for one in weighed(run)]
    heads = ("attribute", "agrees in matches (m)", "in non-matches (u)", "weight")
    return table("What each attribute is worth among opened pairs", heads, rows) if rows else None


def disclosures(run: CountedFigures) -> Markup | None:
    """How many records gave up which attribute on which layer; None if that was not counted."""
    rows = [
        (in_words(e.attribute), e.layer, count(e.records), count(e.of_records), share(e.records, e.of_records))
        for e in run.disclosures
    ]
    heads = ("attribute", "layer", "records", "of records", "share")
    return table("Disclosure by attribute and layer", heads, rows, texts=2) if rows else None


def states(run: CountedFigures) -> Markup | None:
    """What the reviewer saw of each attribute; None if nobody reviewed."""
    known = list(dict.fromkeys(state for row in run.review_states.values() for state in row))
    rows = [(in_words(name), *(count(row.get(state, 0)) for state in known)) for name, row in run.review_states.items()]
    return table("What the reviewer saw", ("attribute", *known), rows) if known else None


def timings(run: CountedFigures) -> Markup | None:
    """Seconds per stage; None if none was measured."""
    rows = [(in_words(stage), duration(seconds)) for stage, seconds in run.timings.items()]
    return table("Time per stage", ("stage", "time"), rows) if rows else None
