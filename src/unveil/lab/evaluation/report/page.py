"""The whole document: one HTML file without scripts that loads nothing."""

from __future__ import annotations

from importlib import resources

from unveil.lab.evaluation.report import sections, tables, words
from unveil.lab.evaluation.report.advice import advice
from unveil.lab.evaluation.report.cooperation import cooperation
from unveil.lab.evaluation.report.data_warnings import data_warnings
from unveil.lab.evaluation.report.estimated import estimated
from unveil.lab.evaluation.report.markup import Markup, el
from unveil.lab.evaluation.result import RunResult

#: Nothing may be loaded or run, so even a value that slipped through the escaping could do nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def render(
    run: RunResult, *, title: str = "What this linkage found, and what it showed", generated: str | None = None
) -> str:
    """
    The report of a run as an HTML document, the same bytes for the same arguments.

    `generated` is printed as it is at the end of the page; no clock is read.
    """
    style = resources.files("unveil.lab.evaluation.report").joinpath("style.css").read_text(encoding="utf-8")
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        el("style", Markup(style)),
    )
    document = el("html", head, el("body", _header(run, title), _main(run), _footer(generated)), lang="en")
    return f"<!doctype html>\n{document}\n"


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
        sections.disclosure(run),
        sections.review(run, tables.examples(run)),
        sections.risk(run),
        sections.timing(run, tables.flows(run)),
        tables.numbers(run),
    )


def _footer(generated: str | None) -> Markup:
    return el(
        "footer",
        el("p", "Made by Unveil. This page runs no scripts and loads nothing."),
        el("p", generated) if generated else None,
    )
