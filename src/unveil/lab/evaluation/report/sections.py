"""Parts of the page that set a run beside the truth, each a heading, a picture and the sentence under it."""

from __future__ import annotations

from unveil.charts.bars import Bar, bar_chart
from unveil.charts.document import section, tiles
from unveil.charts.figures import count, score, share, threshold
from unveil.charts.histogram import Cut, Half, mirrored
from unveil.charts.lines import Level, Line, Second, line_chart
from unveil.charts.markup import Markup
from unveil.charts.svg import figure
from unveil.lab.evaluation.report import words
from unveil.lab.evaluation.result import RunResult
from unveil.one_place.report.words import values_shown


def headline(run: RunResult) -> Markup:
    """Five large figures in plain words."""
    last = run.trajectory[-1]
    right, false = words.found(last, run.true_pairs), words.wrong(last, run.true_pairs)
    shown, values = values_shown(run)
    one = score(run.initial_f1) == score(run.final_f1)
    f1 = score(run.final_f1) if one else f"{score(run.initial_f1)} → {score(run.final_f1)}"
    figures = [
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
    return tiles(figures)


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
