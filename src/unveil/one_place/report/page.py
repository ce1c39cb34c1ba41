"""The whole document of a linkage in one place."""

from __future__ import annotations

from unveil.charts.document import document, tiles
from unveil.charts.figures import NONE, count, counted, duration, score, share, size, threshold
from unveil.charts.markup import Markup, el
from unveil.charts.tables import table
from unveil.one_place.figures import OnePlaceFigures
from unveil.one_place.report import sections, tables
from unveil.one_place.report.advice import advice
from unveil.one_place.report.cooperation import cooperation
from unveil.one_place.report.course import course, estimated
from unveil.one_place.report.data_warnings import data_warnings
from unveil.one_place.report.similarity import similarity
from unveil.one_place.report.words import values_shown

_TITLE = "What this linkage found, and how good it seems"


def render(run: OnePlaceFigures, *, title: str = _TITLE) -> str:
    """The report as an HTML document, the same bytes for the same figures; it holds no value and no record id."""
    return document(title, _header(run, title), _main(run), _footer())


def _header(run: OnePlaceFigures, title: str) -> Markup:
    left, right = run.records
    introduction = (
        f"Two files with {count(left)} and {count(right)} records were linked in one place. Nobody knows which links "
        "are right, so every figure about their quality is an estimate."
    )
    return el(
        "header", el("p", " · ".join(run.names), class_="facts"), el("h1", title), el("p", introduction)
    )  # fmt: skip


def _main(run: OnePlaceFigures) -> Markup:
    return el(
        "main",
        _headline(run),
        estimated(run),
        course(run),
        data_warnings(run),
        similarity(run),
        cooperation(run),
        el("p", _one_place(run)),
        advice(run),
        sections.disclosure(run),
        sections.review(run, None),
        sections.risk(run),
        sections.timing(run, tables.flows(run)),
        _numbers(run),
    )


def _footer() -> Markup:
    return el(
        "footer", el("p", "Made by Unveil. This page holds no value of a record, runs no scripts, loads nothing.")
    )


def _one_place(run: OnePlaceFigures) -> str:
    if not run.reviewed_pairs:
        return "All of this ran in one place, which held encodings and no record."
    return (
        "All of this ran in one place, which held both files and the key. What is drawn is what each part of the "
        "program was given; it keeps nothing from whoever runs that place."
    )


def _headline(run: OnePlaceFigures) -> Markup:
    """Large figures in plain words."""
    f1 = NONE if run.estimate is None else score(run.estimate.f1[1])
    interval = ""
    if run.estimate is not None:
        low, _, high = run.estimate.f1
        interval = f"estimated; between {score(low)} and {score(high)} nine times in ten; 1 is perfect"
    shown, values = values_shown(run)
    found = [
        (count(run.linked_persons), "people found in both files", f"by {counted(run.links, 'link')}"),
        (f1, "F1", interval),
        (
            count(run.reviewed_pairs),
            "pairs opened by attribute",
            f"{share(run.reviewed_pairs, run.candidate_pairs)} of {count(run.candidate_pairs)} compared pairs",
        ),
        (
            count(run.clerical_labels),
            "labels given by a reviewer",
            f"{count(shown)} of {count(values)} values were shown in part" if shown else "nothing was shown to anybody",
        ),
    ]
    return tiles(found)


def _numbers(run: OnePlaceFigures) -> Markup:
    """Every number behind the pictures, folded away."""
    return el(
        "details",
        el("summary", "All numbers"),
        _settings(run),
        _course(run),
        tables.worth(run),
        tables.disclosures(run),
        tables.states(run),
        _decided(run),
        tables.timings(run),
    )


def _settings(run: OnePlaceFigures) -> Markup:
    left, right = run.records
    rows = [
        ("files", " and ".join(run.names)),
        ("records", f"{count(left)} and {count(right)}"),
        ("compared pairs", count(run.candidate_pairs)),
        ("pairs alike enough to be looked at", count(run.kept_pairs)),
        ("links", count(run.links)),
        ("people in both files", count(run.linked_persons)),
        ("similarity as if cut at", threshold(run.as_if_cut_at)),
        *tables.estimated_rows(run),
        *((f"KAPR, {name}", score(value)) for name, value in run.kapr.items()),
        ("time", duration(run.seconds)),
        ("largest memory", size(run.peak_rss_mb * 1e6)),
    ]
    return table("The linkage", ("setting or result", "value"), rows)


def _course(run: OnePlaceFigures) -> Markup | None:
    rows = [
        (
            count(point.reviewed_pairs),
            count(point.clerical_labels),
            *(score(figure[1]) for figure in (point.estimate.precision, point.estimate.recall, point.estimate.f1)),
        )
        for point in run.course
    ]
    heads = ("pairs opened", "labels", "precision", "recall", "F1")
    return table("Estimated quality after every batch", heads, rows, texts=0) if rows else None


def _decided(run: OnePlaceFigures) -> Markup | None:
    bins = run.decided
    if bins is None:
        return None
    rows = [
        (f"{threshold(low)} to {threshold(high)}", count(linked), count(others))
        for low, high, linked, others in zip(bins.edges, bins.edges[1:], bins.linked, bins.others, strict=False)
        if linked or others
    ]
    return table("Pairs by similarity", ("similarity", "linked", "not linked"), rows) if rows else None
