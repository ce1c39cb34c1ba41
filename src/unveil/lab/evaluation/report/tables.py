"""Tables: the pairs that a reviewer was asked about, the traffic, and all numbers behind the pictures."""

from __future__ import annotations

from unveil.charts.figures import count, duration, in_words, score, size, threshold
from unveil.charts.markup import Markup, el, join
from unveil.charts.tables import table
from unveil.lab.evaluation.report.words import answers, has_threshold, start
from unveil.lab.evaluation.result import AskedPair, RunResult, Shown
from unveil.one_place.report.tables import disclosures, estimated_rows, states, timings, worth

MOST_EXAMPLES = 12
_SIGNS = {"equal": "✓", "dissimilar": "✗", "missing": "?"}


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


def numbers(run: RunResult) -> Markup:
    """Every number behind the pictures, folded away."""
    return el(
        "details",
        el("summary", "All numbers"),
        _settings(run),
        _trajectory(run),
        worth(run),
        disclosures(run),
        states(run),
        _histogram(run),
        timings(run),
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
        *estimated_rows(run),
        *((f"KAPR, {name}", score(value)) for name, value in run.kapr.items()),
        ("time", duration(run.seconds)),
        ("largest memory", size(run.peak_rss_mb * 1e6)),
    ]
    return table("The run", ("setting or result", "value"), rows)


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
