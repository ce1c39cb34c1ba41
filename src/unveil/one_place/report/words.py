"""Sentences that need no truth, computed from the numbers of a linkage."""

from __future__ import annotations

import math
from collections.abc import Sequence

from unveil.charts.figures import count, duration, in_words, score, share, size
from unveil.one_place.figures import CountedFigures, Flow

STATES = ("equal", "dissimilar", "missing", "shown")
LAYERS = ("record", "attribute", "review")
_HELD, _SEEN, _UNEQUAL, _EVERYTHING = "held", "seen", "held, unequal values", "held, all values"


def values_shown(run: CountedFigures) -> tuple[int, int]:
    """Values that the review unit held, and values in all records."""
    entries = [entry for entry in run.disclosures if entry.layer == "review"]
    return sum(entry.records for entry in entries), sum(entry.of_records for entry in entries)


def listed(names: Sequence[str]) -> str:
    """The names in a row: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def disclosure(run: CountedFigures) -> str:
    """How much less each layer received than the one before."""
    forms = {"record": "as part of a record filter", "attribute": "as a filter of its own", "review": "as text"}
    parts = []
    for layer in LAYERS:
        entries = [entry for entry in run.disclosures if entry.layer == layer and entry.of_records]
        if entries:
            least = min(entries, key=lambda entry: entry.records / entry.of_records)
            most = max(entries, key=lambda entry: entry.records / entry.of_records)
            low, high = share(least.records, least.of_records), share(most.records, most.of_records)
            span = (
                high if low == high else f"{low} ({in_words(least.attribute)}) to {high} ({in_words(most.attribute)})"
            )
            parts.append(f"{forms[layer]} for {span}")
    return f"Of the records, an attribute left the owners {'; '.join(parts)}." if parts else ""


def review(run: CountedFigures) -> str:
    """How much of what was asked stayed hidden, and what was shown most."""
    totals = {state: sum(states.get(state, 0) for states in run.review_states.values()) for state in STATES}
    everything = sum(sum(states.values()) for states in run.review_states.values())
    hidden = everything - totals["shown"]
    sentence = (
        f"In {share(hidden, everything)} of the cells the reviewer saw no character at all: "
        f"{count(totals['equal'])} were ticked as equal, {count(totals['dissimilar'])} crossed as dissimilar, "
        f"{count(totals['missing'])} missing. In the other {count(totals['shown'])} the two values were shown, "
        "masked where they agree."
    )
    name, states = max(run.review_states.items(), key=lambda item: item[1].get("shown", 0))
    if states.get("shown", 0):
        sentence += f" The attribute shown most often is {in_words(name)}."
    return sentence


def risk(run: CountedFigures) -> list[str]:
    """What the KAPR figures mean, one sentence each."""
    sentences = []
    kapr = {name: value for name, value in run.kapr.items() if math.isfinite(value)}
    if _HELD in kapr:
        sentences.append(
            f"The values that the review unit held amount to a risk of {score(kapr[_HELD])}, where 0 means that "
            "nothing was given and 1 that every value of every reviewed record was given and nobody else shares them."
        )
    if _SEEN in kapr:
        sentences.append(f"Counting only the characters that were really displayed, it is {score(kapr[_SEEN])}.")
    asked = ((_UNEQUAL, "all unequal values of these pairs"), (_EVERYTHING, "every value of these pairs"))
    more = [(what, kapr[name]) for name, what in asked if name in kapr]
    for what, value in more:
        times = f", {value / kapr[_HELD]:.1f} times as much as was held" if kapr.get(_HELD) else ""
        sentences.append(f"Had {what} been asked for, it would be {score(value)}{times}.")
    return sentences


def timing(run: CountedFigures) -> str:
    """The total, the memory and the slowest stage."""
    sentence = f"The run took {duration(run.seconds)} and at most {size(run.peak_rss_mb * 1e6)} of memory"
    timings = {stage: seconds for stage, seconds in run.timings.items() if math.isfinite(seconds)}
    if timings:
        stage, seconds = max(timings.items(), key=lambda item: item[1])
        sentence += f"; the longest stage was {in_words(stage)} with {duration(seconds)}"
    return f"{sentence}."


def role(name: str) -> str:
    """The role behind a party's name: owner-a and owner_b are owners."""
    plain = in_words(name).lower()
    return "owner" if plain.startswith("owner") else plain


def traffic(flows: tuple[Flow, ...], sender: str, recipient: str) -> int:
    """Bytes from one role to another."""
    return sum(flow.bytes for flow in flows if (role(flow.sender), role(flow.recipient)) == (sender, recipient))
