"""The parts of the page, each a heading, a picture and the sentence under it. A part without data is None."""

from __future__ import annotations

import math

from unveil.lab.evaluation.report import words
from unveil.lab.evaluation.report.bars import Bar, BarPart, bar_chart, stacked_bars
from unveil.lab.evaluation.report.dots import Group, share_chart
from unveil.lab.evaluation.report.figures import count, duration, in_words, score, share, threshold
from unveil.lab.evaluation.report.histogram import Cut, Half, mirrored
from unveil.lab.evaluation.report.lines import Level, Line, Second, line_chart
from unveil.lab.evaluation.report.markup import Child, Markup, el
from unveil.lab.evaluation.report.svg import figure
from unveil.lab.evaluation.result import RunResult

_PARTS = {
    "equal": BarPart("equal", "✓", "s-equal"),
    "dissimilar": BarPart("dissimilar", "✗", "s-dissimilar"),
    "missing": BarPart("missing", "?", "s-missing"),
    "shown": BarPart("shown, masked in part", "✎", "s-shown"),
}
_KAPR = {
    "seen": "characters displayed",
    "held": "values held by the review unit",
    "held, unequal values": "had all unequal values been asked for",
    "held, all values": "had everything been asked for",
}


def section(key: str, heading: str, *children: Child) -> Markup:
    """A part of the page that a screen reader can jump to."""
    return el("section", el("h2", heading, id=key), *children, aria_labelledby=key)


def headline(run: RunResult) -> Markup:
    """Five large figures in plain words."""
    last = run.trajectory[-1]
    right, false = words.found(last, run.true_pairs), words.wrong(last, run.true_pairs)
    shown, values = words.values_shown(run)
    one = score(run.initial_f1) == score(run.final_f1)
    f1 = score(run.final_f1) if one else f"{score(run.initial_f1)} → {score(run.final_f1)}"
    tiles = [
        (count(right), "people linked", f"of {count(run.true_pairs)} in both files; {count(false)} links are wrong"),
        (f1, "F1" if one else "F1 before and after", "1 means nobody missed and nobody confused"),
        (
            count(last.reviewed_pairs),
            "pairs opened by attribute",
            f"{share(last.reviewed_pairs, run.candidate_pairs)} of {count(run.candidate_pairs)} compared pairs",
        ),
        (
            count(last.clerical_labels),
            "labels asked of a reviewer",
            f"{share(last.clerical_labels, run.candidate_pairs)} of the compared pairs",
        ),
        (
            count(shown),
            "values shown in part",
            f"{share(shown, values)} of {count(values)} values" if values else "nothing was shown as text",
        ),
    ]
    cells = [
        el("div", el("dt", name), el("dd", figure_, class_="big"), el("dd", note, class_="note"))
        for figure_, name, note in tiles
    ]
    return el("dl", *cells, class_="headline")


def quality(run: RunResult) -> Markup:
    """F1, precision and recall after every batch; bars where there was no batch."""
    points = run.trajectory
    levels = [Level("record level", run.record_level_f1)] if run.record_level_f1 else []
    if run.attribute_level_f1 is not None:
        levels.append(Level("attribute level", run.attribute_level_f1))
    names = ("F1", "precision", "recall")
    values = [tuple(getattr(point, name.lower()) for point in points) for name in names]
    caption = words.quality(run)
    title = "Quality of the links"
    if len(points) == 1:
        bars = [
            Bar(name, value[0], score(value[0]), f"s{i}")
            for i, (name, value) in enumerate(zip(names, values, strict=True))
        ]
        bars += [Bar(f"F1, {level.name}", level.y, score(level.y), "s-muted") for level in levels]
        picture = figure("quality", title, caption, lambda width: bar_chart(width, bars, full=1.0), caption)
        return section("quality-heading", title, picture)
    x = tuple(float(point.reviewed_pairs) for point in points)
    lines = [Line(name, x, value, style) for style, (name, value) in enumerate(zip(names, values, strict=True))]
    labelled = any(point.clerical_labels for point in points)
    second = Second(
        "labels given by the reviewer by then", tuple((point.reviewed_pairs, point.clerical_labels) for point in points)
    )
    picture = figure(
        "quality",
        f"{title} after every batch",
        f"{caption} Precision {words.moved(points[0].precision, points[-1].precision)}, "
        f"recall {words.moved(points[0].recall, points[-1].recall)}.",
        lambda width: line_chart(
            width,
            lines=lines,
            levels=levels,
            x_label="pairs compared attribute by attribute",
            second=second if labelled else None,
        ),
        caption,
    )
    return section("quality-heading", f"{title} after every batch", picture)


