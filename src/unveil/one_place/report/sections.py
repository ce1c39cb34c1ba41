"""Parts of a page that need no truth, each a heading, a picture and the sentence under it. Without data one is None."""

from __future__ import annotations

import math

from unveil.charts.bars import Bar, BarPart, bar_chart, stacked_bars
from unveil.charts.document import section
from unveil.charts.dots import Group, share_chart
from unveil.charts.figures import duration, in_words, score
from unveil.charts.markup import Markup, el
from unveil.charts.svg import figure
from unveil.one_place.figures import CountedFigures
from unveil.one_place.report import words

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


def disclosure(run: CountedFigures) -> Markup | None:
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


def review(run: CountedFigures, examples: Markup | None) -> Markup | None:
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


def risk(run: CountedFigures) -> Markup | None:
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


def timing(run: CountedFigures, flows: Markup | None) -> Markup:
    """Seconds per stage and the messages that went between the parties."""
    caption = words.timing(run)
    bars = [Bar(in_words(stage), seconds, duration(seconds), "s-muted") for stage, seconds in run.timings.items()]
    picture: Markup = el("p", caption)
    if bars:
        picture = figure("timing", "Time per stage", caption, lambda width: bar_chart(width, bars), caption)
    return section("timing-heading", "What it took", picture, flows)
