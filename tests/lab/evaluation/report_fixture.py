"""A made-up run with plausible numbers, and the ways in which a run can be smaller. No value is a real person's."""

from __future__ import annotations

from dataclasses import replace

from unveil.lab.evaluation.result import AskedPair, Histogram, Point, RunResult, Shown
from unveil.linkage.estimate import Estimate
from unveil.models.advice import AttributeWorth
from unveil.one_place.figures import Disclosure, Flow

ATTRIBUTES = ("first_name", "middle_name", "last_name", "year_of_birth", "city", "zip", "place_of_birth")


def full_run() -> RunResult:
    """A run of all three layers."""
    return RunResult(
        dataset="synthetic people, 20 % overlap",
        preset="three layers",
        budget=300,
        error=0.2,
        seed=7,
        t_opt=0.75,
        t0=0.80,
        t_final=0.74,
        true_pairs=10_000,
        candidate_pairs=112_846,
        pairs_completeness=0.987,
        trajectory=_trajectory(),
        seconds=47.31,
        peak_rss_mb=812.4,
        records=(50_000, 50_000),
        record_level_f1=0.863,
        attribute_level_f1=0.912,
        uncertain_band=(0.71, 0.80),
        histogram=_histogram(),
        disclosures=_disclosures(),
        asked=_asked(),
        review_states=_states(),
        kapr={"held": 0.187, "seen": 0.064, "held, unequal values": 0.374, "held, all values": 0.931},
        flows=_flows(),
        estimate=Estimate((0.902, 0.935, 0.951), (0.861, 0.893, 0.925), (0.884, 0.914, 0.933)),
        suitability=0.873,
        worth=_worth(),
        reviewer_error=0.18,
        timings={
            "read": 0.41, "encode": 6.2, "block": 1.1, "compare": 9.8, "layer A": 21.6, "review": 0.032,
            "update": 3.4, "measure": 4.7,
        },
    )  # fmt: skip


def one_layer_run() -> RunResult:
    """The record level alone: one point, no label, nothing opened."""
    return replace(
        full_run(),
        preset="one layer",
        budget=0,
        t_final=0.80,
        trajectory=full_run().trajectory[:1],
        attribute_level_f1=None,
        disclosures=tuple(entry for entry in full_run().disclosures if entry.layer == "record"),
        asked=(),
        review_states={},
        kapr={},
        suitability=None,
        worth=(),
        reviewer_error=None,
        flows=full_run().flows[:1],
    )


def bare_run() -> RunResult:
    """A run with nothing but the fields that a Run must have."""
    return RunResult(
        dataset="bare", preset="bare", budget=0, error=0.0, seed=1, t_opt=0.75, t0=0.75, t_final=0.75, true_pairs=0,
        candidate_pairs=0, pairs_completeness=0.0, trajectory=(Point(0, 0, 0.75, 0.0, 0.0, 0.0),), seconds=0.0,
        peak_rss_mb=0.0,
    )  # fmt: skip


def _trajectory() -> tuple[Point, ...]:
    pairs = (0, 100, 200, 300, 400, 500, 1500, 2500, 3500, 4500)
    labels = (0, 60, 120, 180, 240, 300, 300, 300, 300, 300)
    thresholds = (0.80, 0.78, 0.77, 0.77, 0.76, 0.75, 0.75, 0.74, 0.74, 0.74)
    precision = (0.962, 0.941, 0.933, 0.930, 0.921, 0.911, 0.922, 0.931, 0.936, 0.939)
    recall = (0.720, 0.790, 0.812, 0.815, 0.836, 0.851, 0.868, 0.882, 0.895, 0.904)
    return tuple(
        Point(*row, round(2 * row[3] * row[4] / (row[3] + row[4]), 4))
        for row in zip(pairs, labels, thresholds, precision, recall, strict=True)
    )