def similarity(run: RunResult) -> Markup | None:
    """Matches and non-matches by record-level similarity."""
    bins = run.histogram
    if bins is None or not any((*bins.matches, *bins.non_matches)):
        return None
    real = words.has_threshold(run)
    t0 = words.start(run)
    cuts = [Cut("threshold" if real else "as if cut at", run.t_final, "final")]
    if threshold(t0) != threshold(run.t_final):
        cuts = [Cut("at the end", run.t_final, "final"), Cut("at the start", t0, "start")]
    caption = words.similarity(run)
    picture = figure(
        "similarity",
        "Compared pairs by the similarity of their record filters",
        f"{caption} {count(sum(bins.matches))} pairs of the same person, {count(sum(bins.non_matches))} of different "
        "people.",
        lambda width: mirrored(
            width,
            edges=bins.edges,
            up=Half("same person", bins.matches, "s0"),
            down=Half("different people", bins.non_matches, "s-down"),
            cuts=cuts,
            band=run.uncertain_band,
            band_name="uncertain" if real else "nine in ten of the uncertain",
            x_label="similarity of the two record filters",
        ),
        caption,
    )
    return section("similarity-heading", "Where a record filter can decide, and where it cannot", picture)


def disclosure(run: RunResult) -> Markup | None:
    """The share of records that gave up each attribute on each layer."""
    if not run.disclosures:
        return None
    cells = {(entry.attribute, entry.layer): (entry.records, entry.of_records) for entry in run.disclosures}
    attributes = dict.fromkeys(entry.attribute for entry in run.disclosures)
    layers = [layer for layer in words.LAYERS if any(key[1] == layer for key in cells)]
    groups = [Group(layer, words.LAYERS.index(layer)) for layer in layers]
    rows = [(in_words(name), [cells.get((name, layer)) for layer in layers]) for name in attributes]
    caption = words.disclosure(run)
    picture = figure(
        "disclosure",
        "Share of records that gave up each attribute on each layer",
        caption,
        lambda width: share_chart(width, rows, groups, x_label="share of all records, logarithmic"),
        caption,
    )
    return section("disclosure-heading", "How much each layer was given", picture)


def review(run: RunResult, examples: Markup | None) -> Markup | None:
    """What the reviewer saw of each attribute, and examples."""
    if not any(sum(states.values()) for states in run.review_states.values()):
        return section("review-heading", "What the reviewer was asked", examples) if examples else None
    seen = dict.fromkeys(state for states in run.review_states.values() for state in states)
    known = [state for state in words.STATES if state in seen]
    others = [state for state in seen if state not in words.STATES]
    parts = [_PARTS.get(state, BarPart(in_words(state), "", "s-missing")) for state in [*known, *others]]
    rows = [
        (in_words(name), [states.get(state, 0) for state in [*known, *others]])
        for name, states in run.review_states.items()
    ]
    caption = words.review(run)
    picture = figure(
        "review",
        "What the reviewer saw of each attribute",
        caption,
        lambda width: stacked_bars(width, rows, parts),
        caption,
    )
    return section("review-heading", "What the reviewer was asked", picture, examples)


def risk(run: RunResult) -> Markup | None:
    """The KAPR figures as bars from 0 to 1 and in words."""
    sentences = words.risk(run)
    if not sentences:
        return None
    bars = [
        Bar(_KAPR[name], run.kapr[name], score(run.kapr[name]), kind)
        for name, kind in zip(_KAPR, ("s2", "s2", "s-muted", "s-muted"), strict=True)
        if math.isfinite(run.kapr.get(name, math.nan))
    ]
    caption = " ".join(sentences)
    picture = figure(
        "risk",
        "Risk that a reviewed record can be told apart, from 0 to 1",
        caption,
        lambda width: bar_chart(width, bars, full=1.0),
        caption,
    )
    meaning = el(
        "p",
        "KAPR, the k-anonymised privacy risk, asks how many records agree with everything that was given of a "
        "reviewed record: if k do, each given value counts 1/k. The figure is the mean over all reviewed records and "
        "attributes.",
    )
    return section("risk-heading", "How identifying the shown values are", picture, meaning)


def timing(run: RunResult, flows: Markup | None) -> Markup:
    """Seconds per stage and the messages that went between the parties."""
    caption = words.timing(run)
    bars = [Bar(in_words(stage), seconds, duration(seconds), "s-muted") for stage, seconds in run.timings.items()]
    picture: Markup = el("p", caption)
    if bars:
        picture = figure("timing", "Time per stage", caption, lambda width: bar_chart(width, bars), caption)
    return section("timing-heading", "What it took", picture, flows)
