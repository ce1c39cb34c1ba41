"""How much the filters and the review give away, beside what was published."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unveil.charts.bars import Bar, bar_chart
from unveil.charts.document import section
from unveil.charts.figures import count, in_words, score, share
from unveil.charts.markup import Markup, el
from unveil.charts.svg import figure
from unveil.charts.tables import table
from unveil.lab.paper import published
from unveil.lab.paper.cells import MEASURED
from unveil.lab.paper.findings import Findings
from unveil.lab.paper.published import Figure

_KINDS = {"abf": "one key for all", "kabf": "a key per pair"}
_ENCODINGS = {"clk": "CLK, 1,024 bits", "clk-xor": "folded, 512 bits"}
_POLICIES = {
    "kapr_all": "all values",
    "kapr_unequal": "unequal values",
    "kapr_between": "alike but unequal (the protocol)",
}
_SIGNS = {"stated": "", "derived": "≈", "above": ">", "below": "<"}


def printed(figure_: Figure | None, write: Callable[[float], str] = score) -> str:
    """A published figure as it is written: ≈ if derived, > or < if a bound, – if there is none."""
    return "–" if figure_ is None else f"{_SIGNS[figure_.how]}{write(figure_.value)}"


def filters(found: Findings) -> Markup | None:
    """Gini and JSD of the filters on E1M, with the noise floor."""
    if not found.attribute_bits and not found.record_bits:
        return None
    return section(
        "filters-heading",
        "What frequent bits give away",
        el(
            "p",
            "Gini and JSD (Jensen–Shannon distance to the uniform distribution) are 0 if every bit position is set "
            "equally often. Even random filters show some unevenness, the less the more filters there are: the noise "
            "floor. A ratio near 1 means that nothing but noise is left to count; it falls below 1 where the two "
            "records of a pair differ, because then their filters are two draws instead of one.",
        ),
        _keyed(found) if found.attribute_bits else None,
        *(_attributes(found, kind) for kind in found.attribute_bits),
        _records(found) if found.record_bits else None,
    )


def _keyed(found: Findings) -> Markup:
    bars = [
        Bar(f"{in_words(name)}, {_KINDS[kind]}", values["gini"], score(values["gini"]), "s-muted" if i == 0 else "s1")
        for name in found.attribute_bits["abf"]
        for i, kind in enumerate(_KINDS)
        for values in [found.attribute_bits[kind][name]]
    ]
    plain, keyed = ([row["gini"] for row in found.attribute_bits[kind].values()] for kind in _KINDS)
    printed_range = [
        sorted(figures["gini"].value for figures in published.ATTRIBUTE_BITS[kind].values()) for kind in _KINDS
    ]
    caption = (
        f"Gini of the attribute filters of {MEASURED}. Plain filters show between {score(min(plain))} and "
        f"{score(max(plain))}; filters keyed per pair at most {score(max(keyed))}. Published: "
        f"{score(printed_range[0][0])} to {score(printed_range[0][-1])}, and at most {score(printed_range[1][-1])}."
    )
    return figure(
        "gini", "Gini of attribute filters, plain and keyed", caption, lambda width: bar_chart(width, bars), caption
    )


def _attributes(found: Findings, kind: str) -> Markup:
    rows = []
    for name, ours in found.attribute_bits[kind].items():
        theirs = published.ATTRIBUTE_BITS[kind].get(name, {})
        number = count(theirs["count"].value) if theirs else "–"
        rows.append((in_words(name), count(ours["count"]), number, *_both(ours, theirs)))
    which = "all records" if kind == "abf" else "the records encoded in one run"
    return table(
        f"Attribute filters of {MEASURED}, {_KINDS[kind]}: {which}", ("attribute", "count", "published", *_HEADS), rows
    )


_HEADS = ("Gini", "published", "floor", "ratio", "JSD", "published", "floor", "ratio")


def _both(ours: Mapping[str, float], theirs: Mapping[str, Figure]) -> tuple[str, ...]:
    cells: list[str] = []
    for key in ("gini", "jsd"):
        floor = ours[f"{key}_floor"]
        ratio = f"{ours[key] / floor:,.1f}" if floor else "–"
        cells += [_fine(ours[key]), printed(theirs.get(key)), _fine(floor), ratio]
    return tuple(cells)


def _fine(value: float) -> str:
    return f"{value:.4f}".removeprefix("0")


def _records(found: Findings) -> Markup:
    rows = [
        (name, count(found.record_bits[key]["count"]), *_both(found.record_bits[key], published.RECORD_BITS[key]))
        for key, name in _ENCODINGS.items()
        if key in found.record_bits
    ]
    return table(f"Record filters of {MEASURED}", ("filters", "count", *_HEADS), rows)


def review(found: Findings) -> Markup | None:
    """KAPR under three request policies, and which attributes reached layer C."""
    if not found.review:
        return None
    parts: list[Markup | None] = []
    for name, seen in found.review.items():
        theirs = published.REVIEW.get(name, {})
        bars = [
            Bar(words, seen["kapr"][key], _beside(seen["kapr"][key], theirs.get(key)), "s2")
            for key, words in _POLICIES.items()
        ]
        provided = [
            Bar(in_words(key), value, _shares(value, theirs.get(key)), "s0") for key, value in seen["provided"].items()
        ]
        parts += [
            el("h3", name),
            _bars(f"kapr-{name}", f"KAPR on {name} by what is asked for", bars, _kapr_words(seen["kapr"])),
            _bars(f"provided-{name}", f"Share of records on {name} that provide each attribute", provided, _most(seen)),
        ]
    return section(
        "layer-c-heading",
        "What reached the reviewer",
        el(
            "p",
            "At b=200 and err=0.2, medians over the runs. KAPR is 1 if every value of every reviewed record is held "
            "and fits nobody else, 0 if nothing is. The share of records that provide an attribute counts reviewed "
            "records alone.",
        ),
        *parts,
    )


def _bars(key: str, title: str, bars: list[Bar], caption: str) -> Markup:
    return figure(key, title, caption, lambda width: bar_chart(width, bars, full=1.0), f"{title}. {caption}")


def _kapr_words(kapr: Mapping[str, float]) -> str:
    return (
        f"Asking for all values would amount to {score(kapr['kapr_all'])}; leaving equal ones out makes it "
        f"{score(kapr['kapr_unequal'])}, leaving dissimilar ones out too {score(kapr['kapr_between'])}."
    )


def _most(seen: Mapping[str, Mapping[str, float]]) -> str:
    name, value = max(seen["provided"].items(), key=lambda item: item[1])
    return f"The attribute provided most often is {in_words(name)}, by {share(value, 1)} of the reviewed records."


def _beside(value: float, figure_: Figure | None) -> str:
    return f"{score(value)} (published {printed(figure_)})" if figure_ else score(value)


def _shares(value: float, figure_: Figure | None) -> str:
    ours = share(value, 1)
    return f"{ours} (published ≈{share(figure_.value, 1)})" if figure_ else ours
