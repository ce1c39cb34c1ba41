"""Tables: the pairs that a reviewer was asked about, the traffic, and all numbers behind the pictures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unveil.lab.evaluation.report.advice import bits, weighed
from unveil.lab.evaluation.report.figures import count, duration, in_words, score, share, size, threshold
from unveil.lab.evaluation.report.markup import Child, Markup, el, join
from unveil.lab.evaluation.report.words import answers, has_threshold, start
from unveil.lab.evaluation.result import AskedPair, RunResult, Shown

MOST_EXAMPLES = 12
_SIGNS = {"equal": "✓", "dissimilar": "✗", "missing": "?"}


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[Child]], *, texts: int = 1) -> Markup:
    """A table; the first `texts` columns hold words, the others numbers."""
    kinds = ["" if index < texts else "number" for index in range(len(heads))]
    head = el(
        "tr", *(el("th", name, scope="col", class_=kind or None) for name, kind in zip(heads, kinds, strict=True))
    )
    body = [
        el("tr", *(el("td", cell, class_=kind or None) for cell, kind in zip(row, kinds, strict=True))) for row in rows
    ]
    whole = el("table", el("caption", caption), el("thead", head), el("tbody", *body))
    return el("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def examples(run: RunResult) -> Markup | None:
    """Up to twelve pairs as the reviewer saw them."""
    if not run.asked:
        return None
    pairs = run.asked[:MOST_EXAMPLES]
    some = "" if len(pairs) == len(run.asked) else f" The first {len(pairs)} are drawn here."
    cards = [_card(number, asked) for number, asked in enumerate(pairs, 1)]
    return el(
        "div",
        el("h3", "Pairs as the reviewer saw them"),
        el(
            "p",
            "An asterisk hides a character that agrees. Any other sign stands for a differing character, the same sign "
            "for the same character. A tick or a cross hides the value as a whole.",
        ),
        el("div", *cards, class_="pairs"),
        el("p", f"{answers(run)}{some}", class_="caption"),
    )


def _card(number: int, asked: AskedPair) -> Markup:
    right = asked.label == asked.truth
    verdict = el(
        "p",
        el("span", "answer: ", el("b", _verdict(match=asked.label))),
        " ",
        el("span", "truth: ", el("b", _verdict(match=asked.truth))),
        " ",
        None if right else el("b", "✗ wrong", class_="wrong"),
        class_="verdict",
    )
    rows = [_row(cell) for cell in asked.cells]
    return el(
        "article",
        el("table", el("caption", f"Pair {number}"), el("tbody", *rows)),
        verdict,
        class_="pair" if right else "pair mistaken",
    )


def _verdict(*, match: bool) -> str:
    return "same person" if match else "different people"


def _row(cell: Shown) -> Markup:
    name = el("th", in_words(cell.attribute), scope="row")
    note = el("small", cell.note) if cell.note else None
    if cell.state in _SIGNS:
        sign = el("span", _SIGNS[cell.state], class_=f"sign {cell.state}", aria_hidden="true")
        return el("tr", name, el("td", sign, f" {cell.state} ", note, colspan="2", class_="whole"))
    # bdi keeps a value written from right to left from reordering what stands beside it
    values = [el("td", el("bdi", value, class_="value")) for value in (cell.left, cell.right)]
    remark = el("tr", el("td"), el("td", note, colspan="2")) if note else None
    return join([el("tr", name, *values), remark])


def flows(run: RunResult) -> Markup | None:
    """Messages and bytes between the parties."""
    if not run.flows:
        return None
    rows = [
        (in_words(flow.sender), in_words(flow.recipient), flow.kind, count(flow.messages), size(flow.bytes))
        for flow in run.flows
    ]
    return table("Messages between the parties", ("from", "to", "message", "messages", "size"), rows, texts=3)


def numbers(run: RunResult) -> Markup:
    """Every number behind the pictures, folded away."""
    return el(
        "details",
        el("summary", "All numbers"),
        _settings(run),
        _trajectory(run),
        _worth(run),
        _disclosures(run),
        _states(run),
        _histogram(run),
        _timings(run),
    )


def _settings(run: RunResult) -> Markup:
    left, right = run.records
    rows = [
        ("dataset", run.dataset),
        ("preset", run.preset),
        ("records", f"{count(left)} and {count(right)}"),
        ("true pairs", count(run.true_pairs)),
        ("compared pairs (candidates)", count(run.candidate_pairs)),
        ("true pairs among them", score(run.pairs_completeness)),
        ("labels allowed (budget)", count(run.budget)),
        ("error rate of the reviewer", f"{run.error:g}"),
        ("seed", str(run.seed)),
        (
            "threshold: best, start, end" if has_threshold(run) else "threshold: best; equivalent at start, at end",
            ", ".join(threshold(t) for t in (run.t_opt, start(run), run.t_final)),
        ),
        ("F1, record level at the best threshold", score(run.record_level_f1)),
        ("F1, attribute level", "–" if run.attribute_level_f1 is None else score(run.attribute_level_f1)),
        *_advice(run),
        *((f"KAPR, {name}", score(value)) for name, value in run.kapr.items()),
        ("time", duration(run.seconds)),
        ("largest memory", size(run.peak_rss_mb * 1e6)),
    ]
    return table("The run", ("setting or result", "value"), rows)


def _advice(run: RunResult) -> list[tuple[str, str]]:
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


def _worth(run: RunResult) -> Markup | None:
    rows = [(in_words(one.name), score(one.m), score(one.u), bits(one.weight)) for one in weighed(run)]
    heads = ("attribute", "agrees in matches (m)", "in non-matches (u)", "weight")
    return table("What each attribute is worth among opened pairs", heads, rows) if rows else None


def _trajectory(run: RunResult) -> Markup:
    heads = ("pairs opened", "labels", "threshold", "precision", "recall", "F1")
    rows = [
        (
            count(point.reviewed_pairs),
            count(point.clerical_labels),
            threshold(point.threshold),
            score(point.precision),
            score(point.recall),
            score(point.f1),
        )
        for point in run.trajectory
    ]
    return table("Quality after every batch", heads, rows, texts=0)


def _disclosures(run: RunResult) -> Markup | None:
    rows = [
        (in_words(e.attribute), e.layer, count(e.records), count(e.of_records), share(e.records, e.of_records))
        for e in run.disclosures
    ]
    heads = ("attribute", "layer", "records", "of records", "share")
    return table("Disclosure by attribute and layer", heads, rows, texts=2) if rows else None


def _states(run: RunResult) -> Markup | None:
    states = list(dict.fromkeys(state for row in run.review_states.values() for state in row))
    rows = [
        (in_words(name), *(count(row.get(state, 0)) for state in states)) for name, row in run.review_states.items()
    ]
    return table("What the reviewer saw", ("attribute", *states), rows) if states else None


def _histogram(run: RunResult) -> Markup | None:
    bins = run.histogram
    if bins is None:
        return None
    rows = [
        (f"{threshold(low)} to {threshold(high)}", count(same), count(different))
        for low, high, same, different in zip(bins.edges, bins.edges[1:], bins.matches, bins.non_matches, strict=False)
        if same or different
    ]
    return (
        table("Compared pairs by similarity", ("similarity", "same person", "different people"), rows) if rows else None
    )


def _timings(run: RunResult) -> Markup | None:
    rows = [(in_words(stage), duration(seconds)) for stage, seconds in run.timings.items()]
    return table("Time per stage", ("stage", "time"), rows) if rows else None
