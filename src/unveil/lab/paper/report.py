"""The page of an experiment: one HTML file without scripts that loads nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unveil.charts.document import document, section
from unveil.charts.figures import count, counted, duration, score
from unveil.charts.markup import Markup, el
from unveil.charts.tables import table
from unveil.lab.paper import privacy_section, published, quality_section
from unveil.lab.paper.deviations import (
    Deviation,
    explanation,
    privacy_deviations,
    quality_deviations,
    signed,
)
from unveil.lab.paper.findings import Findings
from unveil.lab.paper.privacy_section import printed

TITLE = "The published evaluation, run again"
_HEADLINE = "E1M b=300 err=0.2"
_STYLE = "figure + figure { margin-top: 2.25rem; }\nsection details { margin-top: 2rem; }\n"
_SHOWN = 15  # deviations shown before the rest is folded away


def render(found: Findings, content: Mapping[str, Any]) -> str:
    """The page as an HTML document; `content` is the summary of the same findings."""
    main = el(
        "main",
        _headline(found, content),
        _deviations(found),
        quality_section.by_error(found),
        quality_section.by_budget(found),
        quality_section.other_sets(found),
        quality_section.folded(found),
        _baselines(found),
        privacy_section.filters(found),
        privacy_section.review(found),
        _times(found, content),
        _numbers(found),
    )
    footer = el("footer", el("p", f"Made by Unveil {content['version']}. This page runs no scripts and loads nothing."))
    return document(TITLE, _header(found), main, footer, style=_STYLE)


def _header(found: Findings) -> Markup:
    plan = found.plan
    kind = "quick run" if plan.quick else "whole grid"
    facts = f"{kind} · preset {found.preset} · {', '.join(dict.fromkeys(cell.dataset for cell in found.cells))}"
    missing = f" Not run, because the sets are not there: {', '.join(found.missing)}." if found.missing else ""
    return el(
        "header",
        el("p", facts, class_="facts"),
        el("h1", TITLE),
        el(
            "p",
            f"{counted(len(found.cells), 'cell')} of the evaluation in Rohde, Christen, Franke and Rahm (BTW 2025), "
            f"each from {counted(len(plan.offsets), 'starting threshold')} around the best one with "
            f"{counted(len(plan.seeds), 'seed')}: {counted(found.runs, 'run')}. Our figures stand beside the published "
            f"ones.{missing}",
        ),
    )


def _headline(found: Findings, content: Mapping[str, Any]) -> Markup:
    rows = quality_deviations(found)
    tiles = []
    cell = next((cell for cell in found.cells if cell.name == _HEADLINE), next(iter(found.cells), None))
    if cell is not None:
        figures, theirs = found.figures(cell), published.QUALITY.get(cell.name, {})
        tiles = [
            (
                f"{score(figures['initial_mean'])} → {score(figures['final_mean'])}",
                f"average F1, {cell.name}",
                f"published {printed(theirs.get('initial_mean'))} → {printed(theirs.get('final_mean'))}",
            ),
            (signed(figures["gain"]), "gain in F1 there", f"published {printed(theirs.get('gain'), signed)}"),
        ]
    close = sum(abs(row.deviation) < 0.0105 for row in rows)  # noqa: PLR2004 - .010 as it is printed
    tiles += [
        (f"{close} of {len(rows)}", "figures within .010", "published figures of quality that were measured"),
        (count(found.runs), "runs", f"{count(content['computed_now'])} pieces of work computed now"),
        (duration(content["wall_seconds"]), "time", f"{duration(found.work_seconds)} of work in all"),
    ]
    return el(
        "dl",
        *(
            el("div", el("dt", name), el("dd", figure, class_="big"), el("dd", note, class_="note"))
            for figure, name, note in tiles
        ),
        class_="headline",
    )


def _deviations(found: Findings) -> Markup:
    quality, privacy = quality_deviations(found), privacy_deviations(found)
    rest = [
        _table("The other figures of quality", quality[_SHOWN:]),
        _table("The other figures of privacy", privacy[_SHOWN:]),
    ]
    return section(
        "deviations-heading",
        "What deviates from the publication",
        *(el("p", sentence) for sentence in explanation(found)),
        _table("Quality, largest deviation first", quality[:_SHOWN]),
        _table("Privacy, largest deviation first", privacy[:_SHOWN]),
        el("details", el("summary", "All deviations"), *rest) if any(rest) else None,
    )


def _table(caption: str, rows: Sequence[Deviation]) -> Markup | None:
    cells = [
        (
            row.where,
            row.name,
            row.written(row.ours),
            printed(published.Figure(row.published, row.how), row.written),
            signed(row.deviation),
        )
        for row in rows
    ]
    return table(caption, ("where", "figure", "ours", "published", "deviation"), cells, texts=2) if cells else None


def _baselines(found: Findings) -> Markup | None:
    rows = []
    for name, ours in found.baselines.items():
        theirs = published.BASELINES.get(name, {})
        cells: list[str] = []
        for key in ("t_opt", "record_level", "attribute_level"):
            cells += [score(ours[key]), printed(theirs.get(key))]
        rows.append((name, *cells, score(ours["pairs_completeness"])))
    heads = (
        "set", "threshold", "published", "record level", "published", "attribute level", "published", "blocking keeps",
    )  # fmt: skip
    text = (
        "The record level is F1 at the best threshold on record filters, without any review. The attribute level is F1 "
        "of plain attribute filters of all records, their similarities weighted, at the best threshold: what owners "
        "would reach who give up every attribute of every record. Blocking keeps that share of the true pairs. Means "
        "over the seeds."
    )
    return (
        section("baselines-heading", "Without review", el("p", text), table("Baselines", heads, rows)) if rows else None
    )


def _times(found: Findings, content: Mapping[str, Any]) -> Markup:
    rows = [
        (cell.name, count(average.runs), duration(average.seconds), duration(average.seconds / average.runs))
        for cell, average in found.cells.items()
    ]
    others = [(f"preparing {name}", "–", duration(seconds), "–") for name, seconds in found.preparation.items()]
    if found.measuring:
        others.append(("measuring filters", "–", duration(found.measuring), "–"))
    text = (
        f"This call took {duration(content['wall_seconds'])} for {count(content['computed_now'])} pieces of work; what "
        f"was in the journal before was not repeated. One process would need {duration(found.work_seconds)} for all."
    )
    heads = ("part", "runs", "time", "time per run")
    return section("times-heading", "What it took", el("p", text), table("Time per part", heads, [*rows, *others]))


def _numbers(found: Findings) -> Markup:
    """Both averages and both ranges of every cell at its start and its end."""
    heads = (
        "cell", "", "micro average", "plain mean", "lowest start", "highest start", "lowest run", "highest run",
        "pairs", "labels",
    )  # fmt: skip
    rows = [
        (
            cell.name, name, *(score(value) for value in (step.micro, step.plain, step.low, step.high, step.lowest,
            step.highest)), count(step.reviewed_pairs), count(step.clerical_labels),
        )
        for cell, average in found.cells.items()
        for name, step in (("start", average.first), ("end", average.last))
    ]  # fmt: skip
    losing = [(cell.name, count(average.losing_runs), count(average.runs)) for cell, average in found.cells.items()]
    return el(
        "details",
        el("summary", "All averages and ranges"),
        table("F1 of every cell: lowest and highest start are pooled over the seeds", heads, rows, texts=2),
        table("Runs that end below their start", ("cell", "such runs", "of runs"), losing),
    )
