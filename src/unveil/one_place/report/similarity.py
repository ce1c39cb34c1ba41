"""The part of the page that shows which pairs were linked, by the similarity of their record filters."""

from __future__ import annotations

from unveil.charts.document import section
from unveil.charts.figures import count, threshold
from unveil.charts.histogram import Cut, Half, mirrored
from unveil.charts.markup import Markup
from unveil.charts.svg import Drawing, figure
from unveil.one_place.figures import OnePlaceFigures


def similarity(run: OnePlaceFigures) -> Markup | None:
    """Linked pairs and others by record-level similarity; None where no pair was alike."""
    bins = run.decided
    if bins is None or not any((*bins.linked, *bins.others)):
        return None
    caption = similarity_caption(run)
    picture = figure(
        "similarity",
        "Compared pairs by the similarity of their record filters",
        f"{caption} {count(sum(bins.linked))} pairs were linked, {count(sum(bins.others))} were not.",
        lambda width: draw_similarity(run, width),
        caption,
    )
    return section("similarity-heading", "Which pairs were linked", picture)


def draw_similarity(run: OnePlaceFigures, width: int) -> Drawing:
    """Linked pairs upwards, others downwards, each line ten times the one before."""
    bins = run.decided
    assert bins is not None
    return mirrored(
        width,
        edges=bins.edges,
        up=Half("linked", bins.linked, "s0"),
        down=Half("not linked", bins.others, "s-down"),
        cuts=[Cut("as if cut at", run.as_if_cut_at, "final")],
        band=run.uncertain_band,
        band_name="nine in ten of the uncertain",
        x_label="similarity of the two record filters",
    )


def similarity_caption(run: OnePlaceFigures) -> str:
    """What divides linked pairs from others."""
    sentence = (
        "The models weigh more than this similarity, so no threshold divides the pairs: as many were taken for matches "
        f"as reach {threshold(run.as_if_cut_at)}."
    )
    low, high = run.uncertain_band
    if low < high:
        sentence += f" Nine in ten of the uncertain pairs lie between {threshold(low)} and {threshold(high)}."
    return f"{sentence} The counts are logarithmic, so that both kinds can be seen."
