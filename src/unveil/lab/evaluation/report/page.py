"""The whole document: one HTML file without scripts that loads nothing."""

from __future__ import annotations

from unveil.charts.document import document
from unveil.charts.markup import Markup, el
from unveil.lab.evaluation.report import sections, tables, words
from unveil.lab.evaluation.report.estimated import estimated
from unveil.lab.evaluation.result import RunResult
from unveil.one_place.report import sections as shared
from unveil.one_place.report.advice import advice
from unveil.one_place.report.cooperation import cooperation
from unveil.one_place.report.data_warnings import data_warnings
from unveil.one_place.report.tables import flows


def render(
    run: RunResult, *, title: str = "What this linkage found, and what it showed", generated: str | None = None
) -> str:
    """
    The report of a run as an HTML document, the same bytes for the same arguments.

    `generated` is printed as it is at the end of the page; no clock is read.
    """
    return document(title, _header(run, title), _main(run), _footer(generated))


def _header(run: RunResult, title: str) -> Markup:
    facts = f"{run.dataset} · {run.preset} · seed {run.seed}"
    return el("header", el("p", facts, class_="facts"), el("h1", title), el("p", words.introduction(run)))


def _main(run: RunResult) -> Markup:
    return el(
        "main",
        sections.headline(run),
        cooperation(run),
        sections.quality(run),
        estimated(run),
        data_warnings(run),
        sections.similarity(run),
        advice(run),
        shared.disclosure(run),
        shared.review(run, tables.examples(run)),
        shared.risk(run),
        shared.timing(run, flows(run)),
        tables.numbers(run),
    )


def _footer(generated: str | None) -> Markup:
    return el(
        "footer",
        el("p", "Made by Unveil. This page runs no scripts and loads nothing."),
        el("p", generated) if generated else None,
    )
