"""The part of the page that says what the opened pairs tell about the encoding and its attributes."""

from __future__ import annotations

import math

from unveil.charts.bars import Bar, bar_chart
from unveil.charts.document import section
from unveil.charts.figures import counted, in_words, score
from unveil.charts.markup import Markup, el
from unveil.charts.svg import Drawing, figure
from unveil.models.advice import AttributeWorth
from unveil.one_place.figures import CountedFigures

#: So close to a coin toss, the record-level similarity of opened pairs says next to nothing.
_NEAR = 0.1
_TOSS = 0.5


def advice(run: CountedFigures) -> Markup | None:
    """The weight of every attribute among the opened pairs, and whether the record encoding suits the data."""
    heading = "What the data says about the encoding"
    suits = suitability_sentence(run)
    known = weighed(run)
    if not known:
        return section("advice-heading", heading, el("p", suits)) if suits else None
    bars = _bars(known)
    caption = " ".join(filter(None, (worth_sentence(run), suits)))
    picture = figure(
        "advice",
        "What each attribute is worth among the opened pairs",
        f"{caption} " + " ".join(f"{bar.name}: {bar.value}." for bar in bars),
        lambda width: bar_chart(width, bars),
        caption,
    )
    meaning = el(
        "p",
        "m is how often the attribute agrees in matches, u how often in non-matches, by the attribute unit's "
        "probabilities. The bar is log2(m / u) − log2((1 − m) / (1 − u)): the bits of evidence between agreement and "
        "disagreement. The opened pairs are the hard ones; among all pairs the weights are different.",
    )
    return section("advice-heading", heading, picture, meaning)


def _bars(known: list[AttributeWorth]) -> list[Bar]:
    return [
        Bar(f"{in_words(one.name)}: m {score(one.m)}, u {score(one.u)}", one.weight, bits(one.weight), _kind(one))
        for one in known
    ]


def draw_worth(run: CountedFigures, width: int) -> Drawing:
    """The weight of every attribute among the opened pairs."""
    return bar_chart(width, _bars(weighed(run)))


def _kind(one: AttributeWorth) -> str:
    return "s1" if one.weight >= 0 else "s-muted"


def weighed(run: CountedFigures) -> list[AttributeWorth]:
    """The attributes whose weight is a number, in the order of the schema."""
    return [one for one in run.worth if 0 < one.m < 1 and 0 < one.u < 1]


def bits(weight: float) -> str:
    """A weight with one decimal: 5.4 bits, −0.3 bits."""
    text = f"{weight:.1f}"
    return "0.0 bits" if text == "-0.0" else f"{text.replace('-', '−')} bits"


def worth_sentence(run: CountedFigures) -> str:
    """Which attribute is worth most and which least among the opened pairs."""
    known = weighed(run)
    most = max(known, key=lambda one: one.weight)
    least = min(known, key=lambda one: one.weight)
    among = f"Among the {counted(run.reviewed_pairs, 'opened pair')}"
    if bits(most.weight) == bits(least.weight):
        which = "every attribute" if len(known) > 1 else in_words(most.name)
        return f"{among}, {which} is worth {bits(most.weight)}."
    sentence = (
        f"{among}, {in_words(most.name)} is worth most ({bits(most.weight)}) and {in_words(least.name)} least "
        f"({bits(least.weight)})"
    )
    if round(least.weight, 1) < 0:
        sentence += ", where agreement even speaks against a match"
    return f"{sentence}."


def suitability_sentence(run: CountedFigures) -> str:
    """How well the record-level similarity tells matches from non-matches where pairs were opened."""
    value = run.suitability
    if value is None or not math.isfinite(value):
        return ""
    sentence = (
        "Among opened pairs, the chance that what the attribute unit calls a match has a higher record-level "
        f"similarity than a non-match is {score(value)}; higher is better, and encodings of the same people can be "
        "compared by it."
    )
    if value == _TOSS:
        sentence += " Exactly .5 is also given where all opened pairs are of one kind."
    if abs(value - _TOSS) < _NEAR:
        return f"{sentence} Near .5 the record encoding adds nothing there: consider other parameters for it."
    if value < _TOSS:
        return f"{sentence} Below .5 the record encoding misleads there: consider other parameters for it."
    return f"{sentence} At .5 the record encoding would add nothing there."