def _histogram() -> Histogram:
    edges = tuple(round(0.5 + 0.01 * index, 2) for index in range(51))
    matches = tuple(round(900 * 2.718 ** (-(((e - 0.86) / 0.09) ** 2)) * (e < 0.995)) for e in edges[:-1])
    non_matches = tuple(round(21_000 * 2.718 ** (-((e - 0.5) / 0.045))) for e in edges[:-1])
    return Histogram(edges, matches, non_matches)


def _disclosures() -> tuple[Disclosure, ...]:
    have = (100_000, 92_200, 100_000, 100_000, 100_000, 99_900, 80_800)
    opened = (8_412, 7_790, 8_412, 8_412, 8_412, 8_404, 6_811)
    shown = (41, 118, 97, 12, 166, 451, 6)
    return tuple(
        Disclosure(layer, name, number, 100_000)
        for layer, numbers in (("record", have), ("attribute", opened), ("review", shown))
        for name, number in zip(ATTRIBUTES, numbers, strict=True)
    )


def _worth() -> tuple[AttributeWorth, ...]:
    m = (0.88, 0.62, 0.4, 0.98, 0.56, 0.55, 0.94)
    u = (0.7, 0.03, 0.5, 0.83, 0.08, 0.04, 0.44)
    return tuple(AttributeWorth(*row) for row in zip(ATTRIBUTES, m, u, strict=True))


def _states() -> dict[str, dict[str, int]]:
    numbers = (
        (266, 13, 0, 21), (142, 61, 38, 59), (176, 75, 0, 49), (287, 7, 0, 6), (127, 90, 0, 83), (61, 2, 1, 236),
        (196, 31, 70, 3),
    )  # fmt: skip
    states = ("equal", "dissimilar", "missing", "shown")
    return {name: dict(zip(states, row, strict=True)) for name, row in zip(ATTRIBUTES, numbers, strict=True)}


def _asked() -> tuple[AskedPair, ...]:
    first = (
        Shown("first_name", "equal", "", "", "frequent"),
        Shown("middle_name", "missing", "", "", ""),
        Shown("last_name", "shown", "****A", "****", "one letter deleted at the end"),
        Shown("year_of_birth", "equal", "", "", ""),
        Shown("city", "dissimilar", "", "", ""),
        Shown("zip", "shown", "***$*", "***@*", "one digit replaced"),
        Shown("place_of_birth", "equal", "", "", ""),
    )
    second = (
        Shown("first_name", "shown", "**T*", "**D*", "one letter replaced"),
        Shown("middle_name", "equal", "", "", ""),
        Shown("last_name", "equal", "", "", "rare"),
        Shown("year_of_birth", "shown", "**$%", "**%$", "two digits swapped"),
        Shown("city", "equal", "", "", "common"),
        Shown("zip", "equal", "", "", ""),
        Shown("place_of_birth", "missing", "", "", ""),
    )
    return (
        AskedPair(first, label=True, truth=True),
        AskedPair(second, label=True, truth=False),
        AskedPair(second, label=False, truth=False),
        AskedPair(first, label=True, truth=True),
    )


def _flows() -> tuple[Flow, ...]:
    return (
        Flow("owner", "record unit", "RecordEncodings", 2, 14_200_000),
        Flow("record unit", "owner", "EncodingWish", 18, 612_000),
        Flow("record unit", "attribute unit", "Bootstrap", 9, 118_000),
        Flow("owner", "attribute unit", "AttributeEncodings", 18, 2_310_000),
        Flow("attribute unit", "owner", "AttributeWish", 20, 41_200),
        Flow("attribute unit", "review unit", "ReviewTask", 10, 88_100),
        Flow("owner", "review unit", "AttributeValues", 20, 36_400),
        Flow("review unit", "attribute unit", "ReviewLabel", 10, 9_300),
        Flow("attribute unit", "record unit", "Labels", 9, 97_000),
        Flow("record unit", "owner", "LinkTable", 2, 3_100_000),
    )
